"""What the operators share: PyTorch's registry of them, loaded, and their words."""

from __future__ import annotations

from typing import Any, Literal

import torch

from wavesmith.torch.library import load

load()

Activation = Literal["none", "relu", "gelu", "silu"]
""""gelu" is the approximation by tanh."""
Scaling = Literal["matrix", "row", "block", "mx"]
"""What shares a scale: the whole tensor, a row, a block of a row's columns, or 32 columns in OCP's MX formats."""

OPS = torch.ops.wavesmith
RAW_TYPES = tuple(getattr(torch, name) for name in ("float4_e2m1fn_x2", "float8_e8m0fnu") if hasattr(torch, name))


def raw(tensor: Any) -> Any:
    """Types that the operators take as bytes: two e2m1 in each, or e8m0."""
    return tensor.view(torch.uint8) if tensor is not None and tensor.dtype in RAW_TYPES else tensor
