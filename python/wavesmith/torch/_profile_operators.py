"""PyTorch's operators for `wavesmith.profile`: which of them asked for which kernels."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode

if TYPE_CHECKING:
    from wavesmith._profile import Profile, Span


class Operators(TorchDispatchMode):
    """Tells a profile of each operator as it reaches a device's kernel, of the backward pass too."""

    def __init__(self, profile: Profile) -> None:
        super().__init__()
        self._profile = profile
        self._ranges: list[Span] = []

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Calls the operator between the profile's `begin` and `end`."""
        name = func._schema.name
        kwargs = kwargs or {}
        if name.startswith("profiler::"):
            if name.startswith("profiler::_record_function_enter"):
                self._ranges.append(self._profile.begin(str(args[0]), is_range=True))
            elif self._ranges:
                self._profile.end(self._ranges.pop())
            return func(*args, **kwargs)
        before = _fallbacks()
        span = self._profile.begin(name, shapes=_shapes(args))
        try:
            return func(*args, **kwargs)
        finally:
            self._profile.end(span)
            span.on_host = _fallbacks() != before

    @classmethod
    def ignore_compile_internals(cls) -> bool:
        """Functions of `torch.compile` run as compiled; without this they run operator by operator, or not at all."""
        return True

    def __exit__(self, *raised: Any) -> None:
        while self._ranges:
            self._profile.end(self._ranges.pop())
        super().__exit__(*raised)


def _fallbacks() -> int:
    from wavesmith.torch import _fallback

    return _fallback.counts.total()


def _shapes(args: Any) -> str:
    flat = [each for arg in args for each in (arg if isinstance(arg, (list, tuple)) else (arg,))]
    return " ".join("x".join(map(str, each.shape)) or "()" for each in flat if isinstance(each, torch.Tensor))
