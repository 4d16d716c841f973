"""What calls of an operator have in common that one compiled code serves, and how its results are given back."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import torch

#: Types that Triton computes with on AMD GPUs.
_TYPES = frozenset(
    (
        torch.float32, torch.float64, torch.float16, torch.bfloat16, torch.bool,
        torch.int8, torch.int16, torch.int32, torch.int64, torch.uint8,
    )
)  # fmt: skip
_MANY = 8192  # elements: kernels for fewer have small blocks
_VARIANTS = 8  # of a class
_FAILURES = 3


class Number:
    """A number among the arguments, in the place of a tensor of the CPU with one element."""

    __slots__ = ("value",)

    def __init__(self, value: float) -> None:
        self.value = value

    def item(self) -> float:
        """What compiled code asks of such a tensor."""
        return self.value


class Slot(NamedTuple):
    """The place of an input in a call's arguments."""

    place: int


class Symbol(NamedTuple):
    """Where a size or a stride that may vary is read."""

    input: int
    stride: bool
    dim: int

    def value(self, inputs: Sequence[Any]) -> int:
        tensor: torch.Tensor = inputs[self.input]
        return tensor.stride(self.dim) if self.stride else tensor.shape[self.dim]


class Variant(NamedTuple):
    """Compiled code, and for which sizes and numbers."""

    symbols: tuple[Symbol, ...]
    guard: Callable[..., bool]
    numbers: tuple[float, ...] | None
    call: Callable[[list[Any]], Any]


class Layout(NamedTuple):
    """How a tensor lies in memory."""

    order: tuple[int, ...] | None
    """The dimensions of one without gaps, the nearest elements' first."""
    strides: tuple[int, ...] = ()
    """Of one with gaps which strides are 0 and which are 1; 2 stands for any other."""


def layout_of(tensor: torch.Tensor) -> Layout:
    """How a tensor lies in memory."""
    if tensor.is_contiguous():
        return Layout(tuple(reversed(range(tensor.dim()))))
    sizes, strides = tensor.shape, tensor.stride()
    order = tuple(sorted(range(tensor.dim()), key=lambda dim: (strides[dim], sizes[dim])))
    expected = 1
    for dim in order:
        if sizes[dim] != 1 and strides[dim] != expected:
            return Layout(None, tuple(min(stride, 2) for stride in strides))
        expected *= sizes[dim]
    return Layout(order)


class Class:
    """Calls that differ in sizes, strides and numbers only, and what was compiled for them."""

    def __init__(self, key: tuple[Any, ...]) -> None:
        self.key = key
        self.variants: list[Variant] = []
        #: Why the host computes these calls, if it does.
        self.refused = ""
        self.loaded = False
        self._failures = 0

    @classmethod
    def of(cls, op: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> Class | None:
        """The class of a call; None where no compiled code could serve it."""
        key: list[Any] = [str(op)]
        seen: list[Any] = []

        def add(value: Any) -> bool:
            if isinstance(value, torch.Tensor):
                for index, other in enumerate(seen):
                    if other is value:
                        key.append(("same", index))
                        return True
                seen.append(value)
                if value.layout is not torch.strided or value.dtype not in _TYPES or not value.numel():
                    return False
                if value.is_neg() or value.is_quantized:
                    return False
                if value.device.type == "cpu":
                    key.append(("cpu", str(value.dtype)))
                    return value.dim() == 0
                ones = tuple(size == 1 for size in value.shape)
                key.append((str(value.device), str(value.dtype), ones, layout_of(value), value.numel() > _MANY))
            elif isinstance(value, bool) or value is None:
                key.append(value)
            elif isinstance(value, float):
                seen.append(value)
                key.append("float")
            elif isinstance(value, int):
                key.append(("int", value))
                return abs(value) < 1 << 31
            elif isinstance(value, (list, tuple)):
                key.append(("list", len(value)))
                return all(list(map(add, value)))  # each is told, whatever the one before
            elif isinstance(value, (str, torch.dtype, torch.device, torch.layout, torch.memory_format)):
                key.append(str(value))
            else:
                return False
            return True

        fits = all(list(map(add, args)))
        for name, value in kwargs.items():
            key.append(name)
            fits = add(value) and fits
        on_device = any(isinstance(each, torch.Tensor) and each.device.type != "cpu" for each in seen)
        return cls(tuple(key)) if fits and on_device else None

    def variant(self, inputs: Sequence[Any], numbers: Sequence[float]) -> Variant | None:
        """The variant that fits, of those that there are."""
        if not self.loaded:
            from wavesmith.torch._compile_operator import load

            self.loaded = True
            load(self)
        for each in self.variants:
            if each.numbers is not None and each.numbers != tuple(numbers):
                continue
            if each.guard(*(symbol.value(inputs) for symbol in each.symbols)):
                return each
        return None

    def full(self) -> bool:
        """Whether another variant would be one too many."""
        return len(self.variants) + self._failures >= _VARIANTS

    def failed(self, why: str, *, lasting: bool) -> None:
        """Notes that compiling for a call failed: for a reason that lasts, or a few times for any, other calls too."""
        self._failures += _VARIANTS if lasting else 1
        if not self.variants and (lasting or self._failures >= _FAILURES):
            self.refused = why


def _leaves(value: Any) -> Sequence[Any]:
    return value if isinstance(value, (list, tuple)) else (value,)


class Plan:
    """How an operator is called by compiled code: what it writes, and which arguments it gives back."""

    def __init__(self, op: Any) -> None:
        self.name = str(op)
        arguments = op._schema.arguments
        written = [at for at, each in enumerate(arguments) if each.alias_info is not None and each.alias_info.is_write]
        self.writes = [(at, arguments[at].name) for at in written]
        #: For each result the argument that is given back, or None for a new tensor.
        self.gives: list[tuple[int, str] | None] = []
        for result in op._schema.returns:
            of = None
            if result.alias_info is not None and result.alias_info.is_write:
                for at in written:
                    if arguments[at].alias_info.before_set == result.alias_info.before_set:
                        of = (at, arguments[at].name)
            self.gives.append(of)
        self.is_pointwise = torch.Tag.pointwise in op.tags
        self.list_result = len(op._schema.returns) == 1 and "[]" in str(op._schema.returns[0].type)
        self.fresh = any(of is None for of in self.gives)

    @staticmethod
    def _argument(which: tuple[int, str], args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
        at, name = which
        return args[at] if at < len(args) else kwargs[name]

    def overlaps(self, args: Sequence[Any], kwargs: dict[str, Any], inputs: Sequence[Any]) -> bool:
        """Whether what is written shares memory with itself, or with another argument, or is the CPU's.

        That argument may be the same tensor where each element is computed of those at its own place.
        """
        given = [each for value in (*args, *kwargs.values()) for each in _leaves(value)]
        for which in self.writes:
            written = self._argument(which, args, kwargs)
            for tensor in _leaves(written):
                if tensor is None:
                    continue
                if any(not stride and size > 1 for size, stride in zip(tensor.shape, tensor.stride(), strict=True)):
                    return True
                if tensor.device.type == "cpu":
                    return True
                if not self.is_pointwise and sum(other is tensor for other in given) > 1:
                    return True
                storage = tensor.untyped_storage()._cdata
                for other in inputs:
                    if other is tensor or not isinstance(other, torch.Tensor):
                        continue
                    if other.untyped_storage()._cdata == storage:
                        return True
        return False

    def results(self, new: Sequence[Any], args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
        """What the operator returns, with the new tensors that compiled code made."""
        if not self.gives:
            return None
        if self.list_result:
            return list(new)
        if not self.fresh:
            given = [self._argument(which, args, kwargs) for which in self.gives if which is not None]
            return given[0] if len(given) == 1 else tuple(given)
        if len(self.gives) == 1:
            return new[0]
        rest = iter(new)
        return tuple(next(rest) if of is None else self._argument(of, args, kwargs) for of in self.gives)


def plan(op: Any) -> Plan | None:
    """How compiled code would serve an operator; None where it never could."""
    tags = op.tags
    for tag in (torch.Tag.nondeterministic_seeded, torch.Tag.dynamic_output_shape, torch.Tag.data_dependent_output):
        if tag in tags:
            return None
    schema = op._schema
    types = [str(each.type) for each in (*schema.arguments, *schema.returns)]
    if any("Generator" in each or "Storage" in each or "Stream" in each for each in types):
        return None
    if op.namespace != "aten" or not all("Tensor" in str(each.type) for each in schema.returns):
        return None
    # Views, of which compiled code would return a copy.
    if any(each.alias_info is not None and not each.alias_info.is_write for each in schema.returns):
        return None
    made = Plan(op)
    if made.list_result and made.writes:
        return None
    return made
