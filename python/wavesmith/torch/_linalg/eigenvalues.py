"""Eigenvalues of any matrix, which the host computes in the device's memory."""

from __future__ import annotations

import torch

from wavesmith.torch import _fallback
from wavesmith.torch._library import operator

_by_host = torch.ops.wavesmith_device.eigenvalues_by_host.default


@operator("linalg_eig")
def _eig(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    values, vectors = _by_host(a)
    _fallback.say("aten.linalg_eig.default")
    return values, vectors
