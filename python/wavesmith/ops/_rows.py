"""Norms, softmax, gates and reductions of rows."""

from __future__ import annotations

from typing import Any, Literal

import torch
from torch import Tensor

from wavesmith.ops._common import OPS, Activation, Scaling


def rms_norm(
    x: Tensor,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    *,
    residual: Tensor | None = None,
    epsilon: float = 1e-5,
    weight_offset: float = 0.0,
    scaling: Scaling | None = None,
    scale: Tensor | None = None,
    block: int = 128,
    dtype: torch.dtype | None = None,
) -> Any:
    """The norm x / sqrt(mean(x**2) + epsilon) * (weight + weight_offset) + bias over the last dimension.

    Args:
        x: float32, float16 or bfloat16; rows are contiguous and equally apart.
        weight: one element per column. None: 1.
        bias: one element per column.
        residual: shaped as x; it is added first, and the sum is returned, too.
        epsilon: what is added to the mean square.
        weight_offset: 1 for models that keep weight - 1.
        scaling: "row" or "block": the result is quantised to `dtype`, and its scales are returned, too.
        scale: one float32, by which a result of 8 bits is divided.
        block: columns that share a scale: 32, 64 or 128.
        dtype: the result's. None: x's.

    Returns:
        The result; with a residual or scaling a tuple of it, the sum and the scales, as they are asked for.
    """
    return _norm("rms_norm", x, weight, bias, residual, epsilon, weight_offset, (scaling, scale, block), dtype)


def layer_norm(
    x: Tensor,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    *,
    residual: Tensor | None = None,
    epsilon: float = 1e-5,
    weight_offset: float = 0.0,
    scaling: Scaling | None = None,
    scale: Tensor | None = None,
    block: int = 128,
    dtype: torch.dtype | None = None,
) -> Any:
    """(x - mean(x)) / sqrt(variance(x) + epsilon) * weight + bias over the last dimension; see `rms_norm`."""
    return _norm("layer_norm", x, weight, bias, residual, epsilon, weight_offset, (scaling, scale, block), dtype)


def _norm(
    name: str,
    x: Tensor,
    weight: Tensor | None,
    bias: Tensor | None,
    residual: Tensor | None,
    epsilon: float,
    weight_offset: float,
    quantised: tuple[Scaling | None, Tensor | None, int],
    dtype: torch.dtype | None,
) -> Any:
    scaling, scale, block = quantised
    rows = (x,) if residual is None else (x, residual)
    name = name if residual is None else f"add_{name}"
    words: dict[str, Any] = {"epsilon": epsilon, "weight_offset": weight_offset, "dtype": dtype}
    if scaling is None:
        return getattr(OPS, name)(*rows, weight, bias, scale, **words)
    return getattr(OPS, f"{name}_quantise")(*rows, weight, bias, scaling=scaling, block=block, **words)


def softmax(x: Tensor, *, scale: float = 1.0, dtype: torch.dtype | None = None) -> Tensor:
    """exp(scale * x) / sum(exp(scale * x)) over the last dimension."""
    return OPS.softmax(x, scale=scale, dtype=dtype)


def log_softmax(x: Tensor, *, scale: float = 1.0, dtype: torch.dtype | None = None) -> Tensor:
    """The logarithm of `softmax`."""
    return OPS.softmax(x, scale=scale, logarithm=True, dtype=dtype)


def gated(
    gate: Tensor,
    up: Tensor | None = None,
    *,
    activation: Activation = "silu",
    scaling: Scaling | None = None,
    scale: Tensor | None = None,
    block: int = 128,
    dtype: torch.dtype | None = None,
) -> Any:
    """activation(gate) * up. Without `up`, `gate` holds both side by side in its last dimension.

    `scaling`, `scale` and `block` are as in `rms_norm`: with `scaling` the result and its scales are returned.
    """
    if scaling is None:
        return OPS.gated(gate, up, scale, activation=activation, dtype=dtype)
    return OPS.gated_quantise(gate, up, activation=activation, dtype=dtype, scaling=scaling, block=block)


def silu_and_mul(x: Tensor) -> Tensor:
    """silu(the first half of x's last dimension) * the second."""
    return gated(x, activation="silu")


def gelu_and_mul(x: Tensor) -> Tensor:
    """gelu(the first half of x's last dimension) * the second, by the approximation by tanh."""
    return gated(x, activation="gelu")


def reduce(
    x: Tensor,
    reduction: Literal["sum", "mean", "maximum", "minimum", "sum_of_squares"] = "sum",
    dim: int | None = -1,
    *,
    dtype: torch.dtype | None = None,
) -> Tensor:
    """The sum, ... over the last dimension, the first of two, or of all elements (None)."""
    return OPS.reduce(x, reduction=reduction, dim=dim, dtype=dtype)
