"""Functions of AMD's device library, which Triton links into kernels."""

from __future__ import annotations

import pytest
import torch
import triton
import triton.language as tl
from triton.language.extra import libdevice


@triton.jit
def unary(x, out, FUNCTION: tl.constexpr, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    value = tl.load(x + at)
    if FUNCTION == "asin":
        value = libdevice.asin(value)
    elif FUNCTION == "tanh":
        value = libdevice.tanh(value)
    elif FUNCTION == "erf":
        value = tl.erf(value)
    elif FUNCTION == "log1p":
        value = libdevice.log1p(value)
    elif FUNCTION == "sin":
        value = tl.sin(value)
    elif FUNCTION == "exp2":
        value = tl.exp2(value)
    elif FUNCTION == "round":
        value = libdevice.rint(value)
    tl.store(out + at, value)


FUNCTIONS = {
    "asin": torch.asin, "tanh": torch.tanh, "erf": torch.erf, "log1p": torch.log1p, "sin": torch.sin,
    "exp2": torch.exp2, "round": torch.round,
}  # fmt: skip


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_functions_of_the_device_library(name, dtype):
    x = (torch.rand(512, dtype=dtype) * 2 - 1) * 0.999
    out = torch.empty_like(x)
    unary[(1,)](x, out, FUNCTION=name, BLOCK=512)
    want = FUNCTIONS[name](x.double())
    assert torch.allclose(out.double(), want, rtol=3e-6 if dtype == torch.float32 else 1e-13, atol=1e-7)
