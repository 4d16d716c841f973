"""AMD instructions written into a kernel."""

from __future__ import annotations

import pytest
import torch
import triton
import triton.language as tl


@triton.jit
def maximum(x, y, out, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    value = tl.inline_asm_elementwise(
        "v_max_f32 $0, $1, $2", "=v,v,v", [tl.load(x + at), tl.load(y + at)],
        dtype=tl.float32, is_pure=True, pack=1,
    )  # fmt: skip
    tl.store(out + at, value)


@triton.jit
def bytes_reversed(x, out, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    word = tl.inline_asm_elementwise(
        "v_perm_b32 $0, 0, $1, $2", "=v,v,v", [tl.load(x + at), tl.full((BLOCK,), 0x00010203, tl.int32)],
        dtype=tl.int32, is_pure=True, pack=1,
    )  # fmt: skip
    tl.store(out + at, word)


@pytest.mark.representative
def test_inline_maximum():
    x, y = torch.randn(256), torch.randn(256)
    out = torch.empty(256)
    maximum[(1,)](x, y, out, BLOCK=256)
    assert torch.equal(out, torch.maximum(x, y))


def test_inline_byte_permutation():
    x = torch.randint(-(2**31), 2**31 - 1, (256,), dtype=torch.int32)
    out = torch.empty_like(x)
    bytes_reversed[(1,)](x, out, BLOCK=256)
    assert torch.equal(out.view(torch.uint8).view(256, 4), x.view(torch.uint8).view(256, 4).flip(1))
