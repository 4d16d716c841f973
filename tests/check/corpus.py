#!/usr/bin/env python3
"""Mutants of the kernels of corpus.tsv: how many of those that are provably wrong the checkers catch.

    tests/check/corpus.py --build build/release --launches FOLDER --json report.json
    tests/check/corpus.py --build build/release --only 'softmax|rope' --most 2 --at-least 1

For each kernel so many mutants of each kind, drawn by --seed from the places that it executes. FOLDER holds what
capture.py kept; without it kernels of others are left out. See README.md.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import shlex
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from pathlib import Path

from kernel_code import KernelCode, kernels_of
from operators import OPERATORS, Mutant
from runs import Copy, Driver, Launch, Runner
from table import TARGETS, Row, code_of, launch_of, rows_of
from tables import tables
from verdicts import Judge

HERE = Path(__file__).resolve().parent
SKIPPED = 77


@dataclass
class Judged:
    """What became of a kernel's mutants."""

    source: str
    gpu: str
    kernel: str
    problem: str = ""  # why there are none
    unmutated: list[str] = field(default_factory=list)  # what the checkers report of the kernel itself
    mutants: list[dict[str, object]] = field(default_factory=list)


def runner_of(row: Row, arguments: argparse.Namespace) -> Runner | str:
    """What runs the row's kernel; why there is none."""
    build: Path = arguments.build.resolve()
    wavesmith, target = build / "bin/wavesmith", TARGETS[row.gpu]
    kind, name, *words = shlex.split(row.how)
    launch = launch_of(row, arguments.launches)
    files = {"library": build / f"lib/kernels/{target}.co", "program": build / name}
    file = files.get(kind, code_of(row, arguments.launches))
    for needed in (file,) if kind == "program" else (file, launch):
        if not needed.exists():
            return f"there is no {needed.name}"
    symbol = row.kernel if kind == "library" else ""
    if kind == "hip":
        symbol = json.loads(launch.read_text())["symbol"]
    kernels = kernels_of(wavesmith, file, symbol, target)
    found = [one for one in kernels if symbol or re.search(row.kernel, one.name)]
    if not found:
        return "no kernel has that name"
    if kind == "program":
        driver = Driver(wavesmith, row.gpu, file, ["--", "{code}", *words], arguments.timeout)
        copies = (Copy(driver, one) for one in found)
        return next((copy for copy in copies if Judge(copy).launched()), "no such kernel is launched")
    return Launch(build / "bin/wavesmith_mutants", row.gpu, file, launch, found[0])


def drawn(code: KernelCode, executed: set[tuple[int, str]], arguments: argparse.Namespace) -> Iterator[Mutant]:
    for kind, operator in OPERATORS.items():
        if not re.search(arguments.kinds, kind):
            continue
        mutants = [one for one in operator(code) if not executed or (one.at.offset, one.at.text) in executed]
        if arguments.most and len(mutants) > arguments.most:
            chosen = set(random.Random(f"{arguments.seed} {code.name}").sample(range(len(mutants)), arguments.most))
            mutants = [one for i, one in enumerate(mutants) if i in chosen]
        yield from mutants


def judged(row: Row, arguments: argparse.Namespace) -> Judged:
    made = Judged(row.source, row.gpu, row.kernel)
    runner = runner_of(row, arguments)
    if isinstance(runner, str):
        made.problem = runner
        return made
    executed = runner.executed()
    code = runner.kernel
    if not any((one.offset, one.text) in executed for one in code.instructions[:1]):
        executed = set()  # the profiler has not seen this kernel
    judge = Judge(runner)
    made.unmutated = sorted(judge.before.rules)
    if judge.before.status not in (0, ""):
        made.problem = f"the program ends with {judge.before.status}"
        return made
    for mutant in drawn(code, executed, arguments):
        verdict = judge.judge(mutant)
        made.mutants.append(
            {
                "kind": mutant.kind.split(" ")[0],
                "offset": mutant.at.offset,
                "instruction": mutant.at.text,
                "what": mutant.what,
                "verdict": verdict.word,
                "why": verdict.why,
            }
        )
    if isinstance(runner, Launch):
        runner.close()
    return made


def run(rows: Sequence[Row], arguments: argparse.Namespace) -> list[Judged]:
    """Several kernels at a time; the report is written again after each."""
    done: list[Judged] = []
    if arguments.again and arguments.json.exists():
        done = [Judged(**one) for one in json.loads(arguments.json.read_text())]
    done = [one for one in done if not one.problem and all(each["verdict"] != "survived" for each in one.mutants)]
    known = {(one.source, one.gpu, one.kernel) for one in done}
    rows = [row for row in rows if (row.source, row.gpu, row.kernel) not in known]
    with ThreadPoolExecutor(arguments.jobs) as pool:
        for one in pool.map(lambda row: judged(row, arguments), rows):
            done.append(one)
            print(line_of(one), flush=True)
            if arguments.json:
                arguments.json.write_text(json.dumps([asdict(each) for each in done], indent=1))
    return done


def line_of(one: Judged) -> str:
    counts = {
        word: sum(each["verdict"] == word for each in one.mutants) for word in ("caught", "equivalent", "survived")
    }
    told = one.problem or ", ".join(f"{count} {word}" for word, count in counts.items())
    return f"{one.source} {one.gpu} {one.kernel}: {told}" + (f"; UNMUTATED {one.unmutated}" if one.unmutated else "")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=Path, default=Path("build/release"))
    parser.add_argument("--launches", type=Path, default=Path("/nowhere"), help="what capture.py kept")
    parser.add_argument("--table", type=Path, default=HERE / "corpus.tsv")
    parser.add_argument("--only", default="", help="a regular expression: rows 'source gpu kernel' that it is found in")
    parser.add_argument("--kinds", default="", help="a regular expression: kinds of mutants")
    parser.add_argument("--most", type=int, default=6, help="mutants of a kind and kernel, drawn by --seed; 0: all")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--timeout", type=float, default=120, help="seconds for one run")
    parser.add_argument("--json", type=Path, help="write everything there")
    parser.add_argument(
        "--again", action="store_true", help="leave out the kernels of --json of whose mutants none survived"
    )
    parser.add_argument("--at-least", type=float, default=0, help="fail below this share of the provably wrong")
    arguments = parser.parse_args()
    rows = [row for row in rows_of(arguments.table) if re.search(arguments.only, str(row))]
    if not (arguments.build / "bin/wavesmith").exists():
        print(f"there is no wavesmith in {arguments.build}")
        return SKIPPED
    done = run(rows, arguments)
    text, share = tables([asdict(one) for one in done])
    print(text)
    false_alarms = sum(bool(one.unmutated) for one in done)
    return 0 if share >= arguments.at_least and not false_alarms else 1


if __name__ == "__main__":
    sys.exit(main())
