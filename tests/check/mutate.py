#!/usr/bin/env python3
"""Mutation tests of the checkers: removes instructions from a program's kernels and asks whether it is noticed.

Each mutant is a copy of the program in which one instruction is `s_nop 0` instead. It runs under `wavesmith
check`, and is

    caught       the checker reports an error or a warning;
    equivalent   the run cannot tell: the instruction was not executed, or the checker proves that it did nothing;
    survived     neither.

    mutate.py --gpu mi300x --checks wait --mnemonic 's_waitcnt' ./app
    mutate.py --gpu mi300x --checks hazard --mnemonic 's_nop' ./app
    mutate.py --gpu mi300x --checks sync,race --mnemonic 's_barrier' --kernel gemm ./app 512
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import shutil
import struct
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

SKIPPED = 77
NOP = struct.pack("<I", 0xBF800000)
# s_trap 2 ends a kernel with an error: that shows whether a place is executed.
TRAP = struct.pack("<I", 0xBF900002)
TRAP_OF_CDNA = struct.pack("<I", 0xBF920002)


@dataclass(frozen=True)
class Site:
    """An instruction of a kernel, at its place in the file."""

    kernel: str
    offset: int  # from the kernel's first instruction
    text: str
    position: int  # in the file
    size: int
    target: str

    def __str__(self) -> str:
        return f"{self.kernel} + {self.offset:#x}: {self.text}"


def sites_of(wavesmith: Path, program: Path, mnemonic: str, kernels: str) -> Iterator[Site]:
    """The instructions of a program's kernels whose text matches."""
    listing = subprocess.run(
        [wavesmith, "disasm", program, "--json"], capture_output=True, text=True, check=True
    ).stdout
    data = program.read_bytes()
    wanted, named = re.compile(mnemonic), re.compile(kernels)
    for code in json.loads(listing):
        for kernel in code["kernels"]:
            if not named.search(kernel["name"]):
                continue
            words = [bytes_of(one["bytes"]) for one in kernel["instructions"]]
            start = data.find(b"".join(words))
            if start < 0:
                sys.exit(f"the code of {kernel['name']} is not in {program} as it is: is its bundle compressed?")
            first = kernel["instructions"][0]["pc"]
            for one, encoded in zip(kernel["instructions"], words, strict=True):
                if wanted.match(one["text"]):
                    offset = one["pc"] - first
                    yield Site(kernel["name"], offset, one["text"], start + offset, len(encoded), code["target"])


def bytes_of(words: str) -> bytes:
    """The bytes of an instruction that is printed in dwords."""
    return b"".join(struct.pack("<I", int(word, 16)) for word in words.split())


@dataclass
class Outcome:
    """What a run under the checkers gave."""

    findings: list[dict[str, object]]
    status: int

    def faults(self) -> list[str]:
        return sorted({f"{one['checker']}/{one['rule']}" for one in self.findings if one["severity"] != "hint"})


class Mutants:
    """Runs changed copies of one program."""

    def __init__(self, arguments: argparse.Namespace, folder: Path) -> None:
        self.arguments = arguments
        self.program = Path(arguments.program[0])
        self.data = self.program.read_bytes()
        self.copy = folder / self.program.name

    def write(self, site: Site | None, word: bytes) -> None:
        data = bytearray(self.data)
        if site:
            data[site.position : site.position + site.size] = (word * (site.size // 4))[: site.size]
        self.copy.write_bytes(data)
        shutil.copymode(self.program, self.copy)

    def check(self, site: Site | None) -> Outcome:
        """Runs the program without that instruction, under the checkers."""
        self.write(site, NOP)
        with tempfile.TemporaryDirectory() as reports:
            environment = dict(os.environ, WAVESMITH_CHECK=self.arguments.checks, WAVESMITH_CHECK_REPORT=reports)
            status = self.run(environment)
            findings = [
                finding
                for report in sorted(Path(reports).iterdir())
                for finding in json.loads(report.read_text())["findings"]
            ]
        return Outcome(findings, status)

    def executes(self, site: Site, status: int) -> bool:
        """Whether the program comes by there: it ends otherwise when there is a trap."""
        self.write(site, TRAP_OF_CDNA if site.target.startswith("gfx9") else TRAP)
        return self.run(dict(os.environ)) != status

    def run(self, environment: dict[str, str]) -> int:
        command = [self.arguments.wavesmith, "run", "--quiet", "--gpu", self.arguments.gpu, "--", self.copy]
        command += self.arguments.program[1:]
        try:
            return subprocess.run(
                command, env=environment, capture_output=True, check=False, timeout=self.arguments.timeout
            ).returncode
        except subprocess.TimeoutExpired:
            return -1


def did_nothing(before: Outcome, site: Site) -> bool:
    """Whether the checker says of the program itself that the instruction does nothing."""
    for finding in before.findings:
        if finding["severity"] != "hint" or not isinstance(finding["parties"], list):
            continue
        if any(one["offset"] == site.offset and one["instruction"] == site.text for one in finding["parties"]):
            return True
    return False


def judge(mutants: Mutants, before: Outcome, site: Site) -> tuple[str, str]:
    """What becomes of a mutant, and why."""
    if did_nothing(before, site):
        return "equivalent", "it never does anything in this run"
    after = mutants.check(site)
    new = sorted(set(after.faults()) - set(before.faults()))
    if new:
        return "caught", ", ".join(new)
    if not mutants.executes(site, before.status):
        return "equivalent", "it is not executed"
    return "survived", "" if after.status == before.status else "the results are wrong"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--gpu", required=True)
    parser.add_argument("--checks", required=True, help="the checkers, as for wavesmith check --checks")
    parser.add_argument("--mnemonic", required=True, help="a regular expression, from an instruction's beginning")
    parser.add_argument("--kernel", default="", help="a regular expression: kernels of these names alone")
    parser.add_argument("--most", type=int, default=0, help="mutants to run, chosen by --seed; 0: all")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--timeout", type=float, default=120, help="seconds for one run")
    parser.add_argument("--wavesmith", type=Path, default=Path("build/release/bin/wavesmith"))
    parser.add_argument("--at-least", type=float, default=0, help="fail below this share of caught among the rest")
    parser.add_argument("program", nargs=argparse.REMAINDER, help="a HIP program and its arguments")
    arguments = parser.parse_args()
    if not arguments.program:
        parser.error("which program?")
    if not Path(arguments.program[0]).exists():
        print(f"{arguments.program[0]} is not built")
        return SKIPPED
    sites = list(sites_of(arguments.wavesmith, Path(arguments.program[0]), arguments.mnemonic, arguments.kernel))
    if arguments.most and len(sites) > arguments.most:
        chosen = set(random.Random(arguments.seed).sample(range(len(sites)), arguments.most))
        sites = [site for i, site in enumerate(sites) if i in chosen]
    counts = {"caught": 0, "equivalent": 0, "survived": 0}
    with tempfile.TemporaryDirectory() as folder:
        mutants = Mutants(arguments, Path(folder))
        before = mutants.check(None)
        if before.faults():
            print(f"the program as it is: {', '.join(before.faults())}")
        for site in sites:
            verdict, why = judge(mutants, before, site)
            counts[verdict] += 1
            print(f"{verdict:10} {site}{f'  ({why})' if why else ''}", flush=True)
    judged = counts["caught"] + counts["survived"]
    share = counts["caught"] / judged if judged else 1.0
    print(f"{len(sites)} mutants: " + ", ".join(f"{n} {name}" for name, n in counts.items()) + f"; {share:.1%}")
    return 0 if share >= arguments.at_least else 1


if __name__ == "__main__":
    sys.exit(main())
