#!/usr/bin/env python3
"""Answers an architect's questions by the models, and writes docs/ARCHITECT.md or compares with it.

    kernels/architect/architect.py [--build build/release] [--update]

The page's tables stand between markers, `<!-- NAME -->` and `<!-- end -->`; what is around them is the writer's.
Without --update numbers may differ by 2 %, and words not at all.
"""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1]))

import larger
import serving

PAGE = Path(__file__).resolve().parents[2] / "docs/ARCHITECT.md"
TOLERANCE = 0.02


def agree(old: str, new: str) -> bool:
    """Whether two tables say the same."""
    number = re.compile(r"\d[\d,]*(?:\.\d+)?")
    if number.sub("#", old) != number.sub("#", new):
        return False
    pairs = zip(number.findall(old), number.findall(new), strict=True)
    values = [(float(one.replace(",", "")), float(other.replace(",", ""))) for one, other in pairs]
    # What is written with two decimals, or as a percentage without, is off by one in its last place.
    return all(abs(one - other) <= max(TOLERANCE * max(one, other), 0.011 if one < 10 else 1) for one, other in values)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=Path, default=Path("build/release"), help="the build folder")
    parser.add_argument("--update", action="store_true", help="write what came out into the page")
    arguments = parser.parse_args()
    tables = {**larger.tables(arguments.build), **serving.tables(arguments.build)}
    text, wrong = PAGE.read_text(), 0
    for name, table in tables.items():
        marked = re.compile(rf"(<!-- {name} -->\n)(.*?)(<!-- end -->)", re.DOTALL)
        found = marked.search(text)
        if not found:
            sys.exit(f"architect: no <!-- {name} --> in {PAGE}")
        if not agree(found[2].strip(), table.strip()):
            wrong += 1
            print(f"architect: {name} differs; now:\n{table}")
        text = text[: found.start(2)] + f"\n{table}\n" + text[found.end(2) :]
    if arguments.update:
        PAGE.write_text(text)
    print(f"{len(tables)} tables, {wrong} that differ")
    return 0 if arguments.update or not wrong else 1


if __name__ == "__main__":
    sys.exit(main())
