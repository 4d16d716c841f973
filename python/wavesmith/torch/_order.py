"""Operators of order: the element of a rank, medians and modes, cumulative extremes, searches."""

from __future__ import annotations

import ctypes

import torch

from wavesmith.torch._library import (
    TYPES,
    NotServed,
    Operand,
    call,
    give_workspace,
    operand,
    operator,
    resized,
    shares_memory,
)
from wavesmith.torch._outputs import with_out

_RANK, _MEDIAN, _NAN_MEDIAN = range(3)  # wavesmith_select_operation
_MAXIMUM, _MINIMUM, _LOG_SUM_EXP = 2, 3, 4  # wavesmith_scan_operation

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


class _Scan(ctypes.Structure):
    """wavesmith_scan_description."""

    _fields_ = (
        ("operation", ctypes.c_int),
        ("computed_in", ctypes.c_int),
        ("dimensions", ctypes.c_int32),
        ("along", ctypes.c_int32),
        ("sizes", _Sizes),
        ("x", Operand),
        ("y", Operand),
        ("places", Operand),
        ("workspace", ctypes.c_void_p),
        ("workspace_bytes", ctypes.c_size_t),
    )


class _Search(ctypes.Structure):
    """wavesmith_search_description."""

    _fields_ = (
        ("dimensions", ctypes.c_int32),
        ("sizes", _Sizes),
        ("x", Operand),
        ("y", Operand),
        ("sequence", Operand),
        ("sorter", Operand),
        ("length", ctypes.c_int64),
        ("step", ctypes.c_int64),
        ("sorter_step", ctypes.c_int64),
        ("is_right", ctypes.c_int32),
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


@with_out("mode", "values", "indices")
def _mode(x: torch.Tensor, dim: int = -1, keepdim: bool = False) -> tuple[torch.Tensor, torch.Tensor]:
    """In each sorted row the end of the longest run; of several that are as long the first."""
    dim = _wrapped(dim, x)
    if x.is_complex() or not x.numel():
        raise NotServed
    if not x.dim():
        return x.clone(), x.new_zeros((), dtype=torch.int64)
    ordered, places = x.sort(stable=True, dim=dim)
    length = x.shape[dim]
    number = torch.arange(length, device=x.device).reshape(-1, *(1,) * (x.dim() - 1 - dim))
    differs = ordered.narrow(dim, 1, length - 1) != ordered.narrow(dim, 0, length - 1)
    begins = torch.nn.functional.pad(differs, (0, 0) * (x.dim() - 1 - dim) + (1, 0), value=True)
    begin = torch.where(begins, number, 0).cummax(dim).values
    at = (number - begin).argmax(dim, keepdim=True)
    values, indices = ordered.gather(dim, at), places.gather(dim, at)
    return (values, indices) if keepdim else (values.squeeze(dim), indices.squeeze(dim))


def scan(operation: int, x: torch.Tensor, dim: int, y: torch.Tensor, places: torch.Tensor | None = None) -> None:
    """A scan of the library along a dimension."""
    if x.is_complex():
        raise NotServed
    dim, order = _wrapped(dim, x), _reversed(x.dim())
    floats = torch.float64 if operation == _LOG_SUM_EXP or x.dtype == torch.float64 else torch.float32
    one = _Scan(
        operation,
        TYPES[floats if x.is_floating_point() else torch.int64],
        x.dim(),
        x.dim() - 1 - dim if x.dim() else 0,
        tuple(x.shape[each] for each in order),
        operand(x, order),
        operand(y, order),
        Operand() if places is None else operand(places, order),
    )
    give_workspace("wavesmith_kernels_scan_workspace", one, x.device)
    call("wavesmith_kernels_scan", x.device, one)


@operator("_cummax_helper")
def _cumulative_maximum(x: torch.Tensor, values: torch.Tensor, indices: torch.Tensor, dim: int) -> None:
    scan(_MAXIMUM, x, dim, values, indices)


@operator("_cummin_helper")
def _cumulative_minimum(x: torch.Tensor, values: torch.Tensor, indices: torch.Tensor, dim: int) -> None:
    scan(_MINIMUM, x, dim, values, indices)


@with_out("_logcumsumexp")
def _cumulative_log_sum_exp(x: torch.Tensor, dim: int) -> torch.Tensor:
    if not x.is_floating_point():
        raise NotServed
    _wrapped(dim, x)
    out = torch.empty_like(x, memory_format=torch.contiguous_format)
    if x.numel():
        scan(_LOG_SUM_EXP, x, dim, out)
    return out


def search(
    sequence: torch.Tensor,
    x: torch.Tensor,
    right: bool,
    out: torch.Tensor,
    sorter: torch.Tensor | None = None,
) -> torch.Tensor:
    """The places of numbers in sequences along the last dimension: in one, or one for each row of numbers."""
    order = _reversed(x.dim())

    def beside(tensor: torch.Tensor) -> tuple[Operand, int]:
        if tensor.dim() == 1:
            return operand(tensor.as_strided(x.shape, (0,) * x.dim()), order), tensor.stride(0) * tensor.itemsize
        across = tensor.stride()[:-1]
        return (
            operand(tensor.as_strided(x.shape, (*across, 0)), order),
            tensor.stride(-1) * tensor.itemsize,
        )

    if not x.numel():
        return out
    length = sequence.shape[-1]
    if not length:
        return out.zero_()
    of_sequence, step = beside(sequence)
    of_sorter, sorter_step = (Operand(), 0) if sorter is None else beside(sorter)
    one = _Search(
        x.dim(),
        tuple(x.shape[each] for each in order),
        operand(x, order),
        operand(out, order),
        of_sequence,
        of_sorter,
        length,
        step,
        sorter_step,
        right,
    )
    call("wavesmith_kernels_search", x.device, one)
    return out


@with_out("searchsorted.Tensor", overload="Tensor_out")
@with_out("searchsorted.Scalar", overload="Scalar_out")
def _search_sorted(
    sequence: torch.Tensor,
    x: torch.Tensor | complex,
    *,
    out_int32: bool = False,
    right: bool = False,
    side: str | None = None,
    sorter: torch.Tensor | None = None,
) -> torch.Tensor:
    dtype = torch.result_type(sequence, x)
    if isinstance(x, torch.Tensor):
        if x.device != sequence.device:
            raise NotServed
    elif isinstance(x, complex):
        raise NotServed
    else:
        x = torch.full((), x, dtype=dtype, device=sequence.device)
    kind = torch.int32 if out_int32 else torch.int64
    in_rows = sequence.dim() != 1
    if (
        dtype.is_complex
        or dtype not in TYPES
        or not sequence.dim()
        or (in_rows and (x.dim() != sequence.dim() or x.shape[:-1] != sequence.shape[:-1]))
        or side not in (None, "left", "right")
        or (side == "left" and right)
    ):
        raise NotServed
    if sorter is not None:
        if sorter.shape != sequence.shape or sorter.dtype != torch.int64 or sorter.device != sequence.device:
            raise NotServed
        if sorter.numel() and bool(((sorter < 0) | (sorter >= sequence.shape[-1])).any()):
            raise NotServed
    out = torch.empty(x.shape, dtype=kind, device=x.device)
    return search(sequence.to(dtype), x.to(dtype), right or side == "right", out, sorter)


@with_out("bucketize.Tensor", overload="Tensor_out")
@with_out("bucketize.Scalar", overload="Scalar_out")
def _bucketize(
    x: torch.Tensor | complex, boundaries: torch.Tensor, *, out_int32: bool = False, right: bool = False
) -> torch.Tensor:
    if boundaries.dim() != 1:
        raise NotServed
    found: torch.Tensor = _search_sorted(boundaries, x, out_int32=out_int32, right=right)
    return found
