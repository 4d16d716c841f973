"""What composed operators share: results as PyTorch would have them, and what is left to the host."""

from __future__ import annotations

import functools
from typing import Any, NamedTuple

import torch

from wavesmith.torch._library import NotServed

#: Types whose terms are added up in F32.
HALVES = (torch.float16, torch.bfloat16)


def wide(dtype: torch.dtype) -> torch.dtype:
    """The type in which elements of another are added up."""
    return torch.float32 if dtype in HALVES else dtype


def without_memory(tensor: torch.Tensor) -> torch.Tensor:
    """A tensor of the same sizes, strides and type, of which PyTorch's own checks are asked."""
    return torch.empty_strided(tensor.shape, tensor.stride(), dtype=tensor.dtype, device="meta")


class _Like(NamedTuple):
    """A tensor as PyTorch's checks see it."""

    shape: torch.Size
    strides: tuple[int, ...]
    dtype: torch.dtype


def _key(value: Any) -> Any:
    if isinstance(value, torch.Tensor):
        return _Like(value.shape, value.stride(), value.dtype)
    return tuple(map(_key, value)) if isinstance(value, list | tuple) else value


def _value(key: Any) -> Any:
    if isinstance(key, _Like):
        return torch.empty_strided(key.shape, key.strides, dtype=key.dtype, device="meta")
    return list(map(_value, key)) if type(key) is tuple else key


@functools.lru_cache(4096, typed=True)
def _checked(op: Any, *keys: Any) -> Any:
    return op(*map(_value, keys))


def checked(op: Any, *args: Any) -> Any:
    """The results of a structured operator as tensors without memory: PyTorch's own checks, sizes and strides.

    Once for each class of arguments, since these functions of PyTorch's may be Python that takes milliseconds.
    """
    return _checked(op, *map(_key, args))


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
