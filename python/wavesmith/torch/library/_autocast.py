"""Autocast: products and attention are computed in the type of `torch.autocast`, as PyTorch's own are."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

_FLOATS = (torch.float32, torch.float64, torch.float16, torch.bfloat16)


def register(library: torch.library.Library) -> None:
    """Registers it, for both devices."""
    for device, key in (("cuda", "AutocastCUDA"), (torch._C._get_privateuse1_backend_name(), "AutocastPrivateUse1")):
        library.impl("gemm", _cast(torch.ops.wavesmith.gemm.default, 2, device), key)
        library.impl("attention", _cast(torch.ops.wavesmith.attention.default, 3, device), key)


def _cast(op: Callable[..., Any], count: int, device: str) -> Callable[..., Any]:
    """The operator with its first `count` tensors cast, those of the three floats at least."""

    def cast(*args: Any, **kwargs: Any) -> Any:
        dtype = torch.get_autocast_dtype(device)
        first = args[:count]
        with torch.autocast(device, enabled=False):
            if all(isinstance(one, Tensor) and one.dtype in _FLOATS for one in first):
                first = tuple(one.to(dtype) for one in first)
            return op(*first, *args[count:], **kwargs)

    return cast
