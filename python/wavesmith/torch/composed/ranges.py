"""Numbers whose logarithms lie evenly apart."""

from __future__ import annotations

import torch

from wavesmith.torch._library import operator, resized
from wavesmith.torch.composed.results import served


@operator("logspace.out")
def _logspace(start: float, end: float, steps: int, base: float = 10.0, *, out: torch.Tensor) -> torch.Tensor:
    served(out.is_floating_point() and steps >= 0 and not isinstance(start, complex) and not isinstance(end, complex))
    powers = torch.linspace(start, end, steps, dtype=torch.float64, device=out.device)
    return resized(out, (steps,)).copy_(torch.pow(base, powers).view(steps))
