"""Max pooling undone: each number to where its window had it, zeros elsewhere."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence

import torch

from wavesmith.torch._outputs import with_out
from wavesmith.torch.composed.results import served


def _alert(name: str) -> None:
    """As PyTorch does on all devices: of places that are given twice any may stay."""
    if not torch.are_deterministic_algorithms_enabled():
        return
    text = (
        f"{name} does not have a deterministic implementation, but you set 'torch.use_deterministic_algorithms(True)'. "
        "You can turn off determinism just for this operation, or you can use the 'warn_only=True' option, if that's "
        "acceptable for your application."
    )
    if not torch.is_deterministic_algorithms_warn_only_enabled():
        raise RuntimeError(text)
    warnings.warn(text, UserWarning, stacklevel=2)


def _put_back(x: torch.Tensor, indices: torch.Tensor, sizes: Sequence[int]) -> torch.Tensor:
    """Indices count within the last dimensions."""
    count = len(sizes)
    _alert(f"max_unpooling{count}d_forward_out")
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
