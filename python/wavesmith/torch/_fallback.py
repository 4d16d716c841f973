"""Operators that have no kernel: the host computes them on the device's memory, without copying it.

Each is said once on stderr and counted; `counts` tells.
"""

from __future__ import annotations

import os
import sys
from collections import Counter
from typing import Any, cast

import torch
from torch.utils import _pytree as pytree

from wavesmith.torch import _compiled
from wavesmith.torch._name import DEVICE

#: How often each operator fell back to the host.
counts: Counter[str] = Counter()

_ours = torch.ops.wavesmith_device

# Operators that may be given tensors of the CPU beside those of the device: indices, lengths, what is copied.
_MIXED = {
    f"aten::{name}"
    for name in (
        "index", "index_put", "index_put_", "_index_put_impl_", "_unsafe_index", "_unsafe_index_put", "copy_",
        "_copy_from", "_foreach_copy_", "set_", "tensor_split", "_pack_padded_sequence",
        "_pack_padded_sequence_backward", "_pad_packed_sequence", "_ctc_loss", "_ctc_loss_backward", "ctc_loss",
        "segment_reduce", "_segment_reduce_backward",
    )
}  # fmt: skip


def say(name: str) -> None:
    """Says once that the host computes an operator, and counts it."""
    if not counts[name] and os.environ.get("WAVESMITH_QUIET", "0") in ("", "0"):
        print(f"wavesmith: {name} has no kernel; the host computes it", file=sys.stderr)
    counts[name] += 1


class _Views:
    """The host's views of one call's device tensors."""

    def __init__(self) -> None:
        self.pairs: list[tuple[torch.Tensor, torch.Tensor]] = []
        self.device: torch.device | None = None
        self.others: list[torch.device] = []

    def to_host(self, value: Any) -> Any:
        """The host's view of a device tensor; the CPU for the device; anything else as it is."""
        if isinstance(value, torch.Tensor):
            if value.device.type != DEVICE:
                if value.dim():
                    self.others.append(value.device)
                return value
            self.device = self.device or value.device
            if value.device != self.device:
                self.others.append(value.device)
            for ours, view in self.pairs:
                if ours is value:
                    return view
            view = self._view(value)
            self.pairs.append((value, view))
            return view
        if isinstance(value, torch.device) and value.type == DEVICE:
            self.device = value
            return torch.device("cpu")
        if isinstance(value, torch.Generator) and value.device.type == DEVICE:
            return _ours.host_generator(value, value.device.index)
        return value

    def _view(self, value: torch.Tensor) -> torch.Tensor:
        """The host's view; of tensors that share memory the views share it, so that operators see what overlaps."""
        storage = value.untyped_storage()._cdata
        for ours, view in self.pairs:
            if ours.untyped_storage()._cdata == storage:
                return cast(torch.Tensor, _ours.view_of(view, value))
        return cast(torch.Tensor, _ours.host_view(value))

    def add_written(self, value: Any) -> None:
        """Notes the device of what is written: a single number of the CPU can be read, but not written."""
        if isinstance(value, torch.Tensor) and not value.dim() and value.device.type != DEVICE:
            self.others.append(value.device)

    def check_devices(self, op: Any) -> None:
        """Checks that all tensors but single numbers are on one device, as on other GPUs.

        Raises:
            RuntimeError: they are not, and the operator is none of those that take indices or lengths of the CPU.
        """
        for other in self.others:
            if self.device is not None and (other.type != "cpu" or op._schema.name not in _MIXED):
                raise RuntimeError(
                    f"Expected all tensors to be on the same device, but found at least two devices, {self.device} "
                    f"and {other}! (when checking arguments of {op})"
                )

    def to_device(self, value: Any) -> Any:
        """A result on the device: the tensor itself that was written, a view of one, or a copy."""
        if not isinstance(value, torch.Tensor) or value.device.type != "cpu":
            return value
        for ours, view in self.pairs:
            if value is view:
                return ours
        if value.layout is not torch.strided:
            return value
        if value.numel():
            begin = value.untyped_storage().data_ptr()
            for ours, view in self.pairs:
                if view.untyped_storage().data_ptr() == begin:
                    return _ours.view_of(ours, value)
        return value.to(self.device)

    def take_layouts(self) -> None:
        """Gives device tensors what operators with `out=` did to the sizes of their views."""
        for ours, view in self.pairs:
            if ours.shape != view.shape or ours.stride() != view.stride() or ours.data_ptr() != view.data_ptr():
                _ours.take_layout(ours, view)


def _as_tensor(number: complex, operands: list[torch.Tensor]) -> torch.Tensor:
    """A number among these operands as a tensor that promotes no more than a number does."""
    dtype = torch.tensor(number).dtype
    for operand in operands:
        if torch.promote_types(operand.dtype, dtype) == operand.dtype or (
            operand.is_floating_point() and dtype.is_floating_point
        ):
            dtype = operand.dtype
            break
    return torch.tensor(number, dtype=dtype)


def fallback(op: Any, *args: Any, **kwargs: Any) -> Any:
    """Computes an operator by compiled code, else on the host."""
    if _compiled.enabled:
        result = _compiled.run(op, args, kwargs)
        if result is not NotImplemented:
            return result
    return on_host(op, *args, **kwargs)


def on_host(op: Any, *args: Any, **kwargs: Any) -> Any:
    """Computes an operator on the host, or raises what PyTorch does; what it refuses is not counted."""
    views = _Views()
    host_args, host_kwargs = pytree.tree_map(views.to_host, (args, kwargs))
    for index, argument in enumerate(op._schema.arguments):
        if argument.alias_info is not None and argument.alias_info.is_write:
            views.add_written(args[index] if index < len(args) else kwargs.get(argument.name))
    if views.others:
        views.check_devices(op)
    for index, argument in enumerate(op._schema.arguments):
        if index < len(host_args) and isinstance(host_args[index], (int, float, complex)):
            if str(argument.type) == "Tensor":  # PyTorch shows a number that is an operand as a number
                number = _as_tensor(host_args[index], [view for _, view in views.pairs])
                host_args = (*host_args[:index], number, *host_args[index + 1 :])
            continue
        if argument.name == "generator" and host_kwargs.get("generator") is None:
            if index < len(host_args) and host_args[index] is not None:
                continue
            device = views.device.index if views.device is not None else None
            chosen = _ours.host_generator(None, -1 if device is None else device)
            if index < len(host_args):
                host_args = (*host_args[:index], chosen, *host_args[index + 1 :])
            else:
                host_kwargs["generator"] = chosen
    result = op(*host_args, **host_kwargs)
    say(str(op))
    views.take_layouts()
    return pytree.tree_map(views.to_device, result)
