"""What composed operators share: results as PyTorch would have them, and its overloads with `out=`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch.utils import _pytree as pytree

from wavesmith.torch._library import NotServed, operator, resized

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


def with_out(name: str, function: Callable[..., Any], overload: str = "out", *outputs: str) -> None:
    """Registers an operator, and the overload that puts its results into tensors that are given."""
    names = outputs or ("out",)

    def into(*args: Any, **kwargs: Any) -> Any:
        given = [kwargs.pop(each) for each in names]
        results = function(*args, **kwargs)
        for out, result in zip(given, results if len(names) > 1 else (results,), strict=True):
            if out.dtype != result.dtype:
                raise RuntimeError(f"Expected out tensor to have dtype {result.dtype}, but got {out.dtype} instead")
            resized(out, result.shape).copy_(result)
        return given[0] if len(given) == 1 else tuple(given)

    operator(name)(function)
    operator(f"{name.partition('.')[0]}.{overload}")(into)
