"""Channels in another order."""

from __future__ import annotations

import torch

from wavesmith.torch._outputs import with_out
from wavesmith.torch.composed.results import served


@with_out("channel_shuffle")
def _channel_shuffle(x: torch.Tensor, groups: int) -> torch.Tensor:
    served(x.dim() > 2 and groups > 0 and x.shape[1] % groups == 0)
    last = x.dim() == 4 and x.is_contiguous(memory_format=torch.channels_last) and not x.is_contiguous()
    y = torch.empty_like(x, memory_format=torch.channels_last if last else torch.contiguous_format)
    y.unflatten(1, (-1, groups)).copy_(x.unflatten(1, (groups, -1)).transpose(1, 2))
    return y
