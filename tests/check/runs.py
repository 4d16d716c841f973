"""Runs of a program or code object of which one kernel was changed, under the checkers and without."""

from __future__ import annotations

import csv
import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol

from kernel_code import KernelCode

#: Bytes, and their offsets from the kernel's first instruction.
Patches = Sequence[tuple[int, bytes]]
#: What the exit status of a run says that took too long.
HUNG = -1000
#: Seconds after which a kernel that does not end is stopped.
PATIENCE = 20
#: Orders of workgroups and waves that a run is tried in beside the usual one.
ORDERS = (1, 2, 3, 4)


@dataclass(frozen=True)
class Driver:
    """How a kernel gets real input: by a program. `{code}` in the words stands for the changed copy of the file that
    holds the kernel."""

    wavesmith: Path
    gpu: str
    file: Path  # that holds the kernel
    words: Sequence[str]  # behind `wavesmith run`
    timeout: float = 120


class Runner(Protocol):
    """Runs a kernel with changes to its code."""

    kernel: KernelCode
    one_wave: bool  # a workgroup; False where that is not known

    def run(self, patches: Patches, checks: str = "", order: int = 0) -> Outcome:
        """`checks`: the checkers; "" for none. `order`: the seed of that of workgroups and waves."""

    def executed(self) -> set[tuple[int, str]]:
        """Offsets and texts of instructions that are executed; empty where that is not known."""

    def strays(self, patches: Patches) -> bool | None:
        """Whether an instruction accesses what is in no buffer, or in one that it does not access without these
        changes; None where that is not known."""

    def uses_early(self, patches: Patches) -> bool | None:
        """Whether an instruction touches a register into which a load is under way, or is a barrier while accesses of
        LDS are, as none does without these changes; None where that is not known."""

    def hands_over(self) -> bool | None:
        """Whether a wave reads from device memory, through the cache next to it, what another one writes; None where
        that is not known."""

    def stores_matter(self, offset: int) -> bool | None:
        """Whether somebody could miss it that a wait waits for stores; None where that is not known."""

    def stale(self, patches: Patches) -> bool | None:
        """Whether, in some order of workgroups, caches or stores under way keep something from somebody; None where
        that is not known."""

    def resets(self, offset: int) -> bool:
        """Whether an instruction writes to LDS where something was written before."""

    def jumps(self) -> set[tuple[int, int]] | None:
        """Offsets of branches that are taken, and where they lead to; None where that is not known."""

    def read_before(self, offset: int) -> set[str] | None:
        """Scalar registers that the VALU has read before an s_wait_alu; None where that is not known."""

    def outstanding(self) -> dict[int, dict[str, int]]:
        """For the offset of a wait the most that was under way before it, by counter; empty where not known."""


@dataclass
class Outcome:
    """What a run gave."""

    rules: set[str]  # of errors and warnings
    hints: set[tuple[str, int, str]]  # the rule, place and instruction of each
    status: object  # of the program, or of the launch
    result: object = None
    places: set[tuple[str, tuple[int, ...]]] = field(default_factory=set)  # of the rules, where it is known

    def same(self, other: Outcome) -> bool:
        return (self.status, self.result) == (other.status, other.result)


class Copy:
    """A copy of the file that holds a kernel, in a folder of its own; one mutant at a time is in it."""

    def __init__(self, driver: Driver, kernel: KernelCode) -> None:
        self.driver, self.kernel, self.one_wave = driver, kernel, False
        self.scratch = tempfile.TemporaryDirectory(prefix="mutate")
        self.file = Path(self.scratch.name) / driver.file.name
        shutil.copy(driver.file, self.file)

    def put(self, offset: int, data: bytes) -> None:
        with self.file.open("r+b") as file:
            for position in self.kernel.positions:
                file.seek(position + offset)
                file.write(data)

    def restore(self, offset: int, size: int) -> None:
        data = b"".join(one.data for one in self.kernel.instructions)
        self.put(offset, data[offset : offset + size])

    def run(self, patches: Patches, checks: str = "", order: int = 0) -> Outcome:
        try:
            for offset, data in patches:
                self.put(offset, data)
            return self.start(checks, {"WAVESMITH_ORDER": str(order)} if order else {})
        finally:
            for offset, data in patches:
                self.restore(offset, len(data))

    def executed(self) -> set[tuple[int, str]]:
        """Offsets and texts of instructions that the profiler sees executed; some may be of another kernel."""
        table = Path(self.scratch.name) / "statistics.csv"
        command = [str(self.driver.wavesmith), "profile", "--gpu", self.driver.gpu, "--statistics", str(table)]
        try:
            subprocess.run(command + self.words(), capture_output=True, check=False, timeout=self.driver.timeout)
        except subprocess.TimeoutExpired:
            return set()
        if not table.exists():
            return set()
        with table.open(newline="") as file:
            return {(int(row["Vaddr"]), row["Instruction"]) for row in csv.DictReader(file) if row["Hitcount"] != "0"}

    def jumps(self) -> set[tuple[int, int]] | None:
        return None

    def read_before(self, offset: int) -> set[str] | None:
        return None

    def outstanding(self) -> dict[int, dict[str, int]]:
        return {}

    def strays(self, patches: Patches) -> bool | None:
        return None

    def uses_early(self, patches: Patches) -> bool | None:
        return None

    def hands_over(self) -> bool | None:
        return None

    def stores_matter(self, offset: int) -> bool | None:
        return None

    def stale(self, patches: Patches) -> bool | None:
        return None

    def resets(self, offset: int) -> bool:
        return False

    def words(self) -> list[str]:
        return [word.replace("{code}", str(self.file)) for word in self.driver.words]

    def start(self, checks: str, more: Mapping[str, str]) -> Outcome:
        reports = Path(self.scratch.name) / "reports"
        reports.mkdir(exist_ok=True)
        for old in reports.iterdir():
            old.unlink()
        environment = {**os.environ, **more}
        if checks:
            environment |= {"WAVESMITH_CHECK": checks, "WAVESMITH_CHECK_REPORT": str(reports)}
        command = [str(self.driver.wavesmith), "run", "--quiet", "--timeout", str(PATIENCE), "--gpu", self.driver.gpu]
        command += self.words()
        try:
            status = subprocess.run(
                command, env=environment, capture_output=True, check=False, timeout=self.driver.timeout
            ).returncode
        except subprocess.TimeoutExpired:
            status = HUNG
        findings = [one for file in sorted(reports.iterdir()) for one in json.loads(file.read_text())["findings"]]
        named = [(f"{one['checker']}/{one['rule']}", one) for one in findings]
        rules = {rule for rule, one in named if one["severity"] != "hint"}
        hints = {
            (rule, each["offset"], each["instruction"])
            for rule, one in named
            if one["severity"] == "hint"
            for each in one["parties"]
        }
        return Outcome(rules, hints, status)


#: Its numbers as a scalar register.
VCC = (106, 107)


def texts_of(patches: Patches) -> list[tuple[int, str]]:
    """As wavesmith_mutants reads them."""
    return [(offset, data.hex()) for offset, data in patches]


class Launch:
    """A launch that was kept, which wavesmith_mutants makes again: all mutants in one process."""

    def __init__(self, mutants: Path, gpu: str, code: Path, launch: Path, kernel: KernelCode) -> None:
        self.kernel = kernel
        self.one_wave = json.loads(launch.read_text())["threads"] <= kernel.lanes
        self.command = [str(mutants), gpu, str(code), str(launch)]
        self.process: subprocess.Popen[str] | None = None

    def ask(self, request: Mapping[str, object]) -> dict[str, Any]:
        if self.process is None:
            self.process = subprocess.Popen(self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        assert self.process.stdin and self.process.stdout
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:  # it has died of this mutant
            status, self.process = self.process.wait(), None
            return {"rules": [], "hints": [], "error": f"the emulator ends with {status}", "result": None}
        answer: dict[str, Any] = json.loads(line)
        return answer

    def run(self, patches: Patches, checks: str = "", order: int = 0) -> Outcome:
        told = self.ask({"patches": texts_of(patches), "checks": checks, "order": order})
        hints = {(rule, offset, text) for rule, offset, text in told.get("hints", [])}
        places = {(rule, tuple(offsets)) for rule, offsets in told.get("places", [])}
        return Outcome(set(told.get("rules", [])), hints, told["error"], told["result"], places)

    @cached_property
    def watched(self) -> dict[str, Any]:
        return self.watch(())

    def watch(self, patches: Patches) -> dict[str, Any]:
        return self.ask({"patches": texts_of(patches), "checks": "watch"})

    def uses_early(self, patches: Patches) -> bool | None:
        told = self.watch(patches)
        return "early" not in told or not set(told["early"]) <= set(self.watched["early"])

    def executed(self) -> set[tuple[int, str]]:
        offsets = set(self.watched["executed"])
        return {(one.offset, one.text) for one in self.kernel.instructions if one.offset in offsets}

    def jumps(self) -> set[tuple[int, int]] | None:
        return {(begin, end) for begin, end in self.watched["jumps"]}

    def read_before(self, offset: int) -> set[str] | None:
        numbers = dict(self.watched["read"]).get(offset, [])
        return {"vcc" if number in VCC else f"s{number}" for number in numbers}

    def strays(self, patches: Patches) -> bool | None:
        before = {offset: set(buffers) for offset, buffers in self.watched["accesses"]}
        told = self.watch(patches)
        if "accesses" not in told:
            return True
        # An instruction that was not executed before has no buffers of its own.
        every = {-1}.symmetric_difference(set().union(*before.values()) | {-1})
        return any(set(buffers) - before.get(offset, every) for offset, buffers in told["accesses"])

    @cached_property
    def handed(self) -> bool:
        return bool(self.ask({"patches": [], "checks": "hand-overs"}).get("handed", True))

    def hands_over(self) -> bool | None:
        return self.handed

    @cached_property
    def exchanges(self) -> dict[str, Any]:
        return self.ask({"patches": [], "checks": "exchanges"})

    def stores_matter(self, offset: int) -> bool | None:
        return offset in self.exchanges["needed"] if "needed" in self.exchanges else None

    def stale(self, patches: Patches) -> bool | None:
        asked = ({"patches": texts_of(patches), "checks": "stale", "order": order} for order in (0, *ORDERS))
        return any(self.ask(one).get("stale", True) for one in asked)

    def resets(self, offset: int) -> bool:
        return offset in self.watched["resets"]

    def outstanding(self) -> dict[int, dict[str, int]]:
        return dict(self.watched["outstanding"])

    def close(self) -> None:
        if self.process and self.process.stdin:
            self.process.stdin.close()
            self.process.wait()
