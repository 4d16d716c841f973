"""What each operator that PyTorch's own list of operators reaches costs the calling thread beyond kernels and waits.

Of each OpInfo the first float32 sample is computed on the device, with its gradient. What arrives there, below
autograd and PyTorch's own compositions, is noted, and each operator is timed as it was called first.
"""

from __future__ import annotations

import csv
import sys
import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import torch
import waits
from torch.utils import _pytree as pytree
from torch.utils._python_dispatch import TorchDispatchMode

sys.path.insert(0, str(Path(__file__).parents[2] / "tests/clients/torch/pytorch_own"))
import opinfos

#: The most that an operator may cost beyond its kernels and waits, in microseconds.
ALLOWED = 50.0


@dataclass
class Row:
    """An operator's cost."""

    operator: str
    microseconds: float
    waits: float
    """How often it waits for the device."""
    source: str
    """The OpInfo that called it so."""


class _Arriving(TorchDispatchMode):
    """Notes the first call of each operator that is given a tensor of the device."""

    def __init__(self, calls: dict[Any, tuple[str, Callable[[], object]]]) -> None:
        super().__init__()
        self.calls = calls
        self.source = ""

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        given = kwargs or {}
        if func not in self.calls and any(map(_is_there, pytree.tree_leaves((args, given)))):
            kept_args, kept = pytree.tree_map(_kept, (args, given))
            self.calls[func] = (self.source, lambda: func(*kept_args, **kept))
        return func(*args, **given)


def _is_there(value: Any) -> bool:
    return (
        isinstance(value, torch.Tensor | torch.device)
        and torch.device(value.device if isinstance(value, torch.Tensor) else value).type == opinfos.DEVICE
    )


def _kept(value: Any) -> Any:
    """A tensor as it is now: what is called later may write it."""
    if not isinstance(value, torch.Tensor) or value.layout is not torch.strided:
        return value
    flat = torch.empty(0, dtype=value.dtype, device=value.device).set_(value.untyped_storage()).clone()
    return flat.as_strided(value.size(), value.stride(), value.storage_offset())


def calls(names: Iterable[str] = ()) -> dict[Any, tuple[str, Callable[[], object]]]:
    """The operators that arrive, each with its OpInfo and a call of it; of OpInfos with these words in their names."""
    found: dict[Any, tuple[str, Callable[[], object]]] = {}
    mode, words = _Arriving(found), tuple(names)
    for op in opinfos.operators():
        if torch.float32 not in op.dtypes or (words and not any(word in op.full_name for word in words)):
            continue
        mode.source = op.full_name
        try:
            sample = next(iter(op.sample_inputs("cpu", torch.float32, requires_grad=op.supports_autograd)))
            there = sample.transform(opinfos._there)
            with mode:
                result = opinfos._run(op, there, 0)
                if op.supports_autograd:
                    opinfos._gradients(result, there)
        except Exception as error:
            print(f"{op.full_name}: {type(error).__name__}: {str(error)[:100]}", file=sys.stderr)
    return found


def survey(table: Path | None, names: Iterable[str] = ()) -> list[Row]:
    """Times all operators that arrive; prints those above what is allowed, and writes all into a table."""
    warnings.simplefilter("ignore")
    clock, rows = waits.Clock(), []
    for func, (source, call) in calls(names).items():
        try:
            taken, waited = clock.time(call, 60, 3)
            if ALLOWED / 2 < taken < 8 * ALLOWED:  # more calls find what it costs when nothing else runs
                taken = min(taken, clock.time(call, 200, 8)[0])
            rows.append(Row(str(func), taken, waited, source))
            if taken > ALLOWED:
                print(f"{rows[-1].operator:50} {taken:8.1f} us, {waited:g} waits ({source})", flush=True)
        except Exception as error:
            print(f"{func}: {type(error).__name__}: {str(error)[:100]}", file=sys.stderr)
    rows.sort(key=lambda row: -row.microseconds)
    if table is not None:
        with table.open("w", newline="") as file:
            writer = csv.writer(file, delimiter="\t", lineterminator="\n")
            writer.writerow([each.name for each in fields(Row)])
            writer.writerows((row.operator, f"{row.microseconds:.1f}", f"{row.waits:g}", row.source) for row in rows)
    above = sum(row.microseconds > ALLOWED for row in rows)
    print(f"{len(rows)} operators, {above} above {ALLOWED:g} us")
    return rows
