"""Scatters that combine: products, extremes and means of what goes into one place (`kernels/wavesmith_indexed.h`)."""

from __future__ import annotations

import ctypes
from typing import Any

import torch

from wavesmith.torch._library import TYPES, NotServed, Operand, call, operand, operator, shares_memory
from wavesmith.torch._outputs import with_out
from wavesmith.torch.composed.results import checked, served, wide

_MAXIMUM, _MINIMUM, _MULTIPLY = 3, 4, 5
_OPERATIONS = {"amax": _MAXIMUM, "amin": _MINIMUM, "prod": _MULTIPLY, "multiply": _MULTIPLY}


class _Dimension(ctypes.Structure):
    _fields_ = (
        ("indices", Operand),
        ("size", ctypes.c_int64),
        ("stride", ctypes.c_int64),
        ("wrapped", ctypes.c_int32),
    )


class _Description(ctypes.Structure):
    _fields_ = (
        ("operation", ctypes.c_int),
        ("dimensions", ctypes.c_int32),
        ("sizes", ctypes.c_int64 * 8),
        ("y", Operand),
        ("x", Operand),
        ("indexed", ctypes.c_int32),
        ("index", _Dimension * 4),
    )


def _combine(operation: int, y: torch.Tensor, dim: int, index: torch.Tensor, x: torch.Tensor) -> None:
    """Combines `x` into `y`, for each element of `index` at its coordinates, but of `y`'s along `dim`."""
    order = tuple(reversed(range(y.dim())))
    sizes = tuple([index.shape[each] for each in order])
    one = _Description(operation, y.dim(), sizes, operand(y, order), operand(x, order), 1)
    along = order.index(dim)
    stride = one.y.strides[along]
    one.y.strides[along] = 0
    one.index[0] = _Dimension(operand(index, order), y.shape[dim], stride)
    call("wavesmith_kernels_indexed", y.device, one)


def _least(dtype: torch.dtype) -> Any:
    if dtype.is_floating_point:
        return float("-inf")
    return False if dtype == torch.bool else torch.iinfo(dtype).min


def _most(dtype: torch.dtype) -> Any:
    if dtype.is_floating_point:
        return float("inf")
    return True if dtype == torch.bool else torch.iinfo(dtype).max


def _neutral(reduce: str, dtype: torch.dtype) -> Any:
    """What a place has before the first element of those that leave it out."""
    if reduce in ("sum", "mean", "add"):
        return 0
    return 1 if reduce in ("prod", "multiply") else _least(dtype) if reduce == "amax" else _most(dtype)


def _computes(dtype: torch.dtype) -> torch.dtype:
    """The type in which elements are combined."""
    return wide(dtype) if dtype.is_floating_point else torch.int64


def _reduced(
    x: torch.Tensor, dim: int, index: torch.Tensor, source: torch.Tensor, reduce: str, include_self: bool
) -> torch.Tensor:
    if x.dtype not in TYPES or x.is_complex():
        raise NotServed
    if not index.numel():
        return x.clone()
    dim = dim % x.dim() if x.dim() else 0
    y = x.to(_computes(x.dtype), copy=True)
    flat, index, source = (each.reshape(1) if not each.dim() else each for each in (y, index, source))
    if not include_self:
        flat.scatter_(dim, index, _neutral(reduce, x.dtype))
    if reduce in _OPERATIONS:
        _combine(_OPERATIONS[reduce], flat, dim, index, source)
    else:
        flat.scatter_add_(dim, index, source.to(y.dtype))
    if reduce == "mean":
        counts = torch.full(flat.shape, int(include_self), dtype=y.dtype, device=y.device)
        counts.scatter_add_(dim, index, torch.ones((), dtype=y.dtype, device=y.device).expand(index.shape))
        counts.clamp_(min=1)
        flat.div_(counts, rounding_mode=None if x.is_floating_point() else "floor")
    return y if y.dtype == x.dtype else y.to(x.dtype)


def _scatter_reduce(
    x: torch.Tensor, dim: int, index: torch.Tensor, source: torch.Tensor, reduce: str, *, include_self: bool = True
) -> torch.Tensor:
    checked(torch.ops.aten.scatter_reduce.two, x, dim, index, source, reduce)
    return _reduced(x, dim, index, source, reduce, include_self)


def _scatter(x: torch.Tensor, dim: int, index: torch.Tensor, source: torch.Tensor, *, reduce: str) -> torch.Tensor:
    served(reduce in ("add", "multiply"))
    checked(torch.ops.aten.scatter.src, x, dim, index, source)
    return _reduced(x, dim, index, source, reduce, True)


def _scatter_number(x: torch.Tensor, dim: int, index: torch.Tensor, value: Any, *, reduce: str) -> torch.Tensor:
    served(reduce in ("add", "multiply") and not isinstance(value, complex))
    checked(torch.ops.aten.scatter.value, x, dim, index, value)
    source = torch.full((), value, dtype=x.dtype, device=x.device).expand(index.shape)
    return _reduced(x, dim, index, source, reduce, True)


def _index_reduce(
    x: torch.Tensor, dim: int, index: torch.Tensor, source: torch.Tensor, reduce: str, *, include_self: bool = True
) -> torch.Tensor:
    checked(torch.ops.aten.index_reduce.default, x, dim, index, source, reduce)
    served(x.dim() == source.dim() and reduce in ("amax", "amin", "prod", "mean"))
    if x.dim():
        dim %= x.dim()
        shape = [1] * x.dim()
        shape[dim] = index.numel()
        index = index.reshape(shape).expand(source.shape)
    return _reduced(x, dim, index.long(), source, reduce, include_self)


with_out("scatter_reduce.two", overload="two_out")(_scatter_reduce)
with_out("scatter.reduce", overload="reduce_out")(_scatter)
with_out("scatter.value_reduce", overload="value_reduce_out")(_scatter_number)
with_out("index_reduce")(_index_reduce)


@operator("index_fill_.int_Scalar")
def _index_fill(x: torch.Tensor, dim: int, index: torch.Tensor, value: Any) -> torch.Tensor:
    served(index.dim() < 2 and index.dtype == torch.int64 and index.device == x.device)
    served(-max(x.dim(), 1) <= dim < max(x.dim(), 1))
    served(x.is_complex() or not isinstance(value, complex))
    served(not shares_memory(x, index) and torch._debug_has_internal_overlap(x) == 0)
    if index.numel() and x.numel():
        filled = x if x.dim() else x.view(1)
        places = [None] * (dim % filled.dim()) + [index.reshape(-1)]
        number = torch.full((), value, dtype=x.dtype, device="cpu")  # which refuses what the type does not hold
        torch.ops.aten.index_put_(filled, places, number.to(x.device))
    return x


@operator("index_fill_.int_Tensor")
def _index_fill_with(x: torch.Tensor, dim: int, index: torch.Tensor, value: torch.Tensor) -> torch.Tensor:
    """Reads the value."""
    served(value.dim() == 0)
    return _index_fill(x, dim, index, value.item())
