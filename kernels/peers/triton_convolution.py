#!/usr/bin/env python3
"""A convolution of square images by Triton, compiled here, twice per tile: for the cycle model, and with --check
against float64.

    pip install triton==3.8.0 numpy
    wavesmith profile --gpu mi300x -- triton_convolution.py IMAGES CHANNELS SIDE OUTPUTS WINDOW STEP [bf16|f16]

Channels last, with zeros around that keep the sides, sums of f32; these are wavesmith_kernels_bench's convolutions.
The kernel is the usual implicit product: rows are places of all images, columns outputs, and for each tap of the window
it goes over the channels. CHANNELS is a power of two or divisible by 64, OUTPUTS by 16. convolution_128x128x64_w4 has
tiles of 128 places by 128 outputs, steps of 64 channels and four waves.
"""

from __future__ import annotations

import sys

import numpy as np
import triton
import triton.language as tl
from hip import expect_within, memory, random_bf16, random_f16, read, run_or_check, widened, widened_f16, write
from triton_launch import GROUP, Compiled, tile_of

#: Of places, outputs and channels, and the waves of a program.
TILES = [
    *((64, 32, 64, 4), (64, 64, 32, 4), (64, 64, 64, 4), (128, 64, 32, 4), (128, 64, 64, 4)),
    *((128, 128, 32, 4), (128, 128, 64, 8), (256, 128, 32, 8)),
]


def name_of(kernel: object) -> str:
    sizes = kernel.constants  # type: ignore[attr-defined]
    return f"convolution_{sizes['ROWS']}x{sizes['COLUMNS']}x{sizes['DEPTH']}_w{sizes['WAVES']}"


@triton.jit(repr=name_of)
def convolution(
    x_of,
    w_of,
    y_of,
    places,
    CHANNELS: tl.constexpr,
    SIDE: tl.constexpr,
    OUTPUTS: tl.constexpr,
    WINDOW: tl.constexpr,
    STEP: tl.constexpr,
    PLACES: tl.constexpr,
    ROWS: tl.constexpr,
    COLUMNS: tl.constexpr,
    DEPTH: tl.constexpr,
    GROUP: tl.constexpr,
    WAVES: tl.constexpr,
):
    tile_row, tile_column = tile_of(tl.cdiv(places, ROWS), tl.cdiv(OUTPUTS, COLUMNS), GROUP)
    rows, columns = tile_row * ROWS + tl.arange(0, ROWS), tile_column * COLUMNS + tl.arange(0, COLUMNS)
    image, place = rows // (PLACES * PLACES), rows % (PLACES * PLACES)
    above, left = place // PLACES * STEP - WINDOW // 2, place % PLACES * STEP - WINDOW // 2
    along = tl.arange(0, DEPTH)
    outputs = columns % OUTPUTS
    sums = tl.zeros((ROWS, COLUMNS), tl.float32)
    for step in range(0, WINDOW * WINDOW * (CHANNELS // DEPTH)):
        tap, channel = step // (CHANNELS // DEPTH), step % (CHANNELS // DEPTH) * DEPTH
        line, at = above + tap // WINDOW, left + tap % WINDOW
        inside = (line >= 0) & (line < SIDE) & (at >= 0) & (at < SIDE) & (rows < places)
        x = x_of + ((image * SIDE + line) * SIDE + at)[:, None] * CHANNELS + channel + along[None, :]
        w = w_of + outputs[None, :] * (WINDOW * WINDOW * CHANNELS) + tap * CHANNELS + channel + along[:, None]
        sums = tl.dot(tl.load(x, inside[:, None], 0.0), tl.load(w), sums)
    stored = (rows < places)[:, None] & (columns < OUTPUTS)[None, :]
    tl.store(y_of + rows[:, None] * OUTPUTS + columns[None, :], sums.to(y_of.dtype.element_ty), stored)


class Images:
    """The sizes, and what is read and written."""

    def __init__(self, images: int, channels: int, side: int, outputs: int, window: int, step: int, type: str) -> None:
        self.images, self.channels, self.side, self.outputs = images, channels, side, outputs
        self.window, self.step, self.type = window, step, type
        self.places = (side + 2 * (window // 2) - window) // step + 1
        self.x = memory(images * side * side * channels * 2)
        self.w = memory(outputs * window * window * channels * 2)
        self.y = memory(images * self.places**2 * outputs * 2)

    def of_places(self) -> int:
        return self.images * self.places**2


class Convolution:
    def __init__(self, images: Images, tile: tuple[int, ...]) -> None:
        self.images = images
        rows, columns, depth, waves = tile
        depth = min(depth, images.channels)
        constants = {"CHANNELS": images.channels, "SIDE": images.side, "OUTPUTS": images.outputs}
        constants |= {"WINDOW": images.window, "STEP": images.step, "PLACES": images.places}
        constants |= {"ROWS": rows, "COLUMNS": columns, "DEPTH": depth, "GROUP": GROUP, "WAVES": waves}
        element = {"bf16": "bf16", "f16": "fp16"}[images.type]
        types = {"x_of": element, "w_of": element, "y_of": element}
        self.compiled = Compiled(convolution, constants, types, num_warps=waves, num_stages=2, matrix_instr_nonkdim=16)
        self.programs = -(-images.of_places() // rows) * -(-images.outputs // columns)

    def run(self) -> None:
        one = self.images
        self.compiled.launch(self.programs, one.x, one.w, one.y, one.of_places())

    def check(self) -> None:
        """Ends with an error where an element is further from float64 than sums and a rounding may take it."""
        one = self.images
        random, wide = (random_bf16, widened) if one.type == "bf16" else (random_f16, widened_f16)
        x_bits, x = random(one.images, one.side, one.side, one.channels)
        w_bits, w = random(one.outputs, one.window, one.window, one.channels)
        y = np.full((one.images, one.places, one.places, one.outputs), 0x7FC0, np.uint16)
        for pointer, bits in ((one.x, x_bits), (one.w, w_bits), (one.y, y)):
            write(pointer, bits)
        self.run()
        read(y, one.y)
        want, sizes = np.zeros(y.shape), np.zeros(y.shape)
        around = one.window // 2
        padded = np.pad(x, ((0, 0), (around, around), (around, around), (0, 0)))
        reach = one.step * (one.places - 1) + 1
        for line in range(one.window):
            for at in range(one.window):
                seen = padded[:, line : line + reach : one.step, at : at + reach : one.step]
                want += seen @ w[:, line, at].T
                sizes += np.abs(seen) @ np.abs(w[:, line, at]).T
        terms = one.channels * one.window**2 + 1
        bounds = np.abs(want) * 2.0 ** (-8 if one.type == "bf16" else -11) + terms * 2.0**-24 * sizes
        expect_within(wide(y), want, bounds, self.compiled.kernel.symbol)


def main(*words: str) -> None:
    images = Images(*(int(word) for word in words[:6]), "f16" if "f16" in words else "bf16")
    if images.outputs % 16 or (images.channels % 64 and images.channels & images.channels - 1):
        sys.exit("CHANNELS is a power of two or divisible by 64, OUTPUTS by 16")
    if images.of_places() % 16:
        sys.exit("the places of all images are divisible by 16")
    seen = set()
    for tile in TILES:
        one = Convolution(images, tile)
        if not one.compiled.fits() or one.compiled.kernel.symbol in seen or tile[1] >= 2 * images.outputs:
            continue
        seen.add(one.compiled.kernel.symbol)
        run_or_check(one.run, one.check, words)


if __name__ == "__main__":
    if len(sys.argv) < 7:
        sys.exit(__doc__)
    main(*sys.argv[1:])
