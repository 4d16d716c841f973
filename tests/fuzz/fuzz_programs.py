#!/usr/bin/env python3
"""Random programs: what a GPU computes equals what the host's compiler and processor compute, to the bit.

    tests/fuzz/fuzz_programs.py --wavesmith build/release/bin/wavesmith --count 1000 [--seed 7]

Each program (random_program.py) is compiled for the host and for three of the targets and optimisation levels, and run
on 128 work-items. A program that differs is left in the current folder. Exit 1: one differs; 77: nothing here compiles
for a GPU.
"""

import argparse
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from random_program import RandomProgram

LANES = 128
FLAGS = ["-w", "-std=c++17", "-fwrapv", "-ffp-contract=off", "-fno-strict-aliasing"]
# The host computes halves in single precision; without this it would round only once a statement.
HOST_FLAGS = ["-x", "c++", "-O1", "-Xclang", "-ffloat16-excess-precision=none"]
DEVICE_FLAGS = ["--cuda-device-only", "-nogpulib", "-nogpuinc"]
TARGETS = [
    ("mi210", []),
    ("mi300x", []),
    ("mi355x", []),
    ("rx7900xtx", []),
    ("radeon8060s", []),
    ("rx9070xt", []),
    ("rx7900xtx", ["-mwavefrontsize64"]),
    ("rx9070xt", ["-mwavefrontsize64"]),
]
TARGETS_A_PROGRAM = 3
SECONDS = 120


def run(command: list[str]) -> subprocess.CompletedProcess[str]:
    """The finished process; a hanging one counts as failed."""
    try:
        return subprocess.run(command, capture_output=True, text=True, timeout=SECONDS)
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(command, 124, "", f"not done after {SECONDS} s")


class FailedError(Exception):
    """A step that has to work did not: its output."""


def checked(command: list[str]) -> str:
    """What the command prints; raises when it fails."""
    done = run(command)
    if done.returncode != 0:
        raise FailedError(f"{' '.join(command)}: exit {done.returncode}\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    return done.stdout


def differences(wavesmith: str, seed: int, folder: Path) -> list[str]:
    """One line for each target on which this program's results are not the host's."""
    source = folder / f"program_{seed}.hip"
    source.write_text(RandomProgram(seed).text)
    host = folder / "host"
    checked([wavesmith, "cc", *FLAGS, *HOST_FLAGS, str(source), "-o", str(host)])
    wanted = checked([str(host), str(LANES)]).split()
    choice = random.Random(seed)
    found = []
    for gpu, more in choice.sample(TARGETS, TARGETS_A_PROGRAM):
        level = f"-O{choice.randrange(4)}"
        code = folder / "kernel.co"
        name = " ".join([gpu, *more, level])
        checked([wavesmith, "cc", f"--gpu={gpu}", *FLAGS, *DEVICE_FLAGS, *more, level, str(source), "-o", str(code)])
        launch = ["--kernel", "k", "--grid", str(LANES // 64), "--block", "64", "--arg", f"u64[{LANES}]=0"]
        done = run([wavesmith, "run", "--quiet", "--gpu", gpu, str(code), *launch, "--print", f"0:{LANES}"])
        got = done.stdout.removeprefix("0: ").split()
        if done.returncode != 0:
            found.append(f"{name}: exit {done.returncode}: {done.stderr.strip()[-300:]}")
        elif got != wanted:
            wrong = [lane for lane in range(LANES) if lane >= len(got) or got[lane] != wanted[lane]]
            found.append(f"{name}: {len(wrong)} of {LANES} work-items differ, the first {wrong[0]}")
    return found


def main() -> int:
    """Runs the programs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--wavesmith", required=True, help="the command")
    parser.add_argument("--count", type=int, default=5, help="programs (default 5)")
    parser.add_argument("--seed", type=int, default=None, help="of the first; the others follow (default: the time)")
    options = parser.parse_args()
    first = options.seed if options.seed is not None else int(time.time()) % 1_000_000_000
    print(f"seeds {first} to {first + options.count - 1}", flush=True)
    bad = 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        probe = folder / "probe.hip"
        probe.write_text('extern "C" __attribute__((global)) void k() {}\n')
        compiled = run([options.wavesmith, "cc", "--gpu=mi300x", *DEVICE_FLAGS, str(probe), "-o", f"{folder}/probe.co"])
        if compiled.returncode:
            print("skipped: nothing here compiles for a GPU")
            return 77
        for seed in range(first, first + options.count):
            try:
                found = differences(options.wavesmith, seed, folder)
            except FailedError as why:
                found = [str(why)]
            if found:
                bad += 1
                kept = Path(f"program_{seed}.hip")
                kept.write_text(RandomProgram(seed).text)
                print(f"seed {seed}, kept as {kept}:", *found, sep="\n  ", flush=True)
    print(f"{options.count} programs on {TARGETS_A_PROGRAM} targets each, {bad} wrong")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
