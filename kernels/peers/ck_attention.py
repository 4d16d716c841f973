#!/usr/bin/env python3
"""Attention by AMD's Composable Kernel, twice: for the cycle model, and with --check against float64.

    pip download --no-deps onnxruntime-rocm==1.22.2.post1 && unzip -d FOLDER onnxruntime_rocm-*.whl
    wavesmith profile --gpu mi300x -- ck_attention.py FOLDER BATCH HEADS KV_HEADS LENGTH [causal] [--check]

Heads of 128 bf16 elements; (batch, length, heads, 128) matrices. ONNX Runtime's wheel has ck_tile's kernel as machine
code for gfx90a and gfx942, and its name tells its template's parameters; what it is given and its grid are facts of
ck_tile's ops/fmha/kernel/fmha_fwd_kernel.hpp. Lengths are divisible by 128: the kernel is the one that pads no keys.
"""

from __future__ import annotations

import math
import re
import struct
import sys
from pathlib import Path

import numpy as np
from ck_objects import objects_of, symbols_of
from hip import Kernel, call, expect_within, memory, random_bf16, read, target, widened, write

HEAD = 128
ROWS = 128  # of queries per workgroup
THREADS = 256
BEGINNING = (
    "_ZN7ck_tile6kentryILi256ELi2ENS_13FmhaFwdKernelINS_22FmhaFwdTilePartitionerINS_13TileFmhaShapeINS_8sequenceI"
)
#: Of bf16 (t) in batches, V by rows as K is, no keys padded, no bias, no logarithms of sums stored.
NAME = (
    re.escape(BEGINNING) + r"JLi128ELi128ELi32ELi128ELi32ELi128E.*?Lb1EEEEENS_28BlockFmhaPipelineQRKSVSAsync"
    r"INS_24BlockFmhaPipelineProblemIttt.*?SimplifiedGenericAttentionMaskILb{mask}E.*?TileFmhaTraitsILb1ELb0E"
    r".*?BlockAttentionBiasEnumE0ELb0ELb0E.*?FmhaFwdBatchModeKargs"
)
FROM_THE_FIRST_KEY = 1  # of a mask that lets a query see as many keys as there are queries up to it


def kernel_of(folder: Path, causal: bool) -> Kernel:
    name = re.compile(NAME.format(mask=int(causal)))
    for code in objects_of(folder, target()):
        for symbol in symbols_of(code, BEGINNING):
            if name.match(symbol):
                return Kernel(code, symbol)
    sys.exit(f"Composable Kernel has no attention for {target()} there")


class Attention:
    def __init__(self, folder: Path, batch: int, heads: int, kv_heads: int, length: int, causal: bool) -> None:
        self.kernel = kernel_of(folder, causal)
        self.shape = batch, heads, kv_heads, length, causal
        self.q, self.o = (memory(batch * length * heads * HEAD * 2) for _ in range(2))
        self.k, self.v = (memory(batch * length * kv_heads * HEAD * 2) for _ in range(2))
        rows = [count * HEAD for count in (heads, kv_heads, kv_heads, heads)]  # of q, k, v and o, in elements
        self.arguments = bytes(8) + struct.pack("<4Q", *(each.value or 0 for each in (self.q, self.k, self.v, self.o)))
        self.arguments += struct.pack("<5i", length, length, HEAD, HEAD, heads // kv_heads)
        self.arguments += struct.pack("<f8i", 1 / math.sqrt(HEAD), *rows, *[HEAD] * 4)
        self.arguments += struct.pack("<3i", -1, 0, FROM_THE_FIRST_KEY) if causal else b""
        self.arguments += struct.pack("<4i", *(length * row for row in rows))
        self.grid = -(-length // ROWS), heads, batch

    def run(self) -> None:
        self.kernel.launch(self.grid, THREADS, self.arguments)


def check(attention: Attention) -> None:
    """Ends with an error where an element is further from float64 than roundings and sums may take it."""
    batch, heads, kv_heads, length, causal = attention.shape
    given = []
    for pointer, count in ((attention.q, heads), (attention.k, kv_heads), (attention.v, kv_heads)):
        bits, wide = random_bf16(batch, length, count, HEAD)
        write(pointer, bits)
        given.append(wide)
    o = np.full((batch, length, heads, HEAD), 0x7FC0, np.uint16)
    write(attention.o, o)
    attention.run()
    read(o, attention.o)
    q, k, v = given
    k, v = (np.repeat(one, heads // kv_heads, 2) for one in (k, v))
    scores = np.einsum("bqhd,bkhd->bhqk", q, k) / math.sqrt(HEAD)
    if causal:
        scores = np.where(np.tri(length, dtype=bool), scores, -np.inf)
    powers = np.exp(scores - scores.max(-1, keepdims=True))
    weights = powers / powers.sum(-1, keepdims=True)
    want = np.einsum("bhqk,bkhd->bqhd", weights, v)
    # It cuts weights and results to bf16; errors of f32 are small beside that.
    bounds = np.einsum("bhqk,bkhd->bqhd", weights * 2.0**-6, abs(v)) + abs(want) * 2.0**-7
    expect_within(widened(o), want, bounds, "attention" + ("_causal" if causal else ""))


def main(folder: str, *words: str) -> None:
    batch, heads, kv_heads, length = (int(word) for word in words[:4])
    if length % ROWS or heads % kv_heads:
        sys.exit("LENGTH is divisible by 128, and HEADS by KV_HEADS")
    attention = Attention(Path(folder), batch, heads, kv_heads, length, "causal" in words)
    if "--check" in words:
        check(attention)
    else:
        for _ in range(2):
            attention.run()
    call("hipDeviceSynchronize")


if __name__ == "__main__":
    if len(sys.argv) < 6:
        sys.exit(__doc__)
    main(*sys.argv[1:])
