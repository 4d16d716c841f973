"""Eigenvalues of any matrix, which the host computes, of a view of the device's memory."""

from __future__ import annotations

import torch

from wavesmith.torch import _fallback
from wavesmith.torch._library import operator


@operator("linalg_eig")
def _eig(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    values, vectors = torch.linalg.eig(torch.ops.wavesmith_device.host_view(a))
    _fallback.say("aten.linalg_eig.default")
    return values.to(a.device), vectors.to(a.device)
