"""What an operator of the PyTorch device costs beyond its kernel.

wavesmith run --quiet -- python bench/python/torch_overhead.py

Times `x.add_(1)` of one element, and the same launch through the kernel library's C API alone; the difference is what
PyTorch's dispatch, TensorIterator and the device's own code take.
"""

from __future__ import annotations

import argparse
import ctypes
import time
from collections.abc import Callable

import torch

import wavesmith.torch
from wavesmith import _paths


class Number(ctypes.Structure):
    """wavesmith_pointwise_number."""

    _fields_ = (("real", ctypes.c_double), ("imaginary", ctypes.c_double), ("integer", ctypes.c_int64))


class Operand(ctypes.Structure):
    """wavesmith_pointwise_operand."""

    _fields_ = (
        ("data", ctypes.c_void_p),
        ("type", ctypes.c_int),
        ("strides", ctypes.c_int64 * 8),
        ("number", Number),
    )


class Description(ctypes.Structure):
    """wavesmith_pointwise_description."""

    _fields_ = (
        ("operation", ctypes.c_int),
        ("computed_in", ctypes.c_int),
        ("dimensions", ctypes.c_int32),
        ("sizes", ctypes.c_int64 * 8),
        ("y", Operand),
        ("inputs", Operand * 3),
        ("numbers", Number * 3),
    )


_ADD, _F32 = 49, 8


def microseconds(call: Callable[[], object], calls: int) -> float:
    """The mean processor time that a call takes of the calling thread; kernels run on others."""
    for _ in range(10):
        call()
    torch.accelerator.synchronize()
    begin = time.thread_time()
    for _ in range(calls):
        call()
    taken = time.thread_time() - begin
    torch.accelerator.synchronize()
    return taken / calls * 1e6


def main() -> None:
    """Prints both times and their difference."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--calls", type=int, default=10000)
    calls = parser.parse_args().calls
    x = torch.zeros(1, device="wavesmith")
    one = Description(operation=_ADD, computed_in=_F32)
    one.y.data, one.y.type = x.data_ptr(), _F32
    one.inputs[0] = one.y
    one.inputs[1].number.real = one.numbers[0].real = 1
    library = ctypes.CDLL(str(_paths.kernel_library()))
    launch = library.wavesmith_kernels_pointwise
    pointer = ctypes.byref(one)
    bare = microseconds(lambda: launch(pointer, None), calls)
    for name, call in (("x.add_(1)", lambda: x.add_(1)), ("x + x", lambda: x + x), ("x.sum()", x.sum)):
        operator = microseconds(call, calls)
        print(
            f"{name:12} {operator:8.1f} us, of which the launch alone {bare:.1f} us, the rest {operator - bare:.1f} us"
        )
    fallbacks = wavesmith.torch.fallback_counts()
    assert not fallbacks, fallbacks


if __name__ == "__main__":
    main()
