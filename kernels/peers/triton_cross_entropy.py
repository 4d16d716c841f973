#!/usr/bin/env python3
"""Cross entropy and its gradient by Triton, compiled here: for the cycle model, and with --check against float64.

    pip install triton==3.8.0 numpy
    wavesmith profile --gpu mi300x -- triton_cross_entropy.py cross_entropy[_gradient] ROWS CLASSES [--check]

Logits are of bf16, targets of 64 bits. As usual a program of the loss goes over a row once, block by block, with a
running maximum and sum, and leaves the logarithm of the sum; one of the gradient makes a block of a row in its place.
Each block and count of waves is a kernel of its own, cross_entropy_4096_w8, which runs twice. Classes are divisible by
16.
"""

from __future__ import annotations

import sys
from functools import partial

import numpy as np
import triton
import triton.language as tl
from hip import expect_within, memory, random_bf16, read, run_or_check, widened, write
from triton_launch import Compiled

#: Classes at once and waves.
TILES = {
    "cross_entropy": ((2048, 4), (4096, 4), (8192, 8), (16384, 16)),
    "cross_entropy_gradient": ((2048, 4), (4096, 4), (4096, 8), (8192, 8)),
}


def name_of(kernel: object) -> str:
    constants = kernel.constants  # type: ignore[attr-defined]
    return f"cross_entropy_{constants['WIDTH']}_w{constants['WAVES']}"


@triton.jit(repr=name_of)
def cross_entropy(x_of, targets_of, losses_of, logs_of, columns, WIDTH: tl.constexpr, WAVES: tl.constexpr):
    row = tl.program_id(0)
    x_of += row.to(tl.int64) * columns
    along = tl.arange(0, WIDTH)
    most = float("-inf")
    total = 0.0
    for first in range(0, columns, WIDTH):
        x = tl.load(x_of + first + along, first + along < columns, float("-inf")).to(tl.float32)
        larger = tl.maximum(most, tl.max(x))
        total = total * tl.exp(most - larger) + tl.sum(tl.exp(x - larger))
        most = larger
    log = most + tl.log(total)
    target = tl.load(targets_of + row)
    tl.store(logs_of + row, log)
    tl.store(losses_of + row, log - tl.load(x_of + target).to(tl.float32))


@triton.jit(repr=name_of)
def cross_entropy_gradient(x_of, targets_of, upstream_of, logs_of, columns, WIDTH: tl.constexpr, WAVES: tl.constexpr):
    row = tl.program_id(1)
    x_of += row.to(tl.int64) * columns
    along = tl.program_id(0) * WIDTH + tl.arange(0, WIDTH)
    inside = along < columns
    x = tl.load(x_of + along, inside, 0.0).to(tl.float32)
    weights = tl.exp(x - tl.load(logs_of + row))
    weights = tl.where(along == tl.load(targets_of + row), weights - 1.0, weights)
    tl.store(x_of + along, (weights * tl.load(upstream_of)).to(tl.bfloat16), inside)


class CrossEntropy:
    def __init__(self, rows: int, columns: int) -> None:
        self.rows, self.columns = rows, columns
        self.x, self.targets = memory(rows * columns * 2), memory(rows * 8)
        self.losses, self.logs, self.upstream = memory(rows * 4), memory(rows * 4), memory(4)

    def compiled(self, operation: str, width: int, waves: int) -> Compiled:
        types = {"targets_of": "i64"} | dict.fromkeys(("losses_of", "logs_of", "upstream_of"), "fp32")
        function = cross_entropy if operation == "cross_entropy" else cross_entropy_gradient
        return Compiled(function, {"WIDTH": width, "WAVES": waves}, types, num_warps=waves)

    def run(self, operation: str, kernel: Compiled, width: int) -> None:
        given = self.logs, self.columns
        if operation == "cross_entropy":
            kernel.launch(self.rows, self.x, self.targets, self.losses, *given)
        else:
            kernel.launch((-(-self.columns // width), self.rows), self.x, self.targets, self.upstream, *given)

    def check(self, operation: str, kernel: Compiled, width: int) -> None:
        """Ends with an error where a number is further from float64 than roundings may take it."""
        bits, x = random_bf16(self.rows, self.columns)
        targets = np.random.default_rng().integers(self.columns, size=self.rows)
        logs = np.log(np.sum(np.exp(x), -1))
        at_target = np.arange(self.rows), targets
        upstream = np.full(1, 0.75, np.float32)
        poison = np.full(self.rows, np.nan, np.float32)
        arrays = (self.x, bits), (self.targets, targets), (self.upstream, upstream), (self.losses, poison)
        for pointer, array in (*arrays, (self.logs, poison if operation == "cross_entropy" else np.float32(logs))):
            write(pointer, array)
        self.run(operation, kernel, width)
        symbol = kernel.kernel.symbol
        if operation == "cross_entropy":
            for pointer, want in ((self.logs, logs), (self.losses, logs - x[at_target])):
                got = np.empty(self.rows, np.float32)
                read(got, pointer)
                expect_within(got, want, 2.0**-18 * (logs + abs(x[at_target])), symbol)
            return
        want = np.exp(x - logs[:, None])
        want[at_target] -= 1
        want *= upstream[0]
        got = np.empty((self.rows, self.columns), np.uint16)
        read(got, self.x)
        # A rounding to bf16, and those of f32 before it.
        expect_within(widened(got), want, abs(want) * (2.0**-8 + 2.0**-18) + 2.0**-20 * (abs(want) > 0.1), symbol)


def main(operation: str, *words: str) -> None:
    rows, columns = (int(word) for word in words[:2])
    if columns % 16:
        sys.exit(f"{columns} classes are not divisible by 16")
    one = CrossEntropy(rows, columns)
    for width, waves in TILES[operation]:
        kernel = one.compiled(operation, width, waves)
        run_or_check(partial(one.run, operation, kernel, width), partial(one.check, operation, kernel, width), words)


if __name__ == "__main__":
    if len(sys.argv) < 4 or sys.argv[1] not in TILES:
        sys.exit(__doc__)
    main(*sys.argv[1:])
