"""The tiles of Composable Kernel's products that its kernels' mangled names tell of, and which sizes each takes."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from ck_objects import symbols_of

#: As mangled names write them: of A, B and D by rows or columns, and of A, B, the sums, the exchanged sums and D.
LAYOUTS = {
    "kk": "8RowMajorENS3_11ColumnMajorES4_",
    "kn": "8RowMajorES4_S4_",
    "mk": "11ColumnMajorES4_NS3_8RowMajorE",
    "mn": "11ColumnMajorENS3_8RowMajorES5_",
}
TYPES = {"bf16": "ttftt", "f16": "DF16_DF16_fDF16_DF16_"}
BEGINNING = "_ZN2ck27kernel_gemm_xdl_cshuffle_v1INS_"
NAME = re.compile(
    BEGINNING + r"\d+GridwiseGemm_k0mk1_k0nk1_mn_xdl_cshuffle_v1INS_13tensor_layout4gemm(.*?)NS_16tensor_operation"
    r".*?18GemmSpecializationE(\d)E.*?EnumE0ELi1ELi(\d+)ELi(\d+)ELi(\d+)ELi(\d+)ELi(\d+)ELi(\d+)E"
    r".*?LoopSchedulerE(\d)ELNS_15PipelineVersionE(\d)E.*?ELb([01])E"
)
#: What a kernel does with sizes that are no multiples of its tile: nothing, or it pads M and N.
WHOLE, PADDED = 0, 4
#: By scheduler and version: how many pieces of K a turn of the main loop takes.
PIPELINES = {(0, 0): 1, (0, 1): 2, (1, 0): 1}


@dataclass(frozen=True)
class Tile:
    rows: int
    columns: int
    depth: int
    threads: int
    together: tuple[int, int]  # numbers along K of A and of B that a thread holds
    specialization: int
    pipeline: tuple[int, int]
    loops: bool
    symbol: str
    code: bytes

    def __str__(self) -> str:
        padded = ", padded" if self.specialization == PADDED else ""
        return f"{self.rows}x{self.columns}x{self.depth} of {self.threads}, pipeline {self.pipeline}{padded}"

    def grid(self, m: int, n: int) -> tuple[int, int]:
        return -(-n // self.columns), -(-m // self.rows)

    def takes(self, m: int, n: int, k: int) -> bool:
        whole = m % self.rows == 0 and n % self.columns == 0
        pieces, turn = k // self.depth, PIPELINES.get(self.pipeline, 0)
        if self.specialization != (WHOLE if whole else PADDED) or k % self.depth or not turn or pieces % turn:
            return False
        return self.loops == (pieces // turn > 1)

    def size(self) -> tuple[int, int]:
        return self.rows, self.columns


def likely(tiles: list[Tile], m: int, n: int, units: int, count: int) -> set[tuple[int, int]]:
    """So many sizes, by the least work of a compute unit: its tiles' products, and 64 for each row and column that they
    read, which ranks sizes as the cycle model's times do."""

    def cost(size: tuple[int, int]) -> int:
        rows, columns = size
        return -(-(-(-m // rows) * -(-n // columns)) // units) * (rows * columns + 64 * (rows + columns))

    return set(sorted({tile.size() for tile in tiles}, key=lambda size: (cost(size), size))[:count])


def tile_of(name: re.Match[str], code: bytes) -> Tile:
    specialization, threads, rows, columns, depth, of_a, of_b, scheduler, version, loops = map(int, name.groups()[1:])
    pipeline = scheduler, version
    return Tile(rows, columns, depth, threads, (of_a, of_b), specialization, pipeline, loops == 1, name.string, code)


def tiles_of(codes: Iterable[bytes], operands: str, layout: str) -> list[Tile]:
    """Those of code objects, of such operands and layout; a kernel that several objects have, once."""
    tiles = {}
    for code in codes:
        for symbol in symbols_of(code, BEGINNING):
            name = NAME.match(symbol)
            if name and name[1] == LAYOUTS[layout] + TYPES[operands]:
                tiles[symbol] = tile_of(name, code)
    return list(tiles.values())
