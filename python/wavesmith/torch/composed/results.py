"""What composed operators share: results as PyTorch would have them, and what is left to the host."""

from __future__ import annotations

from typing import Any

import torch
from torch.utils import _pytree as pytree

from wavesmith.torch._library import NotServed

#: Types whose terms are added up in F32.
HALVES = (torch.float16, torch.bfloat16)


def wide(dtype: torch.dtype) -> torch.dtype:
    """The type in which elements of another are added up."""
    return torch.float32 if dtype in HALVES else dtype


def without_memory(tensor: torch.Tensor) -> torch.Tensor:
    """A tensor of the same sizes, strides and type, of which PyTorch's own checks are asked."""
    return torch.empty_strided(tensor.shape, tensor.stride(), dtype=tensor.dtype, device="meta")


def checked(op: Any, *args: Any) -> Any:
    """The results of a structured operator as tensors without memory: PyTorch's own checks, sizes and strides."""
    return op(*pytree.tree_map_only(torch.Tensor, without_memory, args))


def new(like: torch.Tensor, device: torch.device) -> torch.Tensor:
    """A tensor of the device for one without memory."""
    return torch.empty_strided(like.shape, like.stride(), dtype=like.dtype, device=device)


def served(condition: bool) -> None:
    """Leaves a call to the fallback that is not as a composition wants it; the host has PyTorch's words for errors.

    Raises:
        NotServed: the condition does not hold.
    """
    if not condition:
        raise NotServed
