"""What an operator returns: tensors as PyTorch's meta function says, or copies."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import torch


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


def check_info(info: torch.Tensor, name: str, like: torch.Tensor) -> None:
    """Raises what PyTorch does for what a factorisation says of its matrices; waits for them.

    Raises:
        torch.linalg.LinAlgError: one of them failed.
    """
    torch.ops.aten._linalg_check_errors(info, name, is_matrix=like.dim() == 2)
