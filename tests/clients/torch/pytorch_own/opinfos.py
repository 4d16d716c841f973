"""PyTorch's own list of operators with their sample inputs (OpInfo), each computed on the device and by the CPU.

What is compared, and how closely, is what PyTorch's `test_ops.py` asks of a GPU (`test_compare_cpu`): the same samples,
1e-3 for floats, everything else equal.
"""

from __future__ import annotations

import csv
import itertools
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
from torch.testing._internal.common_methods_invocations import op_db
from torch.utils import _pytree as pytree
from torch.utils._python_dispatch import TorchDispatchMode

import wavesmith.torch

DEVICE = "wavesmith"
TOLERANCE = 1e-3


def expected() -> dict[str, str]:
    """Operators that cannot agree, or are not the device's, with the reason of each."""
    with (Path(__file__).parent / "expected.tsv").open(newline="") as file:
        return {row["operator"]: row["reason"] for row in csv.DictReader(file, delimiter="\t")}


def operators() -> list[Any]:
    """All OpInfos, by name."""
    return sorted(op_db, key=lambda op: op.full_name)


@dataclass
class Outcome:
    """What one operator gave."""

    operator: str
    samples: int = 0
    host: dict[str, int] = field(default_factory=dict)
    """What the host computed meanwhile, by operator."""
    error: str = ""

    @property
    def status(self) -> str:
        """fails, host (some operator of it was computed by the host) or kernels."""
        return "fails" if self.error else "host" if self.host else "kernels" if self.samples else "no samples"


def _dtype(op: Any) -> torch.dtype | None:
    for dtype in (torch.float32, torch.complex64, torch.int64, torch.bool):
        if dtype in op.dtypes:
            return dtype
    return min(op.dtypes, key=str) if op.dtypes else None


def _there(value: Any) -> Any:
    """The same on the device, of a tensor its strides, its offset and all of its storage too."""
    if isinstance(value, torch.Tensor) and value.device.type == "cpu":
        if value.layout is not torch.strided:
            return value.to(DEVICE)
        flat = torch.empty(0, dtype=value.dtype).set_(value.untyped_storage())
        moved = flat.to(DEVICE).as_strided(value.size(), value.stride(), value.storage_offset())
        if value.is_conj():
            moved = moved.conj()
        return moved.detach().requires_grad_(value.requires_grad)
    if isinstance(value, torch.device) or value == "cpu":
        return torch.device(DEVICE)
    return value


def _copied(value: Any) -> Any:
    if not isinstance(value, torch.Tensor) or value.layout is not torch.strided:
        return value
    flat = torch.empty(0, dtype=value.dtype).set_(value.untyped_storage()).clone()
    moved = flat.as_strided(value.size(), value.stride(), value.storage_offset())
    return (moved.conj() if value.is_conj() else moved).detach().requires_grad_(value.requires_grad)


def _back(value: Any) -> Any:
    return value.detach().cpu() if isinstance(value, torch.Tensor) else value


class _Drawing(TorchDispatchMode):
    """Sees whether random numbers are drawn: a device draws others than the CPU."""

    def __init__(self) -> None:
        super().__init__()
        self.drew = False

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        # Attention has the tag, too, also without dropout, with which the CPU composes it of others.
        if torch.Tag.nondeterministic_seeded in func.tags and "attention" not in str(func):
            self.drew = True
        return func(*args, **(kwargs or {}))


def _run(op: Any, sample: Any, seed: int) -> Any:
    torch.manual_seed(seed)
    return sample.output_process_fn_grad(op(sample.input, *sample.args, **sample.kwargs))


def _compare(ours: Any, theirs: Any, values: bool) -> None:
    ours, theirs = pytree.tree_map(_back, ours), pytree.tree_map(_back, theirs)
    if values:
        exact = any(
            isinstance(each, torch.Tensor) and each.dtype.itemsize == 1 and each.is_floating_point()
            for each in pytree.tree_leaves(theirs)
        )
        tolerance = 0.0 if exact else TOLERANCE
        torch.testing.assert_close(ours, theirs, rtol=tolerance, atol=tolerance, equal_nan=True)
        return
    for ours_each, theirs_each in zip(pytree.tree_leaves(ours), pytree.tree_leaves(theirs), strict=True):
        if isinstance(theirs_each, torch.Tensor):
            assert ours_each.shape == theirs_each.shape and ours_each.dtype == theirs_each.dtype


def _gradients(result: Any, sample: Any) -> list[Any]:
    leaves = [
        each
        for each in pytree.tree_leaves((sample.input, sample.args, sample.kwargs))
        if isinstance(each, torch.Tensor) and each.requires_grad
    ]
    outputs = [
        each for each in pytree.tree_leaves(result) if isinstance(each, torch.Tensor) and each.grad_fn is not None
    ]
    if not leaves or not outputs:
        return []
    total = sum((each.abs() if each.is_complex() else each).sum() for each in outputs)
    return list(torch.autograd.grad(total, leaves, allow_unused=True))


def try_operator(op: Any, *, seed: int = 0, backward: bool = False, most: int | None = None) -> Outcome:
    """Computes the operator's samples on both, the first `most` of them, or also their gradients."""
    outcome = Outcome(op.full_name)
    dtype = _dtype(op)
    if dtype is None:
        return outcome
    torch.manual_seed(seed)
    values = not op.full_name.startswith(("empty", "new_empty"))
    try:
        backward = backward and op.supports_autograd and (dtype.is_floating_point or dtype.is_complex)
        samples: Iterator[Any] = iter(op.sample_inputs("cpu", dtype, requires_grad=backward))
        for sample in itertools.islice(samples, most):
            theirs_in, ours_in = sample.transform(_copied), sample.transform(_there)
            with _Drawing() as drawing:
                theirs = _run(op, theirs_in, seed)
            counted = wavesmith.torch.fallback_counts()
            ours = _run(op, ours_in, seed)
            gradients = _gradients(ours, ours_in) if backward else []
            for name, count in wavesmith.torch.fallback_counts().items():
                if count > counted.get(name, 0):
                    outcome.host[name] = outcome.host.get(name, 0) + count - counted.get(name, 0)
            _compare(ours, theirs, values and not drawing.drew)
            if backward:
                _compare(gradients, _gradients(theirs, theirs_in), values and not drawing.drew)
            outcome.samples += 1
    except Exception as error:  # whatever it is, it is what this operator gives
        outcome.error = " ".join(f"{type(error).__name__}: {error}".split())[:200]
    return outcome


#: Of which PyTorch itself, on the CPU, raises nothing.
_NOT_REFUSED = {"__rmod__", "__rpow__", "__rsub__", "clamp_max", "clamp_min"}
_TYPES = (torch.bool, torch.uint8, torch.int64, torch.float16, torch.float32, torch.complex64)


def wrong_errors(op: Any) -> tuple[int, list[str]]:
    """How many calls PyTorch says that the operator refuses, and of those that differ what came instead."""
    if op.error_inputs_func is None or op.full_name in _NOT_REFUSED:
        return 0, []
    count, wrong = 0, []
    for count, case in enumerate(op.error_inputs(DEVICE), 1):
        sample, got = case.sample_input, "nothing"
        try:
            op(sample.input, *sample.args, **sample.kwargs)
        except Exception as error:
            if isinstance(error, case.error_type) and re.search(case.error_regex, str(error)):
                continue
            got = f"{type(error).__name__}: {error}"
        wrong.append(" ".join(f"call {count}: expected {case.error_regex!r}, got {got}".split())[:300])
    return count, wrong


def computed_types(op: Any) -> list[torch.dtype]:
    """Types that PyTorch computes on neither the CPU nor a GPU, and the device does."""
    found = []
    for dtype in _TYPES:
        if dtype in op.supported_dtypes("cpu") or dtype in op.supported_dtypes("cuda"):
            continue
        try:
            sample = next(iter(op.sample_inputs("cpu", dtype)))
        except Exception:
            continue
        if not _refuses(op, sample.transform(_copied)):
            continue  # PyTorch's list is stricter than PyTorch
        if not _refuses(op, sample.transform(_there)):
            found.append(dtype)
    return found


def _refuses(op: Any, sample: Any) -> bool:
    try:
        op(sample.input, *sample.args, **sample.kwargs)
    except Exception:
        return True
    return False
