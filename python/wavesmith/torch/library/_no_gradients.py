"""Operators without a gradient, and overloads `.out`: they refuse, where PyTorch would leave the gradient out.

An operator whose results are new refuses when its gradient is asked for; one that writes into what it is given, when it
is called. Both say it as PyTorch's own operators do.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch


def register(library: torch.library.Library) -> None:
    """Registers it for every operator that has no gradient by now."""
    for full in torch._C._dispatch_get_all_op_names():
        namespace, _, name = full.partition("::")
        if namespace != "wavesmith" or torch._C._dispatch_has_kernel_for_dispatch_key(full, "Autograd"):
            continue
        base, _, overload = name.partition(".")
        op = getattr(getattr(torch.ops.wavesmith, base), overload or "default")
        missing = f"the derivative for '{op._schema.name}' is not implemented."
        if not op._schema.is_mutable:
            torch.library.register_autograd(full, _refused_later(missing), lib=library)
            continue
        if overload:
            missing = (
                f"{base}(): functions with out=... arguments don't support automatic differentiation, but one of the "
                "arguments requires grad."
            )
        library.impl(name, _refused_at_once(op, missing), "Autograd", with_keyset=True)


def _refused_later(message: str) -> Callable[..., Any]:
    def backward(ctx: Any, *gradients: Any) -> Any:
        raise NotImplementedError(message)

    return backward


def _refused_at_once(op: Any, message: str) -> Callable[..., Any]:
    def call(keys: Any, *args: Any, **kwargs: Any) -> Any:
        if torch.is_grad_enabled() and torch._C._any_requires_grad(*args, **kwargs):
            raise RuntimeError(message)
        with torch._C._AutoDispatchBelowAutograd():
            return op.redispatch(keys & torch._C._after_autograd_keyset, *args, **kwargs)

    return call
