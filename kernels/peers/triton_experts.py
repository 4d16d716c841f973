#!/usr/bin/env python3
"""A mixture of experts by Triton, compiled here, twice per configuration: for the cycle model, and with --check against
float64.

    pip install triton==3.8.0 numpy
    wavesmith profile --gpu mi300x -- triton_experts.py TOKENS HIDDEN INTERMEDIATE EXPERTS TOP [--check]

Of bf16, with sums of f32. The kernels are the usual ones: each expert's tokens are padded to whole tiles, a tile's
program reads which tokens it has and of which expert, and four kernels follow each other: gate and up together, SiLU
times up, down times the tokens' weights, and the sum over a token's experts. Which tokens are whose is known before, as
it is to wavesmith_kernels_bench, whose experts these are. up__16x64x128_w4_p16 has tiles of 16 rows, to which experts
are padded, and four waves; the fastest of each role among those with one padding make the whole. Sizes are divisible by
16, HIDDEN and INTERMEDIATE by 256, EXPERTS is a power of two.
"""

from __future__ import annotations

import sys
from ctypes import c_void_p

import numpy as np
import triton
import triton.language as tl
from experts import experts_of, padded
from hip import expect_within, memory, random_bf16, read, run_or_check, widened, write
from triton_launch import GROUP, Compiled, tile_of

#: Of rows, columns and K, and the waves of a program.
TILES = [
    *((16, 32, 256, 4), (16, 64, 128, 4), (16, 128, 64, 4), (32, 64, 128, 4), (64, 64, 64, 4), (64, 128, 64, 4)),
    *((128, 128, 64, 4), (128, 128, 64, 8), (256, 128, 64, 8)),
]
#: Elements of a program that takes them one by one.
ELEMENTS = 1024


def role_of(kernel: object) -> str:
    sizes = kernel.constants  # type: ignore[attr-defined]
    role = "down" if sizes["WEIGHTED"] else "up"
    return f"{role}__{sizes['ROWS']}x{sizes['COLUMNS']}x{sizes['DEPTH']}_w{sizes['WAVES']}_p{sizes['ROWS']}"


@triton.jit(repr=role_of)
def product(
    a_of,
    b_of,
    d_of,
    ids_of,
    experts_of,
    padded_of,
    weights_of,
    entries,
    n,
    k,
    down,
    ROWS: tl.constexpr,
    COLUMNS: tl.constexpr,
    DEPTH: tl.constexpr,
    GROUP: tl.constexpr,
    WAVES: tl.constexpr,
    TOP: tl.constexpr,
    WEIGHTED: tl.constexpr,
):
    block, tile_column = tile_of(down // 16, tl.cdiv(n, COLUMNS), GROUP)
    if block * ROWS >= tl.load(padded_of):
        return
    column = tile_column * COLUMNS
    ids = tl.load(ids_of + block * ROWS + tl.arange(0, ROWS))
    inside = ids < entries
    columns = column + tl.arange(0, COLUMNS)
    along = tl.arange(0, DEPTH)
    a = a_of + (ids // TOP)[:, None] * k + along[None, :]
    b = b_of + tl.load(experts_of + block) * n * k + (columns % n)[None, :] * k + along[:, None]
    sums = tl.zeros((ROWS, COLUMNS), tl.float32)
    for _ in range(0, k // DEPTH):
        sums = tl.dot(tl.load(a, inside[:, None], 0.0), tl.load(b), sums)
        a += DEPTH
        b += DEPTH
    if WEIGHTED:
        sums *= tl.load(weights_of + ids, inside, 0.0)[:, None]
    stored = inside[:, None] & (columns < n)[None, :]
    tl.store(d_of + ids[:, None] * n + columns[None, :], sums.to(tl.bfloat16), stored)


@triton.jit(repr=lambda kernel: f"activation__e{kernel.constants['ELEMENTS']}_p{kernel.constants['PADDED']}")
def activation(x_of, y_of, n, ELEMENTS: tl.constexpr, PADDED: tl.constexpr):
    row, at = tl.program_id(0), tl.program_id(1) * ELEMENTS + tl.arange(0, ELEMENTS)
    gate = tl.load(x_of + row * 2 * n + at, at < n).to(tl.float32)
    up = tl.load(x_of + row * 2 * n + n + at, at < n).to(tl.float32)
    tl.store(y_of + row * n + at, (gate / (1 + tl.exp(-gate)) * up).to(tl.bfloat16), at < n)


@triton.jit(repr=lambda kernel: f"sum__e{kernel.constants['ELEMENTS']}_p{kernel.constants['PADDED']}")
def add(x_of, y_of, n, TOP: tl.constexpr, ELEMENTS: tl.constexpr, PADDED: tl.constexpr):
    row, at = tl.program_id(0), tl.program_id(1) * ELEMENTS + tl.arange(0, ELEMENTS)
    sums = tl.zeros((ELEMENTS,), tl.float32)
    for expert in tl.static_range(TOP):
        sums += tl.load(x_of + (row * TOP + expert) * n + at, at < n).to(tl.float32)
    tl.store(y_of + row * n + at, sums.to(tl.bfloat16), at < n)


class Layer:
    """The layer's sizes, what it reads and writes, and which tokens are whose."""

    def __init__(self, tokens: int, hidden: int, intermediate: int, experts: int, top: int) -> None:
        self.tokens, self.hidden, self.intermediate, self.experts, self.top = tokens, hidden, intermediate, experts, top
        self.entries = tokens * top
        self.chosen = experts_of(tokens, experts, top)
        self.weights = np.random.default_rng(1).random((tokens, top), np.float32) / top
        self.x, self.y = memory(tokens * hidden * 2), memory(tokens * hidden * 2)
        self.both = memory(experts * 2 * intermediate * hidden * 2)
        self.back = memory(experts * hidden * intermediate * 2)
        self.wide, self.inner = memory(self.entries * 4 * intermediate), memory(self.entries * 2 * intermediate)
        self.of_each = memory(self.entries * hidden * 2)
        self.factors = on_gpu(self.weights)


def on_gpu(words: np.ndarray) -> c_void_p:
    made = memory(words.nbytes)
    write(made, words)
    return made


class Padded:
    """The layer by the kernels whose experts are padded to so many rows."""

    def __init__(self, layer: Layer, rows: int) -> None:
        self.layer, self.rows = layer, rows
        ids, owners = padded(layer.chosen, layer.experts, rows)
        # As many tiles as there could be: the GPU alone knows how many there are.
        most = min((layer.entries + layer.experts * (rows - 1)) // rows, layer.entries)
        ids = np.pad(ids, (0, max(0, most * rows - len(ids))), constant_values=layer.entries)
        self.blocks = max(most, len(owners))
        self.given = [on_gpu(words) for words in (ids, owners, np.array([len(owners) * rows], np.int32))]
        self.products = [
            [self.compiled(tile, weighted) for tile in TILES if tile[0] == rows] for weighted in (False, True)
        ]
        constants = {"ELEMENTS": ELEMENTS, "PADDED": rows}
        self.activation = Compiled(activation, constants, num_warps=4)
        self.add = Compiled(add, {**constants, "TOP": layer.top}, num_warps=4)

    def compiled(self, tile: tuple[int, ...], weighted: bool) -> Compiled:
        rows, columns, depth, waves = tile
        constants = {"ROWS": rows, "COLUMNS": columns, "DEPTH": depth, "GROUP": GROUP, "WAVES": waves}
        constants |= {"TOP": 1 if weighted else self.layer.top, "WEIGHTED": weighted}
        types = {"ids_of": "i32", "experts_of": "i32", "padded_of": "i32", "weights_of": "fp32"}
        return Compiled(product, constants, types, num_warps=waves, num_stages=2, matrix_instr_nonkdim=16)

    def multiply(self, weighted: bool, a: c_void_p, b: c_void_p, d: c_void_p, n: int, k: int) -> None:
        for one in self.products[weighted]:
            if not one.fits():
                continue
            columns = int(one.kernel.symbol.split("x")[1])
            programs = self.blocks * -(-n // columns)
            given = (*self.given, self.layer.factors, self.layer.entries, n, k, self.blocks * 16)
            one.launch(programs, a, b, d, *given)

    def run(self) -> None:
        layer = self.layer
        self.multiply(False, layer.x, layer.both, layer.wide, 2 * layer.intermediate, layer.hidden)
        parts = -(-layer.intermediate // ELEMENTS)
        self.activation.launch((layer.entries, parts), layer.wide, layer.inner, layer.intermediate)
        self.multiply(True, layer.inner, layer.back, layer.of_each, layer.hidden, layer.intermediate)
        self.add.launch((layer.tokens, -(-layer.hidden // ELEMENTS)), layer.of_each, layer.y, layer.hidden)

    def check(self) -> None:
        """Ends with an error where an element is further from float64 than sums and roundings may take it. All tiles of
        a padding compute it, the one after the other."""
        layer = self.layer
        bits, x = random_bf16(layer.tokens, layer.hidden)
        write(layer.x, bits)
        both_bits, both = random_bf16(layer.experts, 2 * layer.intermediate, layer.hidden)
        back_bits, back = random_bf16(layer.experts, layer.hidden, layer.intermediate)
        write(layer.both, both_bits)
        write(layer.back, back_bits)
        want, bounds = np.zeros((layer.tokens, layer.hidden)), np.zeros((layer.tokens, layer.hidden))
        for token in range(layer.tokens):
            for expert, weight in zip(layer.chosen[token], layer.weights[token], strict=True):
                gate, up = np.split(both[expert] @ x[token], 2)
                inner = gate / (1 + np.exp(-gate)) * up
                off = np.abs(inner) * 2.0**-6 + 2.0**-8 * (1 + np.abs(gate) + np.abs(up))
                want[token] += weight * (back[expert] @ inner)
                bounds[token] += weight * (np.abs(back[expert]) @ off)
        bounds += np.abs(want) * 2.0**-7
        for up in self.products[0] or [None]:
            for down in self.products[1]:
                if not (up and up.fits() and down.fits()):
                    continue
                whole = self.products
                self.products = [[up], [down]]
                write(layer.y, np.full((layer.tokens, layer.hidden), 0x7FC0, np.uint16))
                self.run()
                self.products = whole
                y = np.empty((layer.tokens, layer.hidden), np.uint16)
                read(y, layer.y)
                expect_within(widened(y), want, bounds, f"{up.kernel.symbol}, {down.kernel.symbol}")


def main(*words: str) -> None:
    tokens, hidden, intermediate, experts, top = (int(word) for word in words[:5])
    if tokens * top % 16 or hidden % 256 or intermediate % 256 or experts & experts - 1:
        sys.exit("TOKENS * TOP is divisible by 16, HIDDEN and INTERMEDIATE by 256, EXPERTS is a power of two")
    layer = Layer(tokens, hidden, intermediate, experts, top)
    of_each = layer.entries / experts
    for rows in dict.fromkeys(tile[0] for tile in TILES):
        # Others pad most of what they compute, or have several tiles that read an expert's weights; where those bound
        # the time, the model does not see that the tiles of other experts read others.
        if rows >= 4 * max(of_each, 16) or rows < min(of_each, 128):
            continue
        one = Padded(layer, rows)
        run_or_check(one.run, one.check, words)


if __name__ == "__main__":
    if len(sys.argv) < 6:
        sys.exit(__doc__)
    main(*sys.argv[1:])
