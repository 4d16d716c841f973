#!/usr/bin/env python3
"""Latent attention (MLA) of one new token over a paged cache by AITER's assembly, twice; with --check against float64.

    pip download --no-deps amd-aiter==0.1.7.post2.dev18 && unzip -d FOLDER amd_aiter-*.whl
    wavesmith profile --gpu mi300x -- aiter_mla.py FOLDER SEQUENCES HEADS CONTEXT

16 or 128 heads, rows of 576 bf16 elements of which the first 512 are values, too, for gfx942 and gfx950. What a kernel
is given, its grid and in how many parts a context is split are facts of aiter_meta/csrc/py_itfs_cu/asm_mla.cu and
aiter/mla.py in that wheel; so is a page of one row. Rows lie in a mixed order. The kernel that combines the parts,
which is written in Triton, is left out.
"""

from __future__ import annotations

import math
import sys
from pathlib import Path

import numpy as np
from hip import Kernel, compute_units, memory, random_bf16, read, run_or_check, slots, target, write

KEY, VALUE = 576, 512
KERNELS = {16: ("mla_dec_stage1_bf16_a16w16_subQ16_mqa16", 16), 128: ("mla_dec_stage1_bf16_a16w16_subQ128_mqa128", 128)}
THREADS = 256


def parts_of(sequences: int, context: int) -> int:
    """Parts of a context, as AITER chooses: busy compute units against the time that a part takes besides its rows."""
    units, beside = compute_units(), 84.1

    def share(parts: int) -> float:
        workgroups = sequences * parts
        return workgroups / (-(-workgroups // units) * units) * context / (context + beside * parts)

    return max(range(1, 17), key=share)


class Decode:
    def __init__(self, folder: Path, sequences: int, heads: int, context: int) -> None:
        self.shape = sequences, heads, context
        name, self.rows = KERNELS[heads]
        self.kernel = Kernel(folder / f"aiter_meta/hsa/{target()}/mla/{name}.co", f"_ZN5aiter{len(name)}{name}E")
        self.parts = parts_of(sequences, context)
        of_row = KEY * 2  # bytes
        self.q = memory(sequences * heads * of_row)
        self.results = memory(sequences * self.parts * heads * VALUE * 4)
        self.lse = memory(sequences * self.parts * heads * 4)
        self.latents = memory(sequences * context * of_row)
        self.table = np.random.default_rng(1).permutation(sequences * context).astype(np.int32)
        starts = np.arange(sequences + 1, dtype=np.int32)
        given = [
            on_gpu(words)
            for words in (starts * context, self.table, np.ones(sequences, np.int32), starts, starts * self.parts)
        ]
        self.final = memory(sequences * heads * VALUE * 2)
        self.arguments = slots(
            *(self.results, self.lse, self.q, self.latents, *given[:3], 1 / math.sqrt(KEY)),
            *(heads, self.parts, heads * of_row, of_row, 0),
            *(*given[3:], self.final, None, None, self.parts),
        )

    def run(self) -> None:
        sequences, heads, _ = self.shape
        self.kernel.launch((-(-heads // self.rows), sequences, self.parts), THREADS, self.arguments)


def on_gpu(words: np.ndarray) -> object:
    made = memory(words.nbytes)
    write(made, words)
    return made


def check(decode: Decode) -> None:
    """Prints the largest error beside float64, of random queries and latents."""
    sequences, heads, context = decode.shape
    q_bits, q = random_bf16(sequences, heads, KEY)
    bits, latents = random_bf16(sequences * context, KEY)
    write(decode.q, q_bits)
    write(decode.latents, bits)
    decode.run()
    results = np.empty((sequences, decode.parts, heads, VALUE), np.float32)
    lse = np.empty((sequences, decode.parts, heads), np.float32)
    read(results, decode.results)
    read(lse, decode.lse)
    rows = latents[decode.table].reshape(sequences, context, KEY)
    scores = np.einsum("shd,skd->shk", q, rows) / math.sqrt(KEY)
    powers = np.exp(scores - scores.max(-1, keepdims=True))
    want = np.einsum("shk,skd->shd", powers / powers.sum(-1, keepdims=True), rows[..., :VALUE])
    weights = np.exp(lse - lse.max(1, keepdims=True)).astype(np.float64)
    weights /= weights.sum(1, keepdims=True)
    got = np.einsum("sph,sphd->shd", weights, results)
    print(f"largest error {np.abs(got - want).max():.2g} of values up to {np.abs(want).max():.2g}")


def main(folder: str, *words: str) -> None:
    decode = Decode(Path(folder), *(int(word) for word in words if word.isdigit()))
    run_or_check(decode.run, lambda: check(decode), words)


if __name__ == "__main__":
    if len(sys.argv) < 5:
        sys.exit(__doc__)
    main(*sys.argv[1:])
