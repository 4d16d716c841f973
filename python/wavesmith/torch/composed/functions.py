"""Functions of elements that have no kernel of their own."""

from __future__ import annotations

import torch

from wavesmith.torch._outputs import with_out
from wavesmith.torch.composed.results import served, wide


@with_out("special_xlog1py", casts=True)
def _x_log1p_y(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    """Zero where `x` is, whatever the logarithm; but NaN where `y` is."""
    served(x.is_floating_point() and y.is_floating_point())
    dtype = torch.result_type(x, y)
    a, b = x.to(wide(dtype)), y.to(wide(dtype))
    return torch.where((a == 0) & ~b.isnan(), 0.0, a * b.log1p()).to(dtype)
