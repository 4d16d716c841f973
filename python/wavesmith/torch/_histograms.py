"""Operators that count: how often each integer comes, and how many numbers lie in each bin."""

from __future__ import annotations

import math
from collections.abc import Sequence

import torch

from wavesmith.torch._library import NotServed, operator
from wavesmith.torch._outputs import given_results, with_out


def _extremes(x: torch.Tensor) -> tuple[float, float]:
    """The least and the largest number; 0 and 1 where there is none."""
    if not x.numel():
        return 0.0, 1.0
    least, largest = torch.stack((x.amin(), x.amax())).tolist()
    if not (math.isfinite(least) and math.isfinite(largest)):
        raise NotServed
    return least, largest


given_results("histc")


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
        place = torch.searchsorted(each, numbers, right=True) - 1
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
