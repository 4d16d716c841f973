#!/usr/bin/env python3
"""Runs PyTorch's own test files, unmodified, on the device, and writes what each test gave into a table.

    tools/setup-pytorch-tests
    build/release/bin/wavesmith run --gpu mi300x -- \\
        python tests/clients/torch/pytorch_own/run_pytorch_tests.py --table FILE test_torch.py --only float32

Runs the tests of a file that are made for each kind of device ("device-generic"), those of this device alone. Each
test runs in a process that others share; when it ends the process or takes too long, the next gets a new one. With
the same table it goes on where it was stopped. Statuses:

    kernels, host   passed; host: some operator was computed by the host
    skipped         by PyTorch
    CPU too         fails in the same way on the CPU of the installed PyTorch, without Wavesmith
    expected        fails for a reason that pytorch_tests.tsv states, or was not run where that says so
    fails, crashes, too long

With WAVESMITH_TORCH=cuda the device is called so, and runs what the files have for CUDA alone.
"""

from __future__ import annotations

import argparse
import csv
import functools
import json
import os
import random
import re
import selectors
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

#: Of which every test has been judged: it passes, or pytorch_tests.tsv has the reason why it cannot.
JUDGED = (
    "test_torch.py",
    "test_indexing.py",
    "test_sort_and_select.py",
    "test_autograd.py",
    "test_nn.py",
    "test_optim.py",
)
FILES = (
    *JUDGED,
    "test_shape_ops.py",
    "test_view_ops.py",
    "test_tensor_creation_ops.py",
    "test_modules.py",
    "test_reductions.py",
    "test_linalg.py",
    "test_binary_ufuncs.py",
    "test_unary_ufuncs.py",
    "test_ops.py",
)
COLUMNS = ("file", "test", "status", "by the host", "seconds", "error")
#: Of a second table beside the first: of which tests of a file, and how many, the first has some or all.
PARTS = ("file", "part", "only", "tests", "seed")
STATUSES = ("kernels", "host", "skipped", "CPU too", "expected", "fails", "crashes", "too long")
BAD = ("fails", "crashes", "too long")
_WAITS = 20  # a test that takes this many times its limit, but of no processor, waits for what never comes
_HERE = Path(__file__).resolve().parent
SOURCE = _HERE.parents[3] / "build/clients/pytorch-source/test"


@functools.cache
def _stated() -> list[dict[str, str]]:
    with (_HERE / "pytorch_tests.tsv").open(newline="") as file:
        return list(csv.DictReader(file, delimiter="\t"))


@functools.cache
def reasons() -> list[tuple[re.Pattern[str], str]]:
    """Tests that cannot pass, as expressions that match the whole of "file Class.test", with the reason of each."""
    return [(re.compile(row["tests"]), row["reason"]) for row in _stated()]


def is_left_out(file: str, test: str) -> bool:
    """Whether a test is not even run: it would take the machine's memory from others."""
    return any(row["runs"] == "no" and re.fullmatch(row["tests"], f"{file} {test}") for row in _stated())


def cannot_pass(file: str, test: str) -> bool:
    return any(pattern.fullmatch(f"{file} {test}") for pattern, _ in reasons())


class _Process:
    """A process that runs tests of one file for a device."""

    def __init__(self, path: Path, device: str, log: Any) -> None:
        self.process = subprocess.Popen(
            [sys.executable, str(_HERE / "pytorch_tests.py"), device, str(path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
            bufsize=1,
        )
        self.run_tests = 0
        self.tests: list[str] = self.answer(600).get("tests", [])

    def _processor_seconds(self) -> float:
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def answer(self, seconds: float) -> dict[str, Any]:
        """The next line that it tells; {"status": how} when it ends, or takes more of a processor's time than this."""
        assert self.process.stdout is not None
        begin, used = time.monotonic(), self._processor_seconds()
        with selectors.DefaultSelector() as selector:
            selector.register(self.process.stdout, selectors.EVENT_READ)
            while not selector.select(1):
                waits = time.monotonic() - begin > _WAITS * seconds
                if waits or self._processor_seconds() - used > seconds:
                    self.end()
                    return {"status": "too long", "error": "waits" if waits else f"more than {seconds:.0f} s"}
        line = self.process.stdout.readline()
        if line:
            return dict(json.loads(line))
        return {"status": "crashes", "error": f"the process ended with {self.process.wait()}"}

    def run(self, name: str, seconds: float) -> dict[str, Any]:
        assert self.process.stdin is not None
        self.run_tests += 1
        try:
            self.process.stdin.write(name + "\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            return {"status": "crashes", "error": "the process had ended"}
        return self.answer(seconds)

    def end(self) -> None:
        self.process.kill()
        self.process.wait()


class _Runner:
    """Processes for one file and device, one at a time."""

    def __init__(self, path: Path, device: str, log: Any) -> None:
        self.path, self.device, self.log = path, device, log
        self.process = _Process(path, device, log)
        if not self.process.tests:
            raise RuntimeError(
                f"{path.name}: {self.device} has no tests, or the file cannot be loaded (--log says why)"
            )
        self.tests = self.process.tests
        self.over = False

    def run(self, name: str, seconds: float) -> dict[str, Any]:
        """Runs a test, once more in a new process when the process may have ended after the test before."""
        for _ in range(2):
            if self.over:
                self.process = _Process(self.path, self.device, self.log)
            answer = self.process.run(name, seconds)
            self.over = answer["status"] in ("crashes", "too long")
            if answer["status"] != "crashes" or self.process.run_tests == 1:
                break
        return answer

    def end(self) -> None:
        self.process.end()


def _device() -> str:
    return "cuda" if os.environ.get("WAVESMITH_TORCH") == "cuda" else "privateuse1"


def on_cpu(name: str) -> str:
    """The same test for the CPU."""
    named = "cuda" if _device() == "cuda" else "wavesmith"
    kind, test = name.split(".")
    before, _, after = test.rpartition(f"_{named}")
    return re.sub(r"(PRIVATEUSE1|WAVESMITH|CUDA)$", "CPU", kind) + f".{before}_cpu{after}"


def alike(ours: str, theirs: str) -> bool:
    """Whether two errors say the same but for numbers and the device's name."""

    def plain(error: str) -> str:
        named = re.sub(r"(wavesmith|privateuse(one|1)|cuda|cpu)(:\d+)?", "device", error.lower())
        return re.sub(r"0x[0-9a-f]+|\d+", "0", named)

    return plain(ours) == plain(theirs)


class _File:
    """The tests of one file."""

    def __init__(self, path: Path, options: argparse.Namespace, log: Any) -> None:
        self.path, self.options, self.log = path, options, log
        self.runner = _Runner(path, _device(), log)
        self.cpu: _Runner | None = None
        self.none_for_cpu = False

    def matching(self) -> list[str]:
        return [name for name in self.runner.tests if re.search(self.options.only, name)]

    def part(self) -> dict[str, Any]:
        """The row of this run in the table of parts."""
        values = (self.path.name, self.options.part, self.options.only, len(self.matching()), self.options.seed)
        return dict(zip(PARTS, values, strict=True))

    def chosen(self, done: set[tuple[str, str]]) -> list[str]:
        index, count = map(int, self.options.shard.split("/"))
        names = self.matching()[index - 1 :: count]
        if self.options.seed is not None:
            random.Random(self.options.seed).shuffle(names)
        if self.options.seconds:
            names = [name for name in names if not cannot_pass(self.path.name, name)]
        return [name for name in names if (self.path.name, name) not in done]

    def _fails_on_cpu(self, name: str, error: str) -> bool:
        twin = on_cpu(name)
        if not (self.cpu or self.none_for_cpu):
            try:
                self.cpu = _Runner(self.path, "cpu", self.log)
            except RuntimeError:
                self.none_for_cpu = True
        if self.cpu is None or twin not in self.cpu.tests:
            return False
        answer = self.cpu.run(twin, self.options.timeout)
        return answer["status"] == "fails" and alike(answer["error"], error)

    def row(self, name: str) -> dict[str, str]:
        if is_left_out(self.path.name, name):
            answer = {"status": "expected", "error": "was not run"}
        else:
            answer = self.runner.run(name, self.options.timeout)
        status, host = answer["status"], answer.get("host", [])
        if status == "passed":
            status = "host" if host else "kernels"
        elif status == "fails" and self._fails_on_cpu(name, answer["error"]):
            status = "CPU too"
        values = (self.path.name, name, status, " ".join(sorted(host)), str(answer.get("seconds", "")), answer["error"])
        return dict(zip(COLUMNS, values, strict=True))

    def end(self) -> None:
        self.runner.end()
        if self.cpu:
            self.cpu.end()


def read(table: Path) -> list[dict[str, str]]:
    if not table.exists():
        return []
    with table.open(newline="") as file:
        return list(csv.DictReader(file, delimiter="\t"))


def parts_of(table: Path) -> Path:
    return table.with_suffix(".parts.tsv")


def append(table: Path, columns: Sequence[str]) -> tuple[Any, csv.DictWriter[str]]:
    """A table's file, to whose end rows are written at once, and its writer."""
    file = table.open("a", newline="", buffering=1)
    writer = csv.DictWriter(file, columns, delimiter="\t", lineterminator="\n")
    if not file.tell():
        writer.writeheader()
    return file, writer


def judged(rows: list[dict[str, str]]) -> list[dict[str, str]]:
    """The rows, of which those that cannot pass are expected."""
    return [
        {**row, "status": "expected"} if row["status"] in BAD and cannot_pass(row["file"], row["test"]) else row
        for row in rows
    ]


def summary(rows: list[dict[str, str]]) -> str:
    """How many tests of each file gave what."""
    counts: dict[str, Counter[str]] = {}
    for row in rows:
        counts.setdefault(row["file"], Counter())[row["status"]] += 1
    lines = ["| file | tests | " + " | ".join(STATUSES) + " |", "|---" * (len(STATUSES) + 2) + "|"]
    total: Counter[str] = Counter()
    for count in counts.values():
        total.update(count)
    for name, count in [*counts.items(), ("all", total)]:
        numbers = [count.total(), *(count[status] for status in STATUSES)]
        lines.append(f"| `{name}` | " + " | ".join(f"{number:,}" for number in numbers) + " |")
    return "\n".join(lines)


def _run_file(path: Path, options: argparse.Namespace, table: Any, done: set[tuple[str, str]]) -> None:
    with (options.log or Path(os.devnull)).open("a") as log:
        file = _File(path, options, log)
        parts, part_rows = append(parts_of(options.table), PARTS)
        part_rows.writerow(file.part())
        parts.close()
        names, begin = file.chosen(done), time.monotonic()
        print(f"{path.name}: {len(file.runner.tests)} tests, {len(names)} to run", file=sys.stderr, flush=True)
        for number, name in enumerate(names, 1):
            spent = time.monotonic() - begin
            if options.seconds and spent > options.seconds:
                break
            table.writerow(file.row(name))
            if number % 200 == 0:
                print(f"{path.name}: {number} of {len(names)}, {spent:.0f} s", file=sys.stderr, flush=True)
        file.end()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", default=FILES, help=f"of the folder (default: {' '.join(FILES)})")
    parser.add_argument("--tests", type=Path, default=SOURCE, help="PyTorch's folder test (default: Debian's)")
    parser.add_argument("--table", type=Path, required=True, help="the table, with tabs; what it has is not run again")
    parser.add_argument("--only", default="", help="tests whose Class.test matches this expression")
    parser.add_argument("--shard", default="1/1", help="I/N: every Nth test, from the Ith on")
    parser.add_argument("--seed", type=int, help="in the random order of this seed")
    parser.add_argument("--seconds", type=float, help="for each file, without tests that cannot pass")
    parser.add_argument("--timeout", type=float, default=60, help="a processor's seconds for one test (default: 60)")
    parser.add_argument("--log", type=Path, help="where what the tests print goes (default: nowhere)")
    parser.add_argument("--slow", action="store_true", help="those too that PyTorch calls slow")
    parser.add_argument("--part", default="", help="what tabulate_pytorch_tests.py is to call these tests")
    options = parser.parse_args()
    os.environ.setdefault("WAVESMITH_QUIET", "1")
    if options.slow:
        os.environ["PYTORCH_TEST_WITH_SLOW"] = "1"
    done = {(row["file"], row["test"]) for row in read(options.table)}
    file, table = append(options.table, COLUMNS)
    with file:
        for name in options.files:
            _run_file(options.tests / name, options, table, done)
    rows = judged(read(options.table))
    print(summary(rows))
    bad = [row for row in rows if row["status"] in BAD]
    for row in bad[:50]:
        print(f"{row['file']} {row['test']}: {row['status']}: {row['error']}")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
