#!/usr/bin/env python3
"""Attention by Triton, compiled here, twice per tile: for the cycle model, and with --check against float64.

    pip install triton==3.8.0 numpy
    wavesmith profile --gpu mi300x -- triton_attention.py BATCH HEADS KV_HEADS LENGTH [causal] [--check]

Heads of 128 bf16 elements; (batch, length, heads, 128) matrices. The kernel is the usual one: a program has a tile of
queries, and goes over the keys with a softmax on the way; with a causal mask over those that all of its queries see
first. Each tile of a list is a kernel of its own, attention_128x64_w4_s1 with four waves and one stage: which is the
fastest is for the reader to see, as it is for Triton's tuning. Lengths are divisible by 256.
"""

from __future__ import annotations

import math
import sys
from ctypes import c_void_p

import triton
import triton.language as tl
from attention_reference import HEAD, check_attention
from hip import memory, run_or_check, target
from triton_launch import Compiled

#: Of queries and keys, the waves of a program, and its stages: on CDNA, and on RDNA.
TILES = {
    "gfx9": [(128, 32, 4, 1), (128, 64, 4, 1), (128, 64, 4, 2), (256, 32, 8, 1), (256, 64, 8, 1), (256, 64, 8, 2)],
    "gfx1": [(32, 32, 2, 1), (32, 32, 2, 2), (64, 32, 4, 1), (64, 32, 4, 2), (128, 32, 8, 1), (128, 32, 8, 2)],
}
#: By which scores are multiplied, in the base of 2.
SCALE = math.log2(math.e) / math.sqrt(HEAD)


def name_of(kernel: object) -> str:
    sizes = kernel.constants  # type: ignore[attr-defined]
    return f"attention_{sizes['ROWS']}x{sizes['KEYS']}_w{sizes['WAVES']}_s{sizes['STAGES']}"


@triton.jit
def over_keys(
    sums, most, total, q, k, v, row_kv, first, end, rows, SCALE: tl.constexpr, KEYS: tl.constexpr, MASKED: tl.constexpr
):
    """The tiles of keys from `first` to `end`: the results that they add, the greatest scores and sums of weights."""
    for key in range(first, end, KEYS):
        scores = tl.dot(q, tl.load(k + key * row_kv))
        if MASKED:
            scores = tl.where(rows[:, None] >= key + tl.arange(0, KEYS)[None, :], scores, float("-inf"))
        grown = tl.maximum(most, tl.max(scores, 1) * SCALE)
        weights = tl.exp2(scores * SCALE - grown[:, None])
        fading = tl.exp2(most - grown)
        total = total * fading + tl.sum(weights, 1)
        sums = tl.dot(weights.to(tl.bfloat16), tl.load(v + key * row_kv), sums * fading[:, None])
        most = grown
    return sums, most, total


@triton.jit(repr=name_of)
def attention(
    q_of,
    k_of,
    v_of,
    o_of,
    length,
    HEADS: tl.constexpr,
    KV_HEADS: tl.constexpr,
    HEAD: tl.constexpr,
    SCALE: tl.constexpr,
    CAUSAL: tl.constexpr,
    DIES: tl.constexpr,
    ROWS: tl.constexpr,
    KEYS: tl.constexpr,
    WAVES: tl.constexpr,
    STAGES: tl.constexpr,
):
    program, tiles = tl.program_id(0), length // ROWS
    if DIES:  # heads by turns: those of a die read the same keys
        head, tile = program % HEADS, program // HEADS % tiles
    else:
        head, tile = program // tiles % HEADS, program % tiles
    if CAUSAL:  # the longest first
        tile = tiles - 1 - tile
    batch = program // (tiles * HEADS) * length
    first = tile * ROWS
    rows = first + tl.arange(0, ROWS)
    along = tl.arange(0, HEAD)
    row_q, row_kv = HEADS * HEAD, KV_HEADS * HEAD
    of_q = (batch + rows)[:, None] * row_q + head * HEAD + along[None, :]
    of_kv = batch * row_kv + head // (HEADS // KV_HEADS) * HEAD
    keys = tl.arange(0, KEYS)
    q = tl.load(q_of + of_q)
    k = k_of + of_kv + keys[None, :] * row_kv + along[:, None]
    v = v_of + of_kv + keys[:, None] * row_kv + along[None, :]
    sums = tl.zeros((ROWS, HEAD), tl.float32)
    most = tl.full((ROWS,), float("-inf"), tl.float32)
    total = tl.zeros((ROWS,), tl.float32)
    whole = first if CAUSAL else length
    sums, most, total = over_keys(sums, most, total, q, k, v, row_kv, 0, whole, rows, SCALE, KEYS, False)
    if CAUSAL:
        sums, most, total = over_keys(sums, most, total, q, k, v, row_kv, first, first + ROWS, rows, SCALE, KEYS, True)
    tl.store(o_of + of_q, (sums / total[:, None]).to(tl.bfloat16))


class Attention:
    def __init__(
        self, sizes: tuple[int, int, int, int], causal: bool, matrices: tuple[c_void_p, ...], tile: tuple[int, ...]
    ) -> None:
        (self.batch, self.heads, self.kv_heads, self.length), self.causal = sizes, causal
        self.matrices = matrices
        rows, keys, waves, stages = tile
        constants = {"HEADS": self.heads, "KV_HEADS": self.kv_heads, "HEAD": HEAD, "SCALE": SCALE, "CAUSAL": causal}
        constants |= {"DIES": target().startswith("gfx9"), "ROWS": rows, "KEYS": keys, "WAVES": waves, "STAGES": stages}
        self.compiled = Compiled(attention, constants, num_warps=waves, num_stages=stages, waves_per_eu=2)
        self.programs = self.batch * self.heads * self.length // rows

    def run(self) -> None:
        self.compiled.launch(self.programs, *self.matrices, self.length)

    def check(self) -> None:
        shape = self.batch, self.heads, self.kv_heads, self.length
        check_attention(self.run, self.matrices, shape, self.causal, self.compiled.kernel.symbol)


def main(*words: str) -> None:
    batch, heads, kv_heads, length = sizes = tuple(int(word) for word in words[:4])
    if length % 256 or heads % kv_heads:
        sys.exit("LENGTH is divisible by 256, and HEADS by KV_HEADS")
    of_q, of_kv = (batch * length * count * HEAD * 2 for count in (heads, kv_heads))
    matrices = memory(of_q), memory(of_kv), memory(of_kv), memory(of_q)
    for tile in TILES[target()[:4]]:
        one = Attention(sizes, "causal" in words, matrices, tile)
        if not one.compiled.fits():
            continue
        run_or_check(one.run, one.check, words)


if __name__ == "__main__":
    if len(sys.argv) < 5:
        sys.exit(__doc__)
    main(*sys.argv[1:])
