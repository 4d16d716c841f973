"""What an operator of the PyTorch device costs beyond its kernels.

wavesmith run --quiet -- python bench/python/torch_overhead.py [--survey TABLE [--only WORD ...]]

Times a launch through the kernel library's C API alone, then operators of a few elements: those in C++, and those that
are registered from Python, which compose others or call the library by ctypes. Each is also given as a multiple of the
launch, which says more of another machine, or of a busy one, than microseconds do; where an operator launches several
kernels, as a multiple of so many launches, too. A survey times every operator that PyTorch's own list of operators
reaches (`operator_survey.py`). Times are the calling thread's without what it spends waiting (`waits.py`).
"""

from __future__ import annotations

import argparse
import ctypes
from collections.abc import Callable
from pathlib import Path

import torch
import waits
from torch.nn import functional

import wavesmith.torch
from wavesmith.torch import _library


class Pointwise(ctypes.Structure):
    """wavesmith_pointwise_description."""

    _fields_ = (
        ("operation", ctypes.c_int),
        ("computed_in", ctypes.c_int),
        ("dimensions", ctypes.c_int32),
        ("sizes", ctypes.c_int64 * 8),
        ("y", _library.Operand),
        ("inputs", _library.Operand * 3),
        ("numbers", _library.Number * 3),
    )


_COPY, _ADD = 3, 49  # wavesmith_pointwise_operation


def launched(call: Callable[[], object]) -> int:
    """How many kernels, copies and fills a call launches."""
    call()
    with wavesmith.profile() as profile:
        call()
        torch.accelerator.synchronize()
    return sum(row["calls"] for row in profile.rows(by="kernel"))


def _addition(x: torch.Tensor) -> Callable[[], object]:
    """`x += 1` by the kernel library's C API."""
    number = _library.TYPES[x.dtype]
    one = Pointwise(operation=_ADD, computed_in=number)
    one.y = one.inputs[0] = _library.operand(x)
    one.inputs[1].number.real = one.numbers[0].real = 1
    launch, pointer = _library.library().wavesmith_kernels_pointwise, ctypes.byref(one)
    return lambda: launch(pointer, None)


def _of_nothing(device: torch.device) -> tuple[Callable[[], object], Callable[[], object]]:
    """A copy of no element, which launches nothing, in C and by what operators in Python call."""
    empty = torch.zeros(0, device=device)
    number = _library.TYPES[empty.dtype]
    one = Pointwise(_COPY, number, 1, (0,), _library.operand(empty), (_library.operand(empty),))
    function, pointer, none = (
        _library.library().wavesmith_kernels_pointwise,
        ctypes.byref(one),
        ctypes.c_void_p(),
    )
    return lambda: function(pointer, none), lambda: _library.call("wavesmith_kernels_pointwise", device, one)


def main() -> None:
    """Prints each operator's time, and as multiples of a launch."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--calls", type=int, default=10000)
    parser.add_argument("--survey", type=Path, metavar="TABLE", help="times all operators into a table")
    parser.add_argument("--only", nargs="*", default=(), metavar="WORD", help="those of OpInfos with such names")
    options = parser.parse_args()
    waits.preload()
    if options.survey:
        from operator_survey import survey

        survey(options.survey, options.only)
        return
    calls, clock = options.calls, waits.Clock()
    x, matrix = torch.zeros(1, device="wavesmith"), torch.eye(4, device="wavesmith")
    factors, pivots = torch.linalg.lu_factor(matrix)
    numbers = torch.rand(64, device="wavesmith")
    image = torch.rand(1, 2, 8, 8, device="wavesmith")
    operators: dict[str, Callable[[], object]] = {
        "x.add_(1)": lambda: x.add_(1),
        "x + x": lambda: x + x,
        "x.sum()": x.sum,
        "sort": numbers.sort,
        "fft": lambda: torch.fft.fft(numbers),
        "lu_unpack": lambda: torch.lu_unpack(factors, pivots),
        "det": lambda: torch.linalg.det(matrix),
        "slogdet": lambda: torch.linalg.slogdet(matrix),
        "avg_pool2d": lambda: functional.avg_pool2d(image, 2),
        "max_pool2d": lambda: functional.max_pool2d(image, 2),
        "interpolate": lambda: functional.interpolate(image, scale_factor=2, mode="bilinear"),
        "batch_norm": lambda: functional.batch_norm(image, None, None, training=True),
        "solve_ex": lambda: torch.linalg.solve_ex(matrix, matrix),
        "inv_ex": lambda: torch.linalg.inv_ex(matrix),
        "qr": lambda: torch.linalg.qr(matrix),
        "mode": numbers.mode,
        "eigh": lambda: torch.linalg.eigh(matrix),
        "svd": lambda: torch.linalg.svd(matrix),
        "lstsq": lambda: torch.linalg.lstsq(matrix, matrix),
        "nonzero": numbers.nonzero,
        "unique": numbers.unique,
        "histc": lambda: numbers.histc(10),
    }
    kernels = {name: launched(call) for name, call in operators.items()}
    bare, _ = clock.time(_addition(x), calls, calls // 25)
    print(f"{'the launch alone':18} {bare:8.1f} us")
    for name, call in operators.items():
        count = calls if kernels[name] == 1 else calls // 10
        taken, waited = clock.time(call, count, max(5, count // 25))
        each = f", {taken / bare / kernels[name]:.1f} of each of its {kernels[name]}" if kernels[name] > 1 else ""
        beside = f", {waited:g} waits" if waited else ""
        print(f"{name:18} {taken:8.1f} us, {taken / bare:5.1f} launches{each}{beside}")
    plain, by_python = (clock.time(call, calls, calls // 25)[0] for call in _of_nothing(x.device))
    print(f"a call of the library from Python takes {by_python - plain:.1f} us more than one in C")
    fallbacks = wavesmith.torch.fallback_counts()
    assert not fallbacks, fallbacks


if __name__ == "__main__":
    main()
