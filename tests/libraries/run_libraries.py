#!/usr/bin/env python3
"""Runs the test programs of AMD's own libraries, as Debian compiles them, on emulated GPUs; writes docs/LIBRARIES.md.

    sudo tests/libraries/run_libraries.py --seconds 600               # goes on with every library on every GPU
    sudo tests/libraries/run_libraries.py --gpu mi300x rocblas hipcub
    sudo tests/libraries/run_libraries.py --again rocblas             # what has failed, once more
    sudo tests/libraries/run_libraries.py --checks race,wait rocprim  # what `wavesmith check` says of their kernels

A whole suite takes days, so a run goes through it in the order of a hash of the tests' names until its processor
seconds are used up, and the next one goes on behind it (docs/libraries.json). A process that dies, hangs or loses its
GPU costs one test. --seconds counts processor time, so results don't depend on what else the machine does.
"""

from __future__ import annotations

import argparse
import fcntl
import functools
import json
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import checked
import page
import programs
import results
import selection
import suite
import watched
from debian_root import DebianRoot, ImpossibleError

PROJECT = Path(__file__).parents[2]
BUILD = Path(os.environ.get("WAVESMITH_BUILD", PROJECT / "build/release"))
GPUS = ["mi210", "mi300x", "rx7900xtx", "rx9070xt"]
SKIPPED = 77
# Of processor time: a process that is given fewer tests mostly starts, reads files and compiles.
CHUNK_SECONDS = 30
# What the runtime says of a kernel's fault; the process has lost its GPU then, as with a real one.
_LOST = re.compile(r"hipErrorIllegalAddress|hipErrorLaunchFailure|illegal memory access|wavesmith: .*fault")


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("library", nargs="*", help="as in libraries.toml; all, if none is named")
    parser.add_argument("--gpu", action="append", help=f"default: {', '.join(GPUS)}; several: several times")
    parser.add_argument("--seconds", type=float, default=600, help="of processor time, each library and GPU (600)")
    help = "of processor time; a longer test is left out (30, or what libraries.toml says)"
    parser.add_argument("--test-seconds", type=float, help=help)
    parser.add_argument(
        "--gigabytes",
        type=float,
        help="of host memory; a larger test is left out (6, or what libraries.toml says)",
    )
    parser.add_argument("--again", action="store_true", help="only the tests that have failed, again")
    parser.add_argument("--sample", action="store_true", help="only the part that `make test` runs; writes nothing")
    help = "the beginning of each suite under these checkers; tells what they find and writes nothing down"
    parser.add_argument("--checks", metavar="LIST", help=help)
    parser.add_argument("--fetch", action="store_true", help="only installs the packages")
    parser.add_argument("--page", action="store_true", help="only writes docs/LIBRARIES.md from what has been run")
    return parser.parse_args()


def limits_of(library: suite.Library, options: argparse.Namespace) -> watched.Limits:
    seconds = options.test_seconds or library.test_seconds or 30
    gigabytes = options.gigabytes or library.gigabytes or 6
    return watched.Limits(seconds, 300, int(gigabytes * 1e9))


def target_of() -> dict[str, str]:
    """The target of each GPU."""
    command = [str(BUILD / "bin/wavesmith"), "gpus", "--json"]
    text = subprocess.run(command, capture_output=True, check=True).stdout
    return {gpu["id"]: gpu["target"]["value"] for gpu in json.loads(text)}


def version() -> str:
    """The commit that runs."""
    command = ["git", "-c", f"safe.directory={PROJECT}", "-C", str(PROJECT), "rev-parse", "--short=10", "HEAD"]
    return subprocess.run(command, capture_output=True, text=True).stdout.strip()


def launcher(gpu: str, library: suite.Library, more: dict[str, str] | None = None) -> list[str]:
    """What a program is run by: the users' own way to AMD's libraries. more: environment variables."""
    setting = {"GTEST_LISTENER": "PASS_LINE_IN_LOG"} | library.setting_of(gpu) | (more or {})
    run = [str(BUILD / "bin/wavesmith"), "run", "--quiet", "--libraries", "amd", "--gpu", gpu, "--"]
    return ["env", *(f"{name}={value}" for name, value in setting.items()), *run]


def run_batch(
    suited: suite.Suite, program: str, file: str, batch: list[str], limits: watched.Limits
) -> tuple[list[programs.Outcome], float]:
    """Runs tests in one process, which may not come to the end of them; outcomes and processor seconds."""
    reader = suited.kind()
    text: list[str] = []

    def line(words: str) -> None:
        reader.line(words)
        text[:] = [*text[-9:], words]

    def lost() -> bool:
        last = reader.outcomes[-1] if reader.outcomes else None
        return bool(last and last.outcome == "failed" and _LOST.search(last.why))

    command = suited.command(program, file, suited.kind.run_arguments(batch))
    end = watched.run(command, line, lambda: reader.now, limits, lost)
    ended = [outcome for outcome in reader.outcomes if outcome.test in batch]
    if reader.now in batch and end.stopped != "done":
        why = f"the process ended with {end.returncode}" if not end.stopped else ""
        ended.append(programs.Outcome(reader.now, end.stopped or "died", "\n".join([why, *text]).strip()))
    if not ended and end.returncode == 0:  # the list was made on another GPU, which has more tests
        ended = [programs.Outcome(test, "skipped") for test in batch]
    if not ended:
        why = "\n".join([f"the program ran none of its tests and ended with {end.returncode}", *text])
        ended = [programs.Outcome(test, end.stopped or "not run", why) for test in batch]
    return ended, end.seconds


def run_tests(
    suited: suite.Suite, program: str, chunk: suite.Chunk, limits: watched.Limits
) -> tuple[list[programs.Outcome], float]:
    """Runs a chunk to its end, in as many processes as that takes; outcomes and processor seconds."""
    left, outcomes, seconds = list(chunk.tests), [], 0.0
    while left:
        ended, used = run_batch(suited, program, chunk.file, next(programs.batches(left, len(left))), limits)
        seconds += used
        outcomes += ended
        done = {outcome.test for outcome in ended}
        left = [test for test in left if test not in done]
    return outcomes, seconds


def go_on(
    suited: suite.Suite, run: results.Run, seconds: float, limits: watched.Limits, save: Callable[[], None]
) -> None:
    """Runs chunk after chunk, always of the program that is furthest behind, until the time is used up."""
    rows = {row.name: row for row in suited.rows()}
    for name, row in rows.items():
        run.rows.setdefault(name, [len(row), 0])
    end, sizes = run.seconds + seconds, dict.fromkeys(rows, suited.library.chunk)
    while run.seconds < end:
        # Of equals, not the first by its letters: a short run shall not only see programs that begin with an A.
        behind = [(run.rows[name][1] / len(row), selection.key(name), name) for name, row in rows.items()]
        share, _, name = min(behind, default=(1.0, b"", ""))
        if share >= 1:
            break
        row, first = rows[name], run.rows[name][1]
        count = min(sizes[name], len(row) - first)
        outcomes, used = run_tests(suited, row.program, row.chunk(first, count), limits)
        for each in outcomes:
            run.add(name, (first, count), each.test, suited.library.verdict(each.outcome, each.why), each.why)
        run.seconds, run.rows[name][1] = round(run.seconds + used, 1), first + count
        sizes[name] = next_size(count, used, min(CHUNK_SECONDS, end - run.seconds))
        save()


def next_size(size: int, used: float, seconds: float) -> int:
    """How many tests take so many seconds of processor time, after `size` have `used` some: at most twice as many."""
    return max(1, int(size * min(2.0, seconds / max(used, 0.1))))


def again(suited: suite.Suite, run: results.Run, limits: watched.Limits, save: Callable[[], None]) -> None:
    """What has failed, or was stopped, once more."""
    rows = {row.name: row for row in suited.rows()}
    places = sorted({(each["row"], each["first"], each["count"]) for each in run.others})
    for name, first, count in places:
        old = [each for each in run.others if (each["row"], each["first"], each["count"]) == (name, first, count)]
        chunk = rows[name].chunk(first, count)
        chunk.tests = [test for test in chunk.tests if test in {each["test"] for each in old}]
        outcomes, used = run_tests(suited, rows[name].program, chunk, limits)
        run.others = [each for each in run.others if each not in old]
        for each in outcomes:
            run.add(name, (first, count), each.test, suited.library.verdict(each.outcome, each.why), each.why)
        run.seconds = round(run.seconds + used, 1)
        save()


def sample(table: dict[str, suite.Library], root: DebianRoot, options: argparse.Namespace) -> int:
    """The part that `make test` runs: what fails unexplained is a failure; what can't be had is said."""
    failed = ran = 0
    targets = target_of()
    for library in table.values():
        if library.sample and (gone := library.missing(root)):
            print(f"{library.name}: left out, not installed: {', '.join(gone)}", flush=True)
            continue
        for gpu, seconds in library.sample.items():
            if targets[gpu] not in (library.targets(root.path) or {targets[gpu]}):
                continue
            run = results.Run()
            suited = suite.Suite(library, root, launcher(library.machines(gpu)[0], library))
            go_on(suited, run, seconds, limits_of(library, options), lambda: None)
            print(f"{library.name} {suited.version} on {gpu}: {results.summary(run)}", flush=True)
            ran += run.ran
            for each in run.others:
                if each["outcome"] in results.FAILURES and not page.explained(library, gpu, each["test"]):
                    failed += 1
                    print(f"{each['outcome']}: {each['test']}\n{each['why']}", flush=True)
    return 1 if failed else 0 if ran else SKIPPED


def check(table: dict[str, suite.Library], root: DebianRoot, options: argparse.Namespace) -> int:
    """Runs the beginning of each suite under checkers, and tells what they find: 1 if that is more than hints."""
    fetch(table, root)
    targets = target_of()
    wrong = False
    for id, library in table.items():
        for gpu in options.gpu or GPUS:
            if library.missing(root) or targets[gpu] not in (library.targets(root.path) or {targets[gpu]}):
                print(f"{library.name} on {gpu}: not to be had", flush=True)
                continue
            reports = root.work / "checks" / f"{id}-{gpu}"
            shutil.rmtree(reports, ignore_errors=True)
            reports.mkdir(parents=True)
            more = checked.settings(options.checks, f"/out/checks/{id}-{gpu}")
            run = results.Run()
            suited = suite.Suite(library, root, launcher(library.machines(gpu)[0], library, more))
            go_on(suited, run, options.seconds, limits_of(library, options), lambda: None)
            found = checked.found(reports)
            print(f"{library.name} {suited.version} on {gpu}: {results.summary(run)}; {found}", flush=True)
            for line in found.lines():
                print(f"    {line}", flush=True)
            wrong = wrong or bool(found.lines())
    return 1 if wrong else 0


def fetch(table: dict[str, suite.Library], root: DebianRoot) -> None:
    """Installs the libraries' packages; says what can't be had."""
    for library in table.values():
        if library.missing(root):
            print(f"run_libraries: installing {library.name}'s packages in {root.path}", flush=True)
            if why := root.install(library.packages + library.tools):
                print(f"run_libraries: {library.name} is not to be had: {why}", flush=True)


def main() -> int:
    options = arguments()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # so that what runs is ended, too
    table = suite.libraries()
    if unknown := [id for id in options.library if id not in table]:
        print(f"run_libraries: no {', '.join(unknown)} in {suite.TABLE.name}: {', '.join(table)}", file=sys.stderr)
        return 2
    if options.page:
        page.write(table, results.read())
        return 0
    table = {id: table[id] for id in options.library or table if table[id].sample or not options.sample}
    build = PROJECT / "build/libraries"
    root = DebianRoot(Path(os.environ.get("WAVESMITH_LIBRARIES_ROOT", build / "root")), PROJECT, build / "out")
    if options.sample and not options.fetch and not root.made():
        print("run_libraries: none of AMD's libraries here; tools/setup-libraries fetches some")
        return SKIPPED
    build.mkdir(parents=True, exist_ok=True)
    with (build / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # parts of test arguments have fixed names
        try:
            root.make()
        except ImpossibleError as impossible:
            print(f"run_libraries: {impossible}", file=sys.stderr)
            return SKIPPED
        if options.fetch:
            fetch(table, root)
            return 0
        if options.checks:
            return check(table, root, options)
        if options.sample:
            return sample(table, root, options)
        return run_all(table, root, options)


def run_all(table: dict[str, suite.Library], root: DebianRoot, options: argparse.Namespace) -> int:
    """Goes on with these libraries, and writes down what came out."""
    fetch(table, root)
    targets, gpus = target_of(), options.gpu or GPUS
    failed = False
    for id, library in table.items():
        entries, limits = results.read(), limits_of(library, options)
        entry = entries.setdefault(id, results.Entry())
        machines = [machine for gpu in gpus for machine in library.machines(gpu)]
        save = functools.partial(results.write, entries)
        if gone := library.missing(root):
            entry.notes |= {gpu: f"not to be had at present: {', '.join(gone)}" for gpu in machines}
            save()
            continue
        versions = root.versions(library.packages)
        if entry.packages != versions:
            entry.packages, entry.runs = versions, {}
        held = library.targets(root.path)
        for gpu in machines:
            entry.notes.pop(gpu, None)
            target = targets[suite.kind_of(gpu)]
            if held is not None and target not in held:
                entry.notes[gpu] = "Debian's build holds " + (
                    f"no code for {target}" if held else "no code for any GPU"
                )
                print(f"{library.name} on {gpu}: {entry.notes[gpu]}", flush=True)
                save()
                continue
            run = entry.runs.setdefault(gpu, results.Run())
            run.wavesmith = version()
            suited = suite.Suite(library, root, launcher(gpu, library))
            try:
                if options.again:
                    again(suited, run, limits, save)
                else:
                    go_on(suited, run, options.seconds, limits, save)
                print(f"{library.name} on {gpu}: {results.summary(run)}", flush=True)
            except suite.NotListedError as error:
                entry.notes[gpu] = str(error)
                print(f"{library.name} on {gpu}: {error}", flush=True)
            save()
            failed = failed or run.count(results.FAILURES) > 0
    page.write(suite.libraries(), results.read())
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
