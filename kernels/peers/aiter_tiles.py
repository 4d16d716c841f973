"""The tiles of AITER's products, and which one its host program chooses: facts of aiter_meta/csrc/py_itfs_cu in its
wheel."""

from __future__ import annotations

import csv
import sys
from dataclasses import dataclass
from pathlib import Path

TABLES = {
    "bf16": "bf16gemm/bf16gemm_outf32.csv",
    "i8": "i8gemm/i8gemm_bf16_perTokenI8.csv",
    "f4": "f4gemm/f4gemm_bf16_per1x32Fp4.csv",
}


@dataclass(frozen=True)
class Tile:
    rows: int
    columns: int
    symbol: str
    code: Path

    def grid(self, m: int, n: int) -> tuple[int, int]:
        return -(-n // self.columns), -(-m // self.rows)

    def reuse(self) -> int:
        """Products per number that is read, as AITER reckons it."""
        return self.rows * self.columns // (self.rows + self.columns)


def tiles_of(folder: Path, target: str, operands: str) -> list[Tile]:
    """Those of AITER's table, last row first: the order in which its program walks through them."""
    table = folder / "aiter_meta/hsa" / target / TABLES[operands]
    if not table.exists():
        sys.exit(f"AITER has no product of {operands} for {target}")
    tiles = []
    for row in csv.DictReader(table.read_text().splitlines()):
        rows, columns = (int(row.get(f"tile_{side}") or row[f"tile{side.upper()}"]) for side in "mn")
        if row.get("bpreshuffle") != "0":
            code = table.parent / (row.get("co_name") or row["knl_file"])
            tiles.append(Tile(rows, columns, row["knl_name"], code))
    return tiles[::-1]


def choose_bf16(tiles: list[Tile], m: int, n: int, units: int) -> tuple[Tile, int]:
    """The tile and the workgroups that share K, by get_heuristic_kernel of asm_gemm_a16w16.cu."""
    best: tuple[Tile, int] | None = None
    rounds, idle, reuse, beyond = 2**32 - 1, units, 1, m
    for tile in tiles:
        if n % tile.columns:
            continue
        across, down = tile.grid(m, n)
        split = min(units // (across * down), 64) if across * down < units else 1
        workgroups = across * down * split
        of_tile = -(-workgroups // units)
        idle_of_tile = of_tile * units - workgroups
        left = m % tile.rows
        less_beyond = beyond > 0 if left == 0 else tile.rows - left < beyond
        same = of_tile == rounds
        if (
            of_tile < rounds
            or (same and (idle > idle_of_tile or less_beyond))
            or (same and idle == idle_of_tile and tile.rows - left == beyond and tile.reuse() > reuse)
        ):
            best = tile, split
            rounds, idle, reuse, beyond = of_tile, idle_of_tile, tile.reuse(), -m % tile.rows
    return best or sys.exit(f"AITER has no tile for {n} columns")


def choose_i8(tiles: list[Tile], m: int, n: int, units: int) -> Tile:
    """By get_heuristic_kernel of asm_gemm_a8w8.cu: the fewest rounds, and of equals the last, as nothing shares K."""
    best, rounds = None, 2**32 - 1
    for tile in tiles:
        across, down = tile.grid(m, n)
        of_tile = -(-across * down // units)
        if n % tile.columns == 0 and of_tile <= rounds:
            best, rounds = tile, of_tile
    return best or sys.exit(f"AITER has no tile for {n} columns")


def likely(tiles: list[Tile], m: int, n: int, units: int, count: int) -> list[Tile]:
    """So many of those that give a compute unit the fewest products to compute, the larger of equals first."""

    def of_unit(tile: Tile) -> tuple[int, int]:
        across, down = tile.grid(m, n)
        return -(-across * down // units) * tile.rows * tile.columns, -tile.rows * tile.columns

    return sorted(tiles, key=of_unit)[:count]
