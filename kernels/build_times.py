#!/usr/bin/env python3
"""What each kernel's object costs to compile: kernels/build_times.py [FOLDER] [--only TEXT] [--worst N].

Runs the commands of a build folder (build/release) one after the other, without a compiler cache and into a folder of
its own. Times are the compiler's processor time, which other work on the machine hardly changes.
"""

from __future__ import annotations

import argparse
import random
import resource
import shlex
import statistics
import subprocess
import tempfile
from pathlib import Path

MEDIAN_SECONDS, WORST_SECONDS = 3.0, 15.0  # of one object, at most


def commands(folder: Path) -> dict[tuple[str, str], list[list[str]]]:
    """Of each target and object: what compiles it, as lists of words."""
    lines = subprocess.run(
        ["ninja", "-C", str(folder), "-t", "commands", "kernel_code"], capture_output=True, text=True, check=True
    ).stdout.splitlines()
    found = {}
    for line in lines:
        if "--cuda-device-only" not in line:
            continue
        steps = [words for words in map(shlex.split, line.split(" && ")) if "-o" in words]
        steps = [words[next(i for i, word in enumerate(words) if "clang" in Path(word).name) :] for words in steps]
        path = Path(steps[-1][-1])
        found[path.parent.name, path.stem] = steps
    return found


def seconds(steps: list[list[str]], to: str) -> float:
    """Of the processor, for one object."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    for words in steps:
        moved = [word.replace(str(Path(steps[-1][-1]).parent), to) for word in words]
        subprocess.run(moved, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime


def say(what: str, times: dict[tuple[str, str], float]) -> None:
    print(f"{what:8} {len(times):4} objects  median {statistics.median(times.values()):5.2f} s", end="")
    print(f"  worst {max(times.values()):5.2f} s  in all {sum(times.values()):6.0f} s")


def main() -> int:
    asked = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    asked.add_argument("folder", nargs="?", type=Path, default=Path("build/release"))
    asked.add_argument("--only", default="", help="objects whose TARGET/NAME contains this text")
    asked.add_argument("--worst", type=int, default=5, help="how many of the slowest are listed")
    options = asked.parse_args()
    all_steps = [(key, steps) for key, steps in commands(options.folder).items() if options.only in "/".join(key)]
    random.Random(0).shuffle(all_steps)  # so that a part, where it is stopped, speaks for the whole
    times: dict[tuple[str, str], float] = {}
    with tempfile.TemporaryDirectory() as to:
        try:
            for key, steps in all_steps:
                times[key] = seconds(steps, to)
        except KeyboardInterrupt:
            print(f"stopped after {len(times)} of {len(all_steps)}")
    if not times:
        print("nothing to compile")
        return 1
    for target in sorted({target for target, _ in times}):
        say(target, {key: time for key, time in times.items() if key[0] == target})
    say("all", times)
    for (target, name), time in sorted(times.items(), key=lambda pair: -pair[1])[: options.worst]:
        print(f"{time:6.2f} s  {target}/{name}")
    return int(statistics.median(times.values()) > MEDIAN_SECONDS or max(times.values()) > WORST_SECONDS)


if __name__ == "__main__":
    raise SystemExit(main())
