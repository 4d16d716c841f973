#!/usr/bin/env python3
"""Gradients of RMS norm and softmax by Triton, compiled here: for the cycle model, and with --check against float64.

    pip install triton==3.8.0 numpy
    wavesmith profile --gpu mi300x -- triton_rows_backward.py norm_backward|softmax_backward ROWS COLUMNS [--check]

All matrices are of bf16. Softmax has a program for each row. Of a norm, programs take several rows and leave the
weight's gradient in parts, as usual; who adds the parts is not counted. Each count of waves is a kernel of its own,
which runs twice. Columns are divisible by 16.
"""

from __future__ import annotations

import sys
from ctypes import c_void_p

import numpy as np
import triton
import triton.language as tl
from hip import expect_within, memory, random_bf16, read, run_or_check, widened, write
from triton_launch import Compiled
from triton_rows import EPSILON, MOST_NUMBERS, WAVES

PROGRAMS = 512
"""Of a norm, or as many as rows."""


def name_of(kernel: object) -> str:
    constants = kernel.constants  # type: ignore[attr-defined]
    return f"{'norm' if 'PROGRAMS' in constants else 'softmax'}_backward_w{constants['WAVES']}"


@triton.jit(repr=name_of)
def norm_backward(
    x_of,
    dy_of,
    weight_of,
    factors_of,
    dx_of,
    parts_of,
    columns,
    ROWS: tl.constexpr,
    PROGRAMS: tl.constexpr,
    WIDTH: tl.constexpr,
    WAVES: tl.constexpr,
):
    along = tl.arange(0, WIDTH)
    inside = along < columns
    weight = tl.load(weight_of + along, inside, 0.0).to(tl.float32)
    part = tl.zeros([WIDTH], tl.float32)
    for row in range(tl.program_id(0), ROWS, PROGRAMS):
        at = row * columns + along
        x = tl.load(x_of + at, inside, 0.0).to(tl.float32)
        dy = tl.load(dy_of + at, inside, 0.0).to(tl.float32)
        factor = tl.load(factors_of + row)
        normal = x * factor
        part += dy * normal
        scaled = dy * weight
        mean = tl.sum(scaled * normal) / columns
        tl.store(dx_of + at, (factor * (scaled - normal * mean)).to(tl.bfloat16), inside)
    tl.store(parts_of + tl.program_id(0) * columns + along, part, inside)


@triton.jit(repr=name_of)
def softmax_backward(y_of, dy_of, dx_of, columns, WIDTH: tl.constexpr, WAVES: tl.constexpr):
    along = tl.arange(0, WIDTH)
    inside = along < columns
    at = tl.program_id(0) * columns + along
    y = tl.load(y_of + at, inside, 0.0).to(tl.float32)
    dy = tl.load(dy_of + at, inside, 0.0).to(tl.float32)
    tl.store(dx_of + at, (y * (dy - tl.sum(dy * y))).to(tl.bfloat16), inside)


class OfRows:
    """Matrices are x or y, dy, dx; a norm has a weight, factors of rows, and parts, too."""

    def __init__(self, operation: str, rows: int, columns: int, memories: list[c_void_p], waves: int) -> None:
        self.of_norm = operation == "norm_backward"
        self.rows, self.columns, self.programs = rows, columns, min(rows, PROGRAMS) if self.of_norm else rows
        constants: dict[str, object] = {"WIDTH": triton.next_power_of_2(columns), "WAVES": waves}
        types: dict[str, str] = {}
        if self.of_norm:
            constants |= {"ROWS": rows, "PROGRAMS": self.programs}
            types = {"factors_of": "fp32", "parts_of": "fp32"}
        function = norm_backward if self.of_norm else softmax_backward
        self.compiled = Compiled(function, constants, types, num_warps=waves)
        self.of, self.dy, self.dx, self.weight, self.factors, self.parts = memories

    def run(self) -> None:
        of_norm = (self.of, self.dy, self.weight, self.factors, self.dx, self.parts)
        arguments = of_norm if self.of_norm else (self.of, self.dy, self.dx)
        self.compiled.launch(self.programs, *arguments, self.columns)

    def check(self) -> None:
        """Ends with an error where a number is further from float64 than roundings may take it."""
        (bits, of), (dy_bits, dy) = random_bf16(self.rows, self.columns), random_bf16(self.rows, self.columns)
        weight_bits, weight = random_bf16(self.columns)
        factors = (1 / np.sqrt(np.mean(of * of, -1) + EPSILON)).astype(np.float32)
        for pointer, array in (
            (self.of, bits),
            (self.dy, dy_bits),
            (self.weight, weight_bits),
            (self.factors, factors),
            (self.dx, np.full_like(bits, 0x7FC0)),
        ):
            write(pointer, array)
        self.run()
        dx = np.empty((self.rows, self.columns), np.uint16)
        read(dx, self.dx)
        symbol = self.compiled.kernel.symbol
        if self.of_norm:
            factor, scaled = factors.astype(np.float64)[:, None], dy * weight
            normal = of * factor
            want = factor * (scaled - normal * np.mean(scaled * normal, -1, keepdims=True))
            sizes = factor * (abs(scaled) + abs(normal) * np.mean(abs(scaled * normal), -1, keepdims=True))
            parts = np.empty((self.programs, self.columns), np.float32)
            read(parts, self.parts)
            total = np.sum(abs(dy * normal), 0)
            expect_within(np.sum(parts, 0, np.float64), np.sum(dy * normal, 0), total * 2.0**-18, symbol)
        else:
            want = of * (dy - np.sum(dy * of, -1, keepdims=True))
            sizes = abs(of) * (abs(dy) + np.sum(abs(dy * of), -1, keepdims=True))
        # A rounding to bf16, and those of f32 before it.
        expect_within(widened(dx), want, abs(want) * 2.0**-8 + sizes * 2.0**-18 + 2.0**-133, symbol)


def main(operation: str, *words: str) -> None:
    rows, columns = (int(word) for word in words[:2])
    if columns % 16:
        sys.exit(f"{columns} columns are not divisible by 16")
    memories = [memory(rows * columns * 2) for _ in range(3)]
    memories += [memory(columns * 2), memory(rows * 4), memory(min(rows, PROGRAMS) * columns * 4)]
    for waves in WAVES:
        if columns > waves * MOST_NUMBERS:
            continue
        one = OfRows(operation, rows, columns, memories, waves)
        run_or_check(one.run, one.check, words)


if __name__ == "__main__":
    if len(sys.argv) < 4 or sys.argv[1] not in ("norm_backward", "softmax_backward"):
        sys.exit(__doc__)
    main(*sys.argv[1:])
