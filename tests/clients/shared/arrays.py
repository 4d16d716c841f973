"""Functions that networks share, for the arrays of NumPy, CuPy or JAX."""

from __future__ import annotations

from types import ModuleType
from typing import Any

Arrays = dict[str, Any]


def contiguous(xp: ModuleType, x: Any) -> Any:
    """CuPy's products of other batches are one launch each; JAX's arrays have no strides."""
    return xp.ascontiguousarray(x) if hasattr(xp, "ascontiguousarray") else x


def softmax(xp: ModuleType, x: Any) -> Any:
    e = xp.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def silu(xp: ModuleType, x: Any) -> Any:
    return x / (1 + xp.exp(-x))


def silu_slope(xp: ModuleType, x: Any) -> Any:
    part = 1 / (1 + xp.exp(-x))
    return part * (1 + x * (1 - part))


def cross_entropy(xp: ModuleType, logits: Any, classes: Any) -> tuple[Any, Any]:
    """The mean loss, and its slope for each logit."""
    chances = softmax(xp, logits)
    wanted = xp.eye(logits.shape[1], dtype=logits.dtype)[classes]
    return -xp.log((chances * wanted).sum(axis=1)).mean(), (chances - wanted) / logits.shape[0]
