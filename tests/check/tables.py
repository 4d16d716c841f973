#!/usr/bin/env python3
"""The tables of a report of corpus.py: by kind, by who wrote the kernels, reasons and survivors.

tables.py REPORT.json
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

COLUMNS = "mutants | provably wrong | caught | share | equivalent | other | survived"


def tables(report: Sequence[dict[str, Any]]) -> tuple[str, float]:
    """The text, and the share that is caught of the provably wrong."""
    all_of = [(kernel, mutant) for kernel in report for mutant in kernel["mutants"]]
    lines = [*table("kind", all_of, lambda kernel, mutant: str(mutant["kind"])), ""]
    lines += [*table("kernels of", all_of, lambda kernel, mutant: str(kernel["source"])), ""]
    lines += ["| equivalent, or another fault, because | kind | mutants |", "|---|---|---|"]
    reasons = Counter((one["why"], one["kind"]) for _, one in all_of if one["verdict"] in ("equivalent", "other"))
    lines += [f"| {why} | {kind} | {count} |" for (why, kind), count in sorted(reasons.items())]
    lines += ["", "| survivor | kernel | reason |", "|---|---|---|"]
    for kernel, one in all_of:
        if one["verdict"] == "survived":
            where = f"{kernel['source']} {kernel['gpu']} {kernel['kernel']} + {one['offset']:#x}"
            lines.append(f"| {one['kind']}: `{one['instruction']}`, {one['what']} | {where} | {one['why']} |")
    lines += [f"\n{kernel['kernel']} ({kernel['gpu']}): {kernel['problem']}" for kernel in report if kernel["problem"]]
    kernels = sum(not kernel["problem"] for kernel in report)
    told = sum(bool(kernel["unmutated"]) for kernel in report)
    lines.append(f"\n{kernels} kernels; of {told} the checkers report something that are not mutated.")
    return "\n".join(lines), share_of([one for _, one in all_of])


def table(
    name: str, all_of: Sequence[tuple[dict[str, Any], dict[str, Any]]], group: Callable[[Any, Any], str]
) -> Iterator[str]:
    groups = list(dict.fromkeys(group(kernel, one) for kernel, one in all_of))
    yield f"| {name} | {COLUMNS} |"
    yield "|---" * 8 + "|"
    for each in [*groups, "all"]:
        chosen = [one for kernel, one in all_of if each in ("all", group(kernel, one))]
        counts = Counter(one["verdict"] for one in chosen)
        wrong = counts["caught"] + counts["survived"]
        share = f"{share_of(chosen):.1%}"
        rest = counts["equivalent"], counts["other"], counts["survived"]
        numbers = (len(chosen), wrong, counts["caught"], share, *rest)
        yield f"| {each} | " + " | ".join(map(str, numbers)) + " |"


def share_of(mutants: Sequence[dict[str, Any]]) -> float:
    counts = Counter(one["verdict"] for one in mutants)
    wrong = counts["caught"] + counts["survived"]
    return counts["caught"] / wrong if wrong else 1.0


if __name__ == "__main__":
    print(tables(json.loads(Path(sys.argv[1]).read_text()))[0])
