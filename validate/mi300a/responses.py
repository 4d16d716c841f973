#!/usr/bin/env python3
"""How the programs' modelled times answer to the constants of the data file that were fitted on them.

    validate/mi300a/responses.py build/release/bin/wavesmith validate/data/mi300a_responses.csv.gz

runs every program of validate/data/mi300a.csv.gz, at the sizes that take no seconds, under modelled time: once as it is
and once for each value of each constant below. It writes the milliseconds, a column per setting. `wavesmith validate
mi300a` fits constants on that table (validate/programs/mi300a_fit), which takes no time, where fitting on runs would
take hours. To be made anew when the model of time or the programs change: ten minutes on two idle cores.
"""

import argparse
import concurrent.futures
import csv
import gzip
import io
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
OPTIONS = {
    "atax": ["--size"],
    "bitonicsort": ["--size"],
    "fir": ["--length", "--taps"],
    "floydwarshall": ["--nodes"],
    "kmeans": ["--points", "--features", "--clusters"],
    "matrixmultiplication": ["--size"],
    "matrixtranspose": ["--size"],
    "memcopy": ["--size"],
    "nbody": ["--bodies"],
    "relu": ["--size"],
    "stencil2d": ["--size"],
    "vectoradd": ["--size"],
}
# About the values with which the table was first made. Nothing but copies between host and GPU answers to the last
# three.
CONSTANTS = {
    "pace.store_cycles": 320,
    "pace.memory_gigabytes_per_second": 3300,
    "pace.walks_per_microsecond": 1500,
    "launch.call_us": 2.3,
    "launch.first_wave_us": 0.5,
    "launch.gap_us": 1.0,
    "launch.event_us": 0.95,
    "copy.call_us": 12.5,
    "copy.to_device_gigabytes_per_second": 57.9,
    "copy.to_host_gigabytes_per_second": 57.9,
}
FACTORS = (0.5, 2)
# Programs that copy between host and GPU where they are timed.
COPYING = ("bitonicsort", "floydwarshall", "memcopy")
# The largest first number of a size: beyond, a run takes seconds, and its time answers as the last one's does.
LARGEST = {"atax": 1024, "floydwarshall": 512, "matrixmultiplication": 3072, "memcopy": 64, "nbody": 16384}


def program_of(kernel: str) -> str:
    return "memcopy" if kernel.startswith("memcopy") else kernel


def is_short(kernel: str, size: str) -> bool:
    most = LARGEST.get(program_of(kernel))
    return most is None or int(re.findall(r"\d+", size)[0]) <= most


def settings() -> list[str]:
    """Of every column but the first, which is of the data file as it is."""
    return [f"{name}={value * factor:g}" for factor in FACTORS for name, value in CONSTANTS.items()]


def concerns(setting: str, program: str) -> bool:
    """Whether the program's times can depend on it."""
    return not setting.startswith("copy.") or program in COPYING


def run(command: str, folder: Path, program: str, size: str, setting: str) -> dict[str, str]:
    """Milliseconds by kernel."""
    words = [command, "run", "--quiet", "--time=sampled", "--gpu", "mi300a"]
    words += ["--set", setting] if setting else []
    words += ["--", str(folder / program), "--iterations", "1"]
    for option, value in zip(OPTIONS[program], re.findall(r"\d+", size), strict=False):
        words += [option, value]
    out = subprocess.run(words, check=True, capture_output=True, text=True).stdout
    return {fields[0]: fields[3] for fields in csv.reader(out.splitlines()) if len(fields) == 6}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command")
    parser.add_argument("table", type=Path)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    arguments = parser.parse_args()
    with gzip.open(HERE.parent / "data" / "mi300a.csv.gz", "rt") as rows:
        measured = [row for row in csv.DictReader(rows) if is_short(row["kernel_name"], row["problem_size"])]
    columns = ["", *settings()]
    found: dict[tuple[str, str, str], dict[str, str]] = {}
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        for program in OPTIONS:
            words = [arguments.command, "cc", "-O2", "--gpu=mi300a", f"-I{HERE.parent.parent}"]
            subprocess.run([*words, str(HERE / f"{program}.hip"), "-o", str(folder / program)], check=True)
        calls = dict.fromkeys((program_of(row["kernel_name"]), row["problem_size"]) for row in measured)
        with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
            work = {
                pool.submit(run, arguments.command, folder, program, size, setting): (program, size, setting)
                for setting in columns
                for program, size in calls
                if concerns(setting, program)
            }
            for done, future in enumerate(concurrent.futures.as_completed(work), 1):
                found[work[future]] = future.result()
                if done % 100 == 0:
                    print(f"{done} of {len(work)} runs", file=sys.stderr)
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow(["kernel_name", "problem_size", *(setting or "ms" for setting in columns)])
    for row in measured:
        kernel, size = row["kernel_name"], row["problem_size"]
        program = program_of(kernel)
        asked = [setting if concerns(setting, program) else "" for setting in columns]
        table.writerow([kernel, size, *(found[program, size, setting].get(kernel, "") for setting in asked)])
    arguments.table.write_bytes(gzip.compress(text.getvalue().encode(), mtime=0))
    return 0


if __name__ == "__main__":
    sys.exit(main())
