"""Functions of complex numbers that are made of functions of their parts."""

from __future__ import annotations

from collections.abc import Sequence

import torch

from wavesmith.torch._library import operator
from wavesmith.torch.composed.results import served


def _directions(x: torch.Tensor) -> torch.Tensor:
    """Numbers of size 1 in the same direction, 0 of 0."""
    served(x.dtype in (torch.complex64, torch.complex128))
    x = x.resolve_conj()
    sizes = x.abs().unsqueeze(-1)
    return torch.view_as_complex((torch.view_as_real(x) / sizes).masked_fill_(sizes == 0, 0))


@operator("sgn", left_by_native=True)
def _sgn(x: torch.Tensor) -> torch.Tensor:
    return _directions(x)


@operator("sgn_", left_by_native=True)
def _sgn_in_place(x: torch.Tensor) -> torch.Tensor:
    return x.copy_(_directions(x))


@operator("sgn.out", left_by_native=True)
def _sgn_out(x: torch.Tensor, *, out: torch.Tensor) -> torch.Tensor:
    served(out.dtype == x.dtype and out.shape == x.shape)
    return out.copy_(_directions(x))


@operator("sum.IntList_out", left_by_native=True)
def _sum_out(
    x: torch.Tensor,
    dim: Sequence[int] | None,
    keepdim: bool = False,
    *,
    dtype: torch.dtype | None = None,
    out: torch.Tensor,
) -> torch.Tensor:
    served(x.is_complex() and out.is_complex() and not out.is_conj())
    dimensions = [each % x.dim() for each in dim] if dim and x.dim() else list(range(x.dim()))
    parts, sums = torch.view_as_real(x.resolve_conj()), torch.view_as_real(out)
    sums.copy_(parts.sum(dimensions, keepdim, dtype=sums.dtype) if dimensions else parts)
    return out
