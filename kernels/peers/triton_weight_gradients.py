#!/usr/bin/env python3
"""The gradients of experts' weights by Triton, a product along each group's rows, compiled here; for the cycle model,
and with --check against float64.

    pip install triton==3.8.0 numpy
    wavesmith profile --gpu mi300x -- triton_weight_gradients.py M N K GROUPS [--check]

Of bf16, with sums of f32: D of a group is M by N, A's M columns and B's N columns lie together in K rows, in groups of
one size. A program reads where its group begins and ends, and adds up its rows. d__128x128x32_w4 has tiles of 128 by
128, steps of 32 rows and four waves. Sizes are divisible by 256.
"""

from __future__ import annotations

import sys
from ctypes import c_void_p

import numpy as np
import triton
import triton.language as tl
from hip import expect_within, memory, random_bf16, read, run_or_check, widened, write
from triton_launch import GROUP, Compiled, tile_of

#: Of rows, columns and K, and the waves of a program.
TILES = [(128, 128, 32, 4), (128, 128, 64, 4), (128, 128, 64, 8), (256, 128, 32, 8), (256, 256, 32, 8), (64, 64, 64, 4)]


def name_of(kernel: object) -> str:
    sizes = kernel.constants  # type: ignore[attr-defined]
    return f"d__{sizes['ROWS']}x{sizes['COLUMNS']}x{sizes['DEPTH']}_w{sizes['WAVES']}"


@triton.jit(repr=name_of)
def gradients(
    a_of,
    b_of,
    d_of,
    offsets_of,
    m,
    n,
    ROWS: tl.constexpr,
    COLUMNS: tl.constexpr,
    DEPTH: tl.constexpr,
    GROUP: tl.constexpr,
    WAVES: tl.constexpr,
):
    group = tl.program_id(1)
    tile_row, tile_column = tile_of(tl.cdiv(m, ROWS), tl.cdiv(n, COLUMNS), GROUP)
    rows = tile_row * ROWS + tl.arange(0, ROWS)
    columns = tile_column * COLUMNS + tl.arange(0, COLUMNS)
    along = tl.arange(0, DEPTH)
    first, end = tl.load(offsets_of + group), tl.load(offsets_of + group + 1)
    sums = tl.zeros((ROWS, COLUMNS), tl.float32)
    for place in range(first, end, DEPTH):
        inside = place + along < end
        a = tl.load(a_of + (place + along)[None, :] * m + rows[:, None], inside[None, :], 0.0)
        b = tl.load(b_of + (place + along)[:, None] * n + columns[None, :], inside[:, None], 0.0)
        sums = tl.dot(a, b, sums)
    d = d_of + group.to(tl.int64) * m * n
    tl.store(d + rows[:, None] * n + columns[None, :], sums.to(tl.bfloat16))


class Product:
    """The sizes, what is read and written, and the kernels."""

    def __init__(self, m: int, n: int, k: int, groups: int) -> None:
        self.m, self.n, self.k, self.groups = m, n, k, groups
        self.a, self.b, self.d = memory(k * m * 2), memory(k * n * 2), memory(groups * m * n * 2)
        self.ends = np.array([i * k // groups for i in range(groups + 1)], np.int32)
        self.offsets = memory(self.ends.nbytes)
        write(self.offsets, self.ends)
        self.kernels = [self.compiled(tile) for tile in TILES]

    def compiled(self, tile: tuple[int, ...]) -> tuple[int, Compiled]:
        rows, columns, depth, waves = tile
        constants = {"ROWS": rows, "COLUMNS": columns, "DEPTH": depth, "GROUP": GROUP, "WAVES": waves}
        made = Compiled(
            gradients, constants, {"offsets_of": "i32"}, num_warps=waves, num_stages=2, matrix_instr_nonkdim=16
        )
        return (self.m // rows) * (self.n // columns), made

    def launch(self, programs: int, one: Compiled) -> None:
        given: tuple[c_void_p | int, ...] = (self.a, self.b, self.d, self.offsets, self.m, self.n)
        one.launch((programs, self.groups), *given)

    def run(self) -> None:
        for programs, one in self.kernels:
            if one.fits():
                self.launch(programs, one)

    def check(self) -> None:
        """Ends with an error where an element is further from float64 than sums and rounding may take it."""
        (bits_a, a), (bits_b, b) = random_bf16(self.k, self.m), random_bf16(self.k, self.n)
        write(self.a, bits_a)
        write(self.b, bits_b)
        parts = [slice(first, end) for first, end in zip(self.ends, self.ends[1:], strict=False)]
        want = np.stack([a[part].T @ b[part] for part in parts])
        sizes = np.stack([np.abs(a[part]).T @ np.abs(b[part]) for part in parts])
        for programs, one in self.kernels:
            if not one.fits():
                continue
            write(self.d, np.full(want.shape, 0x7FC0, np.uint16))
            self.launch(programs, one)
            got = np.empty(want.shape, np.uint16)
            read(got, self.d)
            bounds = (self.k + 2) * 2.0**-24 * sizes + np.abs(want) * 2.0**-8 + 2.0**-126
            expect_within(widened(got), want, bounds, one.kernel.symbol)


def main(*words: str) -> None:
    product = Product(*(int(word) for word in words[:4]))
    run_or_check(product.run, product.check, words)


if __name__ == "__main__":
    if len(sys.argv) < 5:
        sys.exit(__doc__)
    main(*sys.argv[1:])
