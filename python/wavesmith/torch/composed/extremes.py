"""The least and the largest number together, by the reductions for each."""

from __future__ import annotations

import torch

from wavesmith.torch._outputs import with_out
from wavesmith.torch.composed.results import served


@with_out("aminmax", "min", "max", overload="out")
def _least_and_largest(
    x: torch.Tensor, *, dim: int | None = None, keepdim: bool = False
) -> tuple[torch.Tensor, torch.Tensor]:
    served(dim is None or -max(x.dim(), 1) <= dim < max(x.dim(), 1))
    served(x.numel() > 0 or (dim is not None and x.shape[dim] > 0))
    dims = () if dim is None else (dim,)
    return x.amin(dims, keepdim), x.amax(dims, keepdim)
