"""How a class takes the place of vLLM's."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from vllm.model_executor.custom_op import CustomOp, op_registry_oot


def once(register: Callable[[], None]) -> Callable[[], None]:
    """For functions that may be called again: the first call counts."""
    return functools.cache(register)


def replace(ours: Any) -> None:
    """Where vLLM means the class of its own that `ours` derives from, it makes objects of `ours`."""
    theirs = next(base for base in ours.__mro__[1:] if base.__module__.startswith("vllm."))
    if issubclass(ours, CustomOp):
        ours.forward_hip = ours.forward_oot  # the name by which vLLM's platform for ROCm asks
    if op_registry_oot.get(theirs.__name__) is not ours:
        theirs.register_oot(ours)
