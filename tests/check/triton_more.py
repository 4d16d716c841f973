#!/usr/bin/env python3
"""Small kernels in Triton beside those of kernels/peers, for capture.py: each is launched once, on random rows.

wavesmith run --gpu mi300x -- capture.py FOLDER PREFIX triton_more.py ROWS COLUMNS
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "kernels/peers"))
import numpy as np
import triton
import triton.language as tl
from hip import call, memory, random_bf16, write
from triton_launch import Compiled


@triton.jit
def added(x_of, y_of, out_of, rows, columns, WIDTH: tl.constexpr):
    at = tl.program_id(0) * WIDTH + tl.arange(0, WIDTH)
    inside = at < rows * columns
    x = tl.load(x_of + at, inside).to(tl.float32)
    y = tl.load(y_of + at, inside).to(tl.float32)
    tl.store(out_of + at, (x + y).to(tl.bfloat16), inside)


@triton.jit
def layer_norm(x_of, y_of, out_of, rows, columns, WIDTH: tl.constexpr):
    row = tl.program_id(0) * columns
    along = tl.arange(0, WIDTH)
    inside = along < columns
    x = tl.load(x_of + row + along, inside, 0.0).to(tl.float32)
    mean = tl.sum(x) / columns
    apart = tl.where(inside, x - mean, 0.0)
    scale = tl.rsqrt(tl.sum(apart * apart) / columns + 1e-5)
    y = tl.load(y_of + along, inside, 0.0).to(tl.float32)
    tl.store(out_of + row + along, (apart * scale * y).to(tl.bfloat16), inside)


@triton.jit
def running_sums(x_of, y_of, out_of, rows, columns, WIDTH: tl.constexpr):
    row = tl.program_id(0) * columns
    along = tl.arange(0, WIDTH)
    inside = along < columns
    x = tl.load(x_of + row + along, inside, 0.0).to(tl.float32)
    tl.store(out_of + row + along, tl.cumsum(x, 0).to(tl.bfloat16), inside)


@triton.jit
def transposed(x_of, y_of, out_of, rows, columns, WIDTH: tl.constexpr):
    down = tl.program_id(0) * 16 + tl.arange(0, 16)
    along = tl.arange(0, WIDTH)
    inside = (down < rows)[:, None] & (along < columns)[None, :]
    x = tl.load(x_of + down[:, None] * columns + along[None, :], inside)
    inside = (along < columns)[:, None] & (down < rows)[None, :]
    tl.store(out_of + along[:, None] * rows + down[None, :], tl.trans(x), inside)


@triton.jit
def sorted_rows(x_of, y_of, out_of, rows, columns, WIDTH: tl.constexpr):
    row = tl.program_id(0) * columns
    along = tl.arange(0, WIDTH)
    inside = along < columns
    x = tl.load(x_of + row + along, inside, float("inf")).to(tl.float32)
    tl.store(out_of + row + along, tl.sort(x).to(tl.bfloat16), inside)


def main(rows: int, columns: int) -> None:
    (x, _), (y, _) = random_bf16(rows, columns), random_bf16(rows, columns)
    matrices = [memory(rows * columns * 2) for _ in range(3)]
    for pointer, bits in zip(matrices, (x, y, np.full_like(x, 0x7FC0)), strict=True):  # type: ignore[call-overload]
        write(pointer, bits)
    width = triton.next_power_of_2(columns)
    grids = {added: -(-rows * columns // width), transposed: -(-rows // 16)}
    for function in (added, layer_norm, running_sums, transposed, sorted_rows):
        Compiled(function, {"WIDTH": width}, num_warps=4).launch(grids.get(function, rows), *matrices, rows, columns)
    call("hipDeviceSynchronize")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*(int(word) for word in sys.argv[1:]))
