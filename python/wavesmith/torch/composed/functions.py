"""Functions of elements that have no kernel of their own."""

from __future__ import annotations

import torch

from wavesmith.torch._outputs import with_out
from wavesmith.torch.composed.results import served, wide


@with_out("special_xlog1py", casts=True)
def _x_log1p_y(x: torch.Tensor | float, y: torch.Tensor | float) -> torch.Tensor:
    """Zero where `x` is, whatever the logarithm; but NaN where `y` is. One of them may be a number."""
    tensors = [each for each in (x, y) if isinstance(each, torch.Tensor)]
    served(all(each.is_floating_point() for each in tensors))
    dtype = torch.result_type(x, y)
    served(dtype.is_floating_point)

    def widened(value: torch.Tensor | float) -> torch.Tensor:
        if isinstance(value, torch.Tensor):
            return value.to(wide(dtype))
        return torch.full((), value, dtype=wide(dtype), device=tensors[0].device)

    a, b = widened(x), widened(y)
    return torch.where((a == 0) & ~b.isnan(), 0.0, a * b.log1p()).to(dtype)
