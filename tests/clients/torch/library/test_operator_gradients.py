"""The kernel library's operators under autograd, vmap and autocast, against references in float64."""

from __future__ import annotations

from typing import Any

import pytest
import torch
import torch.nn.functional as functional
from operators_data import (
    DEVICE,
    HALF,
    activation,
    attention,
    check,
    on,
    ops,
)
from torch import Tensor

import wavesmith.ops as own

FLOATS = list(HALF)


# Gradients, against those of float64 references.


def _gradients(function: Any, inputs: list[Tensor]) -> list[Tensor]:
    wanted = [one.detach().requires_grad_() for one in inputs]
    results = function(*wanted)
    results = results if isinstance(results, tuple) else (results,)
    torch.manual_seed(1)
    loss = sum((one * on(torch.randn(one.shape)).to(one.device)).sum() for one in results)
    return list(torch.autograd.grad(loss, wanted))


def _compare(ours: Any, reference: Any, *inputs: Tensor, dtype: torch.dtype = torch.float32) -> None:
    exact = _gradients(reference, [one.to(dtype).double() for one in inputs])
    for got, want in zip(_gradients(ours, [on(one, dtype) for one in inputs]), exact, strict=True):
        check(got, want, 1e-4 if dtype == torch.float32 else 0.01)


@pytest.mark.representative
def test_gradients_of_norms() -> None:
    x, weight, bias, residual = (torch.randn(s) for s in ((5, 48), (48,), (48,), (5, 48)))
    _compare(
        lambda x, w, b: own.layer_norm(x, w, b),
        lambda x, w, b: functional.layer_norm(x, (48,), w, b, 1e-5),
        x,
        weight,
        bias,
    )
    _compare(
        lambda x, r, w: own.rms_norm(x, w, residual=r, weight_offset=1.0),
        lambda x, r, w: (functional.rms_norm(x + r, (48,), w + 1, 1e-5), x + r),
        x,
        residual,
        weight,
    )


@pytest.mark.parametrize("name", ["none", "relu", "gelu", "silu"])
def test_gradients_of_products(name: Any) -> None:
    a, b, bias, c = torch.randn(2, 9, 16), torch.randn(16, 12), torch.randn(12), torch.randn(9, 12)
    _compare(
        lambda a, b, bias, c: own.gemm(a, b, bias, residual=c, alpha=0.5, beta=2.0, activation=name),
        lambda a, b, bias, c: activation(name, 0.5 * a @ b + 2 * c + bias),
        a,
        b,
        bias,
        c,
    )


def test_gradients_of_gated_and_grouped_products() -> None:
    a, b, weights = torch.randn(9, 16), torch.randn(16, 24), torch.randn(2, 12, 16)
    offsets = torch.tensor([0, 4, 9], dtype=torch.int32)

    def gated(a: Tensor, b: Tensor) -> Tensor:
        gate, up = (a @ b).chunk(2, -1)
        return functional.silu(gate) * up

    _compare(
        lambda a, b: own.gemm(a, b, gated=True, activation="silu", dtype=torch.float32),
        gated,
        a,
        b,
        dtype=torch.float16,
    )
    _compare(
        lambda a, w: own.grouped_gemm(a, w.mT, on(offsets), dtype=torch.float32),
        lambda a, w: torch.cat((a[:4] @ w[0].t(), a[4:] @ w[1].t())),
        a,
        weights,
        dtype=torch.float16,
    )


def test_gradients_of_rows() -> None:
    x, up = torch.randn(5, 32), torch.randn(5, 32)
    _compare(lambda x: own.softmax(x, scale=0.7), lambda x: torch.softmax(0.7 * x, -1), x)
    _compare(own.log_softmax, lambda x: torch.log_softmax(x, -1), x)
    _compare(own.silu_and_mul, lambda x: functional.silu(x[:, :16]) * x[:, 16:], x)
    _compare(lambda x, up: own.gated(x, up, activation="gelu"), lambda x, up: activation("gelu", x) * up, x, up)
    for name, function in (("exp", torch.exp), ("sigmoid", torch.sigmoid), ("square", torch.square)):
        _compare(lambda x, name=name: own.elementwise(name, x), function, x)
    _compare(lambda x, z: own.elementwise("divide", x, z), torch.div, x, up[0] + 3)
    _compare(lambda x: own.reduce(x, "mean", 0), lambda x: x.mean(0), x)
    _compare(lambda x: own.transpose(x), lambda x: x.t(), x)


@pytest.mark.representative
@pytest.mark.parametrize("causal", [False, True])
def test_gradients_of_attention(causal: bool) -> None:
    q, k, v = (torch.randn(2, length, heads, 32) for length, heads in ((5, 4), (9, 2), (9, 2)))
    sinks = torch.randn(4)

    def ours(q: Tensor, k: Tensor, v: Tensor, sinks: Tensor) -> Any:
        out, lse = own.attention(q, k, v, causal=causal, softcap=2.0, sinks=sinks.float())
        return out.float(), lse

    _compare(
        ours,
        lambda q, k, v, sinks: attention_with_gradients(q, k, v, sinks, causal),
        q,
        k,
        v,
        sinks,
        dtype=torch.float16,
    )


def attention_with_gradients(q: Tensor, k: Tensor, v: Tensor, sinks: Tensor, causal: bool) -> tuple[Tensor, Tensor]:
    return attention(q, k, v, causal=causal, softcap=2.0, sinks=sinks)


def test_gradcheck() -> None:
    """PyTorch's numeric derivative, as far as float32 goes."""
    x, weight = (on(torch.randn(s)).requires_grad_() for s in ((3, 16), (16,)))
    assert torch.autograd.gradcheck(lambda x, w: own.rms_norm(x, w), (x, weight), eps=1e-2, atol=2e-2, rtol=2e-2)
    assert torch.autograd.gradcheck(own.silu_and_mul, (x,), eps=1e-2, atol=2e-2, rtol=2e-2)


# Transforms.


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
