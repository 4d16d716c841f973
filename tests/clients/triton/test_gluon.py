"""Gluon: kernels that choose their layouts themselves."""

from __future__ import annotations

import pytest
import torch
import triton
from triton.experimental import gluon
from triton.experimental.gluon import language as gl


@gluon.jit
def copy_through_lds(x, out, n, BLOCK: gl.constexpr, WAVE: gl.constexpr, WAVES: gl.constexpr):
    """Reads in one layout, writes in another, with LDS between them."""
    wide: gl.constexpr = gl.BlockedLayout([4], [WAVE], [WAVES], [0])
    narrow: gl.constexpr = gl.BlockedLayout([1], [WAVE], [WAVES], [0])
    plain: gl.constexpr = gl.SwizzledSharedLayout(1, 1, 1, [0])
    at = gl.program_id(0) * BLOCK + gl.arange(0, BLOCK, layout=wide)
    memory = gl.allocate_shared_memory(gl.float32, [BLOCK], plain)
    memory.store(gl.load(x + at, mask=at < n, other=0.0))
    value = memory.load(narrow)
    at = gl.program_id(0) * BLOCK + gl.arange(0, BLOCK, layout=narrow)
    gl.store(out + at, value * 2, mask=at < n)


@pytest.fixture
def wave() -> int:
    return triton.runtime.driver.active.get_current_target().warp_size


@pytest.mark.representative
@pytest.mark.parametrize("n", [1, 1000, 4096])
def test_layouts_change_through_lds(n, wave):
    x, out = torch.randn(n), torch.zeros(n)
    copy_through_lds[(triton.cdiv(n, 1024),)](x, out, n, BLOCK=1024, WAVE=wave, WAVES=4, num_warps=4)
    assert torch.equal(out, x * 2)


@gluon.jit
def transpose(x, out, M: gl.constexpr, N: gl.constexpr, WAVE: gl.constexpr):
    rows_first: gl.constexpr = gl.BlockedLayout([1, 4], [WAVE // 8, 8], [4, 1], [1, 0])
    columns_first: gl.constexpr = gl.BlockedLayout([4, 1], [8, WAVE // 8], [1, 4], [0, 1])
    row = gl.arange(0, M, layout=gl.SliceLayout(1, rows_first))
    column = gl.arange(0, N, layout=gl.SliceLayout(0, rows_first))
    value = gl.convert_layout(gl.load(x + row[:, None] * N + column[None, :]), columns_first)
    row = gl.arange(0, M, layout=gl.SliceLayout(1, columns_first))
    column = gl.arange(0, N, layout=gl.SliceLayout(0, columns_first))
    gl.store(out + column[None, :] * M + row[:, None], value)


def test_transpose_by_conversion_of_layouts(wave):
    x = torch.randn(64, 128)
    out = torch.empty(128, 64)
    transpose[(1,)](x, out, M=64, N=128, WAVE=wave, num_warps=4)
    assert torch.equal(out, x.T)
