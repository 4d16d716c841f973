"""The kernel library from Python, for operators that are called too rarely to be compiled against PyTorch.

A module of operators takes `@operator("_fft_c2c")` for each, which calls the library's C API by `call`, and stands in
`_FAMILIES`. What it raises `NotServed` for, before anything is written, the fallback computes.
"""

from __future__ import annotations

import ctypes
import functools
import importlib
import warnings
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import torch

from wavesmith import _paths
from wavesmith.torch import _fallback
from wavesmith.torch._name import DEVICE
from wavesmith.torch._types_taken import taken

#: The modules of this package whose operators are registered.
_FAMILIES: tuple[str, ...] = (
    "composed",
    "_fft",
    "_order",
    "_unique",
    "_histograms",
    "_hash",
    "_linalg",
    "_encoder",
)

_NOT_SUPPORTED, _NO_CODE = 2, 3  # wavesmith_kernels_status

#: Where native kernels send the calls that they leave to the fallback (`native/operators/fallback.h`).
_LEFT_BY_NATIVE = "PrivateUse3"

_kernels: dict[str, Callable[..., Any]] = {}
_left_by_native: dict[str, Callable[..., Any]] = {}
_CallableT = TypeVar("_CallableT", bound=Callable[..., Any])

_NAMES = ("bool", "uint8", "int8", "int16", "int32", "int64", "float16", "bfloat16", "float32", "float64")
#: The library's numbers of types, wavesmith_pointwise_type.
TYPES = {getattr(torch, name): number for number, name in enumerate((*_NAMES, "complex64", "complex128"))}


class NotServed(Exception):  # noqa: N818  its name in native/
    """There is no kernel for this call: it is left to the fallback."""


class Refused(NotServed):
    """PyTorch refuses this call: the host says why. Compiled code, which lacks some of its checks, is not asked."""


class Number(ctypes.Structure):
    """wavesmith_pointwise_number."""

    _fields_ = (("real", ctypes.c_double), ("imaginary", ctypes.c_double), ("integer", ctypes.c_int64))


class Operand(ctypes.Structure):
    """wavesmith_pointwise_operand: strides count bytes."""

    _fields_ = (("data", ctypes.c_void_p), ("type", ctypes.c_int), ("strides", ctypes.c_int64 * 8), ("number", Number))


def number(value: complex) -> Number:
    """A number in each type that computes."""
    if isinstance(value, complex):
        return Number(value.real, value.imag, 0)
    return Number(value, 0, int(value) if abs(value) < 2**63 else 0)


def operand(tensor: torch.Tensor, dimensions: Sequence[int] | None = None) -> Operand:
    """A tensor of the device as the library's strided array; its dimensions in this order, else in its own.

    Raises:
        NotServed: it lies elsewhere, has more than 8 dimensions, or elements that the library has not.
    """
    kind = TYPES.get(tensor.dtype)
    strides = tensor.stride()
    if kind is None or tensor.device.type != DEVICE or len(strides) > 8:
        raise NotServed
    if dimensions is not None:
        strides = tuple(strides[each] for each in dimensions)
    size = tensor.itemsize
    return Operand(tensor.data_ptr(), kind, tuple([each * size for each in strides]))


@functools.cache
def library() -> ctypes.CDLL:
    """The kernel library, for functions that launch nothing."""
    return ctypes.CDLL(str(_paths.kernel_library()))


@functools.cache
def _function(name: str) -> Callable[..., int]:
    return getattr(library(), name)  # typed by its arguments, as `_argument` passes them


@functools.cache
def _sizing(name: str) -> Callable[..., int]:
    function = getattr(library(), name)
    function.restype = ctypes.c_size_t
    return function


def give_workspace(name: str, description: ctypes.Structure, device: torch.device) -> None:
    """Gives a description as much memory as the library's function of this name asks for.

    The description keeps it; the stream's later work may have it as soon as that is gone.
    """
    memory = torch.empty(_sizing(name)(ctypes.byref(description)), dtype=torch.uint8, device=device)
    description.workspace, description.workspace_bytes = memory.data_ptr(), memory.numel()
    description.kept = memory


@functools.cache
def _stream() -> Callable[[int], int]:
    from wavesmith.torch._launch import raw_stream

    return raw_stream


def _argument(value: Any) -> Any:
    if isinstance(value, ctypes.Structure):
        return ctypes.byref(value)
    if isinstance(value, torch.Tensor):
        return ctypes.c_void_p(value.data_ptr())
    return ctypes.c_int64(value) if isinstance(value, int) else value


def call(name: str, device: torch.device, *arguments: Any) -> None:
    """Calls a function of the library with these arguments and the device's current stream.

    Structures are passed by reference, tensors as their data's address, integers of any size as they are.

    Raises:
        NotServed: the library has no kernel for it, on any GPU or on this one.
        RuntimeError: it refused the call, and says why.
    """
    before = torch._C._accelerator_exchangeDevice(device.index)
    try:
        status = _function(name)(*map(_argument, arguments), ctypes.c_void_p(_stream()(device.index)))
    finally:
        if before != device.index:
            torch._C._accelerator_setDeviceIndex(before)
    if not status:
        return
    if status in (_NOT_SUPPORTED, _NO_CODE):
        raise NotServed
    message = library().wavesmith_kernels_message  # the thread's
    message.restype = ctypes.c_char_p
    raise RuntimeError(message().decode())


def resized(out: torch.Tensor, sizes: Sequence[int]) -> torch.Tensor:
    """The tensor of an `out=`, with these sizes; warns as PyTorch does where it had others and elements."""
    if tuple(out.shape) != tuple(sizes):
        if out.numel():
            warnings.warn(
                f"An output with one or more elements was resized since it had shape {list(out.shape)}, which does "
                f"not match the required output shape {list(sizes)}. This behavior is deprecated, and in a future "
                "PyTorch release outputs will not be resized unless they have zero elements. You can explicitly "
                "reuse an out tensor t by resizing it, inplace, to zero elements with t.resize_(0).",
                stacklevel=2,
            )
        out.resize_(tuple(sizes))
    return out


def shares_memory(out: torch.Tensor, *inputs: torch.Tensor) -> bool:
    """Whether an `out=` has the memory of an input, which the host's own check refuses in PyTorch's words."""
    memory = out.untyped_storage()._cdata
    return any(each.untyped_storage()._cdata == memory for each in inputs)


def operator(*names: str, left_by_native: bool = False) -> Callable[[_CallableT], _CallableT]:
    """Makes a function the kernel of operators of `aten`, by names like "sort.stable".

    It is called with the operator's arguments, in autograd's shadow, and may raise `NotServed`;
    `left_by_native`, with those that a native kernel does not serve.
    """

    def decorate(function: _CallableT) -> _CallableT:
        for name in names:
            (_left_by_native if left_by_native else _kernels)[name] = _served(name, function)
        return function

    return decorate


def _served(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    packet, _, overload = name.partition(".")
    op = getattr(getattr(torch.ops.aten, packet), overload or "default")

    @functools.wraps(function)
    def kernel(*args: Any, **kwargs: Any) -> Any:
        try:
            if taken(op, args, kwargs):
                return function(*args, **kwargs)
        except Refused:
            return _fallback.on_host(op, *args, **kwargs)
        except NotServed:
            pass
        return _fallback.fallback(op, *args, **kwargs)

    return kernel


def register(registrations: Any, key: str) -> None:
    """Registers the families' operators in a library of `aten`'s kernels."""
    for family in _FAMILIES:
        importlib.import_module(f"wavesmith.torch.{family}")
    for kernels, where in ((_kernels, key), (_left_by_native, _LEFT_BY_NATIVE)):
        for name, kernel in kernels.items():
            registrations.impl(name, kernel, where)
