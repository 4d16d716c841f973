#!/usr/bin/env python3
"""Mutants of one HIP program's kernels: removes or weakens one instruction at a time and asks whether it is noticed.

    mutate.py --gpu mi300x --kinds wait ./app 512
    mutate.py --gpu mi300x --kinds 'barrier|fence' --kernel gemm --most 20 ./app

What becomes of each: caught, equivalent or survived, see README.md.
"""

from __future__ import annotations

import argparse
import random
import re
import sys
from collections import Counter
from pathlib import Path

from kernel_code import KernelCode, kernels_of
from operators import OPERATORS, Mutant
from runs import Copy, Driver
from table import TARGETS
from verdicts import Judge

SKIPPED = 77


def drawn(code: KernelCode, executed: set[tuple[int, str]], arguments: argparse.Namespace) -> list[Mutant]:
    mutants = [
        one for kind, operator in OPERATORS.items() if re.search(arguments.kinds, kind) for one in operator(code)
    ]
    mutants = [one for one in mutants if (one.at.offset, one.at.text) in executed]
    if arguments.most and len(mutants) > arguments.most:
        mutants = random.Random(arguments.seed).sample(mutants, arguments.most)
    return mutants


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--gpu", required=True, choices=sorted(TARGETS))
    parser.add_argument("--kinds", default="", help=f"a regular expression, of {', '.join(OPERATORS)}")
    parser.add_argument("--kernel", default="", help="a regular expression: kernels of these names alone")
    parser.add_argument("--most", type=int, default=0, help="mutants of a kernel to run, chosen by --seed; 0: all")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--timeout", type=float, default=120, help="seconds for one run")
    parser.add_argument("--wavesmith", type=Path, default=Path("build/release/bin/wavesmith"))
    parser.add_argument("--at-least", type=float, default=0, help="fail below this share of caught among the rest")
    parser.add_argument("program", nargs=argparse.REMAINDER, help="a HIP program and its arguments")
    arguments = parser.parse_args()
    if not arguments.program:
        parser.error("which program?")
    program = Path(arguments.program[0])
    if not program.exists():
        print(f"{program} is not built")
        return SKIPPED
    driver = Driver(
        arguments.wavesmith.resolve(),
        arguments.gpu,
        program,
        ["--", "{code}", *arguments.program[1:]],
        arguments.timeout,
    )
    counts: Counter[str] = Counter()
    for code in kernels_of(driver.wavesmith, program, target=TARGETS[arguments.gpu]):
        if not re.search(arguments.kernel, code.name):
            continue
        copy = Copy(driver, code)
        judge = Judge(copy)
        if judge.before.rules:
            print(f"the program as it is: {', '.join(sorted(judge.before.rules))}")
        for mutant in drawn(code, copy.executed(), arguments):
            verdict = judge.judge(mutant)
            counts[verdict.word] += 1
            print(f"{verdict.word:10} {code.name} + {mutant}{f'  ({verdict.why})' if verdict.why else ''}", flush=True)
    judged = counts["caught"] + counts["survived"]
    share = counts["caught"] / judged if judged else 1.0
    print(f"{sum(counts.values())} mutants: {', '.join(f'{n} {name}' for name, n in counts.items())}; {share:.1%}")
    return 0 if share >= arguments.at_least else 1


if __name__ == "__main__":
    sys.exit(main())
