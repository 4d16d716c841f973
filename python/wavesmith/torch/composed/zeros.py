"""Zeros that autograd would rather not have written: they are."""

from __future__ import annotations

from typing import Any

import torch

from wavesmith.torch._library import operator


@operator("_efficientzerotensor")
def _zeros(size: list[int], **options: Any) -> torch.Tensor:
    return torch.zeros(size, **options)
