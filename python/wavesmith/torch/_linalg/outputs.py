"""What an operator returns: tensors as PyTorch's meta function says, or those that `out=` gave."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar

import torch

from wavesmith.torch import _library

_CallableT = TypeVar("_CallableT", bound=Callable[..., Any])

#: As C++ prints types.
_WORDS = {
    torch.float32: "float",
    torch.float64: "double",
    torch.complex64: "c10::complex<float>",
    torch.complex128: "c10::complex<double>",
    torch.float16: "c10::Half",
    torch.bfloat16: "c10::BFloat16",
    torch.int64: "long int",
    torch.int32: "int",
    torch.int16: "short int",
    torch.int8: "signed char",
    torch.uint8: "unsigned char",
    torch.bool: "bool",
}


@functools.lru_cache(maxsize=4096)
def _layouts(op: Any, arguments: tuple[Any, ...], options: tuple[tuple[str, Any], ...]) -> tuple[Any, ...]:
    """Sizes, strides and types of an operator's results, by its meta function; raises what that does."""

    def called(made: Callable[[_Sizes], torch.Tensor]) -> Any:
        return op(*[made(each) if isinstance(each, _Sizes) else each for each in arguments], **dict(options))

    try:
        made = called(lambda each: torch.empty(each[0], dtype=each[1], device="meta"))
    except Exception:
        called(lambda each: torch.zeros((), dtype=each[1]).expand(each[0]))  # the CPU says what is wrong
        raise
    results = made if isinstance(made, tuple) else (made,)
    return tuple((tuple(each.shape), each.stride(), each.dtype) for each in results)


class _Sizes(tuple[torch.Size, torch.dtype]):
    """A tensor as the meta function sees it."""

    __slots__ = ()


def made(op: Any, *arguments: Any, **options: Any) -> tuple[torch.Tensor, ...]:
    """New tensors for an operator's results.

    Raises:
        RuntimeError: what PyTorch raises for such arguments.
    """
    keys = tuple(_Sizes((each.shape, each.dtype)) if isinstance(each, torch.Tensor) else each for each in arguments)
    device = next(each.device for each in arguments if isinstance(each, torch.Tensor))
    return tuple(
        torch.empty_strided(sizes, strides, dtype=dtype, device=device)
        for sizes, strides, dtype in _layouts(op, keys, tuple(options.items()))
    )


def by_columns(sizes: tuple[int, ...] | torch.Size, like: torch.Tensor) -> torch.Tensor:
    """A new tensor whose matrices lie column by column, as LAPACK wants them."""
    return torch.empty((*sizes[:-2], sizes[-1], sizes[-2]), dtype=like.dtype, device=like.device).mT


def copied(tensor: torch.Tensor, sizes: tuple[int, ...] | torch.Size | None = None) -> torch.Tensor:
    """A copy that lies column by column, broadcast to these sizes."""
    made = by_columns(sizes or tensor.shape, tensor)
    made.copy_(tensor)
    return made


def write(out: torch.Tensor, result: torch.Tensor, casts: bool = True) -> torch.Tensor:
    """Gives an output of `out=` a result's size and numbers."""
    if out.dtype != result.dtype:
        if not casts:
            raise RuntimeError(
                f"Expected out tensor to have dtype {_WORDS.get(result.dtype, result.dtype)}, but got "
                f"{_WORDS.get(out.dtype, out.dtype)} instead"
            )
        if not torch.can_cast(result.dtype, out.dtype):
            raise RuntimeError(
                f"Expected out tensor to be safely castable from {result.dtype} dtype, but got {out.dtype}"
            )
    if out.device != result.device:
        raise RuntimeError(f"Expected out tensor to have device {result.device}, but got {out.device} instead")
    if out.shape != result.shape:
        _library.resized(out, result.shape)
        out.as_strided_(result.shape, result.stride())
    out.copy_(result)
    return out


def operator(name: str, overload: str, *names: str, casts: bool = False) -> Callable[[_CallableT], _CallableT]:
    """Makes a function the kernel of an operator and of its form with `out=`, whose arguments have these names."""

    def decorate(function: _CallableT) -> _CallableT:
        @functools.wraps(function)
        def out_form(*args: Any, **kwargs: Any) -> Any:
            outs = [kwargs.pop(each) for each in names]
            results = function(*args, **kwargs)
            if len(names) == 1:
                return write(outs[0], results, casts)
            return tuple(write(out, result, casts) for out, result in zip(outs, results, strict=True))

        _library.operator(name)(function)
        _library.operator(f"{name}.{overload}")(out_form)
        return function

    return decorate


def check_info(info: torch.Tensor, name: str, like: torch.Tensor) -> None:
    """Raises what PyTorch does for what a factorisation says of its matrices; waits for them.

    Raises:
        torch.linalg.LinAlgError: one of them failed.
    """
    torch.ops.aten._linalg_check_errors(info, name, is_matrix=like.dim() == 2)
