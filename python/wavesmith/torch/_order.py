"""Operators of order: the element of a rank, medians, searches."""

from __future__ import annotations

import ctypes

import torch

from wavesmith.torch._library import (
    TYPES,
    NotServed,
    Operand,
    call,
    operand,
    operator,
    resized,
    shares_memory,
)
from wavesmith.torch._outputs import given_results

_RANK, _MEDIAN, _NAN_MEDIAN = range(3)  # wavesmith_select_operation

_Sizes = ctypes.c_int64 * 8


class _Select(ctypes.Structure):
    """wavesmith_select_description."""

    _fields_ = (
        ("operation", ctypes.c_int),
        ("dimensions", ctypes.c_int32),
        ("along", ctypes.c_int32),
        ("sizes", _Sizes),
        ("x", Operand),
        ("value", Operand),
        ("place", Operand),
        ("rank", ctypes.c_int64),
    )


def _reversed(dimensions: int) -> range:
    """A tensor's dimensions in the library's order, the fastest first."""
    return range(dimensions - 1, -1, -1)


def _wrapped(dim: int, x: torch.Tensor) -> int:
    """A dimension counted from the front; an error is left to the host's own check."""
    if not -max(x.dim(), 1) <= dim < max(x.dim(), 1):
        raise NotServed
    return dim % max(x.dim(), 1)


def _select(operation: int, x: torch.Tensor, dim: int, value: torch.Tensor, place: torch.Tensor, rank: int = 0) -> None:
    """One element along a dimension, into tensors that have it with size 1."""
    order = _reversed(x.dim())
    one = _Select(
        operation,
        x.dim(),
        x.dim() - 1 - dim if x.dim() else 0,
        tuple(x.shape[each] for each in order),
        operand(x, order),
        operand(value, order),
        operand(place, order),
        rank,
    )
    call("wavesmith_kernels_select", x.device, one)


def _selected(
    operation: int,
    x: torch.Tensor,
    dim: int,
    keepdim: bool,
    values: torch.Tensor,
    indices: torch.Tensor,
    rank: int = 0,
) -> tuple[torch.Tensor, torch.Tensor]:
    dim = _wrapped(dim, x)
    length = x.shape[dim] if x.dim() else 1
    if not (0 <= rank < length and values.dtype == x.dtype and indices.dtype == torch.int64 and x.dtype in TYPES):
        raise NotServed
    if x.is_complex() or x.dtype == torch.bool or shares_memory(values, x) or shares_memory(indices, x):
        raise NotServed
    kept = (*x.shape[:dim], 1, *x.shape[dim + 1 :]) if x.dim() else ()
    shape = kept if keepdim or not x.dim() else x.shape[:dim] + x.shape[dim + 1 :]
    values, indices = resized(values, shape), resized(indices, shape)
    if values.numel():
        of_kept = [each if keepdim or not x.dim() else each.unsqueeze(dim) for each in (values, indices)]
        _select(operation, x, dim, of_kept[0], of_kept[1], rank)
    return values, indices


@operator("kthvalue.values")
def _kth_value(
    x: torch.Tensor, k: int, dim: int = -1, keepdim: bool = False, *, values: torch.Tensor, indices: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor]:
    return _selected(_RANK, x, dim, keepdim, values, indices, k - 1)


@operator("median.dim_values")
def _median_along(
    x: torch.Tensor, dim: int, keepdim: bool = False, *, values: torch.Tensor, indices: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor]:
    return _selected(_MEDIAN, x, dim, keepdim, values, indices)


@operator("nanmedian.dim_values")
def _nan_median_along(
    x: torch.Tensor, dim: int, keepdim: bool = False, *, values: torch.Tensor, indices: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor]:
    return _selected(_NAN_MEDIAN, x, dim, keepdim, values, indices)


def _of_all(operation: int, x: torch.Tensor) -> torch.Tensor:
    flat = x.reshape(-1)
    values, indices = flat.new_empty(()), flat.new_empty((), dtype=torch.int64)
    return _selected(operation, flat, 0, False, values, indices)[0]


@operator("median")
def _median(x: torch.Tensor) -> torch.Tensor:
    return _of_all(_MEDIAN, x)


@operator("nanmedian")
def _nan_median(x: torch.Tensor) -> torch.Tensor:
    return _of_all(_NAN_MEDIAN, x)


given_results("mode", "values", "indices")


given_results("_logcumsumexp")


given_results("searchsorted.Tensor", overload="Tensor_out")
given_results("searchsorted.Scalar", overload="Scalar_out")
given_results("bucketize.Tensor", overload="Tensor_out")
given_results("bucketize.Scalar", overload="Scalar_out")
