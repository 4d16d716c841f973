"""The kernel library's operators under vmap and autocast."""

from __future__ import annotations

import torch
from operators_data import DEVICE, on, ops

import wavesmith.ops as own


def test_vmap() -> None:
    x, weight, b = on(torch.randn(4, 5, 32)), on(torch.randn(32)), on(torch.randn(32, 12))
    assert torch.equal(torch.vmap(lambda x: own.rms_norm(x, weight))(x), own.rms_norm(x, weight))
    assert torch.equal(torch.vmap(own.softmax, in_dims=1, out_dims=1)(x), own.softmax(x))
    weights = on(torch.randn(4, 32))
    mapped = torch.vmap(own.rms_norm)(x, weights)
    assert torch.equal(mapped, torch.stack([own.rms_norm(x[i], weights[i]) for i in range(4)]))
    assert torch.equal(torch.vmap(lambda a: own.gemm(a, b))(x), own.gemm(x, b))
    assert torch.equal(torch.vmap(own.transpose)(x), own.transpose(x))
    q, k = on(torch.randn(3, 2, 5, 4, 32), torch.float16), on(torch.randn(2, 5, 2, 32), torch.float16)
    mapped = torch.vmap(lambda q: own.attention(q, k, k, causal=True)[0])(q)
    assert torch.equal(mapped, torch.stack([own.attention(one, k, k, causal=True)[0] for one in q]))
    heads, table = on(torch.randn(3, 5, 2, 32)), on(torch.rand(9, 8))
    mapped = torch.vmap(lambda x: own.rope(x, table, table))(heads)
    assert torch.equal(mapped, torch.stack([own.rope(one, table, table) for one in heads]))


def test_autocast() -> None:
    a, b, q = on(torch.randn(5, 32)), on(torch.randn(32, 7)), on(torch.randn(1, 4, 2, 32))
    with torch.autocast(DEVICE, dtype=torch.bfloat16):
        assert ops.gemm(a, b).dtype == torch.bfloat16
        assert ops.attention(q, q, q)[0].dtype == torch.bfloat16
