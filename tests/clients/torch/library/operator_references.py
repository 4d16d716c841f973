"""The operators with gradients as formulas in float64, composed of operators that PyTorch differentiates itself."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import torch
from operators_data import activation as activate
from operators_data import attention
from torch import Tensor

Maybe = Tensor | None


def _gemm(
    a: Tensor,
    b: Tensor,
    bias: Maybe = None,
    residual: Maybe = None,
    *others: Maybe,
    alpha: float = 1.0,
    beta: float = 1.0,
    activation: str = "none",
    gated: bool = False,
    bias_per_row: bool = False,
    groups_along_k: bool = False,
) -> Tensor:
    offsets = others[6] if len(others) > 6 else None
    if offsets is None:
        z = a @ b
    elif groups_along_k:
        ends = offsets.tolist()
        z = torch.stack([a[:, begin:end] @ b[begin:end] for begin, end in pairwise(ends)])
    else:
        ends = offsets.tolist()
        rows = [a[begin:end] @ each for begin, end, each in zip(ends, ends[1:], b, strict=False)]
        z = torch.cat((*rows, a.new_zeros(a.shape[0] - ends[-1], b.shape[-1])))
    z = alpha * z
    if residual is not None:
        z = z + beta * residual
    if bias is not None:
        z = z + (bias[:, None] if bias_per_row else bias)
    if not gated:
        return activate(activation, z)
    gate, up = z.chunk(2, -1)
    return activate(activation, gate) * up


def _attention(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    slopes: Maybe = None,
    sinks: Maybe = None,
    ends_q: Maybe = None,
    ends_k: Maybe = None,
    *,
    softmax_scale: float | None = None,
    causal: bool = False,
    window_left: int = -1,
    window_right: int = -1,
    softcap: float = 0.0,
    **_: Any,
) -> tuple[Tensor, Tensor]:
    words: dict[str, Any] = {
        "causal": causal,
        "window": (window_left, window_right),
        "softcap": softcap,
        "scale": softmax_scale,
        "sinks": sinks,
    }
    if ends_q is None or ends_k is None:
        return attention(q, k, v, slopes=slopes, **words)
    each = []
    of_q, of_k = ends_q.tolist(), ends_k.tolist()
    for index in range(len(of_q) - 1):
        queries, keys = slice(of_q[index], of_q[index + 1]), slice(of_k[index], of_k[index + 1])
        own = slopes[index] if slopes is not None and slopes.dim() == 2 else slopes
        each.append(attention(q[None, queries], k[None, keys], v[None, keys], slopes=own, **words))
    return torch.cat([out[0] for out, _ in each]), torch.cat([lse[0] for _, lse in each], -1)


def _scaled(x: Tensor, weight: Maybe, bias: Maybe, offset: float) -> Tensor:
    if weight is not None:
        x = x * (weight + offset)
    return x if bias is None else x + bias


def _rms_norm(
    x: Tensor, weight: Maybe = None, bias: Maybe = None, *, epsilon: float = 1e-5, weight_offset: float = 0.0
) -> Tensor:
    return _scaled(x / (x.square().mean(-1, keepdim=True) + epsilon).sqrt(), weight, bias, weight_offset)


def _layer_norm(
    x: Tensor, weight: Maybe = None, bias: Maybe = None, *, epsilon: float = 1e-5, weight_offset: float = 0.0
) -> Tensor:
    return _rms_norm(x - x.mean(-1, keepdim=True), weight, bias, epsilon=epsilon, weight_offset=weight_offset)


def _with_sum(norm: Callable[..., Tensor]) -> Callable[..., tuple[Tensor, Tensor]]:
    def function(x: Tensor, residual: Tensor, *others: Maybe, **words: Any) -> tuple[Tensor, Tensor]:
        return norm(x + residual, *others, **words), x + residual

    return function


def _softmax(x: Tensor, *, scale: float = 1.0, logarithm: bool = False) -> Tensor:
    return (torch.log_softmax if logarithm else torch.softmax)(scale * x, -1)


def rope(
    x: Tensor,
    cosines: Tensor,
    sines: Tensor,
    positions: Maybe = None,
    *,
    first_position: int = 0,
    interleaved: bool = False,
) -> Tensor:
    """Rotary embedding of (tokens, heads, elements)."""
    where = torch.arange(x.shape[0]) if positions is None else positions
    cosine, sine = (one[where + first_position][:, None] for one in (cosines, sines))
    pairs = cosines.shape[-1]
    turned, rest = x[..., : 2 * pairs], x[..., 2 * pairs :]
    first, second = (turned[..., ::2], turned[..., 1::2]) if interleaved else turned.chunk(2, -1)
    parts = first * cosine - second * sine, second * cosine + first * sine
    return torch.cat((torch.stack(parts, -1).flatten(-2) if interleaved else torch.cat(parts, -1), rest), -1)


def _gated(gate: Tensor, up: Maybe = None, *, activation: str = "silu") -> Tensor:
    gate, up = gate.chunk(2, -1) if up is None else (gate, up)
    return activate(activation, gate) * up


_OPERATIONS: dict[str, Callable[..., Tensor]] = {
    "add": torch.add,
    "subtract": torch.sub,
    "multiply": torch.mul,
    "divide": torch.div,
    "minimum": torch.minimum,
    "maximum": torch.maximum,
    "negate": torch.neg,
    "absolute": torch.abs,
    "exp": torch.exp,
    "log": torch.log,
    "sqrt": torch.sqrt,
    "reciprocal_root": torch.rsqrt,
    "tanh": torch.tanh,
    "sigmoid": torch.sigmoid,
    "square": torch.square,
    **{name: lambda x, name=name: activate(name, x) for name in ("relu", "gelu", "silu")},
}


def _elementwise(x: Tensor, z: Maybe = None, *, operation: str, alpha: float = 1.0, beta: float = 1.0) -> Tensor:
    function = _OPERATIONS[operation]
    return function(alpha * x) if z is None else function(alpha * x, beta * z)


def _reduce(x: Tensor, *, reduction: str = "sum", dim: int | None = -1) -> Tensor:
    if reduction == "sum_of_squares":
        x, reduction = x.square(), "sum"
    name = {"maximum": "amax", "minimum": "amin"}.get(reduction, reduction)
    return getattr(x, name)() if dim is None else getattr(x, name)(dim)


REFERENCES: dict[str, Callable[..., Any]] = {
    "gemm": _gemm,
    "attention": _attention,
    "rms_norm": _rms_norm,
    "layer_norm": _layer_norm,
    "add_rms_norm": _with_sum(_rms_norm),
    "add_layer_norm": _with_sum(_layer_norm),
    "softmax": _softmax,
    "rope": rope,
    "gated": _gated,
    "elementwise": _elementwise,
    "reduce": _reduce,
    "transpose": lambda x: x.mT,
    "copy": lambda x: x,
}
"""The arguments of each are the operator's, on the CPU, without `dtype`."""
