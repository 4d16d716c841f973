#!/usr/bin/env python3
"""Attention by the assembly of AMD's AITER, twice: for the cycle model, and with --check against float64.

    pip download --no-deps amd-aiter==0.1.7.post2.dev18 && unzip -d FOLDER amd_aiter-*.whl
    wavesmith profile --gpu mi300x -- aiter_attention.py FOLDER BATCH HEADS KV_HEADS LENGTH [causal]

Heads of 128 bf16 elements, as the wheel has them for gfx942 and gfx950; (batch, length, heads, 128) matrices. What a
kernel is given, and its grid, are facts of aiter_meta/csrc/include/mha_fwd.h and of fmha_v3_fwd/codegen.py beside the
code in that wheel. Of gfx942's three ways to round to bf16 the one to nearest, ties to even, is taken.
"""

from __future__ import annotations

import ctypes
import math
import sys
from pathlib import Path

from attention_reference import HEAD, check_attention
from hip import Kernel, memory, run_or_check, slots, target

ROWS = 256  # of queries per workgroup
THREADS = 512
#: By what the device says of itself.
FOLDERS = {"gfx942": "gfx942/fmha_v3_fwd/MI300", "gfx950": "gfx950/fmha_v3_fwd"}
ROUNDING = {"gfx942": "_rtne", "gfx950": ""}


class Attention:
    def __init__(self, folder: Path, batch: int, heads: int, kv_heads: int, length: int, causal: bool) -> None:
        here = target()
        if here not in FOLDERS:
            sys.exit(f"AITER has no attention for {here}")
        name = "fwd_hd128_bf16" + ("_causal" if causal else "") + ROUNDING[here]
        code = folder / "aiter_meta/hsa" / FOLDERS[here] / f"{name}.co"
        self.kernel = Kernel(code, f"_ZN5aiter{len('fmha_') + len(name)}fmha_{name}E")
        self.q, self.o = (memory(batch * length * heads * HEAD * 2) for _ in range(2))
        self.k, self.v = (memory(batch * length * kv_heads * HEAD * 2) for _ in range(2))
        self.lse = memory(batch * heads * length * 4)
        row, kv_row = heads * HEAD * 2, kv_heads * HEAD * 2  # bytes
        head, none = HEAD * 2, ctypes.c_void_p()
        tuning = 3 if causal and (heads % 8 or length > 16384) else 5
        of_q = (length, row, ROWS * row, head, length * row, heads // kv_heads)
        of_k, of_v = (kv_row, head, length * kv_row), (kv_row, head, length * kv_row)
        self.arguments = slots(
            *(self.o, self.q, self.k, self.v, self.lse, 1 / math.sqrt(HEAD), *of_q, *of_k, tuning, 0),
            *(length, HEAD, HEAD, heads, *of_v, row, head, length * row, none, none, length * 4, none, none),
        )
        blocks = -(-length // ROWS)
        self.grid = (-(-blocks // 2) if causal else blocks), heads, batch

    def run(self) -> None:
        self.kernel.launch(self.grid, THREADS, self.arguments)


def main(folder: str, *words: str) -> None:
    batch, heads, kv_heads, length = (int(word) for word in words if word.isdigit())
    causal = "causal" in words
    attention = Attention(Path(folder), batch, heads, kv_heads, length, causal)
    matrices = attention.q, attention.k, attention.v, attention.o
    shape = batch, heads, kv_heads, length

    def check() -> None:
        check_attention(attention.run, matrices, shape, causal, attention.kernel.symbol)

    run_or_check(attention.run, check, words)


if __name__ == "__main__":
    if len(sys.argv) < 6:
        sys.exit(__doc__)
    main(*sys.argv[1:])
