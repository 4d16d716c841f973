#!/usr/bin/env python3
"""Runs a whole test suite that a client brings, on an emulated GPU, to its end.

    cd triton/python/test; run_suite.py --gpu mi300x --results triton.jsonl --jobs 2 unit/language
    cd cupy; run_suite.py --gpu mi300x:2 --results cupy.jsonl tests/cupy_tests/core_tests -m "not slow"

The suites are no part of this project: fetch them at the version of the client that is installed. Every test
leaves a line in the results, and one that is stopped goes on where it was: tens of thousands of tests take
hours. A process that dies, hangs or loses its GPU costs one test. Other words and options go to pytest.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

import suite_record

HERE = Path(__file__).parent


def arguments() -> tuple[argparse.Namespace, list[str]]:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, nargs="+", help="tests, as pytest takes them; the rest goes to it, too")
    parser.add_argument("--gpu", required=True, help="as `wavesmith run --gpu` takes it")
    parser.add_argument("--results", type=Path, required=True, help="a line of JSON for each test")
    parser.add_argument("--jobs", type=int, default=1, help="processes side by side (default: 1)")
    parser.add_argument("--timeout", type=int, default=240, help="seconds that a test may take (default: 240)")
    parser.add_argument("--later", action="append", default=[], help="leave out tests with this in their names")
    return parser.parse_known_args()


def recorded(results: Path, jobs: int) -> list[Path]:
    """A file for each process, so that none writes in another one's line."""
    return [results if jobs == 1 else results.with_suffix(f".{job}{results.suffix}") for job in range(jobs)]


def start(options: argparse.Namespace, rest: list[str], job: int, log: Path) -> subprocess.Popen[bytes]:
    build = Path(os.environ.get("WAVESMITH_BUILD", HERE.parents[1] / "build/release"))
    environment = os.environ | {
        "SUITE_RESULTS": str(recorded(options.results, options.jobs)[job].resolve()),
        "SUITE_PART": f"{job}/{options.jobs}",
        "SUITE_LATER": "\n".join(options.later),
        "PYTHONPATH": os.pathsep.join([str(HERE), str(build / "python"), os.environ.get("PYTHONPATH", "")]),
        "WAVESMITH_TORCH_CUDA": os.environ.get("WAVESMITH_TORCH_CUDA", "1"),
        "OMP_NUM_THREADS": os.environ.get("OMP_NUM_THREADS", "1"),
    }
    command = [build / "bin/wavesmith", "run", "--quiet", "--gpu", options.gpu, "--", sys.executable, "-m", "pytest"]
    command += ["-q", "-p", "suite_record", "-p", "no:cacheprovider", "-W", "ignore", f"--timeout={options.timeout}"]
    command += ["--timeout-method=thread", *rest, *options.folder]
    with log.open("wb") as output:
        return subprocess.Popen(command, env=environment, stdout=output, stderr=output)


def first_error(why: str) -> str:
    """The line of pytest's text that says it, rather than where it was."""
    lines = why.strip().splitlines() or [""]
    return next((line[1:].strip() for line in lines if line.startswith("E ")), lines[-1])


def report(options: argparse.Namespace, seconds: float) -> Counter[str]:
    """One line of progress."""
    tests = [each for file in recorded(options.results, options.jobs) for each in suite_record.read(file)]
    counts = Counter(each["outcome"] for each in tests)
    text = ", ".join(f"{count} {outcome}" for outcome, count in counts.most_common())
    print(f"{time.strftime('%H:%M:%S')}  {len(tests)} tests: {text}  ({seconds:.0f} s)", flush=True)
    return counts


def main() -> int:
    options, rest = arguments()
    begin = time.monotonic()
    files = recorded(options.results, options.jobs)
    for file in files:  # of a run that was stopped: that test is to be run
        suite_record.under_way(file).unlink(missing_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        logs = [Path(folder) / f"{job}.log" for job in range(options.jobs)]
        running = {job: start(options, rest, job, logs[job]) for job in range(options.jobs)}
        shown = begin
        while running:
            time.sleep(0.5)
            for job, process in list(running.items()):
                if process.poll() is None:
                    continue
                # With a test under way it ended in that test, and goes on behind it. 1: some failed, 5: none was left.
                if process.returncode == suite_record.LOST or suite_record.under_way(files[job]).exists():
                    running[job] = start(options, rest, job, logs[job])
                elif process.returncode in (0, 1, 5):
                    del running[job]
                else:
                    sys.stderr.write(logs[job].read_text(errors="replace")[-4000:])
                    print(f"run_suite: pytest ended with {process.returncode} before any test", file=sys.stderr)
                    for other in running.values():
                        other.kill()
                    return 2
            if time.monotonic() - shown > 60:
                shown = time.monotonic()
                report(options, shown - begin)
    counts = report(options, time.monotonic() - begin)
    for file in files:
        for each in suite_record.read(file):
            if each["outcome"] in ("failed", "died"):
                print(f"{each['outcome']}  {each['test']}  {first_error(each['why'])}")
    return 1 if counts["failed"] or counts["died"] else 0


if __name__ == "__main__":
    sys.exit(main())
