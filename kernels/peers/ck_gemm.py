#!/usr/bin/env python3
"""A matrix product by AMD's Composable Kernel, twice per tile: for the cycle model, and with --check against float64.

    pip download --no-deps onnxruntime-rocm==1.22.2.post1 && unzip -d FOLDER onnxruntime_rocm-*.whl
    wavesmith profile --gpu mi300x -- ck_gemm.py FOLDER bf16|f16 M N K [kk|kn|mk|mn] [--check]

D of M x N is A times B, all of one type, with sums of f32; the layout names what lies together of A and of B: K, or M
and N. ONNX Runtime's wheel has the kernels as machine code for gfx90a and gfx942, and their names tell their templates'
parameters. What a kernel is given and its grid are facts of include/ck/tensor_operation/gpu in Composable Kernel:
grid/gridwise_gemm_xdl_cshuffle_v1.hpp and the pipelines beside it. ONNX Runtime times all kernels on the GPU: here the
tiles that seem fastest run one after the other, in each pipeline that they are compiled for.
"""

from __future__ import annotations

import struct
import sys
from ctypes import c_void_p
from pathlib import Path

import numpy as np
from ck_objects import objects_of
from ck_tiles import LAYOUTS, Tile, likely, tiles_of
from hip import (
    Kernel,
    call,
    compute_units,
    expect_within,
    memory,
    random_bf16,
    random_f16,
    read,
    target,
    widened,
    widened_f16,
    write,
)

#: How many sizes of tiles run.
SIZES = 3


#: Random numbers, what bits are in float64, and how far bits may lie from a number: bf16 is cut, not rounded.
KINDS = {"bf16": (random_bf16, widened, 2.0**-7), "f16": (random_f16, widened_f16, 2.0**-11)}


class Product:
    """By one tile; the numbers of the kernel's Argument lie behind two pointers that it does not read."""

    def __init__(self, tile: Tile, sizes: tuple[int, int, int], layout: str, matrices: tuple[c_void_p, ...]) -> None:
        self.tile, self.kernel = tile, Kernel(tile.code, tile.symbol)
        m, n, k = sizes
        across, down = tile.grid(m, n)
        strides = k if layout[0] == "k" else m, k if layout[1] == "k" else n, n
        padded = down * tile.rows, across * tile.columns, k
        pieces = (k // each for each in tile.together)
        self.arguments = bytes(16) + struct.pack("<13i4x", *sizes, *strides, *padded, *pieces, down, across)
        self.arguments += struct.pack("<3Q", *(matrix.value or 0 for matrix in matrices))
        self.grid = across * down, 1, 1

    def run(self) -> None:
        self.kernel.launch(self.grid, self.tile.threads, self.arguments)


def check(
    products: list[Product], sizes: tuple[int, int, int], layout: str, matrices: tuple[c_void_p, ...], operands: str
) -> None:
    """Ends with an error where an element is further from float64 than sums and a rounding may take it."""
    m, n, k = sizes
    draw, widen, rounding = KINDS[operands]
    (a_bits, a), (b_bits, b) = draw(m, k), draw(n, k)
    write(matrices[0], a_bits if layout[0] == "k" else np.ascontiguousarray(a_bits.T))
    write(matrices[1], b_bits if layout[1] == "k" else np.ascontiguousarray(b_bits.T))
    want = a @ b.T
    bounds = np.abs(want) * rounding + (k + 1) * 2.0**-24 * (np.abs(a) @ np.abs(b).T)
    for product in products:
        d = np.full((m, n), 0x7FC0, np.uint16)
        write(matrices[2], d)
        product.run()
        read(d, matrices[2])
        expect_within(widen(d), want, bounds, str(product.tile))


def main(folder: str, operands: str, *words: str) -> None:
    m, n, k = sizes = tuple(int(word) for word in words[:3])
    layout = next((word for word in words[3:] if word in LAYOUTS), "kk")
    every = tiles_of(objects_of(Path(folder), target()), operands, layout)
    tiles = [tile for tile in every if tile.takes(m, n, k)]
    if not tiles:
        sys.exit(f"Composable Kernel has no tile for {m} x {n} x {k}")
    if "--check" not in words:
        wanted = likely(tiles, m, n, compute_units(), SIZES)
        tiles = [tile for tile in tiles if tile.size() in wanted]
    matrices = memory(m * k * 2), memory(n * k * 2), memory(m * n * 2)
    products = [Product(tile, sizes, layout, matrices) for tile in tiles]
    if "--check" in words:
        check(products, sizes, layout, matrices, operands)
    else:
        for product in [*products, *products]:
            product.run()
    call("hipDeviceSynchronize")


if __name__ == "__main__":
    if len(sys.argv) < 6:
        sys.exit(__doc__)
    main(*sys.argv[1:])
