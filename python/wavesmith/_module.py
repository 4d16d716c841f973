"""Code objects: what is in them, and launching their kernels with NumPy arrays."""

from __future__ import annotations

import struct
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from wavesmith import _paths
from wavesmith._errors import ArgumentError, BadInputError, NotFoundError, UnsupportedError, WrongTargetError
from wavesmith._use import use, used

if TYPE_CHECKING:
    from types import TracebackType

    import numpy as np

    from wavesmith import _native

#: What a kernel's argument may be: an array (a buffer), a number, the bytes of a structure, or None (a null pointer).
Value: TypeAlias = "np.ndarray[Any, Any] | np.generic | int | float | bytes | None"
#: Workgroups or work-items in x, y and z; what is left out is 1.
Extents: TypeAlias = int | Sequence[int]

_POINTERS = ("global_buffer", "dynamic_shared_pointer")


@dataclass(frozen=True)
class Argument:
    """One argument of a kernel, as its metadata describes it."""

    name: str
    """Empty where the compiler wrote none."""
    kind: str
    """"by_value", "global_buffer", ... as LLVM's metadata has it."""
    type_name: str
    """Empty where the compiler wrote none, as for HIP."""
    offset: int
    """Bytes from the start of the kernel's arguments."""
    size: int
    """Bytes."""

    @property
    def is_pointer(self) -> bool:
        """Whether an array belongs here."""
        return self.kind in _POINTERS


class Kernel:
    """A kernel of a `Module`. Call it to launch it."""

    name: str
    """As the code object has it: "_Z4axpyPKfPf"."""
    readable: str
    """As the source has it: "axpy(float const*, float*)"."""
    arguments: tuple[Argument, ...]
    """Those that a launch passes; hidden ones are filled by the runtime."""
    vgprs: int
    """Vector registers of a lane, as the next ones from the metadata."""
    agprs: int
    sgprs: int
    vgpr_spills: int
    sgpr_spills: int
    lds_bytes: int
    """Static LDS of a workgroup."""
    scratch_bytes: int
    """Private memory of a work-item."""
    wave_size: int
    max_workgroup: int
    """Work-items."""

    def __init__(self, module: Module, described: _native.KernelDict) -> None:
        """Made by `Module`."""
        self._module = module
        self._kernarg_bytes = described["kernarg_bytes"]
        self.name = described["name"]
        self.readable = described["readable"]
        self.arguments = tuple(Argument(*parts) for parts in described["arguments"])
        self.vgprs = described["vgprs"]
        self.agprs = described["agprs"]
        self.sgprs = described["sgprs"]
        self.vgpr_spills = described["vgpr_spills"]
        self.sgpr_spills = described["sgpr_spills"]
        self.lds_bytes = described["lds_bytes"]
        self.scratch_bytes = described["scratch_bytes"]
        self.wave_size = described["wave_size"]
        self.max_workgroup = described["max_workgroup"]

    def __repr__(self) -> str:
        return f"<wavesmith.Kernel {self.readable}: {self.vgprs} VGPRs, {self.lds_bytes} bytes of LDS>"

    def __call__(
        self, grid: Extents, block: Extents, args: Sequence[Value], *, shared: int = 0, device: int = 0
    ) -> None:
        """Launches the kernel, waits for its end and copies the arrays back.

        Args:
            grid: workgroups in x, y, z: 16 or (16, 4).
            block: work-items of a workgroup in x, y, z.
            args: a value for each of `arguments`. For a pointer: an array of any shape and type (its elements in C's
                order go to the GPU and, unless it is read-only, come back), or None. Arrays that overlap must be the
                same array. For a value: a NumPy scalar of the same size (`numpy.float32(2)`), the bytes of a
                structure, a float (the float of the argument's size: 2, 4 or 8 bytes), or an int (the integer of its
                size). The metadata does not tell floats from integers, so write 2.0 where the kernel has a float.
            shared: bytes of dynamic LDS for each workgroup.
            device: which of the machine's GPUs.

        Raises:
            ArgumentError: count, sizes or kinds of the values do not fit the metadata.
            MemoryFaultError, TrapError, BudgetError: how the kernel ended; `.report` says where. As on hardware, the
                process's GPU is lost then: later launches raise the same error.
            OutOfMemoryError, OutOfResourcesError, UnsupportedError: why it could not run.
        """
        three_grid, three_block = _extents("grid", grid), _extents("block", block)
        self._check_count(len(args))
        for number, (value, wanted) in enumerate(zip(args, self.arguments, strict=True)):
            self._check(number, value, wanted)
        hip, function = self._module._function(self, device)
        with _Buffers(hip) as buffers:
            values = [
                buffers.value(value) if wanted.is_pointer or value is None else _bytes(value, wanted.size)
                for value, wanted in zip(args, self.arguments, strict=True)
            ]
            hip.launch(function, three_grid, three_block, shared, values)
            hip.synchronize()
            buffers.copy_back()

    def _check_count(self, given: int) -> None:
        if not self.arguments and self._kernarg_bytes:
            raise UnsupportedError(f"kernel '{self.readable}' has no metadata, so its arguments cannot be passed")
        if given != len(self.arguments):
            raise ArgumentError(
                f"kernel '{self.readable}' takes {len(self.arguments)} arguments, {given} are given",
                hint="it takes\n" + self._signature(),
            )

    def _signature(self) -> str:
        return "\n".join(
            f"  {number}: {one.kind}, {one.size} bytes{' ' + one.name if one.name else ''}"
            for number, one in enumerate(self.arguments)
        )

    def _check(self, number: int, value: Value, wanted: Argument) -> None:
        def refuse(what: str, hint: str = "") -> ArgumentError:
            name = f" '{wanted.name}'" if wanted.name else ""
            return ArgumentError(f"argument {number}{name} of kernel '{self.readable}' is {what}", hint=hint)

        if wanted.is_pointer:
            if value is not None and not _is_array(value):
                raise refuse(f"a pointer, but {_kind(value)} is given", "give a NumPy array or None")
            if _is_array(value) and value.dtype.hasobject:  # type: ignore[union-attr]
                raise refuse("a pointer, but the array holds Python objects")
            return
        if wanted.kind != "by_value":
            raise refuse(f"of kind {wanted.kind}, which cannot be passed")
        if value is None and wanted.size == 8:
            return  # a pointer inside a structure of its own
        if value is None or _is_array(value):
            raise refuse(f"a value of {wanted.size} bytes, but {_kind(value)} is given")
        try:
            size = len(_bytes(value, wanted.size))
        except (OverflowError, struct.error, ValueError) as error:
            raise refuse(f"a value of {wanted.size} bytes, which {value!r} does not fit: {error}") from None
        if size != wanted.size:
            raise refuse(
                f"a value of {wanted.size} bytes, but {_kind(value)} has {size}",
                "give a NumPy scalar of that size" if not isinstance(value, bytes) else "",
            )


class Module(Mapping[str, Kernel]):
    """A code object, an offload bundle or a host program with one: its kernels by name.

    >>> module = wavesmith.Module(wavesmith.cc(source))
    >>> module["axpy"](grid=16, block=256, args=[x, y, numpy.float32(2), 4096])

    A kernel is found by its name, by its readable name or by that without arguments.
    """

    target: str
    """What the code is for: "gfx942:sramecc+"."""

    def __init__(self, code: bytes | Path, gpu: str | None = None) -> None:
        """Reads the code; nothing is loaded before the first launch.

        Args:
            code: the contents of a file, or its path.
            gpu: which GPU's code object to take out of a bundle. None: that of `wavesmith.use`, else the only one.

        Raises:
            BadInputError: no code at all, or damaged.
            WrongTargetError: the code is for other GPUs.
        """
        from wavesmith import _native

        self._code = code.read_bytes() if isinstance(code, Path) else bytes(code)
        machine = gpu or used()
        try:
            self.target, kernels = _native.read_code(self._code, machine)
        except WrongTargetError as error:
            raise _helped(error) from None
        self._kernels = {one["name"]: Kernel(self, one) for one in kernels}
        self._loaded: dict[int, int] = {}

    def __repr__(self) -> str:
        return f"<wavesmith.Module for {self.target}: {', '.join(one.readable for one in self._kernels.values())}>"

    def __getitem__(self, name: str) -> Kernel:
        """The kernel of that name.

        Raises:
            NotFoundError: there is none, or several are meant; the text names them.
        """
        from wavesmith import _native

        if name in self._kernels:
            return self._kernels[name]
        found = [kernel for kernel in self._kernels.values() if _native.means(name, kernel.name)]
        if len(found) == 1:
            return found[0]
        names = "; ".join(kernel.readable for kernel in (found or self._kernels.values()))
        what = f"'{name}' means several kernels" if found else f"no kernel '{name}'"
        raise NotFoundError(what, hint=f"there are {names}" if names else "there are no kernels")

    def __iter__(self) -> Iterator[str]:
        return iter(self._kernels)

    def __len__(self) -> int:
        return len(self._kernels)

    def __enter__(self) -> Module:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _chosen(self, name: str | None) -> Kernel:
        """The kernel of that name; None: the only one."""
        if name is None and len(self) != 1:
            raise NotFoundError(
                f"the code has {len(self)} kernels",
                hint="name one: " + "; ".join(one.readable for one in self.values()),
            )
        return self[name if name is not None else next(iter(self))]

    def close(self) -> None:
        """Unloads the code from the GPUs; a later launch loads it again."""
        for module in self._loaded.values():
            _hip().unload(module)
        self._loaded.clear()

    def _function(self, kernel: Kernel, device: int) -> tuple[_native.Hip, int]:
        hip = _hip()
        if hip.device() != device:
            hip.set_device(device)
        if device not in self._loaded:
            try:
                self._loaded[device] = hip.load(self._code)
            except WrongTargetError as error:
                raise _helped(error) from None
        return hip, hip.function(self._loaded[device], kernel.name)


def run(
    code_object: bytes | Path,
    kernel: str | None,
    grid: Extents,
    block: Extents,
    args: Sequence[Value],
    *,
    shared: int = 0,
    device: int = 0,
) -> None:
    """Launches one kernel of a code object on the emulated GPU and waits: `Module(code_object)[kernel](...)`.

    Args:
        code_object: the contents of a code object, bundle or host program, or its path.
        kernel: its name; None when there is only one.
        grid: workgroups in x, y, z, as `Kernel.__call__` and the next ones.
        block: work-items of a workgroup in x, y, z.
        args: a value for each argument; arrays are changed in place.
        shared: bytes of dynamic LDS for each workgroup.
        device: which of the machine's GPUs.

    Raises:
        Error: what `Module` and `Kernel.__call__` raise.
    """
    with Module(code_object) as module:
        module._chosen(kernel)(grid, block, args, shared=shared, device=device)


_hip_object: _native.Hip | None = None


def _hip() -> _native.Hip:
    """HIP in this process, loaded at the first need."""
    global _hip_object
    if _hip_object is None:
        from wavesmith import _native

        use()
        _hip_object = _native.Hip(str(_paths.hip_library()))
    return _hip_object


class _Buffers:
    """GPU memory of one launch's arrays: one buffer an array, however often it is passed."""

    def __init__(self, hip: _native.Hip) -> None:
        self._hip = hip
        # (address, bytes): the array, what is copied (the array itself where its elements lie in order), GPU memory
        self._held: dict[tuple[int, int], tuple[np.ndarray[Any, Any], np.ndarray[Any, Any], int]] = {}

    def __enter__(self) -> _Buffers:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for _, _, memory in self._held.values():
            self._hip.free(memory)

    def value(self, array: Value) -> bytes:
        """The pointer to the array's copy on the GPU, as the kernel's argument."""
        if array is None:
            return bytes(8)
        import numpy as np

        assert isinstance(array, np.ndarray)
        key = (array.__array_interface__["data"][0], array.nbytes, *array.strides)
        if key not in self._held:
            for other, _, _ in self._held.values():
                if np.may_share_memory(array, other) and (array.flags.writeable or other.flags.writeable):
                    raise ArgumentError("two arrays share memory", hint="pass the same array, or a copy")
            plain = np.ascontiguousarray(array)
            memory = self._hip.allocate(max(1, plain.nbytes))
            self._held[key] = (array, plain, memory)
            if plain.nbytes:
                self._hip.copy_in(memory, plain.__array_interface__["data"][0], plain.nbytes)
        return struct.pack("<Q", self._held[key][2])

    def copy_back(self) -> None:
        """Brings back what the kernel wrote."""
        for array, plain, memory in self._held.values():
            if not array.flags.writeable or not array.nbytes:
                continue
            self._hip.copy_out(plain.__array_interface__["data"][0], memory, plain.nbytes)
            if plain.__array_interface__["data"][0] != array.__array_interface__["data"][0]:
                array[...] = plain.reshape(array.shape)


def _is_array(value: object) -> Any:
    """Whether it is a NumPy array; NumPy is not imported for that."""
    numpy = sys.modules.get("numpy")
    return numpy is not None and isinstance(value, numpy.ndarray)


def _is_scalar(value: object) -> Any:
    numpy = sys.modules.get("numpy")
    return numpy is not None and isinstance(value, numpy.generic)


def _kind(value: object) -> str:
    if _is_array(value):
        return "an array"
    return "None" if value is None else f"{type(value).__module__}.{type(value).__name__}".removeprefix("builtins.")


def _bytes(value: Value, size: int) -> bytes:
    """A value as the kernel finds it. Raises what struct and int raise for what does not fit."""
    if isinstance(value, bytes):
        return value
    if _is_scalar(value):
        return value.tobytes()  # type: ignore[union-attr]
    if isinstance(value, float):
        form = {2: "<e", 4: "<f", 8: "<d"}.get(size)
        if form is None:
            raise ValueError(f"there is no float of {size} bytes")
        return struct.pack(form, value)
    if isinstance(value, int):
        if size not in (1, 2, 4, 8):
            raise ValueError(f"there is no integer of {size} bytes")
        return int(value).to_bytes(size, "little", signed=value < 0)
    raise ValueError(f"{_kind(value)} is no number")


def _extents(name: str, value: Extents) -> tuple[int, int, int]:
    given = (value,) if isinstance(value, int) else tuple(value)
    if not 1 <= len(given) <= 3 or any(one < 1 or one >= 1 << 32 for one in given):
        raise BadInputError(f"{name} is {value!r}", hint="give one to three numbers from 1 on: 16 or (16, 4)")
    x, y, z = (*given, 1, 1)[:3]
    return x, y, z


def _helped(error: WrongTargetError) -> WrongTargetError:
    """The same error with the GPUs that could run the code."""
    from wavesmith._gpus import gpus
    from wavesmith._gpus import machine as devices

    machine = used()
    own = {gpu.target for gpu in devices(machine)} if machine else set()
    said = error.what + error.hint + error.report
    fitting = [gpu.id for gpu in gpus() if gpu.target in said and gpu.target not in own]
    now = f"this process emulates {machine}; " if machine else ""
    hint = f"{now}wavesmith.use one of {', '.join(fitting)} before the first launch" if fitting else error.hint
    return WrongTargetError(error.what, error.where, hint, error.hip_error, error.report)
