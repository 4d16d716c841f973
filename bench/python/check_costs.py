"""What `wavesmith check` costs: the processor time of a checked run beside that of the same run unchecked.

python bench/python/check_costs.py [--build build/release] [--gpu mi300x] [--repeats 5] [--seed 1]

Runs a matrix product, attention, a reduction and a sort in turns, unchecked and under each checker, so that what else
the machine does hits all alike, and prints the median ratio of processor time with the least and the most.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import statistics
import subprocess
from pathlib import Path

CHECKERS = ("memory", "race", "wait", "hazard", "init", "sync", "numeric", "all")
#: The most that each may cost, by what users of such tools put up with.
LIMITS = {"memory": 2.5, "all": 15.0}
PROGRAMS = {
    "gemm": ("bin/wavesmith_kernels_bench", "gemm", "4096", "4096", "4096", "bf16"),
    "attention": ("bin/wavesmith_kernels_bench", "attention", "1", "8", "8", "4096", "4096", "128", "bf16"),
    "reduce": ("bin/wavesmith_kernels_bench", "reduce", "16384", "16384", "f32", "rows"),
    "sort": ("tests/hip/rocprim_mi300x", "SEED"),  # of its sizes: another one in each turn
}


def processor_seconds(command: list[str]) -> float:
    """Of the command and all that it starts."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    environment = {**os.environ, "WAVESMITH_TEST_SIZE": "200000", "WAVESMITH_QUIET": "1"}
    subprocess.run(command, capture_output=True, check=False, env=environment)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    """Prints a line per program and checker, and JSON with --json."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=Path, default=Path("build/release"))
    parser.add_argument("--gpu", default="mi300x")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--seed", type=int, default=1, help="the first one")
    parser.add_argument("--json", type=Path, help="write the ratios there")
    options = parser.parse_args()
    build = options.build.resolve()
    wavesmith = str(build / "bin/wavesmith")
    rows = []
    for name, (program, *words) in PROGRAMS.items():
        ratios: dict[str, list[float]] = {checker: [] for checker in CHECKERS}
        for seed in range(options.seed, options.seed + options.repeats):
            command = [str(build / program), *(word.replace("SEED", str(seed)) for word in words)]
            plain = processor_seconds([wavesmith, "run", "--quiet", "--gpu", options.gpu, "--", *command])
            for checker in CHECKERS:
                run = [wavesmith, "check", "--checks", checker, "--gpu", options.gpu, "--", *command]
                ratios[checker].append(processor_seconds(run) / plain)
        for checker, seen in ratios.items():
            limit = LIMITS.get(checker, 5.0)
            median = statistics.median(seen)
            verdict = "" if median <= limit else f"  more than {limit}"
            print(f"{name:10} {checker:8} {median:5.2f}  ({min(seen):.2f} to {max(seen):.2f}){verdict}", flush=True)
            rows.append({"program": name, "checker": checker, "ratio": median, "least": min(seen), "most": max(seen)})
    if options.json:
        options.json.write_text(json.dumps(rows, indent=1) + "\n")


if __name__ == "__main__":
    main()
