#!/usr/bin/env python3
"""A matrix product by the assembly of AMD's AITER, twice: for the cycle model, and with --check against float64.

    pip download --no-deps amd-aiter==0.1.7.post2.dev18 && unzip -d FOLDER amd_aiter-*.whl
    wavesmith profile --gpu mi300x -- aiter_gemm.py FOLDER bf16|i8|f4 M N K [TILE] [--check]

D of M x N is A times the transpose of B, which has N rows of K numbers: weights. What kernels are given, their grids
and the choice of a tile are facts of aiter_meta/csrc/py_itfs_cu/asm_gemm_*.cu in that wheel, the layouts of weights and
scales of aiter/ops/shuffle.py and aiter/utility/fp4_utils.py.

- bf16 (gfx942, gfx950): D is f32, and B lies as it is. Where tiles are fewer than compute units, workgroups share K and
  add to D, which has to be cleared before; the clearing counts as no part of the product here.
- i8 (gfx942): D is bf16, with a scale per row and per column and a bias of f32; B is shuffled before.
- f4 (gfx950): D is bf16; blocks of 32 numbers share a scale; B and the scales are shuffled before. AITER takes most
  tiles from a table of measured times: here TILE, "256x256", or those that seem fastest, one after the other.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from aiter_tiles import Tile, choose_bf16, choose_i8, likely, tiles_of
from hip import (
    Kernel,
    clear,
    compute_units,
    expect_within,
    memory,
    random_bf16,
    read,
    run_or_check,
    slots,
    target,
    widened,
    write,
)

THREADS = 256
PIECE = {"bf16": 64, "i8": 128, "f4": 256}  # of K, of which there are whole ones
NUMBERS_OF_F4 = np.array([0, 0.5, 1, 1.5, 2, 3, 4, 6, 0, -0.5, -1, -1.5, -2, -3, -4, -6])


def tiles_named(folder: Path, operands: str, name: str) -> list[Tile]:
    """All, or the one of that name, "256x256"."""
    return [tile for tile in tiles_of(folder, target(), operands) if name in ("", f"{tile.rows}x{tile.columns}")]


def shuffled(weights: np.ndarray, rows: int) -> np.ndarray:
    """Blocks of so many rows by 32 bytes follow each other; in them pieces of 16 bytes do, column by column."""
    n, k = weights.shape
    return np.ascontiguousarray(weights.reshape(n // rows, rows, k // 32, 2, 16).transpose(0, 2, 3, 1, 4))


def shuffled_scales(scales: np.ndarray) -> np.ndarray:
    """Of whole blocks of 256 rows by 8 scales."""
    rows, columns = scales.shape
    blocks = scales.reshape(rows // 32, 2, 16, columns // 8, 2, 4)
    return np.ascontiguousarray(blocks.transpose(0, 3, 5, 2, 4, 1))


class Bf16:
    def __init__(self, folder: Path, m: int, n: int, k: int, name: str) -> None:
        self.shape = m, n, k
        tile, self.split = choose_bf16(tiles_named(folder, "bf16", name), m, n, compute_units())
        if self.split > k // PIECE["bf16"]:
            sys.exit(f"AITER would share {k} numbers among {self.split} workgroups, which read beyond them")
        self.kernel = Kernel(tile.code, tile.symbol)
        self.a, self.b, self.d = memory(m * k * 2), memory(n * k * 2), memory(m * n * 4)
        strides = (0, 0, n * 4, 0, k * 2, 0, k * 2, 0)  # of D, C, A and B, in bytes, two each
        self.arguments = slots(self.d, None, self.a, self.b, 1.0, 0.0, *strides, m, n, k, self.split)
        self.grid = *tile.grid(m, n), self.split

    def run(self) -> None:
        if self.split > 1:
            clear(self.d, self.shape[0] * self.shape[1] * 4)
        self.kernel.launch(self.grid, THREADS, self.arguments)

    def compared(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """D, what it is in float64, and how far it may lie from that: by the roundings of sums of k numbers."""
        m, n, k = self.shape
        (a_bits, a), (b_bits, b) = random_bf16(m, k), random_bf16(n, k)
        write(self.a, a_bits)
        write(self.b, b_bits)
        write(self.d, np.full((m, n), np.nan, np.float32))
        self.run()
        d = np.empty((m, n), np.float32)
        read(d, self.d)
        return d, a @ b.T, (k + self.split) * 2.0**-24 * (np.abs(a) @ np.abs(b).T)


class I8:
    def __init__(self, folder: Path, m: int, n: int, k: int, name: str) -> None:
        self.shape = m, n, k
        tile = choose_i8(tiles_named(folder, "i8", name), m, n, compute_units())
        self.kernel = Kernel(tile.code, tile.symbol)
        self.a, self.b, self.d = memory(m * k), memory(n * k), memory(m * n * 2)
        self.scale_a, self.scale_b, self.bias = memory(m * 4), memory(n * 4), memory(n * 4)
        given = self.d, self.a, self.b, self.scale_a, self.scale_b, self.bias
        self.arguments = slots(*given, m, n, k, k, k, n * 2, 1)
        self.grid = *tile.grid(m, n), 1

    def run(self) -> None:
        self.kernel.launch(self.grid, THREADS, self.arguments)

    def compared(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The same, the distance by a rounding to bf16 and those before it."""
        m, n, k = self.shape
        random = np.random.default_rng()
        a, b = (random.integers(-128, 128, (rows, k), np.int8) for rows in (m, n))
        scale_a, scale_b = (random.uniform(0.5, 2, rows).astype(np.float32) for rows in (m, n))
        bias = (random.standard_normal(n) * 1e5).astype(np.float32)
        for pointer, array in ((self.a, a), (self.b, shuffled(b, 32)), (self.d, np.full((m, n), 0x7FC0, np.uint16))):
            write(pointer, array)
        for pointer, array in ((self.scale_a, scale_a), (self.scale_b, scale_b), (self.bias, bias)):
            write(pointer, array)
        self.run()
        d = np.empty((m, n), np.uint16)
        read(d, self.d)
        scaled = (a.astype(np.float64) @ b.astype(np.float64).T) * np.outer(scale_a, scale_b).astype(np.float64)
        want = scaled + bias
        return widened(d), want, np.abs(want) * 2.0**-8 + (np.abs(scaled) + np.abs(bias)) * 2.0**-21


class F4:
    def __init__(self, folder: Path, m: int, n: int, k: int, name: str) -> None:
        self.shape = m, n, k
        tiles = tiles_named(folder, "f4", name) or sys.exit(f"AITER has no tile {name}")
        self.tiles = likely(tiles, m, n, compute_units(), 4)
        self.kernels = [Kernel(tile.code, tile.symbol) for tile in self.tiles]
        self.kernel = self.kernels[0]
        self.scales = tuple((-(-rows // 256) * 256, -(-k // 256) * 8) for rows in (m, n))
        rows = -(-m // 32) * 32  # that D has to have
        self.a, self.b, self.d = memory(m * k // 2), memory(n * k // 2), memory(rows * n * 2)
        self.scale_a, self.scale_b = (memory(height * width) for height, width in self.scales)
        strides = (0, 0, n, 0, k, 0, k, 0)  # of D, C, A and B, in numbers, two each
        of_scales = self.scale_a, self.scale_b, self.scales[0][1], 0, self.scales[1][1], 0
        self.arguments = slots(self.d, None, self.a, self.b, 1.0, 0.0, *strides, m, n, k, *of_scales, 0)
        self.grid = *self.tiles[0].grid(m, n), 1

    def run(self) -> None:
        """Each of the tiles computes the whole."""
        m, n, _ = self.shape
        for tile, kernel in zip(self.tiles, self.kernels, strict=True):
            kernel.launch((*tile.grid(m, n), 1), THREADS, self.arguments)

    def compared(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The same, the distance by a rounding to bf16 and those of sums."""
        m, n, k = self.shape
        random = np.random.default_rng()
        bytes_of = [random.integers(0, 256, (rows, k // 2), np.uint8) for rows in (m, n)]
        exponents = [random.integers(124, 131, shape, np.uint8) for shape in self.scales]
        given = (self.a, bytes_of[0]), (self.b, shuffled(bytes_of[1], 16))
        for pointer, array in (*given, (self.d, np.full((m, n), 0x7FC0, np.uint16))):
            write(pointer, array)
        for pointer, array in zip((self.scale_a, self.scale_b), exponents, strict=True):
            write(pointer, shuffled_scales(array))
        self.run()
        d = np.empty((m, n), np.uint16)
        read(d, self.d)
        a, b = (
            NUMBERS_OF_F4[np.stack((pairs & 15, pairs >> 4), -1).reshape(rows, k)]
            * np.repeat(2.0 ** (scales[:rows, : k // 32].astype(np.float64) - 127), 32, 1)
            for pairs, scales, rows in zip(bytes_of, exponents, (m, n), strict=True)
        )
        want = a @ b.T
        return widened(d), want, np.abs(want) * 2.0**-8 + k * 2.0**-24 * (np.abs(a) @ np.abs(b).T)


def main(folder: str, operands: str, *words: str) -> None:
    m, n, k = (int(word) for word in words[:3])
    if k % PIECE[operands]:
        sys.exit(f"AITER's kernels of {operands} want K in whole pieces of {PIECE[operands]}")
    name = next((word for word in words[3:] if word != "--check"), "")
    product = {"bf16": Bf16, "i8": I8, "f4": F4}[operands](Path(folder), m, n, k, name)

    def check() -> None:
        expect_within(*product.compared(), f"{product.kernel.symbol} {product.grid}")

    run_or_check(product.run, check, words)


if __name__ == "__main__":
    if len(sys.argv) < 6:
        sys.exit(__doc__)
    main(*sys.argv[1:])
