#!/usr/bin/env python3
"""The gradient of softmax by Triton, compiled here: for the cycle model, and with --check against float64.

    pip install triton==3.8.0 numpy
    wavesmith profile --gpu mi300x -- triton_softmax_backward.py ROWS COLUMNS [--check]

All matrices are of bf16, and a program computes a row, which it holds in registers. Each count of waves is a kernel of
its own, which runs twice. Columns are divisible by 16.
"""

from __future__ import annotations

import sys
from ctypes import c_void_p

import numpy as np
import triton
import triton.language as tl
from hip import expect_within, memory, random_bf16, read, run_or_check, widened, write
from triton_launch import Compiled
from triton_rows import MOST_NUMBERS, WAVES


@triton.jit(repr=lambda kernel: f"softmax_backward_w{kernel.constants['WAVES']}")
def softmax_backward(y_of, dy_of, dx_of, columns, WIDTH: tl.constexpr, WAVES: tl.constexpr):
    along = tl.arange(0, WIDTH)
    inside = along < columns
    at = tl.program_id(0) * columns + along
    y = tl.load(y_of + at, inside, 0.0).to(tl.float32)
    dy = tl.load(dy_of + at, inside, 0.0).to(tl.float32)
    tl.store(dx_of + at, (y * (dy - tl.sum(dy * y))).to(tl.bfloat16), inside)


class Gradient:
    """Matrices are y, dY and dX."""

    def __init__(self, rows: int, columns: int, matrices: list[c_void_p], waves: int) -> None:
        self.rows, self.columns, self.matrices = rows, columns, matrices
        constants: dict[str, object] = {"WIDTH": triton.next_power_of_2(columns), "WAVES": waves}
        self.compiled = Compiled(softmax_backward, constants, num_warps=waves)

    def run(self) -> None:
        self.compiled.launch(self.rows, *self.matrices, self.columns)

    def check(self) -> None:
        """Ends with an error where a number is further from float64 than roundings may take it."""
        (bits, y), (dy_bits, dy) = random_bf16(self.rows, self.columns), random_bf16(self.rows, self.columns)
        for pointer, array in zip(self.matrices, (bits, dy_bits, np.full_like(bits, 0x7FC0)), strict=True):
            write(pointer, array)
        self.run()
        dx = np.empty((self.rows, self.columns), np.uint16)
        read(dx, self.matrices[2])
        want = y * (dy - np.sum(dy * y, -1, keepdims=True))
        sizes = abs(y) * (abs(dy) + np.sum(abs(dy * y), -1, keepdims=True))
        # A rounding to bf16, and those of f32 before it.
        bounds = abs(want) * 2.0**-8 + sizes * 2.0**-18 + 2.0**-133
        expect_within(widened(dx), want, bounds, self.compiled.kernel.symbol)


def main(*words: str) -> None:
    rows, columns = (int(word) for word in words[:2])
    if columns % 16:
        sys.exit(f"{columns} columns are not divisible by 16")
    matrices = [memory(rows * columns * 2) for _ in range(3)]
    for waves in WAVES:
        if columns > waves * MOST_NUMBERS:
            continue
        one = Gradient(rows, columns, matrices, waves)
        run_or_check(one.run, one.check, words)


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
