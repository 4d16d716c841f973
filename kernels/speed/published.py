"""What others published of operations that the page has, measured on real GPUs: docs/published_speed.tsv, read."""

from __future__ import annotations

import csv
from dataclasses import dataclass, replace
from pathlib import Path

from operations import Attention, Product, Row, Timed

DATA = Path(__file__).resolve().parents[2] / "docs/published_speed.tsv"


@dataclass(frozen=True)
class Mark:
    operation: Product | Attention
    """As it is modelled; a product's layout is the one published, empty where none was told."""
    chip: str
    who: str
    teraflops: float
    source: str

    def row_of(self, rows: list[Row]) -> Row | None:
        """The row of that operation: in the layout published, or else with K together."""
        wanted: list[Product | Attention] = [self.operation]
        if isinstance(self.operation, Product):
            wanted.append(replace(self.operation, layout="kk"))
        return next((row for one in wanted for row in rows if row.operation == one), None)

    def peer_of(self, row: Row) -> tuple[str, Timed] | None:
        """Who published, where they are a peer that has a time, or else the fastest peer."""
        ranked = row.ranked()
        return next((pair for pair in ranked if pair[0] == self.who), ranked[0] if ranked else None)


def operation_of(line: dict[str, str]) -> Product | Attention:
    sizes = [int(size) for size in line["sizes"].split()]
    if line["kind"] == "attention":
        batches, heads, kv_heads, length = sizes
        return Attention(line["gpu"], batches, heads, kv_heads, length, line["types"] == "causal")
    m, n, k = sizes
    operands, _, result = line["types"].partition(" to ")
    return Product(line["gpu"], m, n, k, operands, line["layout"], result)


def read() -> list[Mark]:
    marks = []
    for line in csv.DictReader(DATA.read_text().splitlines(), delimiter="\t"):
        operation, value = operation_of(line), float(line["value"])
        rate = operation.flops() / value * 1e-6 if line["unit"] == "us" else value
        marks.append(Mark(operation, line["chip"], line["who"], rate, line["source"]))
    return marks
