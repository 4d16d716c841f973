#!/usr/bin/env python3
"""Attention's gradients by the assembly of AMD's AITER, twice: for the cycle model, and with --check against float64.

    pip download --no-deps amd-aiter==0.1.7.post2.dev18 && unzip -d FOLDER amd_aiter-*.whl
    wavesmith profile --gpu mi300x -- aiter_attention_backward.py FOLDER BATCH HEADS KV_HEADS LENGTH [causal]

Heads of 128 bf16 elements, as the wheel has them for gfx942 and gfx950; (batch, length, heads, 128) matrices, of which
dK and dV have as many heads as Q. What a kernel is given, and its grid, are facts of aiter_meta/csrc/include/mha_bwd.h
and of fmha_v3_bwd/codegen.py beside the code in that wheel. dQ is added up in f32 by atomic instructions. Clearing it,
rounding it to bf16, the rows' sums of dO * O and the sum over heads that share keys take kernels of their own, which
are not here.
"""

from __future__ import annotations

import math
import sys
from pathlib import Path

from attention_reference import HEAD, check_gradients
from hip import Kernel, clear, memory, run_or_check, slots, target

KINDS = {"gfx942": (192, "a32_rtne"), "gfx950": (256, "a32_psskddv")}  # keys per workgroup, how names end
THREADS = 256
LOG2_E = math.log2(math.e)


class Gradients:
    def __init__(self, folder: Path, batch: int, heads: int, kv_heads: int, length: int, causal: bool) -> None:
        gpu = target()
        if gpu not in KINDS:
            sys.exit(f"AITER's gradients are not driven for {gpu}")
        keys, kind = KINDS[gpu]
        name = "bwd_hd128_bf16_" + ("causal_" if causal else "") + kind
        code = folder / f"aiter_meta/hsa/{gpu}/fmha_v3_bwd/{name}.co"
        self.kernel = Kernel(code, f"_ZN5aiter{len('fmha_') + len(name)}fmha_{name}E")
        of_q, of_kv = (batch * length * count * HEAD * 2 for count in (heads, kv_heads))
        self.q, self.d_o, self.dk, self.dv = (memory(of_q) for _ in range(4))
        self.k, self.v = (memory(of_kv) for _ in range(2))
        self.dq = memory(of_q * 2)
        self.lse, self.delta = (memory(batch * heads * length * 4) for _ in range(2))
        row, kv_row = heads * HEAD * 2, kv_heads * HEAD * 2  # bytes
        # From head to head, from batch to batch, from row to row.
        of_heads, of_kv_heads = (HEAD * 2, length * row, row), (HEAD * 2, length * kv_row, kv_row)
        self.arguments = slots(
            *(self.dq, self.dk, self.dv, self.q, self.k, self.v, self.d_o, self.lse, self.delta),
            *(1 / math.sqrt(HEAD), LOG2_E, length, keys * kv_row, *of_heads, heads // kv_heads),
            *(*of_kv_heads, row),
        )
        if gpu == "gfx950":
            self.arguments += slots(
                *(length, HEAD, HEAD, heads, *of_kv_heads, *of_heads, *of_heads[:2], *of_heads, length * 4),
                *(None, None, None, None, length, 0, 0),  # packed sequences, a window
            )
        blocks = -(-length // keys)
        self.grid = (-(-blocks // 2) if causal else blocks), heads, batch
        self.bytes_of_dq = of_q * 2

    def run(self) -> None:
        clear(self.dq, self.bytes_of_dq)
        self.kernel.launch(self.grid, THREADS, self.arguments)


def main(folder: str, *words: str) -> None:
    batch, heads, kv_heads, length = (int(word) for word in words if word.isdigit())
    causal = "causal" in words
    one = Gradients(Path(folder), batch, heads, kv_heads, length, causal)
    read = one.q, one.k, one.v, one.d_o, one.lse, one.delta
    shape = batch, heads, kv_heads, length

    def check() -> None:
        check_gradients(one.run, read, (one.dq, one.dk, one.dv), shape, causal)

    run_or_check(one.run, check, words)


if __name__ == "__main__":
    if len(sys.argv) < 6:
        sys.exit(__doc__)
    main(*sys.argv[1:])
