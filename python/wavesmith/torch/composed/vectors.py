"""Parts of a tensor whose norm is limited."""

from __future__ import annotations

import torch

from wavesmith.torch._outputs import with_out
from wavesmith.torch.composed.results import served, wide


@with_out("renorm")
def _renorm(x: torch.Tensor, p: float, dim: int, most: float) -> torch.Tensor:
    served(x.dim() > 1 and -x.dim() <= dim < x.dim() and x.is_floating_point())
    served(not isinstance(p, complex) and p > 0 and not isinstance(most, complex) and most >= 0)
    others = [each for each in range(x.dim()) if each != dim % x.dim()]
    norm = torch.linalg.vector_norm(x, p, others, True, dtype=wide(x.dtype))
    return (x * torch.where(norm > most, most / (norm + 1e-7), 1.0)).to(x.dtype)
