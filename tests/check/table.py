"""The rows of corpus.tsv: kernels, and how each gets real input.

library TEST        a launch of our kernel library that capture.cc keeps while a test of kernels_test runs
peer PROGRAM ...    a launch of a program of kernels/peers, or like them, that capture.py keeps
hip FILE ...        a launch of a HIP program of the build folder that capture.cc keeps
program FILE ...    a program of the build folder, changed in its file and run
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

TARGETS = {"mi210": "gfx90a", "mi300x": "gfx942", "mi355x": "gfx950", "rx7900xtx": "gfx1100", "rx9070xt": "gfx1201"}


@dataclass(frozen=True)
class Row:
    source: str  # "ours", "rocPRIM", "Triton", "AITER"
    gpu: str
    kernel: str  # a regular expression
    how: str

    def __str__(self) -> str:
        return f"{self.source} {self.gpu} {self.kernel}"


def rows_of(table: Path) -> Iterator[Row]:
    for line in table.read_text().splitlines():
        if line and not line.startswith("#"):
            yield Row(*line.split("\t"))


def launch_of(row: Row, folder: Path) -> Path:
    """Where the row's launch is kept."""
    return folder / f"{prefix_of(row)}_{row.kernel}.json"


def prefix_of(row: Row) -> str:
    return f"{row.source.lower()}_{TARGETS[row.gpu]}"


def code_of(row: Row, folder: Path) -> Path:
    """Where the code object of a row's launch is kept; the library's stays where it is."""
    kind, name = row.how.split()[:2]
    return folder / (f"{prefix_of(row)}_{Path(name).name}.co" if kind == "hip" else f"{launch_of(row, folder).stem}.co")
