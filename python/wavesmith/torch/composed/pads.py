"""Padding by reflection and by the last elements: taken by indices, given back by a product with a matrix of ones."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import torch

from wavesmith.torch._outputs import with_out
from wavesmith.torch.composed.results import served, wide
from wavesmith.torch.composed.sparse import Matrix, products, rows_of

_Rule = Callable[[torch.Tensor, int], torch.Tensor]


def _reflected(at: torch.Tensor, size: int) -> torch.Tensor:
    return (size - 1) - ((size - 1) - at.abs()).abs()


def _replicated(at: torch.Tensor, size: int) -> torch.Tensor:
    return at.clamp(0, size - 1)


@functools.lru_cache(256)
def _places(rule: _Rule, size: int, before: int, out: int, shape: tuple[int, ...], device: torch.device) -> Any:
    return rule(torch.arange(out) - before, size).view(shape).to(device)


@functools.lru_cache(256)
def _gives_back(rule: _Rule, size: int, before: int, out: int, device: torch.device, dtype: torch.dtype) -> Matrix:
    columns = rule(torch.arange(out) - before, size)
    return rows_of(columns[:, None], None, size).transposed().on(device, dtype)


def _padded(sizes: Sequence[int], padding: Sequence[int], reflects: bool) -> list[int]:
    """The output's sizes; what is not right is left to the host."""
    count = len(padding) // 2
    served(len(padding) == 2 * len(sizes) and all(sizes))
    out = []
    for at, size in enumerate(sizes):
        before, after = padding[2 * (count - 1 - at) : 2 * (count - at)]
        served(not reflects or (before < size and after < size))
        out.append(size + before + after)
    served(all(size >= 1 for size in out))
    return out


def _operators(kind: str, dimensions: int) -> None:
    reflects = kind == "reflection"
    rule = _reflected if reflects else _replicated

    def forward(x: torch.Tensor, padding: Sequence[int]) -> torch.Tensor:
        served(x.dim() in (dimensions + 1, dimensions + 2) and not x.is_quantized)
        served(all(x.shape[-dimensions - 1 :]))
        sizes = x.shape[-dimensions:]
        out = _padded(sizes, padding, reflects)
        if not x.numel():
            return torch.empty((*x.shape[:-dimensions], *out), dtype=x.dtype, device=x.device)
        places: list[Any] = [None] * (x.dim() - dimensions)
        for at, (size, wanted) in enumerate(zip(sizes, out, strict=True)):
            shape = (-1, *(1,) * (dimensions - 1 - at))
            places.append(_places(rule, size, padding[2 * (dimensions - 1 - at)], wanted, shape, x.device))
        taken: torch.Tensor = torch.ops.aten.index(x, places)
        if dimensions == 2 and x.dim() == 4 and x.is_contiguous(memory_format=torch.channels_last):
            return taken.contiguous(memory_format=torch.channels_last)
        return taken

    def backward(grad: torch.Tensor, x: torch.Tensor, padding: Sequence[int]) -> torch.Tensor:
        served(x.dim() in (dimensions + 1, dimensions + 2) and grad.dtype == x.dtype)
        if x.is_complex():
            return torch.view_as_complex(parts(torch.view_as_real(grad), torch.view_as_real(x), padding, 1))
        return parts(grad, x, padding, 0)

    def parts(grad: torch.Tensor, x: torch.Tensor, padding: Sequence[int], behind: int) -> torch.Tensor:
        first = x.dim() - behind - dimensions
        sizes = x.shape[first : first + dimensions]
        out = _padded(sizes, padding, reflects)
        served(x.is_floating_point() and tuple(grad.shape) == (*x.shape[:first], *out, *x.shape[first + dimensions :]))
        y = torch.empty(x.shape, dtype=x.dtype, device=x.device)
        matrices = [
            (first + at, _gives_back(rule, size, padding[2 * (dimensions - 1 - at)], wanted, x.device, wide(x.dtype)))
            for at, (size, wanted) in enumerate(zip(sizes, out, strict=True))
            if any(padding[2 * (dimensions - 1 - at) : 2 * (dimensions - at)])
        ]
        return products(matrices, grad, y) if y.numel() else y

    with_out(f"{kind}_pad{dimensions}d")(forward)
    with_out(f"{kind}_pad{dimensions}d_backward", "grad_input")(backward)


for _dimensions in (1, 2, 3):
    _operators("reflection", _dimensions)
    _operators("replication", _dimensions)
