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

from attention_reference import HEAD, check_attention
from ck_objects import objects_of, symbols_of
from hip import Kernel, memory, run_or_check, target

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
#: How far bf16 may lie from a number beside its size: it cuts.
CUT = 2.0**-7
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
        rows = [count * HEAD for count in (heads, kv_heads, kv_heads, heads)]  # of q, k, v and o, in elements
        self.matrices = [memory(batch * length * row * 2) for row in rows]
        self.arguments = bytes(8) + struct.pack("<4Q", *(matrix.value or 0 for matrix in self.matrices))
        self.arguments += struct.pack("<5i", length, length, HEAD, HEAD, heads // kv_heads)
        self.arguments += struct.pack("<f8i", 1 / math.sqrt(HEAD), *rows, *[HEAD] * 4)
        self.arguments += struct.pack("<3i", -1, 0, FROM_THE_FIRST_KEY) if causal else b""
        self.arguments += struct.pack("<4i", *(length * row for row in rows))
        self.grid = -(-length // ROWS), heads, batch

    def run(self) -> None:
        self.kernel.launch(self.grid, THREADS, self.arguments)


def main(folder: str, *words: str) -> None:
    shape = tuple(int(word) for word in words[:4])
    _, heads, kv_heads, length = shape
    if length % ROWS or heads % kv_heads:
        sys.exit("LENGTH is divisible by 128, and HEADS by KV_HEADS")
    causal = "causal" in words
    attention = Attention(Path(folder), *shape, causal)

    def check() -> None:
        check_attention(attention.run, attention.matrices, shape, causal, "attention", CUT)

    run_or_check(attention.run, check, words)


if __name__ == "__main__":
    if len(sys.argv) < 6:
        sys.exit(__doc__)
    main(*sys.argv[1:])
