"""Whether two tensors are the same: a reduction, and one number that is read."""

from __future__ import annotations

import torch

from wavesmith.torch._library import operator
from wavesmith.torch.composed.results import served


@operator("equal")
def _equal(x: torch.Tensor, other: torch.Tensor) -> bool:
    served(x.device == other.device)
    if x.shape != other.shape:
        return False
    same = x.data_ptr() == other.data_ptr() and x.stride() == other.stride() and x.dtype == other.dtype
    if not x.numel() or (same and x.is_conj() == other.is_conj() and x.is_neg() == other.is_neg()):
        return True
    return bool(x.eq(other).all())
