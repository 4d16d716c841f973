#!/usr/bin/env python3
"""Writes docs/clients/pytorch_tests.md from the tables of `run_pytorch_tests.py`.

    python tests/clients/torch/pytorch_own/tabulate_pytorch_tests.py TABLE...

A row of the page is a part of a file as it was run (`--only`, called by `--part`): how many tests that is, and what
those gave that ran. Reasons are those of pytorch_tests.tsv.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections import Counter
from pathlib import Path
from typing import NamedTuple

from run_pytorch_tests import BAD, judged, parts_of, read, reasons

PAGE = Path(__file__).resolve().parents[4] / "docs/clients/pytorch_tests.md"

_HEAD = """# PyTorch's own test files

Written by `tests/clients/torch/pytorch_own/tabulate_pytorch_tests.py`; [pytorch.md](pytorch.md#pytorchs-own-test-files)
says how the files are run. Two emulated MI300X. But for the first three files nothing was compiled
(`WAVESMITH_TORCH_COMPILE=0`), so that the host computes here what code of Inductor's Triton computes otherwise.

"""
_COLUMNS = {
    "kernels": "by kernels",
    "host": "with the host",
    "skipped": "skipped by PyTorch",
    "CPU too": "fail on the CPU too",
    "expected": "cannot pass",
    "bad": "fail",
}


class Part(NamedTuple):
    """Some tests of a file, and what those gave that ran."""

    file: str
    name: str
    tests: int
    seed: str
    counts: Counter[str]


def parts(tables: list[Path]) -> list[Part]:
    """The parts of which tables have rows, the last time that each was run."""
    found = []
    for table in tables:
        rows = judged(read(table))
        for part in {(each["file"], each["only"]): each for each in read(parts_of(table))}.values():
            statuses = [
                "bad" if row["status"] in BAD else row["status"]
                for row in rows
                if row["file"] == part["file"] and re.search(part["only"], row["test"])
            ]
            found.append(Part(part["file"], part["part"], int(part["tests"]), part["seed"], Counter(statuses)))
    return found


def _line(part: Part) -> str:
    ran = part.counts.total()
    how = "whole" if ran == part.tests else f"{ran / part.tests:.0%}, at random ({part.seed})"
    cells = [f"`{part.file}`" + (f": {part.name}" if part.name else ""), f"{part.tests:,}", how]
    return "| " + " | ".join(cells + [f"{part.counts[status]:,}" for status in _COLUMNS]) + " |"


def _reasons(tables: list[Path]) -> list[str]:
    """How many tests cannot pass for each reason."""
    counts: Counter[str] = Counter()
    for row in (row for table in tables for row in judged(read(table)) if row["status"] == "expected"):
        named = f"{row['file']} {row['test']}"
        counts[next(reason for pattern, reason in reasons() if pattern.fullmatch(named))] += 1
    return [f"| {count} | {reason} |" for reason, count in counts.most_common()]


def page(tables: list[Path]) -> str:
    """The page's text."""
    lines = ["| file | tests | ran | " + " | ".join(_COLUMNS.values()) + " |", "|---" * (len(_COLUMNS) + 3) + "|"]
    lines += map(_line, parts(tables))
    lines += ["", "Why tests cannot pass:", "", "| tests | reason |", "|---|---|", *_reasons(tables)]
    return _HEAD + "\n".join(lines) + "\n"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tables", type=Path, nargs="+")
    parser.add_argument("--page", type=Path, default=PAGE)
    options = parser.parse_args()
    options.page.write_text(page(options.tables))
    return 0


if __name__ == "__main__":
    sys.exit(main())
