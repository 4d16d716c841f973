"""`torch.vmap`: operators on rows, products and attention take the mapped dimension as one more of their own.

What does not fit is computed one by one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

_ops = torch.ops.wavesmith

# How many of an operator's first arguments are rows, which the mapped dimension may precede.
_ROWS = {
    "rms_norm": 1,
    "layer_norm": 1,
    "add_rms_norm": 2,
    "add_layer_norm": 2,
    "rms_norm_quantise": 1,
    "layer_norm_quantise": 1,
    "add_rms_norm_quantise": 2,
    "add_layer_norm_quantise": 2,
    "softmax": 1,
    "gated": 2,
    "gated_quantise": 2,
    "quantise": 1,
    "quantise_with": 1,
    "elementwise": 2,
}

_ONE_BY_ONE = (
    "paged_attention",
    "latent_attention",
    "dequantise",
    "_attention_backward",
    "_norm_backward",
    "sample",
    "sample_log_probabilities",
    "sampling_probabilities",
    "verify_drafts",
    "verify_drafts_greedily",
)


class _Call:
    """One call: its arguments, whose mapped dimensions are their first."""

    def __init__(self, op: Any, info: Any, in_dims: Any, args: Any, kwargs: dict[str, Any]) -> None:
        missing = [None] * (sum(not one.kwarg_only for one in op._schema.arguments) - len(args))
        dims = [*in_dims, *missing]
        self.op, self.size, self.kwargs = op, info.batch_size, kwargs
        self.mapped = [dim is not None for dim in dims]
        self.args = [
            arg if dim is None else arg.movedim(dim, 0) for arg, dim in zip([*args, *missing], dims, strict=True)
        ]

    def dimensions(self, index: int) -> int | None:
        """Of an argument, the mapped one aside."""
        arg = self.args[index]
        return None if arg is None else arg.dim() - self.mapped[index]

    def first(self, index: int) -> Tensor | None:
        """An argument with the mapped dimension, also where it has none of its own."""
        arg = self.args[index]
        if arg is None:
            return None
        return (arg if self.mapped[index] else arg.expand(self.size, *arg.shape)).contiguous()

    def all_at_once(self, count: int) -> Any:
        """With the mapped dimension before those of the first `count` arguments."""
        return self.op(*(self.first(index) for index in range(count)), *self.args[count:], **self.kwargs)

    def one_by_one(self) -> Any:
        pairs = list(zip(self.args, self.mapped, strict=True))
        each = [self.op(*(arg[i] if own else arg for arg, own in pairs), **self.kwargs) for i in range(self.size)]
        if isinstance(each[0], tuple):
            return tuple(torch.stack(results) for results in zip(*each, strict=True))
        return torch.stack(each)


def _rows(count: int) -> Callable[[_Call], Any]:
    def rule(call: _Call) -> Any:
        dimensions = {call.dimensions(index) for index in range(count)} - {None}
        if any(call.mapped[count:]) or len(dimensions) != 1 or call.kwargs.get("scaling") == "matrix":
            return call.one_by_one()
        return call.all_at_once(count)

    return rule


def _reduce(call: _Call) -> Any:
    last = call.kwargs.get("dim", -1) in (-1, call.args[0].dim() - 2)
    if not last:
        return call.one_by_one()
    call.kwargs = {**call.kwargs, "dim": -1}
    return call.all_at_once(1)


def _matrices(call: _Call) -> Any:
    return call.all_at_once(1) if call.dimensions(0) == 2 else call.one_by_one()


def _gemm(call: _Call) -> Any:
    """Two matrices, of which one or both are mapped, are a batch."""
    a, b, residual, offsets = 0, 1, 3, 10
    if len(call.args) > offsets and call.args[offsets] is not None:
        return call.one_by_one()
    others = [own for index, own in enumerate(call.mapped) if index not in (a, b, residual)]
    if any(others) or not any(call.mapped[:2]) or call.dimensions(a) != 2 or call.dimensions(b) != 2:
        return call.one_by_one()
    return call.op(*call.args, **call.kwargs)


def _attention(call: _Call) -> Any:
    """The batch takes the mapped dimension."""
    slopes, ends = 3, 5
    if any(call.mapped[slopes:]) or call.args[ends] is not None or call.dimensions(slopes) == 2:
        return call.one_by_one()
    heads = [call.first(index).flatten(0, 1) for index in range(3)]  # type: ignore[union-attr]
    results = call.op(*heads, *call.args[slopes:], **call.kwargs)
    return tuple(one.unflatten(0, (call.size, -1)) for one in results)


def _rope(call: _Call) -> Any:
    """Tokens have the same positions in each: the heads take the mapped dimension."""
    if any(call.mapped[1:]):
        return call.one_by_one()
    heads = call.args[0].movedim(0, 1).flatten(1, 2)
    return call.op(heads, *call.args[1:], **call.kwargs).unflatten(1, (call.size, -1)).movedim(1, 0)


def register(library: torch.library.Library) -> None:
    """Registers the rules."""

    def of(name: str, rule: Callable[[_Call], Any]) -> None:
        op = getattr(_ops, name).default

        def registered(info: Any, in_dims: Any, *args: Any, **kwargs: Any) -> tuple[Any, Any]:
            results = rule(_Call(op, info, in_dims, args, kwargs))
            return results, tuple(0 for _ in results) if isinstance(results, tuple) else 0

        torch.library.register_vmap(f"wavesmith::{name}", registered, lib=library)

    for name, count in _ROWS.items():
        of(name, _rows(count))
    of("reduce", _reduce)
    of("transpose", _matrices)
    of("copy", _matrices)
    of("gemm", _gemm)
    of("attention", _attention)
    of("rope", _rope)
    of("_softmax_backward", _rows(2))
    of("_gated_backward", _rows(3))
    for name in _ONE_BY_ONE:
        of(name, _Call.one_by_one)
