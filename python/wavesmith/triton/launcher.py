"""Launching one compiled kernel: Triton's arguments to HIP's.

A launch waits for the kernel where its tensors are the CPU's: who reads them next knows of no stream.
"""

from __future__ import annotations

import ctypes
import math
import struct
from typing import TYPE_CHECKING, Any

from triton.backends.driver import decompose_descriptor, expand_signature, wrap_handle_tensordesc_impl
from triton.runtime import _allocation

from . import torch_device
from .arguments import Frame, form, packer
from .hip import Hip, HipError, hip

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


def address(value: Any) -> int:
    """The address that a pointer argument stands for: a tensor's, an integer's, or none."""
    if value is None:
        return 0
    try:
        return value.data_ptr()
    except AttributeError:
        if isinstance(value, int):
            return value
    raise TypeError(f"a pointer argument is an integer or has a method data_ptr(), not {type(value).__name__}")


def _bf16(value: float) -> int:
    """The bits of a float cut to bfloat16, as Triton's own launchers cut it."""
    return int.from_bytes(bytes(ctypes.c_float(value))[2:], "little")


def _wrapped(letter: str, value: Any) -> Any:
    """What C makes of a value that a type cannot hold: integers lose high bits, floats become infinite."""
    if letter in "efd":
        try:
            struct.pack(letter, value)
        except OverflowError:
            return math.copysign(math.inf, value)
        return value
    bits = 8 * struct.calcsize(letter)
    low = int(value) & ((1 << bits) - 1)
    return low - (1 << bits) if letter.islower() and low >> (bits - 1) else low


def _flat(signature: Any, arguments: Any = None) -> Iterator[tuple[str, Any]]:
    """(type, argument) of every argument that the kernel really takes."""
    for index, kind in enumerate(signature):
        argument = arguments[index] if arguments is not None else None
        if isinstance(kind, tuple):
            yield from _flat(kind, argument)
        elif kind != "constexpr":
            yield kind, argument


class Launcher:
    """What Triton calls to launch a compiled kernel; one for each compiled kernel."""

    def __init__(self, src: Any, metadata: Any) -> None:
        self.hip: Hip = hip()
        self.name: str = metadata.name
        self.warp_size: int = metadata.warp_size
        self.cooperative: bool = metadata.launch_cooperative_grid
        self.global_scratch = (metadata.global_scratch_size, metadata.global_scratch_align)
        self.profile_scratch = (metadata.profile_scratch_size, metadata.profile_scratch_align)

        signature = dict(src.signature)
        descriptors = getattr(metadata, "tensordesc_meta", None)
        expanded = expand_signature(signature.values(), descriptors, "tensordesc")
        kinds = [kind for kind, _ in _flat(expanded)]
        # The two pointers that Triton's compiler adds to every kernel: its scratch memories.
        self._forms = forms = [form(kind) for kind in kinds] + ["Q", "Q"]
        self._pack = packer(forms)
        converters: list[Callable[[Any], Any] | None] = [
            address if kind.startswith("*") else _bf16 if kind == "bf16" else None for kind in kinds
        ]
        self._frames: list[Frame] = []

        self._expand = wrap_handle_tensordesc_impl(lambda arguments: arguments, signature, descriptors, self._describe)
        self._signature = None if all(isinstance(kind, str) for kind in expanded) else expanded
        self._converters = converters
        # Without tuples, the places of the kernel's arguments among those of the function.
        self._plan: list[tuple[int, Callable[[Any], Any] | None]] = []
        if not self._signature:
            places = [place for place, kind in enumerate(expanded) if kind != "constexpr"]
            self._plan = list(zip(places, converters, strict=True))
        self._pointers = [place for place, convert in self._plan if convert is address]

    @staticmethod
    def _describe(argument: Any, metadata: Any, base_arguments: Any) -> Any:
        if metadata is not None:
            raise NotImplementedError("tensor descriptors in hardware: none of the emulated GPUs has them")
        return decompose_descriptor(argument)

    def _values(self, arguments: Any) -> list[Any]:
        arguments = self._expand(arguments)
        if self._signature is None:
            return [convert(arguments[place]) if convert else arguments[place] for place, convert in self._plan]
        flat = (argument for _, argument in _flat(self._signature, arguments))
        return [convert(each) if convert else each for convert, each in zip(self._converters, flat, strict=True)]

    def _waits(self, arguments: Any) -> bool:
        """Whether the kernel's tensors are the CPU's, or may be."""
        if self._signature is not None or not torch_device.registered():
            return True
        return any(getattr(arguments[place], "is_cpu", False) for place in self._pointers)

    @staticmethod
    def _scratch(need: tuple[int, int], workgroups: int, allocate: Any, stream: int) -> Any:
        size, alignment = need
        return allocate(workgroups * size, alignment, stream) if size > 0 else None

    def __call__(
        self,
        grid_x: int,
        grid_y: int,
        grid_z: int,
        stream: int,
        function: int,
        kernel_metadata: tuple[int, int, int],
        launch_metadata: Any,
        enter_hook: Callable[[Any], None] | None,
        exit_hook: Callable[[Any], None] | None,
        *arguments: Any,
    ) -> None:
        warps, clusters, shared = kernel_metadata
        if enter_hook is not None:
            enter_hook(launch_metadata)
        values = self._values(arguments)
        global_scratch = profile_scratch = None
        workgroups = grid_x * grid_y * grid_z
        if self.global_scratch[0]:
            global_scratch = self._scratch(self.global_scratch, workgroups, _allocation._allocator.get(), stream)
        if self.profile_scratch[0]:
            profile_scratch = self._scratch(self.profile_scratch, workgroups, self._profile_allocator(), stream)
        values += (address(global_scratch), address(profile_scratch))
        if workgroups:
            if clusters > 1:
                raise NotImplementedError("num_ctas > 1: none of the emulated GPUs has clusters of workgroups")
            self._run(grid_x, grid_y, grid_z, warps * self.warp_size, shared, stream, function, values)
            if self._waits(arguments):
                self._check(self.hip.library.hipStreamSynchronize(stream))
        if exit_hook is not None:
            exit_hook(launch_metadata)

    def _run(self, x: int, y: int, z: int, threads: int, shared: int, stream: int, function: int, values: Any) -> None:
        library = self.hip.library
        # Frames are used again; each has one user at a time, whatever threads launch.
        frame = self._frames.pop() if self._frames else Frame(len(self._forms))
        try:
            self._pack(frame.slots, 0, *values)
        except (struct.error, OverflowError):
            fitting = [_wrapped(letter, value) for letter, value in zip(self._forms, values, strict=True)]
            self._pack(frame.slots, 0, *fitting)
        if self.cooperative:
            code = library.hipModuleLaunchCooperativeKernel(
                function, x, y, z, threads, 1, 1, shared, stream, frame.pointers
            )
        else:
            code = library.hipModuleLaunchKernel(function, x, y, z, threads, 1, 1, shared, stream, frame.pointers, None)
        self._frames.append(frame)
        self._check(code)

    def _check(self, code: int) -> None:
        if code:
            raise self._error(code)

    def _error(self, code: int) -> HipError:
        error = self.hip.error(code, f"kernel '{self.name}'")
        said = self.hip.last_failure()
        # What was said may be about something else: an error that stays, of a kernel before.
        return HipError(code, f"{error}\n{said}") if said else error

    @staticmethod
    def _profile_allocator() -> Any:
        if _allocation.has_profile_allocator():
            return _allocation._profile_allocator
        from triton.runtime import driver

        return driver.active.allocate_default_profile_scratch
