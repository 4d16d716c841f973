#!/usr/bin/env python3
"""RMS norm or softmax of rows by Triton, compiled here: for the cycle model, and with --check against float64.

    pip install triton==3.8.0 numpy
    wavesmith profile --gpu mi300x -- triton_rows.py norm|softmax ROWS COLUMNS [--check]

All matrices are of bf16, and a program computes a row, which it holds in registers: the usual kernels. Each count of
waves is a kernel of its own, norm_w8, which runs twice: which is the fastest is for the reader to see, as it is for
Triton's tuning. Columns are divisible by 16.
"""

from __future__ import annotations

import sys
from ctypes import c_void_p

import numpy as np
import triton
import triton.language as tl
from hip import expect_within, memory, random_bf16, read, run_or_check, widened, write
from triton_launch import Compiled

EPSILON = 1e-5
WAVES = (2, 4, 8, 16)
#: Of a row that a wave holds: more take minutes to compile, and spill.
MOST_NUMBERS = 2048


def name_of(kernel: object) -> str:
    constants = kernel.constants  # type: ignore[attr-defined]
    return f"{'norm' if 'EPSILON' in constants else 'softmax'}_w{constants['WAVES']}"


@triton.jit(repr=name_of)
def norm(x_of, weight_of, y_of, columns, WIDTH: tl.constexpr, WAVES: tl.constexpr, EPSILON: tl.constexpr):
    row = tl.program_id(0) * columns
    along = tl.arange(0, WIDTH)
    inside = along < columns
    x = tl.load(x_of + row + along, inside, 0.0).to(tl.float32)
    weight = tl.load(weight_of + along, inside, 0.0).to(tl.float32)
    scale = tl.rsqrt(tl.sum(x * x) / columns + EPSILON)
    tl.store(y_of + row + along, (x * scale * weight).to(tl.bfloat16), inside)


@triton.jit(repr=name_of)
def softmax(x_of, y_of, columns, WIDTH: tl.constexpr, WAVES: tl.constexpr):
    row = tl.program_id(0) * columns
    along = tl.arange(0, WIDTH)
    inside = along < columns
    x = tl.load(x_of + row + along, inside, float("-inf")).to(tl.float32)
    powers = tl.exp(x - tl.max(x))
    tl.store(y_of + row + along, (powers / tl.sum(powers)).to(tl.bfloat16), inside)


class OfRows:
    def __init__(self, operation: str, rows: int, columns: int, matrices: tuple[c_void_p, ...], waves: int) -> None:
        self.normalises = operation == "norm"
        self.rows, self.columns = rows, columns
        constants: dict[str, object] = {"WIDTH": triton.next_power_of_2(columns), "WAVES": waves}
        constants |= {"EPSILON": EPSILON} if self.normalises else {}
        self.compiled = Compiled(norm if self.normalises else softmax, constants, num_warps=waves)
        self.x, self.weight, self.y = matrices

    def run(self) -> None:
        matrices = (self.x, self.weight, self.y) if self.normalises else (self.x, self.y)
        self.compiled.launch(self.rows, *matrices, self.columns)

    def check(self) -> None:
        """Ends with an error where a number is further from float64 than roundings may take it."""
        bits, x = random_bf16(self.rows, self.columns)
        weight_bits, weight = random_bf16(self.columns)
        for pointer, array in ((self.x, bits), (self.weight, weight_bits), (self.y, np.full_like(bits, 0x7FC0))):
            write(pointer, array)
        self.run()
        y = np.empty((self.rows, self.columns), np.uint16)
        read(y, self.y)
        if self.normalises:
            want = x / np.sqrt(np.mean(x * x, -1, keepdims=True) + EPSILON) * weight
        else:
            powers = np.exp(x - x.max(-1, keepdims=True))
            want = powers / powers.sum(-1, keepdims=True)
        # A rounding to bf16, and those of f32 before it.
        expect_within(widened(y), want, np.abs(want) * (2.0**-8 + 2.0**-18) + 2.0**-133, self.compiled.kernel.symbol)


def main(operation: str, *words: str) -> None:
    rows, columns = (int(word) for word in words[:2])
    if columns % 16:
        sys.exit(f"{columns} columns are not divisible by 16")
    matrices = memory(rows * columns * 2), memory(columns * 2), memory(rows * columns * 2)
    for waves in WAVES:
        if columns > waves * MOST_NUMBERS:
            continue
        one = OfRows(operation, rows, columns, matrices, waves)
        run_or_check(one.run, one.check, words)


if __name__ == "__main__":
    if len(sys.argv) < 4 or sys.argv[1] not in ("norm", "softmax"):
        sys.exit(__doc__)
    main(*sys.argv[1:])
