"""A program whose kernels print, assert, or go wrong: `device_output.py print|assert|fault`."""

from __future__ import annotations

import sys

import torch
import triton
import triton.language as tl


@triton.jit
def prints(x, BLOCK: tl.constexpr):
    tl.device_print("value", tl.load(x + tl.arange(0, BLOCK)))


@triton.jit
def asserts(x, BLOCK: tl.constexpr):
    value = tl.load(x + tl.arange(0, BLOCK))
    tl.device_assert(value < 4, "too large a value")
    tl.store(x + tl.arange(0, BLOCK), value + 1)


@triton.jit
def goes_astray(x, address, BLOCK: tl.constexpr):
    wild = tl.load(address).to(tl.pointer_type(tl.float32))
    tl.store(wild + tl.arange(0, BLOCK), tl.load(x + tl.arange(0, BLOCK)))  # the line of the fault


x = torch.arange(8, dtype=torch.float32)
if sys.argv[1] == "print":
    prints[(1,)](x, BLOCK=8, num_warps=1)
elif sys.argv[1] == "assert":
    asserts[(1,)](x[:4], BLOCK=4, debug=True)
    print("passed once:", x.tolist(), flush=True)
    asserts[(1,)](x, BLOCK=8, debug=True)
else:
    goes_astray[(1,)](x, torch.tensor([0x10000000120]), BLOCK=8)
print("the end", flush=True)
