#!/usr/bin/env python3
"""Computes the tables of docs/handbook/ anew and compares them with the pages.

    kernels/handbook.py [--build build/release] [--update] [--rows N --seed S]

A table of the handbook begins with the columns GPU and `work`; a row's numbers are what

    wavesmith profile --sampled --gpu GPU -- wavesmith_kernels_bench WORK

says of it; of `sample` and `expert_sort`, whose kernels read what all workgroups before them wrote, without --sampled.
--update writes them; without it they may differ by 1 %, and words not at all. --rows: so many of them, at random. What
stands right of the computed columns is the writer's.
"""

from __future__ import annotations

import argparse
import random
import re
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from profiled import NotProfiledError, profiled

PAGES = Path(__file__).resolve().parent.parent / "docs/handbook"
TOLERANCE = 0.01
HEAD = ["GPU", "work"]

Kernel = dict[str, Any]


def _pipe(name: str) -> Callable[[list[Kernel]], str]:
    def text(kernels: list[Kernel]) -> str:
        taken = [one["utilisation"] for one in _longest(kernels)["pipes"] if one["pipe"] == name]
        return f"{100 * taken[0]:.0f} %" if taken else "-"

    return text


def _longest(kernels: list[Kernel]) -> Kernel:
    return max(kernels, key=lambda kernel: float(kernel["seconds"]))


def _seconds(kernels: list[Kernel]) -> float:
    return _total(kernels, lambda kernel: kernel["seconds"])


def _total(kernels: list[Kernel], of: Callable[[Kernel], float]) -> float:
    """Of all launches."""
    return float(sum(kernel["launches"] * of(kernel) for kernel in kernels))


def _digits(number: float) -> str:
    return f"{number:,.0f}" if number >= 100 else f"{number:.3g}"


def _gigabytes(kernels: list[Kernel]) -> str:
    return _digits(_total(kernels, lambda kernel: kernel["memory"]["grid_bytes"]) / _seconds(kernels) / 1e9)


def _products(kernels: list[Kernel]) -> list[Kernel]:
    return [kernel for kernel in kernels if kernel["name"].startswith("gemm_")]


COLUMNS: dict[str, Callable[[list[Kernel]], str]] = {
    "us": lambda kernels: _digits(1e6 * _seconds(kernels)),
    "products, us": lambda kernels: _digits(1e6 * _seconds(_products(kernels))),
    "TFLOP/s": lambda kernels: _digits(
        _total(kernels, lambda kernel: kernel["matrix_flops"]) / _seconds(kernels) / 1e12
    ),
    "GB/s": _gigabytes,
    "kernels": lambda kernels: f"{_total(kernels, lambda _: 1):.0f}",
    "bound by": lambda kernels: str(_longest(kernels)["bound"]),
    "matrix pipes": _pipe("matrix"),
    "VALU": _pipe("VALU"),
    "LDS": _pipe("LDS"),
    "MHz": lambda kernels: f"{_longest(kernels)['clock_mhz']:,.0f}",
}


@dataclass(frozen=True)
class Row:
    """A row of a page: what runs where, and which columns hold what."""

    page: Path
    line: int
    gpu: str
    work: str
    cells: tuple[str, ...]
    columns: tuple[str, ...]

    def made(self, kernels: list[Kernel]) -> tuple[str, ...]:
        """Its cells, those of computed columns anew."""
        return tuple(
            COLUMNS[column](kernels) if column in COLUMNS else cell
            for column, cell in zip(self.columns, self.cells, strict=True)
        )


def rows_of(page: Path) -> list[Row]:
    rows: list[Row] = []
    columns: tuple[str, ...] = ()
    for number, line in enumerate(page.read_text().splitlines()):
        cells = tuple(cell.strip() for cell in line.strip("|").split("|")) if line.startswith("|") else ()
        if list(cells[:2]) == HEAD:
            columns = cells
        elif not cells:
            columns = ()
        elif columns and not set("".join(cells)) <= set("-: "):
            rows.append(Row(page, number, cells[0], cells[1].strip("`"), cells, columns))
    return rows


def profile(build: Path, row: Row) -> list[Kernel]:
    """What runs of the row's work."""
    try:
        return profiled(
            build,
            row.gpu,
            [build / "bin/wavesmith_kernels_bench", *row.work.split()],
            sampled=not row.work.startswith(("sample ", "expert_sort ")),
        )
    except NotProfiledError as error:
        sys.exit(f"handbook: {row.gpu} {row.work}: {error}")


def agree(old: str, new: str) -> bool:
    numbers = [re.fullmatch(r"([0-9.,]+)( %)?", text) for text in (old, new)]
    if not all(numbers):
        return old == new
    one, other = (float(number[1].replace(",", "")) for number in numbers if number)
    return abs(one - other) <= max(TOLERANCE * max(one, other), 1 if old.endswith("%") else 0)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=Path, default=Path("build/release"), help="the build folder")
    parser.add_argument("--update", action="store_true", help="write what came out into the pages")
    parser.add_argument("--rows", type=int, help="look at so many rows alone")
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 30), help="which ones")
    arguments = parser.parse_args()
    rows = [row for page in sorted(PAGES.glob("*.md")) for row in rows_of(page)]
    if not rows:
        sys.exit(f"handbook: no tables in {PAGES}")
    if arguments.rows and arguments.rows < len(rows):
        rows = random.Random(arguments.seed).sample(rows, arguments.rows)
    with ThreadPoolExecutor(2) as pool:
        made = list(pool.map(lambda row: row.made(profile(arguments.build, row)), rows))
    wrong = 0
    for row, cells in zip(rows, made, strict=True):
        if arguments.update:
            lines = row.page.read_text().splitlines()
            lines[row.line] = f"| {' | '.join(cells)} |"
            row.page.write_text("\n".join(lines) + "\n")
        for column, old, new in zip(row.columns, row.cells, cells, strict=True):
            if not agree(old, new):
                wrong += 1
                print(f"{row.page.name}: {row.gpu} {row.work}: {column} {old or '(nothing)'} -> {new}")
    print(f"{len(rows)} rows of the handbook, {wrong} numbers that differ (seed {arguments.seed})")
    return 0 if arguments.update or not wrong else 1


if __name__ == "__main__":
    sys.exit(main())
