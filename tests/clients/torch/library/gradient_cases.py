"""Calls of the operators with gradients, small; inputs whose gradients are wanted require them.

Where a function bends, inputs are far from the bend: a numeric derivative steps over none.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torch
from operator_references import REFERENCES
from operators_data import DEVICE, Call, on
from torch import Tensor

STEP = 2.0**-6
"""Numbers are multiples of it, so that those of 16 bits are exact also after the step of a numeric derivative."""


def _numbers(*shape: int, dtype: torch.dtype = torch.float32) -> Tensor:
    grid = (torch.randn(shape).clamp(-3, 3) / STEP).round() * STEP
    return on(grid, dtype).requires_grad_()


def _half(*shape: int) -> Tensor:
    return _numbers(*shape, dtype=torch.float16)


def _away(*shape: int) -> Tensor:
    """Of both signs, and at least a half."""
    some = _numbers(*shape).detach()
    return (some + torch.where(some < 0, -0.5, 0.5)).requires_grad_()


def _apart(*shape: int) -> Tensor:
    """All different, by a quarter at least."""
    count = torch.Size(shape).numel()
    return on((torch.randperm(count) - count // 2).view(shape) * 0.25).requires_grad_()


def _ends(*values: int) -> Tensor:
    return on(torch.tensor(values, dtype=torch.int32))


def _gemm() -> Iterator[tuple[Any, ...]]:
    yield (_numbers(5, 8), _numbers(8, 6)), {}
    yield (_half(4, 3).mT, _half(6, 4).mT), {}
    words: dict[str, Any] = {"alpha": 0.5, "beta": 2.0, "dtype": torch.float32}
    for name in ("none", "gelu", "silu"):
        yield (_half(2, 3, 8), _half(8, 6), _numbers(6), _half(3, 6)), {**words, "activation": name}
    # Products of odd numbers are odd, and so is the sum of three: no step reaches zero, where "relu" bends.
    odd = [on(torch.randint(0, 2, shape) * 2.0 - 1).requires_grad_() for shape in ((4, 3), (3, 6))]
    yield tuple(odd), {"activation": "relu"}
    yield (_half(2, 3, 8), _half(2, 8, 6), _numbers(3)), {**words, "bias_per_row": True}
    yield (_half(5, 8), _half(8, 12)), {"gated": True, "activation": "silu", "dtype": torch.float32}
    weights = on(_half(2, 6, 8).cpu().detach()).requires_grad_()
    grouped = (_half(7, 8), weights.mT, *[None] * 8, _ends(0, 4, 7))
    yield grouped, {"dtype": torch.float32}
    along_k = (_half(7, 8).mT, _half(7, 6), *[None] * 8, _ends(0, 4, 6))
    yield along_k, {"groups_along_k": True, "dtype": torch.float32}


def _attention() -> Iterator[tuple[Any, ...]]:
    def heads(*shape: int) -> tuple[Tensor, ...]:
        return tuple(_half(*shape, count, 32) for count in (2, 1, 1))

    yield heads(1, 3), {}
    yield (_half(1, 3, 2, 32), _half(1, 4, 1, 32), _half(1, 4, 1, 24)), {"causal": True}
    slopes = torch.rand(2, device=DEVICE)
    sinks = _numbers(2)
    yield (*heads(2, 2), slopes, sinks), {"causal": True, "softcap": 2.0, "softmax_scale": 0.25}
    yield (*heads(1, 4), None, sinks), {"window_left": 1, "window_right": 0}
    packed = (slopes, None, _ends(0, 1, 4), _ends(0, 1, 4))
    yield (*heads(4), *packed), {"causal": True, "max_seqlen_q": 3, "max_seqlen_k": 3}


def _norm(residuals: int) -> Iterator[tuple[Any, ...]]:
    rows = [_numbers(3, 16) for _ in range(1 + residuals)]
    yield tuple(rows), {}
    yield (*rows, _numbers(16), _numbers(16)), {"weight_offset": 1.0, "epsilon": 0.25}


def _rope() -> Iterator[tuple[Any, ...]]:
    table = [torch.rand(9, 4, device=DEVICE) for _ in range(2)]
    yield (_numbers(4, 2, 10), *table), {"first_position": 3}
    positions = torch.tensor([3, 0, 8, 3], device=DEVICE)
    yield (_numbers(4, 2, 10), *table, positions), {"interleaved": True}


def _gated() -> Iterator[tuple[Any, ...]]:
    for name in ("none", "relu", "gelu", "silu"):
        yield (_away(3, 16),), {"activation": name}
        yield (_away(3, 8), _numbers(3, 8)), {"activation": name}


def _elementwise() -> Iterator[tuple[Any, ...]]:
    for name in ("negate", "absolute", "tanh", "sigmoid", "relu", "gelu", "silu", "square"):
        yield (_away(3, 8),), {"operation": name, "alpha": -0.5}
    for name in ("exp", "log", "sqrt", "reciprocal_root"):
        yield (_away(3, 8).detach().abs().requires_grad_(),), {"operation": name, "alpha": 0.5}
    for name in ("add", "subtract", "multiply", "minimum", "maximum"):
        x = _apart(3, 8)
        other = (x.detach().flip(-1) + 0.125).requires_grad_()
        yield (x, other), {"operation": name}
        yield (_numbers(3, 8), (_numbers(8).detach() + 1 / 128).requires_grad_()), {"operation": name, "beta": 1.0}
    yield (_numbers(3, 8), _away(3, 1)), {"operation": "divide", "alpha": 2.0, "beta": 0.5}


def _reduce() -> Iterator[tuple[Any, ...]]:
    for name in ("sum", "mean", "maximum", "minimum", "sum_of_squares"):
        for dim in (-1, 0, None):
            yield (_apart(3, 8),), {"reduction": name, "dim": dim}


def cases(name: str) -> Iterator[Call]:
    """Those of an operator."""
    made = {
        "gemm": _gemm,
        "attention": _attention,
        "rms_norm": lambda: _norm(0),
        "layer_norm": lambda: _norm(0),
        "add_rms_norm": lambda: _norm(1),
        "add_layer_norm": lambda: _norm(1),
        "softmax": lambda: iter([((_numbers(3, 9),), {"scale": 0.5}), ((_numbers(3, 9),), {"logarithm": True})]),
        "rope": _rope,
        "gated": _gated,
        "elementwise": _elementwise,
        "reduce": _reduce,
        "transpose": lambda: iter([((_numbers(3, 4),), {}), ((_numbers(2, 3, 4),), {})]),
        "copy": lambda: iter([((_numbers(3, 4).t(),), {})]),
    }
    assert made.keys() == REFERENCES.keys()
    for args, words in made[name]():
        yield Call(name, args, words)
