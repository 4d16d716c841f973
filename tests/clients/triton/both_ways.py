"""Runs some kernels, compiled or (TRITON_INTERPRET=1) interpreted, and saves what they wrote."""

from __future__ import annotations

import sys

import torch
import triton
import triton.language as tl


@triton.jit
def elementwise(x, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(x + at, mask=at < n)
    tl.store(out + at, tl.sigmoid(value) * value + tl.floor(value * 8) / 8, mask=at < n)


@triton.jit
def reductions(x, out, N: tl.constexpr):
    value = tl.load(x + tl.arange(0, N))
    tl.store(out, tl.sum(value))
    tl.store(out + 1, tl.max(value))
    tl.store(out + 2, tl.argmin(value, 0).to(tl.float32))


@triton.jit
def product(a, b, c, N: tl.constexpr):
    at = tl.arange(0, N)
    square = at[:, None] * N + at[None, :]
    tl.store(c + square, tl.dot(tl.load(a + square), tl.load(b + square)))


@triton.jit
def philox(out, N: tl.constexpr):
    tl.store(out + tl.arange(0, N), tl.rand(7, tl.arange(0, N)))


torch.manual_seed(4)
x, small, half = torch.randn(1000), torch.randn(256), torch.randn(2, 32, 32).half()
results = {
    "elementwise": torch.empty(1000),
    "reductions": torch.empty(3),
    "product": torch.empty(32, 32),
    "philox": torch.empty(128),
}
elementwise[(4,)](x, results["elementwise"], 1000, BLOCK=256)
reductions[(1,)](small, results["reductions"], N=256)
product[(1,)](half[0], half[1], results["product"], N=32)
philox[(1,)](results["philox"], N=128)
torch.save(results, sys.argv[1])
