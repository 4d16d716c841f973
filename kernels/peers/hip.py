"""What the peers' programs need of HIP: memory, and kernels of code objects whose arguments are bytes."""

from __future__ import annotations

import ctypes
import struct
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

CAPABILITY = {
    (9, 0): "gfx90a",
    (9, 4): "gfx942",
    (9, 5): "gfx950",
    (11, 0): "gfx1100",
    (11, 5): "gfx1151",
    (12, 0): "gfx1201",
}

hip = ctypes.CDLL("libamdhip64.so.7")


def call(name: str, *arguments: object) -> None:
    status = getattr(hip, name)(*arguments)
    if status:
        sys.exit(f"{name}: error {status}")


def attribute(number: int) -> int:
    """A hipDeviceAttribute_t of the device."""
    value = ctypes.c_int()
    call("hipDeviceGetAttribute", ctypes.byref(value), number, 0)
    return value.value


def target() -> str:
    """By what the device says of itself."""
    numbers = attribute(23), attribute(61)  # hipDeviceAttributeComputeCapabilityMajor, ...Minor
    return CAPABILITY.get(numbers, "") or sys.exit(f"no peer is known for compute capability {numbers}")


def compute_units() -> int:
    return attribute(63)  # hipDeviceAttributeMultiprocessorCount


def memory(size: int) -> ctypes.c_void_p:
    """Memory of the GPU, filled with zeros."""
    pointer = ctypes.c_void_p()
    call("hipMalloc", ctypes.byref(pointer), ctypes.c_size_t(size))
    clear(pointer, size)
    return pointer


def clear(pointer: ctypes.c_void_p, size: int) -> None:
    call("hipMemset", pointer, 0, ctypes.c_size_t(size))


def write(pointer: ctypes.c_void_p, array: object) -> None:
    """Copies a NumPy array to the GPU."""
    call("hipMemcpy", pointer, array.ctypes.data_as(ctypes.c_void_p), ctypes.c_size_t(array.nbytes), 1)  # type: ignore[attr-defined]


def read(array: object, pointer: ctypes.c_void_p) -> None:
    call("hipMemcpy", array.ctypes.data_as(ctypes.c_void_p), pointer, ctypes.c_size_t(array.nbytes), 2)  # type: ignore[attr-defined]


def slots(*values: ctypes.c_void_p | int | float | None) -> bytes:
    """Arguments, each in 16 bytes; None is a null pointer."""
    made = b""
    for value in values:
        if isinstance(value, float):
            made += struct.pack("<f12x", value)
        elif isinstance(value, int):
            made += struct.pack("<I12x", value)
        else:
            made += struct.pack("<Q8x", (value and value.value) or 0)
    return made


class Kernel:
    def __init__(self, code: Path | bytes, symbol: str) -> None:
        self.symbol = symbol
        module, self.function = ctypes.c_void_p(), ctypes.c_void_p()
        call("hipModuleLoadData", ctypes.byref(module), code if isinstance(code, bytes) else code.read_bytes())
        call("hipModuleGetFunction", ctypes.byref(self.function), module, symbol.encode())

    def launch(self, grid: tuple[int, int, int], threads: int, arguments: bytes, shared: int = 0) -> None:
        size = ctypes.c_size_t(len(arguments))
        buffer = ctypes.create_string_buffer(arguments, len(arguments))
        extra = (ctypes.c_void_p * 5)(1, ctypes.addressof(buffer), 2, ctypes.addressof(size), 3)
        call("hipModuleLaunchKernel", self.function, *grid, threads, 1, 1, shared, None, None, extra)


def random_bf16(*shape: int) -> tuple[object, object]:
    """Normal numbers: their bits, and the numbers in float64."""
    import numpy as np

    wide = np.random.default_rng().standard_normal(shape).astype(np.float32)
    bits = (wide.view(np.uint32) >> 16).astype(np.uint16)
    return bits, widened(bits)


def random_f16(*shape: int) -> tuple[object, object]:
    """The same of f16."""
    import numpy as np

    bits = np.random.default_rng().standard_normal(shape).astype(np.float16).view(np.uint16)
    return bits, widened_f16(bits)


def widened_f16(bits: object) -> object:
    """f16 as float64."""
    import numpy as np

    return np.asarray(bits).view(np.float16).astype(np.float64)


def widened(bits: object) -> object:
    """bf16 as float64."""
    import numpy as np

    return (np.asarray(bits).astype(np.uint32) << 16).view(np.float32).astype(np.float64)


def expect_within(got: object, want: object, bounds: object, name: str) -> None:
    """Ends the program where a number is further from float64's than its bound, or is none."""
    import numpy as np

    errors = np.abs(np.asarray(got) - want)
    wrong = np.count_nonzero(~(errors <= bounds))
    print(f"{name}: the largest error is {(errors / bounds).max():.2g} of its bound")
    if wrong:
        sys.exit(f"{wrong} of {errors.size} numbers are wrong")


def run_or_check(run: Callable[[], None], check: Callable[[], None], words: Sequence[str]) -> None:
    """Runs a peer twice, for the cycle model, or compares its result where --check is among the words."""
    if "--check" in words:
        check()
    else:
        run()
        run()
    call("hipDeviceSynchronize")
