#!/usr/bin/env python3
"""A mixture of experts that has no gate by AITER's assembly, twice per kernel: for the cycle model, and with --check
against float64.

    pip download --no-deps amd-aiter==0.1.7.post2.dev18 && unzip -d FOLDER amd_aiter-*.whl
    wavesmith profile --gpu mi300x -- aiter_experts.py FOLDER TOKENS HIDDEN INTERMEDIATE EXPERTS TOP
    wavesmith run --gpu mi300x --interleave 1 -- aiter_experts.py FOLDER 64 512 512 8 2 --check

Y of bf16 is the sum over a token's experts of its weight times down times SiLU of up times X: what AITER's fused
assembly of bf16 computes for gfx942 and gfx950. It has none with a gate. What a kernel is given and its grid are facts
of aiter_meta/csrc/py_itfs_cu/asm_fmoe.cu in that wheel, the order of tokens of aiter/fused_moe.py, the weights' layout
of aiter/ops/shuffle.py. A tile has 32 of an expert's tokens and 512 of INTERMEDIATE, which are whole; HIDDEN is
divisible by 64 and at least 512. Workgroups add to Y, which has to be cleared before; the clearing and the ordering of
tokens count as no part here.

Between two barriers each wave reads SiLU's results from the LDS, and clears sums where the first of them lie. The
results are right where no wave is far ahead of the others, so a check needs waves that take turns: --interleave 1.
"""

from __future__ import annotations

import csv
import sys
from pathlib import Path

import numpy as np
from experts import experts_of, padded
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

TABLE = "fmoe/silu/fmoe_bf16_noquant_g1u0_silu.csv"
ROWS, COLUMNS, THREADS = 32, 512, 256


def shuffled(weights: np.ndarray) -> np.ndarray:
    """Blocks of 16 rows by 32 numbers follow each other; in them pieces of 8 numbers do, column by column."""
    experts, n, k = weights.shape
    return np.ascontiguousarray(weights.reshape(experts, n // 16, 16, k // 32, 4, 8).transpose(0, 1, 3, 4, 2, 5))


def on_gpu(words: np.ndarray) -> object:
    made = memory(words.nbytes)
    write(made, words)
    return made


class Layer:
    def __init__(self, folder: Path, tokens: int, hidden: int, intermediate: int, experts: int, top: int) -> None:
        self.sizes = tokens, hidden, intermediate, experts, top
        table = folder / "aiter_meta/hsa" / target() / TABLE
        if not table.exists():
            sys.exit(f"AITER has no experts of bf16 for {target()}")
        rows = list(csv.DictReader(table.read_text().splitlines()))
        self.kernels = [(Kernel(table.parent / row["knl_file"], row["knl_name"]), int(row["ps"])) for row in rows]
        self.chosen = experts_of(tokens, experts, top)
        self.weights = np.random.default_rng(1).random((tokens, top), np.float32) / top
        self.x, self.y = memory(tokens * hidden * 2), memory(tokens * hidden * 2)
        self.up, self.down = memory(experts * intermediate * hidden * 2), memory(experts * intermediate * hidden * 2)
        self.order()

    def order(self) -> None:
        """Tokens by experts: of each its place in the low 24 bits and which of its experts this is in the high ones, in
        as many tiles as there could be."""
        tokens, _, _, experts, top = self.sizes
        entries = tokens * top
        places, owners = padded(self.chosen, experts, ROWS)
        self.tiles = max(len(owners), min(-(-(entries + experts * ROWS - top) // ROWS), entries))
        beyond = self.tiles * ROWS - len(places)
        places = np.pad(places, (0, beyond), constant_values=entries)
        ids = np.where(places < entries, places // top | places % top << 24, tokens | top << 24).astype(np.int32)
        factors = np.append(self.weights.ravel(), 0)[places].astype(np.float32)
        of_tiles = np.pad(owners, (0, self.tiles - len(owners)), constant_values=-1)
        self.ordered = [on_gpu(words) for words in (ids, factors, of_tiles)]
        self.count = on_gpu(np.array([len(owners) * ROWS, tokens], np.int32))

    def launch(self, kernel: Kernel, persistent: int) -> None:
        tokens, hidden, intermediate, experts, top = self.sizes
        across = intermediate // COLUMNS
        # Workgroups of a persistent kernel take tiles in turn, each of one part of INTERMEDIATE.
        workgroups = compute_units() // across * across if persistent else 0
        given = self.y, self.x, self.up, self.count, self.down, None, None, None, None, *self.ordered
        strides = hidden * 2, hidden * 2, intermediate * 2, hidden * 2  # of X, up, down and Y, in bytes
        of_expert = intermediate * hidden * 2
        arguments = slots(
            *(*given, hidden, intermediate, tokens, experts, *strides, of_expert, of_expert),
            *(0, 0, intermediate * 4, top, workgroups, across),
        )
        grid = (compute_units(), 1, 1) if workgroups else (across, self.tiles, 1)
        kernel.launch(grid, THREADS, arguments)

    def run(self) -> None:
        for kernel, persistent in self.kernels:
            self.launch(kernel, persistent)

    def check(self) -> None:
        """Ends with an error where an element is further from float64 than sums and roundings may take it."""
        tokens, hidden, intermediate, experts, top = self.sizes
        bits, x = random_bf16(tokens, hidden)
        up_bits, up = random_bf16(experts, intermediate, hidden)
        down_bits, down = random_bf16(experts, hidden, intermediate)
        for pointer, array in ((self.x, bits), (self.up, shuffled(up_bits)), (self.down, shuffled(down_bits))):
            write(pointer, array)
        want, bounds = np.zeros((tokens, hidden)), np.zeros((tokens, hidden))
        for token in range(tokens):
            for expert, weight in zip(self.chosen[token], self.weights[token], strict=True):
                sums = up[expert] @ x[token]
                inner = sums / (1 + np.exp(-sums))
                off = np.abs(inner) * 2.0**-8 + 2.0**-12 * (1 + np.abs(sums))
                part = weight * (down[expert] @ inner)
                want[token] += part
                # Parts of 512 are added to Y one after the other, each rounded to bf16.
                bounds[token] += weight * (np.abs(down[expert]) @ off) + np.abs(part) * 2.0**-8
        bounds += (intermediate // COLUMNS) * top * np.abs(want) * 2.0**-8
        for kernel, persistent in self.kernels:
            clear(self.y, tokens * hidden * 2)
            self.launch(kernel, persistent)
            y = np.empty((tokens, hidden), np.uint16)
            read(y, self.y)
            expect_within(widened(y), want, bounds, kernel.symbol)


def main(folder: str, *words: str) -> None:
    tokens, hidden, intermediate, experts, top = (int(word) for word in words[:5])
    if intermediate % COLUMNS or hidden % 64 or hidden < 512:
        sys.exit(f"INTERMEDIATE is divisible by {COLUMNS}, HIDDEN by 64 and at least 512")
    layer = Layer(Path(folder), tokens, hidden, intermediate, experts, top)
    run_or_check(layer.run, layer.check, words)


if __name__ == "__main__":
    if len(sys.argv) < 7:
        sys.exit(__doc__)
    main(*sys.argv[1:])
