"""Distances of pairs of rows (`pdist`), and the gradients of distances, of some rows at once where there are many.

Those of `cdist` are in `native/linalg/vectors.cc`.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Iterator
from typing import Any

import torch

from wavesmith.torch._library import operator
from wavesmith.torch.composed.results import served

_AT_ONCE = 1 << 24  # elements of differences


def _norms(difference: torch.Tensor, p: float) -> torch.Tensor:
    if not difference.shape[-1]:
        return difference.new_zeros(difference.shape[:-1])
    if p == 0:
        return difference.ne(0).sum(-1).to(difference.dtype)
    return torch.linalg.vector_norm(difference, p, -1)


def _parts(rows: int, elements_per_row: int) -> Iterator[slice]:
    step = max(1, _AT_ONCE // max(1, elements_per_row))
    return (slice(begin, min(rows, begin + step)) for begin in range(0, rows, step))


def _slopes(difference: torch.Tensor, grad: torch.Tensor, distance: torch.Tensor, p: float) -> torch.Tensor:
    """The gradient of the differences, of their norms', where a norm of 0 has none."""
    if p == 1:
        return grad * difference.sign()
    if math.isinf(p):
        return torch.where(difference.abs() == distance, grad * difference.sign(), 0)
    if p == 2:
        return torch.where(distance == 0, 0, grad * difference / distance)
    powers = difference.abs().pow(p - 1) * difference.sign() * (grad / distance.pow(p - 1))
    return torch.where((distance == 0) | (difference == 0) if p < 1 else distance == 0, 0, powers)


def _gradient(
    grad: torch.Tensor, x1: torch.Tensor, x2: torch.Tensor, p: float, distances: torch.Tensor
) -> torch.Tensor:
    result = torch.empty(x1.shape, dtype=x1.dtype, device=x1.device)
    if p == 0 or not x2.shape[-2]:
        return result.zero_()
    per_row = math.prod(x1.shape[:-2]) * x2.shape[-2] * x1.shape[-1]
    for part in _parts(x1.shape[-2], per_row):
        difference = x1[..., part, None, :] - x2[..., None, :, :]
        slopes = _slopes(difference, grad[..., part, :, None], distances[..., part, :, None], p)
        result[..., part, :] = slopes.sum(-2)
    return result


@operator("_cdist_backward")
def _cdist_backward(
    grad: torch.Tensor, x1: torch.Tensor, x2: torch.Tensor, p: float, cdist: torch.Tensor
) -> torch.Tensor:
    served(x1.dtype == x2.dtype == grad.dtype and x1.is_floating_point())
    batch = torch.broadcast_shapes(x1.shape[:-2], x2.shape[:-2])
    x1, x2 = (x.expand(*batch, *x.shape[-2:]) for x in (x1, x2))
    return _gradient(grad, x1, x2, p, cdist)


@functools.lru_cache(16)
def _pairs(rows: int, device: torch.device) -> Any:
    return torch.triu_indices(rows, rows, 1).to(device)


@operator("_pdist_forward")
def _pdist(x: torch.Tensor, p: float = 2.0) -> torch.Tensor:
    served(x.dim() == 2 and x.is_floating_point() and p >= 0)
    rows = x.shape[0]
    count = rows * (rows - 1) // 2 if rows > 1 else 0
    result = torch.empty(count, dtype=x.dtype, device=x.device)
    if not count or not x.shape[1]:
        return result.zero_()
    first, second = _pairs(rows, x.device)
    for part in _parts(count, x.shape[1]):
        result[part] = _norms(x[first[part]] - x[second[part]], p)
    return result


@operator("_pdist_backward")
def _pdist_backward(grad: torch.Tensor, x: torch.Tensor, p: float, pdist: torch.Tensor) -> torch.Tensor:
    served(grad.dtype == x.dtype and x.dim() == 2)
    if not pdist.numel():
        return torch.zeros_like(x)
    first, second = _pairs(x.shape[0], x.device)
    both = torch.zeros((2, x.shape[0], x.shape[0]), dtype=x.dtype, device=x.device)
    for full, values in zip(both, (grad, pdist), strict=True):
        full[first, second] = values
        full[second, first] = values
    return _gradient(both[0], x, x, p, both[1])
