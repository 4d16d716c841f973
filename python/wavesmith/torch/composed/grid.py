"""Sampling at the places of a grid: sums over the neighbours of each place, of gathered elements by their weights."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import torch

from wavesmith.torch._library import operator
from wavesmith.torch.composed.results import served, wide

_LINEAR, _NEAREST, _CUBIC = 0, 1, 2
_ZEROS, _BORDER, _REFLECTION = 0, 1, 2
_A = -0.75  # of the cubic filter


class _Tap(NamedTuple):
    """One neighbour along one dimension."""

    place: torch.Tensor
    inside: torch.Tensor | None
    """Where it is an element; None where it always is."""
    weight: torch.Tensor | None
    """None is 1."""
    slope: torch.Tensor | None
    """How the weight changes with the grid's number."""


def _reflected(at: torch.Tensor, size: int, align: bool) -> tuple[torch.Tensor, torch.Tensor]:
    """Places between the outer elements, or their outer edges, and the sign with which they move."""
    low, span = (0.0, float(size - 1)) if align else (-0.5, float(size))
    if not span:
        return torch.zeros_like(at), torch.zeros_like(at)
    distance = (at - low).abs()
    flips = (distance / span).floor()
    rest = distance - flips * span
    odd = flips.remainder(2) == 1
    sign = torch.where((at < low) != odd, -1.0, 1.0).to(at.dtype)
    return torch.where(odd, span - rest, rest) + low, sign


def _bounded(at: torch.Tensor, size: int, padding: int, align: bool) -> tuple[torch.Tensor, torch.Tensor | None]:
    """Where the padding takes a place from, and how that moves with it."""
    if padding == _ZEROS:
        return at, None
    sign = torch.ones((), dtype=at.dtype, device=at.device)
    if padding == _REFLECTION:
        at, sign = _reflected(at, size, align)
    return at.clamp(0, size - 1), torch.where((at > 0) & (at < size - 1), sign, 0.0)


def _index(at: torch.Tensor, size: int, padding: int) -> tuple[torch.Tensor, torch.Tensor | None]:
    inside = (at >= 0) & (at <= size - 1)
    index = torch.where(inside, at, 0.0).long()
    return index, inside if padding == _ZEROS else None


def _taps(number: torch.Tensor, size: int, mode: int, padding: int, align: bool) -> list[_Tap]:
    """The neighbours of the places that a grid's numbers from -1 to 1 name."""
    scale = (size - 1) / 2 if align else size / 2
    at = (number + 1) * scale if align else ((number + 1) * size - 1) / 2
    at = torch.where(at.abs() < 2**31, at, -100.0)  # as PyTorch does with what is no place
    if mode == _CUBIC:
        return _cubic_taps(at, size, padding, align, scale)
    at, moves = _bounded(at, size, padding, align)
    if mode == _NEAREST:
        return [_Tap(*_index(at.round(), size, padding), None, None)]
    slope = torch.full((), scale, dtype=at.dtype, device=at.device) if moves is None else moves * scale
    low = at.floor()
    above = at - low
    far = low + 1 if padding == _ZEROS else (low + 1).clamp(max=size - 1)
    return [
        _Tap(*_index(low, size, padding), 1 - above, -slope),
        _Tap(*_index(far, size, padding), above, slope),
    ]


def _cubic_taps(at: torch.Tensor, size: int, padding: int, align: bool, scale: float) -> list[_Tap]:
    low = at.floor()
    t = at - low
    taps = []
    for step in (-1, 0, 1, 2):
        x = (t - step).abs()
        sign = (t - step).sign() * scale
        if step in (0, 1):
            weight, slope = ((_A + 2) * x - (_A + 3)) * x * x + 1, (3 * (_A + 2) * x - 2 * (_A + 3)) * x
        else:
            weight, slope = (((x - 5) * x + 8) * x - 4) * _A, ((3 * x - 10) * x + 8) * _A
        place, _ = _bounded(low + step, size, padding, align)
        taps.append(_Tap(*_index(place, size, padding), weight, slope * sign))
    return taps


def _product(factors: Sequence[torch.Tensor | None]) -> torch.Tensor | None:
    result: torch.Tensor | None = None
    for factor in factors:
        if factor is not None:
            result = factor if result is None else result * factor
    return result


class _Neighbours:
    """The neighbours of a grid's places in all dimensions."""

    def __init__(self, sizes: Sequence[int], grid: torch.Tensor, mode: int, padding: int, align: bool) -> None:
        dims = len(sizes)
        self.sizes = sizes
        self.taps = [
            _taps(grid[..., dims - 1 - each].flatten(1), size, mode, padding, align) for each, size in enumerate(sizes)
        ]

    def __iter__(self) -> Iterator[tuple[torch.Tensor, torch.Tensor | None, tuple[_Tap, ...]]]:
        """For each the index in all elements, where it is inside, and its taps."""
        for taps in itertools.product(*self.taps):
            index = taps[0].place
            for tap, size in zip(taps[1:], self.sizes[1:], strict=True):
                index = index * size + tap.place
            inside: torch.Tensor | None = None
            for tap in taps:
                if tap.inside is not None:
                    inside = tap.inside if inside is None else inside & tap.inside
            yield index, inside, taps


def _masked(values: torch.Tensor, inside: torch.Tensor | None) -> torch.Tensor:
    return values if inside is None else torch.where(inside, values, 0)


def _served(x: torch.Tensor, grid: torch.Tensor, mode: int) -> None:
    dims = x.dim() - 2
    served(x.is_floating_point() and x.dtype == grid.dtype and x.device == grid.device and grid.dim() == x.dim())
    served(grid.shape[-1] == dims and grid.shape[0] == x.shape[0] and all(x.shape[2:]))
    served(mode in (_LINEAR, _NEAREST) or (mode == _CUBIC and dims == 2))


@operator("grid_sampler_2d", "grid_sampler_3d")
def _sample(x: torch.Tensor, grid: torch.Tensor, mode: int, padding: int, align: bool) -> torch.Tensor:
    _served(x, grid, mode)
    kind = wide(x.dtype)
    elements = x.reshape(*x.shape[:2], -1)
    total: torch.Tensor | None = None
    for index, inside, taps in _Neighbours(x.shape[2:], grid.to(kind), mode, padding, align):
        values = elements.gather(2, index[:, None].expand(*x.shape[:2], index.shape[1])).to(kind)
        weight = _product([tap.weight for tap in taps])
        if weight is not None:
            values = values * weight[:, None]
        values = _masked(values, None if inside is None else inside[:, None])
        total = values if total is None else total.add_(values)
    assert total is not None
    return total.to(x.dtype).view(*x.shape[:2], *grid.shape[1:-1])


def _gradients(
    grad: torch.Tensor, x: torch.Tensor, grid: torch.Tensor, mode: int, padding: int, align: bool,
    output_mask: Sequence[bool],
) -> tuple[torch.Tensor | None, torch.Tensor]:  # fmt: skip
    _served(x, grid, mode)
    kind = wide(x.dtype)
    elements, given = x.reshape(*x.shape[:2], -1), grad.reshape(*grad.shape[:2], -1).to(kind)
    sums = torch.zeros(elements.shape, dtype=kind, device=x.device) if output_mask[0] else None
    slopes = torch.zeros((grid.shape[-1], *given.shape[::2]), dtype=kind, device=x.device)
    for index, inside, taps in _Neighbours(x.shape[2:], grid.to(kind), mode, padding, align):
        places = index[:, None].expand(given.shape)
        if sums is not None:
            weight = _product([tap.weight for tap in taps])
            shares = given if weight is None else given * weight[:, None]
            sums.scatter_add_(2, places, _masked(shares, None if inside is None else inside[:, None]))
        if mode == _NEAREST:
            continue
        felt = _masked((elements.gather(2, places).to(kind) * given).sum(1), inside)
        for dim, tap in enumerate(taps):
            others = [other.weight for other in taps if other is not tap]
            change = _product([tap.slope, *others, felt])
            assert change is not None
            slopes[len(taps) - 1 - dim] += change
    of_grid = slopes.movedim(0, -1).to(grid.dtype).reshape(grid.shape)
    return None if sums is None else sums.to(x.dtype).view(x.shape), of_grid


for _dimensions in (2, 3):
    operator(f"grid_sampler_{_dimensions}d_backward")(_gradients)
