"""Pooling whose windows are as large as the output asks: products with a sparse matrix of averages."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence

import torch

from wavesmith.torch._library import operator
from wavesmith.torch.composed.pooling import average_pool
from wavesmith.torch.composed.results import served, wide
from wavesmith.torch.composed.sparse import Matrix, products, rows_of


def _windows(size: int, places: int) -> tuple[torch.Tensor, torch.Tensor]:
    """The indices of each window, -1 behind it, and how many there are."""
    at = torch.arange(places)
    begins, ends = at * size // places, ((at + 1) * size + places - 1) // places
    columns = begins[:, None] + torch.arange(int((ends - begins).max()))
    return torch.where(columns < ends[:, None], columns, -1), ends - begins


@functools.lru_cache(256)
def _averages(size: int, places: int, transposed: bool, device: torch.device, dtype: torch.dtype) -> Matrix:
    columns, counts = _windows(size, places)
    made = rows_of(columns, (1 / counts.double())[:, None].expand(columns.shape), size)
    return (made.transposed() if transposed else made).on(device, dtype)


def _even(sizes: Sequence[int], out: Sequence[int]) -> list[int] | None:
    """The windows' sizes where all are the same."""
    if any(not places or size % places for size, places in zip(sizes, out, strict=True)):
        return None
    return [size // places for size, places in zip(sizes, out, strict=True)]


def _average(dimensions: int) -> tuple[Callable[..., torch.Tensor], Callable[..., torch.Tensor]]:
    pool, pool_backward = average_pool(dimensions)

    def forward(x: torch.Tensor, output_size: Sequence[int]) -> torch.Tensor:
        sizes = x.shape[-dimensions:]
        served(x.dim() in (dimensions + 1, dimensions + 2) and all(sizes) and len(output_size) == dimensions)
        served(all(places >= 0 for places in output_size) and x.is_floating_point())
        kernel = _even(sizes, output_size)
        if kernel is not None:
            pooled: torch.Tensor = pool(x, kernel)
            return pooled
        y = torch.empty((*x.shape[:-dimensions], *output_size), dtype=x.dtype, device=x.device)
        return y if not y.numel() else products(_each(sizes, output_size, x, False), x, y)

    def backward(grad: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
        sizes, out = x.shape[-dimensions:], grad.shape[-dimensions:]
        served(grad.dim() == x.dim() and grad.dtype == x.dtype and all(out) and all(sizes))
        kernel = _even(sizes, out)
        if kernel is not None:
            spread: torch.Tensor = pool_backward(grad, x, kernel, kernel, (0,), False, True, None)
            return spread
        y = torch.empty(x.shape, dtype=x.dtype, device=x.device)
        return y if not y.numel() else products(_each(sizes, out, x, True), grad, y)

    def _each(sizes: Sequence[int], out: Sequence[int], x: torch.Tensor, transposed: bool) -> list[tuple[int, Matrix]]:
        first = x.dim() - dimensions
        return [
            (first + each, _averages(size, places, transposed, x.device, wide(x.dtype)))
            for each, (size, places) in enumerate(zip(sizes, out, strict=True))
            if size != places
        ]

    return forward, backward


for _dimensions in (2, 3):
    _forward, _backward = _average(_dimensions)
    operator(f"_adaptive_avg_pool{_dimensions}d")(_forward)
    operator(f"_adaptive_avg_pool{_dimensions}d_backward")(_backward)
