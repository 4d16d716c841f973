"""Quantised types, functions of elements, copies."""

from __future__ import annotations

import torch
from torch import Tensor

from wavesmith.ops._common import OPS, RAW_TYPES, Scaling, raw


def quantise(
    x: Tensor,
    dtype: torch.dtype,
    *,
    scaling: Scaling | None = None,
    scale: Tensor | None = None,
    block: int = 128,
) -> tuple[Tensor, Tensor | None]:
    """Quantises rows: x is about q * scale, with scale = max(abs(x)) / (the type's largest number).

    Args:
        x: float32, float16 or bfloat16.
        dtype: int8, or a float8 of any kind; with MX float8_e4m3fn, float8_e5m2, or float4_e2m1fn_x2 or uint8 for two
            e2m1 in a byte.
        scaling: what shares a scale. None: `scale` is taken.
        scale: one float32, positive. None: 1.
        block: 32, 64 or 128 columns.

    Returns:
        The quantised tensor and its scales: (1,), (..., 1), or (..., blocks) of float32; of MX e8m0 in uint8.
    """
    kind = torch.uint8 if dtype in RAW_TYPES else dtype
    if scaling is None:
        return OPS.quantise_with(x, scale, dtype=kind).view(dtype), scale
    q, scales = OPS.quantise(x, dtype=kind, scaling=scaling, block=block)
    return q.view(dtype), scales


def dequantise(
    q: Tensor,
    scales: Tensor | None = None,
    *,
    block: int = 128,
    columns: int | None = None,
    dtype: torch.dtype = torch.float32,
) -> Tensor:
    """What `quantise` made, as floats again; `columns` numbers of a row of e2m1, where the last byte holds one."""
    return OPS.dequantise(raw(q), raw(scales), block=block, columns=columns, dtype=dtype)


def elementwise(
    operation: str,
    x: Tensor,
    z: Tensor | None = None,
    *,
    alpha: float = 1.0,
    beta: float = 1.0,
    dtype: torch.dtype | None = None,
) -> Tensor:
    """f(alpha * x), or f(alpha * x, beta * z), element by element.

    Args:
        operation: "add", "subtract", "multiply", "divide", "minimum", "maximum"; of one number "negate", "absolute",
            "exp", "log", "sqrt", "reciprocal_root", "tanh", "sigmoid", "relu", "gelu", "silu", "square".
        x: float32, float16 or bfloat16.
        z: shaped as x, or with one row for all, one element for each, or one.
        alpha: a factor.
        beta: z's.
        dtype: the result's. None: x's.
    """
    return OPS.elementwise(x, z, operation=operation, alpha=alpha, beta=beta, dtype=dtype)


def add(x: Tensor, z: Tensor, *, alpha: float = 1.0) -> Tensor:
    """The sum x + alpha * z."""
    return elementwise("add", x, z, beta=alpha)


def transpose(x: Tensor, *, dtype: torch.dtype | None = None) -> Tensor:
    """A contiguous copy of matrices with rows and columns exchanged, converted to `dtype`."""
    return OPS.transpose(x, dtype=dtype)


def copy(x: Tensor, *, dtype: torch.dtype | None = None) -> Tensor:
    """A contiguous copy of matrices whose rows or columns are contiguous, converted to `dtype`."""
    return OPS.copy(x, dtype=dtype)
