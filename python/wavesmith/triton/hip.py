"""The few calls of HIP that launching Triton's kernels takes, through ctypes: nothing is compiled for it."""

from __future__ import annotations

import ctypes
import functools
import os
import struct
import threading

from wavesmith import _paths
from wavesmith._errors import InstallationError

# Where hipDeviceProp_tR0600 (1472 bytes) has what Triton and PyTorch ask for, under Triton's names. The layout is
# that of HIP 6 and 7.
_PROPERTIES_SIZE = 1472
_PROPERTIES = {
    "max_shared_mem": ("Q", 296),
    "max_num_regs": ("i", 304),
    "warpSize": ("i", 308),
    "max_threads_per_block": ("i", 320),
    "sm_clock_rate": ("i", 348),
    "multiprocessor_count": ("i", 388),
    "mem_clock_rate": ("i", 608),
    "mem_bus_width": ("i", 612),
    "max_threads_per_sm": ("i", 624),
    "cooperativeLaunch": ("i", 688),
    "integrated": ("i", 396),
    "pci_bus_id": ("i", 584),
    "l2_cache_size": ("i", 616),
    "max_shared_mem_per_sm": ("Q", 640),
    "regs_per_sm": ("i", 648),
    "total_memory": ("Q", 288),
    "major": ("i", 360),
    "minor": ("i", 364),
    "name": ("256s", 0),
    "arch": ("256s", 1160),
}
# HIP_FUNC_ATTRIBUTE_*
_MAX_THREADS_PER_BLOCK, _LOCAL_SIZE_BYTES, _NUM_REGS = 0, 3, 4


class HipError(RuntimeError):
    """A call of HIP that failed; `code` is its hipError_t."""

    def __init__(self, code: int, text: str) -> None:
        super().__init__(text)
        self.code = code


def library_path() -> str:
    """Where libamdhip64.so lies: as TRITON_LIBHIP_PATH says, in this package, or where the loader looks."""
    named = os.environ.get("TRITON_LIBHIP_PATH")
    if named:
        return named
    try:
        return str(_paths.hip_library())
    except InstallationError:
        return "libamdhip64.so"


class _Thread(threading.local):
    device = 0


class Hip:
    """The library, opened, and its functions, typed; the device that each thread has chosen."""

    def __init__(self, path: str) -> None:
        try:
            self.library = library = ctypes.CDLL(path)
        except OSError as error:
            raise HipError(100, f"Wavesmith's Triton driver cannot open the HIP library: {error}") from None
        if not hasattr(library, "wavesmith_show_host_memory"):
            raise HipError(
                100,
                f"'{path}' is not Wavesmith's HIP library (or an older one): run under "
                "`wavesmith run`, or unset TRITON_LIBHIP_PATH",
            )
        self._thread = _Thread()
        pointer, integer, unsigned = ctypes.c_void_p, ctypes.c_int, ctypes.c_uint
        launch = [pointer] + 7 * [unsigned] + [pointer, pointer]
        for name, types in {
            "hipModuleLaunchKernel": [*launch, pointer],
            "hipModuleLaunchCooperativeKernel": launch,
            "hipStreamSynchronize": [pointer],
            "hipDeviceSynchronize": [],
            "hipSetDevice": [integer],
            "hipGetDeviceCount": [pointer],
            "hipRuntimeGetVersion": [pointer],
            "hipGetDevicePropertiesR0600": [pointer, integer],
            "hipModuleLoadData": [pointer, ctypes.c_char_p],
            "hipModuleUnload": [pointer],
            "hipModuleGetFunction": [pointer, pointer, ctypes.c_char_p],
            "hipFuncGetAttribute": [pointer, integer, pointer],
        }.items():
            function = getattr(library, name)
            function.argtypes = types
            function.restype = integer
        library.hipGetErrorName.restype = library.hipGetErrorString.restype = ctypes.c_char_p
        library.wavesmith_last_failure.restype = ctypes.c_size_t
        library.wavesmith_last_failure.argtypes = [pointer, ctypes.c_size_t]

    def last_failure(self) -> str:
        """What the library last said about a failed call or kernel."""
        text = ctypes.create_string_buffer(self.library.wavesmith_last_failure(None, 0) + 1)
        self.library.wavesmith_last_failure(text, len(text))
        return text.value.decode(errors="replace")

    def error(self, code: int, what: str) -> HipError:
        """The error of a call that returned `code` while doing `what`."""
        name = self.library.hipGetErrorName(code).decode()
        meaning = self.library.hipGetErrorString(code).decode()
        self.library.hipGetLastError()
        return HipError(code, f"{what}: {name} ({meaning})")

    def check(self, code: int, what: str) -> None:
        if code:
            raise self.error(code, what)

    def device_count(self) -> int:
        count = ctypes.c_int()
        self.check(self.library.hipGetDeviceCount(ctypes.byref(count)), "counting the emulated GPUs")
        return count.value

    def release(self) -> str:
        """The runtime's version, as PyTorch for ROCm tells it: "7.1.51831"."""
        number = ctypes.c_int()
        self.check(self.library.hipRuntimeGetVersion(ctypes.byref(number)), "asking for the version")
        major, rest = divmod(number.value, 10_000_000)
        return f"{major}.{rest // 100_000}.{rest % 100_000}"

    def current_device(self) -> int:
        return self._thread.device

    def set_device(self, device: int) -> None:
        self.check(self.library.hipSetDevice(device), f"device {device} of {self.device_count()} emulated GPU(s)")
        self._thread.device = device

    def show_host_memory(self) -> None:
        """The GPU sees the process's own memory, as that of an APU does: CPU tensors lie there."""
        self.library.wavesmith_show_host_memory(1)

    def properties(self, device: int) -> dict[str, int | str]:
        """What Triton and PyTorch ask about a device, under Triton's names."""
        memory = ctypes.create_string_buffer(_PROPERTIES_SIZE)
        code = self.library.hipGetDevicePropertiesR0600(memory, device)
        if code:
            raise self.error(code, f"device {device} of {self.device_count()} emulated GPU(s)")
        found: dict[str, int | str] = {}
        for name, (form, offset) in _PROPERTIES.items():
            (value,) = struct.unpack_from(form, memory, offset)
            found[name] = value.split(b"\0", 1)[0].decode() if isinstance(value, bytes) else value
        return found

    def load(self, name: str, image: bytes) -> tuple[int, int, int, int, int]:
        """A code object's kernel: (module, function, registers, spilled registers, largest workgroup)."""
        library = self.library
        module, function, value = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_int()
        code = library.hipModuleLoadData(ctypes.byref(module), image)
        if code:
            raise self.error(code, f"loading kernel '{name}': {self.last_failure()}")
        self.check(
            library.hipModuleGetFunction(ctypes.byref(function), module, name.encode()),
            f"looking up kernel '{name}'",
        )
        attributes = []
        for attribute in (_NUM_REGS, _LOCAL_SIZE_BYTES, _MAX_THREADS_PER_BLOCK):
            self.check(library.hipFuncGetAttribute(ctypes.byref(value), attribute, function), f"kernel '{name}'")
            attributes.append(value.value)
        registers, spilled, threads = attributes
        return module.value or 0, function.value or 0, registers, spilled // 4, threads

    def unload(self, module: int) -> None:
        self.check(self.library.hipModuleUnload(module), "unloading a module")


@functools.cache
def hip() -> Hip:
    """The library, opened at the first use."""
    return Hip(library_path())
