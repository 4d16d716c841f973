"""What `wavesmith check` costs: the processor time and the memory of a checked run beside the same run unchecked.

python bench/python/check_costs.py [--build build/release] [--gpu mi300x] [--repeats 5] [--seed 1]

Runs a matrix product, attention, a reduction and a sort in turns, unchecked and under each checker, so that what else
the machine does hits all alike, and prints the median ratio of processor time with the least and the most, and the
median ratio of memory: the most that a process of the run holds at once, inputs included. `--memory` measures memory
alone, in one turn.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

CHECKERS = ("memory", "race", "wait", "hazard", "init", "sync", "numeric", "all")
#: The most that each may cost, by what users of such tools put up with.
LIMITS = {"memory": 2.5, "all": 15.0}
#: As much memory as an unchecked run.
MEMORY_LIMIT = 2.5
#: Megabytes of inputs that these programs never write: until somebody does they take no memory, as a user's would.
UNWRITTEN = {"gemm": 64, "attention": 24, "reduce": 1024, "sort": 0}
#: Runs its arguments and prints what they cost.
MEASURE = """
import resource, subprocess, sys
subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(used.ru_utime + used.ru_stime, used.ru_maxrss / 1024)
"""
PROGRAMS = {
    "gemm": ("bin/wavesmith_kernels_bench", "gemm", "4096", "4096", "4096", "bf16"),
    "attention": ("bin/wavesmith_kernels_bench", "attention", "1", "8", "8", "4096", "4096", "128", "bf16"),
    "reduce": ("bin/wavesmith_kernels_bench", "reduce", "16384", "16384", "f32", "rows"),
    "sort": ("tests/hip/rocprim_mi300x", "SEED"),  # of its sizes: another one in each turn
}


@dataclass(frozen=True)
class Cost:
    """Of a command and all that it starts."""

    seconds: float
    """Of the processor."""
    megabytes: float
    """That its largest process held at once."""


def cost(command: list[str]) -> Cost:
    """Runs it."""
    environment = {**os.environ, "WAVESMITH_TEST_SIZE": "200000", "WAVESMITH_QUIET": "1"}
    # A process in between: the kernel keeps the greatest of all children that were waited for.
    text = subprocess.run(
        [sys.executable, "-c", MEASURE, *command], capture_output=True, check=True, env=environment, text=True
    ).stdout
    seconds, megabytes = text.split()[-2:]
    return Cost(float(seconds), float(megabytes))


def above(ratio: float, limit: float) -> str:
    """A verdict."""
    return "" if ratio <= limit else f"  more than {limit}"


def main() -> None:
    """Prints a line per program and checker, and JSON with --json."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=Path, default=Path("build/release"))
    parser.add_argument("--gpu", default="mi300x")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--seed", type=int, default=1, help="the first one")
    parser.add_argument("--memory", action="store_true", help="measure memory alone, which one turn tells")
    parser.add_argument("--json", type=Path, help="write the ratios there")
    options = parser.parse_args()
    build = options.build.resolve()
    wavesmith = str(build / "bin/wavesmith")
    rows = []
    for name, (program, *words) in PROGRAMS.items():
        plain: list[Cost] = []
        checked: dict[str, list[Cost]] = {checker: [] for checker in CHECKERS}
        for seed in range(options.seed, options.seed + (1 if options.memory else options.repeats)):
            command = [str(build / program), *(word.replace("SEED", str(seed)) for word in words)]
            plain.append(cost([wavesmith, "run", "--quiet", "--gpu", options.gpu, "--", *command]))
            for checker, costs in checked.items():
                costs.append(cost([wavesmith, "check", "--checks", checker, "--gpu", options.gpu, "--", *command]))
        for checker, costs in checked.items():
            times = [one.seconds / other.seconds for one, other in zip(costs, plain, strict=True)]
            unwritten = UNWRITTEN[name]
            memory = statistics.median(
                (one.megabytes + unwritten) / (other.megabytes + unwritten)
                for one, other in zip(costs, plain, strict=True)
            )
            time, limit = statistics.median(times), LIMITS.get(checker, 5.0)
            words_of_time = f"{time:5.2f}  ({min(times):.2f} to {max(times):.2f})" + above(time, limit)
            words_of_memory = f"{memory:5.2f} of {plain[0].megabytes + unwritten:.0f} MB" + above(memory, MEMORY_LIMIT)
            print(f"{name:10} {checker:8}", *([] if options.memory else [words_of_time]), words_of_memory, flush=True)
            row = {"program": name, "checker": checker, "memory": memory}
            if not options.memory:
                row |= {"ratio": time, "least": min(times), "most": max(times)}
            rows.append(row)
    if options.json:
        options.json.write_text(json.dumps(rows, indent=1) + "\n")


if __name__ == "__main__":
    main()
