#!/usr/bin/env python3
"""Attention of one new token over a paged cache by AITER's assembly, twice; with --check against float64.

    pip download --no-deps amd-aiter==0.1.7.post2.dev18 && unzip -d FOLDER amd_aiter-*.whl
    wavesmith profile --gpu mi300x -- aiter_decode.py FOLDER SEQUENCES HEADS KV_HEADS CONTEXT

Heads of 128 bf16 elements, pages of 16, 8 or 16 heads per head of K and V, for gfx942. What a kernel is given, its grid
and the cache's layout are facts of aiter_meta/csrc/py_itfs_cu/asm_pa.cu in that wheel. Pages lie in a mixed order.
"""

from __future__ import annotations

import math
import sys
from pathlib import Path

import numpy as np
from hip import Kernel, memory, random_bf16, read, run_or_check, slots, target, widened, write

HEAD = 128
PAGE = 16
TOGETHER = 8  # elements of a key, and keys of a value's element, that lie together
THREADS = 256


class Decode:
    def __init__(self, folder: Path, sequences: int, heads: int, kv_heads: int, context: int) -> None:
        if target() != "gfx942":
            sys.exit("AITER has this kernel for gfx942 alone")
        self.shape = sequences, heads, kv_heads, context
        name = f"pa_bf16_noquant_gqa{heads // kv_heads}_1tg_4w"
        self.kernel = Kernel(folder / f"aiter_meta/hsa/gfx942/pa/{name}.co", f"_ZN5aiter{len(name)}{name}E")
        self.pages = -(-context // PAGE)
        of_head = HEAD * PAGE * 2  # bytes of a page
        self.q, self.o = (memory(sequences * heads * HEAD * 2) for _ in range(2))
        self.k, self.v = (memory(sequences * self.pages * kv_heads * of_head) for _ in range(2))
        self.table = np.random.default_rng(1).permutation(sequences * self.pages).astype(np.int32)
        self.table = self.table.reshape(sequences, self.pages)
        on_gpu, lengths, none = memory(self.table.nbytes), memory(4 * sequences), memory(16)
        write(on_gpu, self.table)
        write(lengths, np.full(sequences, context, np.int32))
        self.arguments = slots(
            *(self.o, self.q, self.k, self.v, on_gpu, lengths, none, none, math.log2(math.e) / math.sqrt(HEAD)),
            *(self.pages, kv_heads, heads * HEAD * 2, kv_heads * of_head, of_head, heads // kv_heads, none),
        )

    def run(self) -> None:
        sequences, _, kv_heads, _ = self.shape
        self.kernel.launch((kv_heads, sequences, 1), THREADS, self.arguments)


def check(decode: Decode) -> None:
    """Prints the largest error beside float64, of random queries and caches."""
    sequences, heads, kv_heads, context = decode.shape
    blocks = decode.table.size
    q_bits, q = random_bf16(sequences, heads, HEAD)
    k_bits, k = random_bf16(blocks, kv_heads, HEAD // TOGETHER, PAGE, TOGETHER)
    v_bits, v = random_bf16(blocks, kv_heads, PAGE // TOGETHER, HEAD, TOGETHER)
    for pointer, bits in ((decode.q, q_bits), (decode.k, k_bits), (decode.v, v_bits)):
        write(pointer, bits)
    decode.run()
    result = np.empty((sequences, heads, HEAD), np.uint16)
    read(result, decode.o)
    keys = np.moveaxis(k, 3, 1).reshape(blocks, PAGE, kv_heads, HEAD)
    values = np.moveaxis(v, (2, 4), (1, 2)).reshape(blocks, PAGE, kv_heads, HEAD)
    worst = largest = 0.0
    for sequence in range(sequences):
        of = [
            np.repeat(one[decode.table[sequence]].reshape(-1, kv_heads, HEAD)[:context], heads // kv_heads, 1)
            for one in (keys, values)
        ]
        scores = np.einsum("hd,khd->hk", q[sequence], of[0]) / math.sqrt(HEAD)
        powers = np.exp(scores - scores.max(-1, keepdims=True))
        want = np.einsum("hk,khd->hd", powers / powers.sum(-1, keepdims=True), of[1])
        worst = max(worst, np.abs(widened(result[sequence]) - want).max())
        largest = max(largest, np.abs(want).max())
    print(f"largest error {worst:.2g} of values up to {largest:.2g}")


def main(folder: str, *words: str) -> None:
    decode = Decode(Path(folder), *(int(word) for word in words if word.isdigit()))
    run_or_check(decode.run, lambda: check(decode), words)


if __name__ == "__main__":
    if len(sys.argv) < 6:
        sys.exit(__doc__)
    main(*sys.argv[1:])
