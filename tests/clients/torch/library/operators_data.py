"""What the tests of the kernel library's operators share: references in float64, and calls of every operator."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import torch
import torch.nn.functional as functional
from torch import Tensor

DEVICE = "wavesmith"
ops = torch.ops.wavesmith

HALF = {torch.float32: 2.0**-21, torch.float16: 2.0**-10, torch.bfloat16: 2.0**-7}
"""About two units in the last place, relative."""


def on(tensor: Tensor, dtype: torch.dtype | None = None) -> Tensor:
    """On the device, in another type."""
    return tensor.to(dtype or tensor.dtype).to(DEVICE)


def rounded(tensor: Tensor, dtype: torch.dtype) -> Tensor:
    """Numbers of a type in float64, so that a reference sees what the operator does."""
    return tensor.to(dtype).double()


def check(result: Tensor, reference: Tensor, relative: float, absolute: float | None = None) -> None:
    """Compares with a float64 reference; where nothing else is said, absolute is relative to the largest."""
    result = result.cpu().double()
    assert result.shape == reference.shape
    if absolute is None:
        absolute = relative * float(reference.abs().max()) if reference.numel() else 0.0
    torch.testing.assert_close(result, reference, rtol=relative, atol=absolute, equal_nan=True)


def activation(name: str, x: Tensor) -> Tensor:
    return {
        "none": lambda: x,
        "relu": lambda: functional.relu(x),
        "gelu": lambda: functional.gelu(x, approximate="tanh"),
        "silu": lambda: functional.silu(x),
    }[name]()


def attention(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    *,
    causal: bool = False,
    window: tuple[int, int] = (-1, -1),
    softcap: float = 0.0,
    slopes: Tensor | None = None,
    sinks: Tensor | None = None,
    scale: float | None = None,
) -> tuple[Tensor, Tensor]:
    """Attention and its log-sum-exp in float64, of (batch, length, heads, size)."""
    q, k, v = (one.cpu().double() for one in (q, k, v))
    shared = q.shape[2] // k.shape[2]
    k, v = k.repeat_interleave(shared, 2), v.repeat_interleave(shared, 2)
    scores = torch.einsum("bqhd,bkhd->bhqk", q, k) * (q.shape[-1] ** -0.5 if scale is None else scale)
    if softcap:
        scores = softcap * torch.tanh(scores / softcap)
    ahead = torch.arange(q.shape[1])[:, None] + k.shape[1] - q.shape[1] - torch.arange(k.shape[1])
    if slopes is not None:
        scores = scores - slopes.cpu().double().reshape(-1, q.shape[2], 1, 1) * ahead.abs()
    left, right = window[0], 0 if causal else window[1]
    visible = torch.ones_like(ahead, dtype=torch.bool)
    if left >= 0:
        visible &= ahead <= left
    if right >= 0:
        visible &= ahead >= -right
    scores = scores.masked_fill(~visible, float("-inf"))
    if sinks is not None:
        column = sinks.cpu().double()[None, :, None, None].expand(*scores.shape[:3], 1)
        scores = torch.cat((scores, column), -1)
    lse = scores.logsumexp(-1)
    weights = (scores - lse[..., None]).exp().nan_to_num()[..., : k.shape[1]]
    return torch.einsum("bhqk,bkhd->bqhd", weights, v), lse


@dataclass
class Call:
    """A call of an operator."""

    name: str
    args: tuple[Any, ...]
    kwargs: dict[str, Any] = field(default_factory=dict)

    @property
    def op(self) -> Callable[..., Any]:
        return getattr(ops, self.name).default

    def __call__(self) -> Any:
        return self.op(*self.args, **self.kwargs)


def _half(*shape: int) -> Tensor:
    return torch.randn(shape).half().to(DEVICE)


def _ints(*values: int) -> Tensor:
    return torch.tensor(values, dtype=torch.int32, device=DEVICE)


def float8() -> torch.dtype:
    """The e4m3 that every GPU can make: its products are another matter."""
    return torch.float8_e4m3fn


def calls(*, gradients: bool = False) -> Iterator[Call]:
    """Calls of every operator, small; `gradients`: their inputs want them, where there are any."""

    def wanted(tensor: Tensor) -> Tensor:
        return tensor.requires_grad_(gradients)

    def rows(columns: int = 32) -> Tensor:
        return wanted(torch.randn(5, columns, device=DEVICE))

    yield Call("gemm", (wanted(_half(7, 16)), wanted(_half(16, 12))))
    bias, residual = wanted(torch.randn(12, device=DEVICE)), wanted(_half(3, 7, 12))
    words = {"activation": "silu", "alpha": 0.5, "beta": 2.0, "dtype": torch.float32}
    yield Call("gemm", (wanted(_half(3, 7, 16)), wanted(_half(16, 12)), bias, residual), words)
    q, k, v = (wanted(_half(2, 3, heads, 32)) for heads in (4, 2, 2))
    slopes, sinks = torch.rand(4, device=DEVICE), wanted(torch.randn(4, device=DEVICE))
    yield Call("attention", (q, k, v, slopes, sinks), {"causal": True, "softcap": 5.0})
    q, k, v = (wanted(_half(6, heads, 32)) for heads in (4, 2, 2))
    ends = _ints(0, 2, 6)
    yield Call("attention", (q, k, v, None, None, ends, ends), {"max_seqlen_q": 4, "max_seqlen_k": 4})
    weight, bias = wanted(torch.randn(32, device=DEVICE)), wanted(torch.randn(32, device=DEVICE))
    for name in ("rms_norm", "layer_norm"):
        yield Call(name, (rows(), weight, bias), {"weight_offset": 1.0})
        yield Call(f"add_{name}", (rows(), rows(), weight))
    yield Call("softmax", (rows(),), {"scale": 0.5})
    yield Call("softmax", (rows(),), {"logarithm": True})
    yield Call("rope", (wanted(_half(5, 2, 32)), torch.rand(9, 8, device=DEVICE), torch.rand(9, 8, device=DEVICE)))
    yield Call("gated", (rows(),), {"activation": "gelu"})
    yield Call("gated", (rows(), rows()))
    yield Call("elementwise", (rows(), wanted(torch.randn(32, device=DEVICE))), {"operation": "multiply"})
    yield Call("elementwise", (rows(),), {"operation": "tanh", "alpha": 0.5})
    yield Call("reduce", (rows(),), {"reduction": "mean"})
    yield Call("reduce", (rows(),), {"reduction": "maximum", "dim": None})
    yield Call("transpose", (rows(),), {"dtype": torch.float16})
    yield Call("copy", (rows(),), {"dtype": torch.float16})
    if gradients:
        return
    pages = (_half(6, 16, 2, 64), _half(6, 16, 2, 64))
    table = torch.arange(6, dtype=torch.int32, device=DEVICE).view(2, 3)
    yield Call("paged_attention", (_half(2, 4, 64), *pages, _ints(20, 41), table))
    slots = torch.tensor([3, 40, -1], device=DEVICE)
    yield Call("cache_write", (_half(3, 2, 64), _half(3, 2, 64), *pages, slots))
    for name, count in (("rms_norm", 1), ("layer_norm", 1), ("add_rms_norm", 2), ("add_layer_norm", 2)):
        given = tuple(rows(64) for _ in range(count))
        yield Call(f"{name}_quantise", given, {"dtype": torch.int8, "scaling": "block", "block": 32})
    yield Call("gated_quantise", (rows(64),), {"dtype": torch.int8})
    yield Call("quantise", (rows(64),), {"dtype": float8(), "scaling": "matrix"})
    yield Call("quantise", (rows(64),), {"dtype": torch.uint8, "scaling": "mx"})
    yield Call("quantise_with", (rows(), torch.tensor([0.02], device=DEVICE)), {"dtype": torch.int8})
    q, scales = ops.quantise(rows(64), dtype=torch.int8)
    yield Call("dequantise", (q, scales), {"dtype": torch.float16})
