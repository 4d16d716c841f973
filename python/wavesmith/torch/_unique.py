"""Operators on elements by their numbers, and on sets of elements; `native/order/found.cc` finds what is not 0."""

from __future__ import annotations

import torch

from wavesmith.torch._library import NotServed, operator
from wavesmith.torch._outputs import given_results, with_out

given_results("nonzero", alone=True)
given_results("nonzero_static")
given_results("masked_select", alone=True)


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


given_results("isin.Tensor_Tensor", overload="Tensor_Tensor_out")


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
