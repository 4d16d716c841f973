#!/usr/bin/env python3
"""Gradients of RMS norm and layer norm by Triton, compiled here: for the cycle model, and with --check against float64.

    pip install triton==3.8.0 numpy
    wavesmith profile --gpu mi300x -- triton_norm_backward.py norm_backward|layernorm_backward ROWS COLUMNS [--check]

Matrices and vectors are of bf16. As usual a program takes several rows, which it holds in registers one after the
other, and leaves its share of the vectors' gradients in a row of parts, which a second kernel adds. Each count of waves
and of programs is a kernel of its own, rows__w8_p512, and so is each tile of the second, sums__64x64_p512; all run
twice. Rows and columns are divisible by 16.
"""

from __future__ import annotations

import sys
from functools import partial

import numpy as np
import triton
import triton.language as tl
from hip import expect_within, memory, random_bf16, read, run_or_check, widened, write
from triton_launch import Compiled
from triton_rows import EPSILON

WAVES = (2, 4, 8, 16)
#: Of a row, those that a wave holds.
NUMBERS = range(256, 1025)
PROGRAMS = (512, 1024)
FEW_PROGRAMS = 256
"""Of as few rows, or fewer."""
#: Of the second kernel: parts and columns at once, and waves.
TILES = ((64, 64, 4), (128, 32, 8))


@triton.jit(repr=lambda kernel: f"rows__w{kernel.constants['WAVES']}_p{kernel.constants['PROGRAMS']}")
def rows_backward(
    x_of,
    dy_of,
    weight_of,
    means_of,
    factors_of,
    dx_of,
    weights_of,
    biases_of,
    rows,
    columns,
    PROGRAMS: tl.constexpr,
    CENTRED: tl.constexpr,
    WIDTH: tl.constexpr,
    WAVES: tl.constexpr,
):
    along = tl.arange(0, WIDTH)
    inside = along < columns
    weight = tl.load(weight_of + along, inside, 0.0).to(tl.float32)
    part = tl.zeros([WIDTH], tl.float32)
    bias_part = tl.zeros([WIDTH], tl.float32)
    for row in range(tl.program_id(0), rows, PROGRAMS):
        at = row * columns + along
        x = tl.load(x_of + at, inside, 0.0).to(tl.float32)
        dy = tl.load(dy_of + at, inside, 0.0).to(tl.float32)
        factor = tl.load(factors_of + row)
        if CENTRED:
            normal = (x - tl.load(means_of + row)) * factor
            bias_part += dy
        else:
            normal = x * factor
        part += dy * normal
        scaled = dy * weight
        inner = scaled - normal * (tl.sum(scaled * normal) / columns)
        if CENTRED:
            inner -= tl.sum(scaled) / columns
        tl.store(dx_of + at, (factor * inner).to(tl.bfloat16), inside)
    tl.store(weights_of + tl.program_id(0) * columns + along, part, inside)
    if CENTRED:
        tl.store(biases_of + tl.program_id(0) * columns + along, bias_part, inside)


def name_of_sums(kernel: object) -> str:
    constants = kernel.constants  # type: ignore[attr-defined]
    return f"sums__{constants['HEIGHT']}x{constants['WIDTH']}_p{constants['PROGRAMS']}"


@triton.jit(repr=name_of_sums)
def sums(
    weights_of,
    biases_of,
    dweight_of,
    dbias_of,
    columns,
    PROGRAMS: tl.constexpr,
    CENTRED: tl.constexpr,
    HEIGHT: tl.constexpr,
    WIDTH: tl.constexpr,
):
    along = tl.program_id(0) * WIDTH + tl.arange(0, WIDTH)
    down = tl.arange(0, HEIGHT)
    weight = tl.zeros([HEIGHT, WIDTH], tl.float32)
    bias = tl.zeros([HEIGHT, WIDTH], tl.float32)
    for first in range(0, PROGRAMS, HEIGHT):
        part = first + down[:, None]
        inside = (part < PROGRAMS) & (along[None, :] < columns)
        at = part * columns + along[None, :]
        weight += tl.load(weights_of + at, inside, 0.0)
        if CENTRED:
            bias += tl.load(biases_of + at, inside, 0.0)
    tl.store(dweight_of + along, tl.sum(weight, 0).to(tl.bfloat16), along < columns)
    if CENTRED:
        tl.store(dbias_of + along, tl.sum(bias, 0).to(tl.bfloat16), along < columns)


class Gradients:
    def __init__(self, rows: int, columns: int, centred: bool) -> None:
        self.rows, self.columns, self.centred = rows, columns, centred
        self.x, self.dy, self.dx = (memory(rows * columns * 2) for _ in range(3))
        self.weight, self.dweight, self.dbias = (memory(columns * 2) for _ in range(3))
        self.means, self.factors = (memory(rows * 4) for _ in range(2))
        self.weights, self.biases = (memory(max(PROGRAMS) * columns * 4) for _ in range(2))

    def of_rows(self, waves: int, programs: int) -> Compiled:
        constants: dict[str, object] = {"WIDTH": triton.next_power_of_2(self.columns), "WAVES": waves}
        constants |= {"PROGRAMS": programs, "CENTRED": self.centred}
        types = dict.fromkeys(("means_of", "factors_of", "weights_of", "biases_of"), "fp32")
        return Compiled(rows_backward, constants, types, num_warps=waves)

    def of_sums(self, tile: tuple[int, int, int], programs: int) -> Compiled:
        height, width, waves = tile
        constants: dict[str, object] = {"PROGRAMS": programs, "CENTRED": self.centred, "HEIGHT": height, "WIDTH": width}
        return Compiled(sums, constants, dict.fromkeys(("weights_of", "biases_of"), "fp32"), num_warps=waves)

    def run_rows(self, kernel: Compiled, programs: int) -> None:
        read = self.x, self.dy, self.weight, self.means, self.factors
        kernel.launch(programs, *read, self.dx, self.weights, self.biases, self.rows, self.columns)

    def run_sums(self, kernel: Compiled, tile: tuple[int, int, int]) -> None:
        parts, made = (self.weights, self.biases), (self.dweight, self.dbias)
        kernel.launch(-(-self.columns // tile[1]), *parts, *made, self.columns)

    def fill(self) -> None:
        """Random numbers, and the gradients in float64 with what roundings may take from them."""
        rows, columns = self.rows, self.columns
        (bits, x), (dy_bits, dy), (weight_bits, weight) = (
            random_bf16(*shape) for shape in ((rows, columns), (rows, columns), (columns,))
        )
        means = x.mean(-1).astype(np.float32) if self.centred else np.zeros(rows, np.float32)
        factors = (1 / np.sqrt(np.mean((x - means[:, None]) ** 2, -1) + EPSILON)).astype(np.float32)
        arrays = ((self.x, bits), (self.dy, dy_bits), (self.weight, weight_bits), (self.means, means))
        for pointer, array in (*arrays, (self.factors, factors)):
            write(pointer, array)
        factor, scaled = factors.astype(np.float64)[:, None], dy * weight
        normal = (x - means.astype(np.float64)[:, None]) * factor
        mean = lambda array: np.mean(array, -1, keepdims=True)  # noqa: E731
        dx = factor * (scaled - normal * mean(scaled * normal) - self.centred * mean(scaled))
        of_dx = factor * (abs(scaled) + abs(normal) * mean(abs(scaled * normal)) + mean(abs(scaled)))
        # A rounding to bf16, and those of f32 before it.
        within = lambda want, sizes: (want, abs(want) * 2.0**-8 + sizes * 2.0**-18 + 2.0**-133)  # noqa: E731
        self.wants = {
            "dx": within(dx, of_dx),
            "dweight": within(np.sum(dy * normal, 0), np.sum(abs(dy * normal), 0)),
            "dbias": within(np.sum(dy, 0), np.sum(abs(dy), 0)),
        }

    def expect(self, name: str, *shape: int) -> None:
        got = np.empty(shape, np.uint16)
        read(got, getattr(self, name))
        expect_within(widened(got), *self.wants[name], name)

    def check_rows(self, kernel: Compiled, programs: int) -> None:
        write(self.dx, np.full(self.rows * self.columns, 0x7FC0, np.uint16))
        self.run_rows(kernel, programs)
        self.expect("dx", self.rows, self.columns)

    def check_sums(self, kernel: Compiled, tile: tuple[int, int, int]) -> None:
        """Behind the first kernel."""
        names = ("dweight", "dbias") if self.centred else ("dweight",)
        for name in names:
            write(getattr(self, name), np.full(self.columns, 0x7FC0, np.uint16))
        self.run_sums(kernel, tile)
        for name in names:
            self.expect(name, self.columns)


def main(operation: str, *words: str) -> None:
    rows, columns = (int(word) for word in words[:2])
    if rows % 16 or columns % 16:
        sys.exit("rows and columns are divisible by 16")
    one = Gradients(rows, columns, operation == "layernorm_backward")
    if "--check" in words:
        one.fill()
    for programs in PROGRAMS if rows > FEW_PROGRAMS else (FEW_PROGRAMS,):
        for waves in WAVES:
            if columns // waves not in NUMBERS:
                continue
            kernel = one.of_rows(waves, programs)
            run_or_check(partial(one.run_rows, kernel, programs), partial(one.check_rows, kernel, programs), words)
        for tile in TILES:
            kernel = one.of_sums(tile, programs)
            run_or_check(partial(one.run_sums, kernel, tile), partial(one.check_sums, kernel, tile), words)


if __name__ == "__main__":
    if len(sys.argv) < 4 or sys.argv[1] not in ("norm_backward", "layernorm_backward"):
        sys.exit(__doc__)
    main(*sys.argv[1:])
