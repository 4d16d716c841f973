"""Overloads with `out=`: the one way by which operators that are registered from Python have them.

The results are computed and copied into the tensors that were given, which are resized as PyTorch does. What PyTorch
refuses of these the host refuses, in PyTorch's words.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import torch
from torch.utils import _pytree as pytree

from wavesmith.torch._library import Refused, operator, resized, shares_memory

_CallableT = TypeVar("_CallableT", bound=Callable[..., Any])


def write(out: torch.Tensor, result: torch.Tensor, casts: bool = False) -> torch.Tensor:
    """Gives a tensor of `out=` a result's size and numbers; `casts`, converted where PyTorch does that.

    Raises:
        Refused: its type is another.
        RuntimeError: it is on another device.
    """
    if out.dtype != result.dtype and not (casts and torch.can_cast(result.dtype, out.dtype)):
        raise Refused
    if out.device != result.device:
        raise RuntimeError(f"Expected out tensor to have device {result.device}, but got {out.device} instead")
    if out.shape != result.shape:
        resized(out, result.shape)
        if torch.ops.aten.is_non_overlapping_and_dense(result):
            out.as_strided_(result.shape, result.stride())
    return out.copy_(result)


def with_out(
    name: str, *names: str, overload: str = "", casts: bool = False, alone: bool = False
) -> Callable[[_CallableT], _CallableT]:
    """Makes a function the kernel of an operator and of its overload whose last arguments are its results.

    Args:
        name: the operator's, as `_library.operator` takes it.
        names: of the arguments; else "out".
        overload: what the overload is called; else as the first of them.
        casts: results may be converted.
        alone: PyTorch refuses results that have memory of the operator's arguments.
    """

    def decorate(function: _CallableT) -> _CallableT:
        operator(name)(function)
        _give(function, name, names or ("out",), overload, casts, alone)
        return function

    return decorate


def given_results(name: str, *names: str, overload: str = "", casts: bool = False, alone: bool = False) -> None:
    """Registers the overload whose last arguments are the results, as `with_out` does, of an operator in `native/`."""
    packet, _, form = name.partition(".")
    op = getattr(getattr(torch.ops.aten, packet), form or "default")
    _give(op, name, names or ("out",), overload, casts, alone)


def _give(
    function: Callable[..., Any], name: str, names: tuple[str, ...], overload: str, casts: bool, alone: bool
) -> None:
    def into(*args: Any, **kwargs: Any) -> Any:
        outs = [kwargs.pop(each) for each in names]
        if alone and any(_shares_memory(out, args, kwargs) for out in outs):
            raise Refused
        results = function(*args, **kwargs)
        if len(names) == 1:
            return write(outs[0], results, casts)
        return tuple(write(out, result, casts) for out, result in zip(outs, results, strict=True))

    operator(f"{name.partition('.')[0]}.{overload or names[0]}")(into)


def _shares_memory(out: torch.Tensor, *arguments: Any) -> bool:
    """Whether elements of an `out=` have the memory of each other or of an argument's."""
    tensors = (each for each in pytree.tree_leaves(arguments) if isinstance(each, torch.Tensor))
    return torch._debug_has_internal_overlap(out) == 1 or shares_memory(out, *tensors)
