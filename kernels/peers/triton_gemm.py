#!/usr/bin/env python3
"""A matrix product by Triton, compiled here, twice per tile: for the cycle model, and with --check against float64.

    pip install triton==3.8.0 numpy
    wavesmith profile --gpu mi300x -- triton_gemm.py M N K [bf16|e4m3] [--check]

D of M x N is A times the transpose of B, which has N rows of K numbers, D of bf16, A and B of bf16 or of floats of 8
bits, OCP's or on gfx942 FNUZ, with sums of f32. The kernel is the usual one: a program computes a tile, and groups of
tiles that share rows of B follow each other. Each tile of a list is a kernel of its own, product_128x128x64_w8 with
eight waves: which is the fastest is for the reader to see, as it is for Triton's tuning. Sizes are divisible by 16, and
K by 512.
"""

from __future__ import annotations

import sys
from ctypes import c_void_p

import numpy as np
import triton
import triton.language as tl
from hip import expect_within, memory, random_bf16, read, run_or_check, target, widened, write
from triton_launch import GROUP, Compiled, tile_of

#: Of rows, columns and K, twice as many of 8 bits, and the waves of a program.
TILES = [
    *((16, 32, 256, 4), (16, 64, 128, 4), (32, 32, 64, 4), (32, 64, 64, 4), (64, 64, 64, 4), (64, 64, 128, 8)),
    *((128, 64, 64, 4), (64, 128, 64, 4), (128, 128, 64, 4), (128, 128, 64, 8), (256, 128, 64, 8), (256, 256, 64, 8)),
]


def random_e4m3(rows: int, columns: int) -> tuple[np.ndarray, np.ndarray]:
    """Bytes of floats, no NaN among them, and what they are."""
    bits = np.arange(256)
    bias = 8 if target() == "gfx942" else 7
    exponent, mantissa = bits >> 3 & 15, bits & 7
    size = np.where(exponent > 0, (8 + mantissa) * 2.0 ** (exponent - 3.0), mantissa / 4) * 2.0**-bias
    drawn = np.random.default_rng().integers(0, 127, (rows, columns), np.uint8)
    drawn |= np.random.default_rng().integers(0, 2, drawn.shape, np.uint8) << 7
    drawn[drawn == 128] = 0  # the NaN of FNUZ
    return drawn, np.where(bits < 128, size, -size)[drawn]


def name_of(kernel: object) -> str:
    sizes = kernel.constants  # type: ignore[attr-defined]
    return f"product_{sizes['ROWS']}x{sizes['COLUMNS']}x{sizes['DEPTH']}_w{sizes['WAVES']}"


@triton.jit(repr=name_of)
def product(
    a_of,
    b_of,
    d_of,
    m,
    n,
    k,
    ROWS: tl.constexpr,
    COLUMNS: tl.constexpr,
    DEPTH: tl.constexpr,
    GROUP: tl.constexpr,
    WAVES: tl.constexpr,
):
    tile_row, tile_column = tile_of(tl.cdiv(m, ROWS), tl.cdiv(n, COLUMNS), GROUP)
    row, column = tile_row * ROWS, tile_column * COLUMNS
    rows = row + tl.arange(0, ROWS)
    columns = column + tl.arange(0, COLUMNS)
    along = tl.arange(0, DEPTH)
    a = a_of + (rows % m)[:, None] * k + along[None, :]
    b = b_of + (columns % n)[None, :] * k + along[:, None]
    sums = tl.zeros((ROWS, COLUMNS), tl.float32)
    for _ in range(0, k // DEPTH):
        sums = tl.dot(tl.load(a), tl.load(b), sums)
        a += DEPTH
        b += DEPTH
    inside = (rows < m)[:, None] & (columns < n)[None, :]
    tl.store(d_of + rows[:, None] * n + columns[None, :], sums.to(tl.bfloat16), inside)


class Product:
    def __init__(
        self, sizes: tuple[int, int, int], matrices: tuple[c_void_p, ...], tile: tuple[int, ...], small: bool
    ) -> None:
        self.sizes, (self.a, self.b, self.d) = sizes, matrices
        self.random = random_e4m3 if small else random_bf16
        rows, columns, depth, waves = tile
        depth *= 2 if small else 1
        constants = {"ROWS": rows, "COLUMNS": columns, "DEPTH": depth, "GROUP": GROUP, "WAVES": waves}
        e4m3 = "fp8e4b8" if target() == "gfx942" else "fp8e4nv"
        types = {"a_of": e4m3, "b_of": e4m3} if small else {}
        self.compiled = Compiled(product, constants, types, num_warps=waves, num_stages=2, matrix_instr_nonkdim=16)
        self.programs = -(-sizes[0] // rows) * -(-sizes[1] // columns)

    def run(self) -> None:
        self.compiled.launch(self.programs, self.a, self.b, self.d, *self.sizes)

    def check(self) -> None:
        """Ends with an error where an element is further from float64 than sums and a rounding may take it."""
        m, n, k = self.sizes
        (a_bits, a), (b_bits, b) = self.random(m, k), self.random(n, k)
        for pointer, bits in ((self.a, a_bits), (self.b, b_bits), (self.d, np.full((m, n), 0x7FC0, np.uint16))):
            write(pointer, bits)
        self.run()
        d = np.empty((m, n), np.uint16)
        read(d, self.d)
        want = a @ b.T
        bounds = np.abs(want) * 2.0**-8 + (k + 1) * 2.0**-24 * (np.abs(a) @ np.abs(b).T)
        expect_within(widened(d), want, bounds, self.compiled.kernel.symbol)


def main(*words: str) -> None:
    m, n, k = (int(word) for word in words[:3])
    if m % 16 or n % 16 or k % 512:
        sys.exit("M and N are divisible by 16, K by 512")
    small = "e4m3" in words
    matrices = memory(m * k * 2), memory(n * k * 2), memory(m * n * 2)
    for tile in TILES:
        if tile[0] >= 2 * m:
            continue
        one = Product((m, n, k), matrices, tile, small)
        if not one.compiled.fits():
            continue
        run_or_check(one.run, one.check, words)


if __name__ == "__main__":
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    main(*sys.argv[1:])
