"""Operators without a kernel of ours, compiled for the GPU: PyTorch's decomposition of each, by Inductor's Triton.

A call is looked up twice. `_exact` knows calls by all that can be told of their arguments; it is what a repeated call
costs. `_classes` knows them by class: the operator, types, ranks, which sizes are 1, how each tensor lies in memory,
and the arguments that are neither tensors nor numbers. A class has variants, each with a guard over sizes (that two
are equal, say), and is compiled when the first call of it comes. What was compiled is kept on disk.

What Inductor itself leaves to an operator that has no kernel here, and what it cannot compile, is the host's.
"""

from __future__ import annotations

import importlib.util
import os
import threading
from collections import Counter
from collections.abc import Callable
from typing import Any

import torch

from wavesmith.torch._operator_class import Class, Number, Plan, plan

#: How often each operator was computed by compiled code.
counts: Counter[str] = Counter()

_EXACT_LIMIT = 8192
_PER_OPERATOR = 64  # variants; an operator that needs more, as one per value of an argument, is the host's

#: What a call's own key gives: what to call, None for the host, or the same by the numbers among its arguments.
_Call = Callable[[list[Any]], Any]
_exact: dict[Any, Any] = {}
_classes: dict[Any, Class] = {}
_variants: Counter[Any] = Counter()
_plans: dict[Any, Plan | None] = {}
_lock = threading.RLock()

#: What a thread does: `compiles`, whether it compiles, when operators are the host's; `running`, the operators whose
#: compiled code it is in, by name, with the key of each call.
thread = threading.local()


class _ByNumbers(dict[tuple[float, ...], Any]):
    """Calls that were compiled for the very numbers of their arguments."""


def _on() -> bool:
    if os.environ.get("WAVESMITH_TORCH_COMPILE", "1") in ("", "0"):
        return False
    return importlib.util.find_spec("triton") is not None


enabled = _on()


def _describe(value: Any, inputs: list[Any], numbers: list[float], key: list[Any]) -> None:
    """Adds what tells an argument from others to `key`, and to `inputs` what the compiled code is given of it."""
    if isinstance(value, torch.Tensor):
        for index, other in enumerate(inputs):
            if other is value:
                key.append(("same", index))
                return
        inputs.append(value)
        key.append((value.shape, value.stride(), value.dtype, value.device, value.layout))
    elif isinstance(value, float):
        inputs.append(Number(value))
        numbers.append(value)
        key.append(float)
    elif isinstance(value, (list, tuple)):
        key.append(len(value))
        for each in value:
            _describe(each, inputs, numbers, key)
    else:
        key.append((type(value), value))


def run(op: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The operator's result by compiled code, or NotImplemented where the host is to compute it."""
    try:
        how = _plans[op]
    except KeyError:
        how = _plans[op] = plan(op)
    if how is None or getattr(thread, "compiles", False) or torch.are_deterministic_algorithms_enabled():
        return NotImplemented  # atomics add in any order
    inputs: list[Any] = []
    numbers: list[float] = []
    key: list[Any] = [op]
    for value in args:
        _describe(value, inputs, numbers, key)
    for name, value in kwargs.items():
        key.append(name)
        _describe(value, inputs, numbers, key)
    if how.writes and how.overlaps(args, kwargs, inputs):
        return NotImplemented
    exact = tuple(key)
    try:
        call = _exact.get(exact, exact)
    except TypeError:  # an argument that cannot be told from others
        return NotImplemented
    if type(call) is _ByNumbers:
        call = call.get(tuple(numbers), exact)
    if call is exact:
        call = _find(op, how, exact, inputs, numbers, args, kwargs)
    if call is None:
        return NotImplemented
    running: dict[str, Any] = thread.__dict__.setdefault("running", {})
    outer = running.get(how.name)
    if outer is not None:
        # Compiled code calls the operator itself, whose kernel leaves such a call to what has no kernel.
        _exact[outer] = None
        return NotImplemented
    running[how.name] = exact
    try:
        results = call(inputs)
    finally:
        del running[how.name]
    counts[how.name] += 1
    return how.results(results, args, kwargs)


def _find(
    op: Any, how: Plan, exact: Any, inputs: list[Any], numbers: list[float], args: tuple[Any, ...], kwargs: Any
) -> _Call | None:
    """The call for arguments that were not seen before."""
    with _lock:
        if len(_exact) > _EXACT_LIMIT:
            _exact.clear()
        found = Class.of(op, args, kwargs)
        if found is None:
            _exact[exact] = None
            return None
        known = _classes.setdefault(found.key, found)
        variant = known.variant(inputs, numbers)
        if variant is None and not (known.refused or known.full()) and _variants[op] < _PER_OPERATOR:
            from wavesmith.torch._compile_operator import add_variant

            _variants[op] += 1
            variant = add_variant(known, op, args, kwargs, inputs, numbers)
        call = variant.call if variant is not None else None
        if variant is not None and variant.numbers is not None:
            _exact.setdefault(exact, _ByNumbers())[tuple(numbers)] = call
        elif variant is not None or known.refused or (known.full() and not numbers):
            _exact[exact] = call
        return call
