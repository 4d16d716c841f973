"""Max pooling undone: each number to where its window had it, zeros elsewhere."""

from __future__ import annotations

import math
from collections.abc import Sequence

import torch

from wavesmith.torch._outputs import with_out
from wavesmith.torch.composed.results import served


def _put_back(x: torch.Tensor, indices: torch.Tensor, sizes: Sequence[int]) -> torch.Tensor:
    """Indices count within the last dimensions."""
    count = len(sizes)
    served(x.dim() in (count + 1, count + 2) and indices.dtype == torch.int64 and x.shape == indices.shape)
    served(x.numel() > 0 and min(sizes) > 0 and x.device == indices.device)
    out = x.new_zeros((*x.shape[:-count], math.prod(sizes)))
    out.scatter_(-1, indices.flatten(-count), x.flatten(-count))
    return out.view(*x.shape[:-count], *sizes)


@with_out("max_unpool2d")
def _max_unpool_2d(x: torch.Tensor, indices: torch.Tensor, output_size: Sequence[int]) -> torch.Tensor:
    served(len(output_size) == 2)
    return _put_back(x, indices, output_size)


@with_out("max_unpool3d")
def _max_unpool_3d(
    x: torch.Tensor, indices: torch.Tensor, output_size: Sequence[int], stride: Sequence[int], padding: Sequence[int]
) -> torch.Tensor:
    served(len(output_size) == len(stride) == len(padding) == 3 and min(stride) > 0)
    return _put_back(x, indices, output_size)
