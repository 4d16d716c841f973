"""Operators that count: how often each integer comes, and how many numbers lie in each bin."""

from __future__ import annotations

import math
from collections.abc import Sequence

import torch

from wavesmith.torch._library import NotServed, operator
from wavesmith.torch._order import search
from wavesmith.torch._outputs import with_out


@operator("bincount")
def _bin_count(x: torch.Tensor, weights: torch.Tensor | None = None, minlength: int = 0) -> torch.Tensor:
    if x.dim() != 1 or x.is_floating_point() or x.is_complex() or x.dtype == torch.bool or minlength < 0:
        raise NotServed
    if not x.numel():
        return torch.zeros(minlength, dtype=torch.int64, device=x.device)
    if weights is not None and (weights.shape != x.shape or weights.device != x.device or weights.is_complex()):
        raise NotServed
    places = x.to(torch.int64)
    least, largest = torch.stack((places.min(), places.max())).tolist()
    if least < 0:
        raise NotServed
    if weights is None:
        weights = torch.ones((), dtype=torch.int64, device=x.device).expand(x.shape)
    elif weights.dtype != torch.float32:
        weights = weights.to(torch.float64)
    return weights.new_zeros(max(largest + 1, minlength)).index_add_(0, places, weights)


def _extremes(x: torch.Tensor) -> tuple[float, float]:
    """The least and the largest number; 0 and 1 where there is none."""
    if not x.numel():
        return 0.0, 1.0
    least, largest = torch.stack((x.amin(), x.amax())).tolist()
    if not (math.isfinite(least) and math.isfinite(largest)):
        raise NotServed
    return least, largest


@with_out("histc")
def _equal_bins(x: torch.Tensor, bins: int = 100, low: float = 0, high: float = 0) -> torch.Tensor:
    """Counts in bins of the same width, in the numbers' own type."""
    finite = math.isfinite(low) and math.isfinite(high) and low <= high
    if bins <= 0 or not finite or not x.is_floating_point():
        raise NotServed
    flat = x.reshape(-1)
    if low == high:
        low, high = _extremes(flat) if x.numel() else (low, high)
        if low == high:
            low, high = low - 1, high + 1
    wide = flat if x.dtype == torch.float64 else flat.float()
    width = float(torch.tensor(high, dtype=wide.dtype) - torch.tensor(low, dtype=wide.dtype))
    is_inside = (wide >= low) & (wide <= high)
    place = ((wide - low) * bins / width).clamp(0, bins - 1)
    places = torch.where(is_inside, place, bins).to(torch.int64)
    counts = torch.zeros(bins + 1, dtype=torch.int64, device=x.device)
    return counts.index_add_(0, places, torch.ones_like(places))[:-1].to(x.dtype)


def _in_bins(
    x: torch.Tensor, edges: Sequence[torch.Tensor], weight: torch.Tensor | None, density: bool
) -> torch.Tensor:
    """The sums of weights of the points in each bin; a point is on the last dimension."""
    if x.dtype not in (torch.float32, torch.float64) or any(
        each.dtype != x.dtype or each.dim() != 1 or not each.numel() or each.device != x.device for each in edges
    ):
        raise NotServed
    if weight is not None and (weight.dtype != x.dtype or weight.shape != x.shape[:-1]):
        raise NotServed
    points = x.reshape(-1, x.shape[-1])
    shape = [each.numel() - 1 for each in edges]
    bins = torch.zeros(points.shape[0], dtype=torch.int64, device=x.device)
    is_inside = torch.ones(points.shape[0], dtype=torch.bool, device=x.device)
    for number, (each, count) in enumerate(zip(edges, shape, strict=True)):
        numbers = points[:, number]
        place = search(each, numbers, True, torch.empty_like(bins)) - 1
        place = torch.where(numbers == each[-1], count - 1, place)
        is_inside = is_inside & (numbers >= each[0]) & (numbers <= each[-1])
        bins = bins * count + place
    all_bins = math.prod(shape)
    weights = torch.ones((), dtype=x.dtype, device=x.device).expand(points.shape[0])
    if weight is not None:
        weights = weight.reshape(-1)
    if not all_bins:
        raise NotServed
    # Behind the last bin is what is in none.
    sums = torch.zeros(all_bins + 1, dtype=x.dtype, device=x.device)
    sums = sums.index_add_(0, torch.where(is_inside, bins, all_bins), weights)[:-1].reshape(shape)
    if density:
        sums = sums / sums.sum()
        for dimension, each in enumerate(edges):
            sums = sums / (each[1:] - each[:-1]).reshape(-1, *(1,) * (len(shape) - 1 - dimension))
    return sums


def _edges(x: torch.Tensor, bins: Sequence[int], limits: Sequence[float] | None) -> list[torch.Tensor]:
    """Edges of bins of the same width along each coordinate, from the least to the largest number or these limits."""
    dimensions = x.shape[-1] if x.dim() > 1 else 0
    if len(bins) != dimensions or min(bins, default=0) <= 0 or not x.is_floating_point():
        raise NotServed
    if limits is not None and (len(limits) != 2 * dimensions or not all(map(math.isfinite, limits))):
        raise NotServed
    points = x.reshape(-1, dimensions)
    made = []
    for number, count in enumerate(bins):
        least, largest = _extremes(points[:, number]) if limits is None else limits[2 * number : 2 * number + 2]
        if least > largest:
            raise NotServed
        if least == largest:
            least, largest = least - 0.5, largest + 0.5
        made.append(torch.linspace(least, largest, count + 1, dtype=x.dtype, device=x.device))
    return made


@operator("_histogramdd_bin_edges")
def _bin_edges(
    x: torch.Tensor,
    bins: Sequence[int],
    *,
    range: Sequence[float] | None = None,
    weight: torch.Tensor | None = None,
    density: bool = False,
) -> list[torch.Tensor]:
    return _edges(x, bins, range)


@operator("_histogramdd_from_bin_cts")
def _histogram_of_counts(
    x: torch.Tensor,
    bins: Sequence[int],
    *,
    range: Sequence[float] | None = None,
    weight: torch.Tensor | None = None,
    density: bool = False,
) -> torch.Tensor:
    return _in_bins(x, _edges(x, bins, range), weight, density)


@operator("_histogramdd_from_bin_tensors")
def _histogram_of_edges(
    x: torch.Tensor, bins: Sequence[torch.Tensor], *, weight: torch.Tensor | None = None, density: bool = False
) -> torch.Tensor:
    if x.dim() < 2 or len(bins) != x.shape[-1]:
        raise NotServed
    return _in_bins(x, bins, weight, density)


_Two = tuple[torch.Tensor, torch.Tensor]


def _flat_histogram(
    x: torch.Tensor, edges: torch.Tensor | None, bins: int, limits: Sequence[float] | None,
    weight: torch.Tensor | None, density: bool,
) -> _Two:  # fmt: skip
    if weight is not None and weight.shape != x.shape:
        raise NotServed
    points = x.reshape(-1, 1)
    if edges is None:
        (edges,) = _edges(points, (bins,), limits)
    return _in_bins(points, (edges,), None if weight is None else weight.reshape(-1), density), edges


@with_out("histogram.bin_ct", "hist", "bin_edges", overload="bin_ct_out")
def _histogram(
    x: torch.Tensor,
    bins: int = 100,
    *,
    range: Sequence[float] | None = None,
    weight: torch.Tensor | None = None,
    density: bool = False,
) -> _Two:
    return _flat_histogram(x, None, bins, range, weight, density)


@with_out("histogram.bins_tensor", "hist", "bin_edges", overload="bins_tensor_out")
def _histogram_between(
    x: torch.Tensor, bins: torch.Tensor, *, weight: torch.Tensor | None = None, density: bool = False
) -> _Two:
    counts, edges = _flat_histogram(x, bins, 0, None, weight, density)
    return counts, edges.clone()
