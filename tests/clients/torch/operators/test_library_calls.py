"""The kernel library called from Python: streams, devices, refusals, and what is left to the fallback."""

from __future__ import annotations

import ctypes

import pytest
import torch

import wavesmith.torch
from wavesmith.torch import _library

pytestmark = pytest.mark.representative

COPY = 3  # WAVESMITH_POINTWISE_COPY


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


def copy(y: torch.Tensor, x: torch.Tensor, computed_in: torch.dtype = torch.float32) -> None:
    order = tuple(reversed(range(x.dim())))
    operands = [_library.operand(each, order) for each in (y, x)]
    sizes = tuple(x.shape[each] for each in order)
    one = Pointwise(COPY, _library.TYPES[computed_in], x.dim(), sizes, operands[0], (operands[1],))
    _library.call("wavesmith_kernels_pointwise", x.device, one)


def test_strides_and_types() -> None:
    x = torch.randn(5, 7)
    y = torch.zeros(7, 5, device="wavesmith", dtype=torch.float64)
    copy(y.t(), x.to("wavesmith"))
    assert torch.equal(y.cpu(), x.t().double())


def test_the_current_stream() -> None:
    x = torch.randn(1000, device="wavesmith")
    y = torch.zeros_like(x)
    stream = torch.wavesmith.Stream()
    stream.wait_stream(torch.wavesmith.current_stream())
    with stream:
        copy(y, x)
    stream.synchronize()
    assert torch.equal(y.cpu(), x.cpu())


def test_the_device_is_chosen_and_left() -> None:
    if torch.wavesmith.device_count() < 2:
        pytest.skip("one device")
    x = torch.randn(9, device="wavesmith:1")
    y = torch.zeros_like(x)
    copy(y, x)
    assert torch.equal(y.cpu(), x.cpu())
    assert torch.wavesmith.current_device() == 0


def test_a_refusal_names_the_rule() -> None:
    x = torch.randn(4, device="wavesmith")
    one = Pointwise(COPY, _library.TYPES[torch.float32], -1)
    with pytest.raises(RuntimeError, match="pointwise: .*dimensions"):
        _library.call("wavesmith_kernels_pointwise", x.device, one)


def test_what_has_no_kernel_is_not_served() -> None:
    x = torch.randn(4, device="wavesmith")
    with pytest.raises(_library.NotServed):
        copy(x, x.to(torch.complex64), torch.int64)  # complex numbers are no integers
    with pytest.raises(_library.NotServed):
        _library.operand(torch.randn(3))
    with pytest.raises(_library.NotServed):
        _library.operand(torch.zeros((1,) * 9, device="wavesmith"))


def test_numbers() -> None:
    assert (_library.number(2**62).integer, _library.number(1j).imaginary) == (2**62, 1)
    assert _library.number(float("nan")).integer == 0


def test_the_fallback_takes_over(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_library, "_kernels", {})

    @_library.operator("tril_indices", "triu")
    def refusing(*args: object, **kwargs: object) -> torch.Tensor:
        raise _library.NotServed

    x = torch.randn(4, 5)
    name = "aten.triu.default"
    before = wavesmith.torch.fallback_counts().get(name, 0)
    result = _library._kernels["triu"](x.to("wavesmith"), diagonal=1)
    assert torch.equal(result.cpu(), x.triu(1))
    assert wavesmith.torch.fallback_counts()[name] == before + 1


def test_outputs_are_resized() -> None:
    out = torch.empty(0, device="wavesmith")
    assert _library.resized(out, (2, 3)) is out
    assert out.shape == (2, 3)
    with pytest.warns(UserWarning, match="was resized"):
        _library.resized(out, (4,))
