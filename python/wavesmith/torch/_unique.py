"""Operators whose results have as many elements as are found: what is not 0, what is selected, what is different.

They read that number from the device, for which they wait, as on other GPUs.
"""

from __future__ import annotations

import ctypes

import torch

from wavesmith.torch._library import (
    NotServed,
    Operand,
    call,
    give_workspace,
    operand,
    operator,
)
from wavesmith.torch._order import search
from wavesmith.torch._outputs import with_out


class _Nonzero(ctypes.Structure):
    """wavesmith_nonzero_description."""

    _fields_ = (
        ("dimensions", ctypes.c_int32),
        ("sizes", ctypes.c_int64 * 8),
        ("x", Operand),
        ("places", Operand),
        ("count", ctypes.c_void_p),
        ("most", ctypes.c_int64),
        ("is_flat", ctypes.c_int32),
        ("has_counted", ctypes.c_int32),
        ("workspace", ctypes.c_void_p),
        ("workspace_bytes", ctypes.c_size_t),
    )


class _Found:
    """Which elements of a tensor are not 0, counted first."""

    def __init__(self, x: torch.Tensor, flat: bool = False) -> None:
        order = range(x.dim() - 1, -1, -1)
        self._x = x
        self._count = torch.empty((), dtype=torch.int64, device=x.device)
        self._one = _Nonzero(x.dim(), tuple(x.shape[each] for each in order), operand(x, order))
        self._one.count, self._one.is_flat = self._count.data_ptr(), flat
        give_workspace("wavesmith_kernels_nonzero_workspace", self._one, x.device)

    def count(self) -> int:
        """How many there are; the device is waited for."""
        self._call()
        self._one.has_counted = 1
        return int(self._count.item())

    def write(self, places: torch.Tensor) -> torch.Tensor:
        """Their coordinates, of so many as there are rows."""
        if places.numel():
            item = places.itemsize
            # The first coordinate is of the slowest dimension, which the library takes last.
            last = places.data_ptr() + (places.shape[1] - 1) * places.stride(1) * item
            strides = (places.stride(0) * item, -places.stride(1) * item)
            self._one.places, self._one.most = Operand(last, operand(places).type, strides), places.shape[0]
            self._call()
        return places

    def _call(self) -> None:
        call("wavesmith_kernels_nonzero", self._x.device, self._one)


def flat_places(x: torch.Tensor) -> torch.Tensor:
    """The numbers of the elements that are not 0."""
    found = _Found(x, flat=True)
    return found.write(torch.empty((found.count(), 1), dtype=torch.int64, device=x.device)).squeeze(1)


@with_out("nonzero", alone=True)
def _nonzero(x: torch.Tensor) -> torch.Tensor:
    found = _Found(x)
    places = torch.empty((x.dim(), found.count()), dtype=torch.int64, device=x.device)
    return found.write(places.t())  # column by column, as on other GPUs


@with_out("nonzero_static")
def _nonzero_static(x: torch.Tensor, *, size: int, fill_value: int = -1) -> torch.Tensor:
    if size < 0:
        raise NotServed
    return _Found(x).write(torch.full((size, x.dim()), fill_value, dtype=torch.int64, device=x.device))


@with_out("masked_select", alone=True)
def _masked_select(x: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    if mask.dtype != torch.bool or mask.device != x.device:
        raise NotServed
    x, mask = torch.broadcast_tensors(x, mask)
    return x.reshape(-1)[flat_places(mask)]


def _runs(begins: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Of runs, from where each begins: the places of their first elements, each element's run, and lengths."""
    first = flat_places(begins)
    end = torch.full((1,), begins.numel(), dtype=torch.int64, device=begins.device)
    return first, begins.cumsum(0) - 1, torch.cat((first[1:], end)) - first


def _begins(rows: torch.Tensor) -> torch.Tensor:
    """Which of the elements, or of the rows, differ from the one before."""
    differs = rows[1:] != rows[:-1]
    if differs.dim() > 1:
        differs = differs.any(1)
    return torch.cat((differs.new_ones(1), differs))


_Three = tuple[torch.Tensor, torch.Tensor, torch.Tensor]


def _none(x: torch.Tensor) -> torch.Tensor:
    return torch.empty(0, dtype=torch.int64, device=x.device)


@operator("_unique2")
def _unique(x: torch.Tensor, is_sorted: bool = True, inverse: bool = False, counts: bool = False) -> _Three:
    if x.is_complex():
        raise NotServed
    if not x.numel():
        return x.new_empty(0), torch.empty(x.shape if inverse else 0, dtype=torch.int64, device=x.device), _none(x)
    ordered, places = x.reshape(-1).sort(stable=True)
    first, run, lengths = _runs(_begins(ordered))
    of_each = torch.empty_like(places).scatter_(0, places, run).reshape(x.shape) if inverse else _none(x)
    return ordered[first], of_each, lengths if counts else _none(x)


@operator("unique_consecutive")
def _unique_consecutive(x: torch.Tensor, inverse: bool = False, counts: bool = False, dim: int | None = None) -> _Three:
    if not x.numel() or (dim is not None and not -x.dim() <= dim < x.dim()):
        raise NotServed
    rows = x.reshape(-1) if dim is None else x.movedim(dim, 0)
    first, run, lengths = _runs(_begins(rows if dim is None else rows.reshape(rows.shape[0], -1)))
    values = rows[first] if dim is None else rows[first].movedim(0, dim).contiguous()
    of_each = (run.reshape(x.shape) if dim is None else run) if inverse else _none(x)
    return values, of_each, lengths if counts else _none(x)


@operator("unique_dim")
def _unique_along(
    x: torch.Tensor, dim: int, is_sorted: bool = True, inverse: bool = False, counts: bool = False
) -> _Three:
    """Rows in the order of their first elements, where these are equal of their second ones, and so on."""
    most = 64  # sorts, one for each element of a row
    if not x.numel() or x.is_complex() or not -x.dim() <= dim < x.dim() or x.numel() // x.shape[dim] > most:
        raise NotServed
    rows = x.movedim(dim, 0)
    flat = rows.reshape(rows.shape[0], -1)
    places = torch.arange(rows.shape[0], device=x.device)
    for column in range(flat.shape[1] - 1, -1, -1):
        places = places[flat[:, column][places].sort(stable=True).indices]
    first, run, lengths = _runs(_begins(flat[places]))
    values = rows[places[first]].movedim(0, dim).contiguous()
    of_each = torch.empty_like(places).scatter_(0, places, run) if inverse else _none(x)
    return values, of_each, lengths if counts else _none(x)


@with_out("take", alone=True)
def _take(x: torch.Tensor, index: torch.Tensor) -> torch.Tensor:
    if index.dtype != torch.int64 or index.device != x.device or (index.numel() and not x.numel()):
        raise NotServed
    return x.reshape(-1)[index.reshape(-1)].reshape(index.shape)


def _flat(x: torch.Tensor) -> torch.Tensor:
    """All elements of what is written in place: a view, or a copy that has to be written back."""
    if any(stride == 0 and size > 1 for size, stride in zip(x.shape, x.stride(), strict=True)):
        raise NotServed  # an error, which the host's own check words
    return x.view(-1) if x.is_contiguous() else x.contiguous().view(-1)


def _written(x: torch.Tensor, flat: torch.Tensor) -> torch.Tensor:
    return x if x.is_contiguous() else x.copy_(flat.view(x.shape))


@operator("put_")
def _put(x: torch.Tensor, index: torch.Tensor, source: torch.Tensor, accumulate: bool = False) -> torch.Tensor:
    if index.dtype != torch.int64 or source.dtype != x.dtype or index.numel() != source.numel():
        raise NotServed
    if index.device != x.device or source.device != x.device or (index.numel() and not x.numel()):
        raise NotServed
    if not accumulate and torch.are_deterministic_algorithms_enabled():
        raise NotServed  # of equal places any one's value stays
    if not index.numel():
        return x
    flat = _flat(x)
    to, values = flat, source.reshape(-1)
    if accumulate and x.is_complex():  # sums are of real numbers
        to, values = torch.view_as_real(flat), torch.view_as_real(values.resolve_conj())
    to.index_put_((index.reshape(-1),), values, accumulate)
    return _written(x, flat)


@operator("masked_scatter_")
def _masked_scatter(x: torch.Tensor, mask: torch.Tensor, source: torch.Tensor) -> torch.Tensor:
    if mask.dtype != torch.bool or source.dtype != x.dtype or not mask.device == source.device == x.device:
        raise NotServed
    try:
        mask = mask.expand(x.shape)
    except RuntimeError:
        raise NotServed from None
    places = flat_places(mask)
    if places.numel() > source.numel():
        raise RuntimeError("Number of elements of source < number of ones in mask")
    if not places.numel():
        return x
    flat = _flat(x)
    flat.scatter_(0, places, source.reshape(-1)[: places.numel()])
    return _written(x, flat)


@operator("repeat_interleave.Tensor")
def _repeat_interleave(repeats: torch.Tensor, *, output_size: int | None = None) -> torch.Tensor:
    if repeats.dim() != 1 or repeats.dtype not in (torch.int32, torch.int64):
        raise NotServed
    if not repeats.numel():
        return torch.empty_like(repeats)
    ends = repeats.cumsum(0)
    least, total = torch.stack((repeats.min().to(torch.int64), ends[-1])).tolist()
    if least < 0 or (output_size is not None and output_size != total):
        raise NotServed
    numbers = torch.arange(total, device=repeats.device)
    return search(ends, numbers, True, torch.empty(total, dtype=repeats.dtype, device=repeats.device))


@with_out("isin.Tensor_Tensor", overload="Tensor_Tensor_out")
def _is_in(
    elements: torch.Tensor, test: torch.Tensor, *, assume_unique: bool = False, invert: bool = False
) -> torch.Tensor:
    few = 8
    dtype = torch.result_type(elements, test)
    if dtype.is_complex or elements.device != test.device:
        raise NotServed
    elements, test = elements.to(dtype), test.reshape(-1).to(dtype)
    if test.numel() <= few:
        found = (elements.unsqueeze(-1) == test).any(-1)
    else:
        test = test.sort().values
        if dtype.is_floating_point:  # NaN's, which equal nothing, would lead a search astray
            test = torch.where(test.isnan(), test[0], test).sort().values
        places = torch.empty(elements.shape, dtype=torch.int64, device=elements.device)
        found = test[search(test, elements, False, places).clamp_(max=test.numel() - 1)] == elements
    return found.logical_not() if invert else found


@with_out("isin.Tensor_Scalar", overload="Tensor_Scalar_out")
def _is_number(
    elements: torch.Tensor, test: complex, *, assume_unique: bool = False, invert: bool = False
) -> torch.Tensor:
    return elements.ne(test) if invert else elements.eq(test)


@with_out("isin.Scalar_Tensor", overload="Scalar_Tensor_out")
def _number_is_in(
    element: complex, test: torch.Tensor, *, assume_unique: bool = False, invert: bool = False
) -> torch.Tensor:
    found = test.eq(element).any()
    return found.logical_not() if invert else found
