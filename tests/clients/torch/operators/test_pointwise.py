"""Pointwise operators by the library's kernels, against the CPU."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch.nn import functional

Function = Callable[..., torch.Tensor]

FLOATS = (torch.float32, torch.bfloat16, torch.float16, torch.float64)
INTEGERS = (torch.int64, torch.int32, torch.int8, torch.uint8, torch.int16)


pytestmark = pytest.mark.usefixtures("by_kernels")


def check(function: Function, *arguments: Any, **bounds: Any) -> None:
    """The device's result is the CPU's, within what its type keeps."""
    there = [value.to("wavesmith") if isinstance(value, torch.Tensor) else value for value in arguments]
    torch.testing.assert_close(function(*there).cpu(), function(*arguments), equal_nan=True, **bounds)


UNARY = (
    *("exp", "exp2", "expm1", "log1p", "sin", "cos", "tan", "atan", "sinh", "cosh", "tanh", "asinh", "erf", "erfc"),
    *("reciprocal", "sigmoid", "neg", "floor", "ceil", "trunc", "round", "frac", "sign", "abs", "isnan", "isinf"),
    *("signbit", "square"),
)


@pytest.mark.representative
@pytest.mark.parametrize("name", UNARY)
def test_functions_of_one_tensor(name: str) -> None:
    for dtype in FLOATS:
        check(getattr(torch, name), torch.randn(5, 63).to(dtype))


@pytest.mark.parametrize("name", ["log", "log2", "log10", "sqrt", "rsqrt", "acosh"])
def test_functions_of_positive_numbers(name: str) -> None:
    for dtype in FLOATS:
        check(getattr(torch, name), (torch.rand(300) * 9 + 1.1).to(dtype))


@pytest.mark.representative
def test_arithmetic_of_mixed_types() -> None:
    for left in (*FLOATS, *INTEGERS):
        for right in (torch.float32, torch.bfloat16, torch.int64, torch.int8):
            x, y = (torch.randint(1, 9, (7, 33)).to(dtype) for dtype in (left, right))
            for function in (torch.add, torch.mul, torch.sub, torch.div, torch.maximum, torch.lt):
                check(function, x, y)
    check(torch.add, torch.ones(3, dtype=torch.bool), torch.tensor([True, False, True]))
    check(lambda a, b: torch.rsub(a, b, alpha=3), torch.randn(4, 1), torch.randn(5))


def test_integers() -> None:
    for dtype in INTEGERS:
        low = 0 if dtype is torch.uint8 else -90
        x, y = torch.randint(low, 90, (400,)).to(dtype), torch.randint(1, 7, (400,)).to(dtype)
        for function in (torch.floor_divide, torch.remainder, torch.fmod, torch.bitwise_and, torch.bitwise_xor):
            check(function, x, y)
        check(torch.bitwise_not, x)
        check(torch.bitwise_left_shift, x, y)
        check(lambda a, b: a**2 + b * 3, x, y)


@pytest.mark.representative
def test_strides_and_broadcasting() -> None:
    x, y = torch.randn(6, 5, 8), torch.randn(5, 1)
    check(lambda a, b: a.transpose(0, 2) * b + a.permute(2, 1, 0)[:, :, ::2].sum(-1, keepdim=True), x, y)
    check(lambda a: a[:, 1:, ::3] + a[0, 0, 0], x)
    check(lambda a, b: torch.where(a > 0, a, b), x, y)
    many = torch.randn(2, 3, 2, 3, 2, 2, 2, 3, 2, 3)  # more dimensions than a kernel has
    check(lambda a: a.permute(9, 1, 7, 3, 5, 4, 6, 2, 8, 0) * a.permute(9, 1, 7, 3, 5, 6, 4, 2, 8, 0), many)


def test_no_elements() -> None:
    for shape in ((0,), (3, 0, 2)):
        check(lambda a: (a * 2 + a).exp(), torch.empty(shape))


@pytest.mark.representative
def test_in_place_and_into_tensors() -> None:
    x = torch.randn(4, 6)
    ours = x.to("wavesmith")
    view = ours[:, 1:4]
    view.mul_(2).add_(1).clamp_(-1, 1)
    expected = x.clone()
    expected[:, 1:4].mul_(2).add_(1).clamp_(-1, 1)
    torch.testing.assert_close(ours.cpu(), expected)
    out = torch.empty(0, device="wavesmith")
    torch.exp(ours, out=out)
    torch.testing.assert_close(out.cpu(), expected.exp())
    with pytest.raises(RuntimeError, match="output with shape"):
        torch.empty(3, device="wavesmith").add_(torch.empty(2, 3, device="wavesmith"))


def test_special_numbers() -> None:
    x = torch.tensor([float("nan"), float("inf"), -float("inf"), 0.0, -0.0, 1e38, -1e-40, 100.0])
    for function in (
        torch.exp,
        torch.tanh,
        torch.sigmoid,
        functional.silu,
        torch.isnan,
        torch.nan_to_num,
        torch.relu,
        torch.erf,
    ):
        check(function, x)
    for function in (torch.maximum, torch.minimum, torch.fmax, torch.fmin, torch.eq, torch.ne, torch.add, torch.atan2):
        check(function, x[:, None], x[None])


@pytest.mark.representative
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_activations_and_their_gradients(dtype: torch.dtype) -> None:
    functions: tuple[Function, ...] = (
        functional.silu,
        functional.gelu,
        lambda x: functional.gelu(x, approximate="tanh"),
        functional.relu,
        functional.leaky_relu,
        functional.softplus,
        torch.sigmoid,
        torch.tanh,
        functional.hardtanh,
    )
    for function in functions:

        def with_gradient(x: torch.Tensor, function: Function = function) -> torch.Tensor:
            x = x.detach().requires_grad_()
            y = function(x)
            y.backward(torch.ones_like(y))
            assert x.grad is not None
            return torch.stack((y.detach(), x.grad))

        check(with_gradient, torch.randn(777).to(dtype))


def test_numbers_are_not_moved_to_the_device_first() -> None:
    x = torch.randn(9, 9)
    for function in (
        lambda a: a * 2.5 + 1,
        lambda a: 2 - a,
        lambda a: 1 / (a.abs() + 1),
        lambda a: a.pow(2) + a.abs().pow(1.7) + a.abs() ** 0.5,
        lambda a: a.masked_fill(a > 0, -7).clamp(min=-1),
        lambda a: torch.lerp(a, a * 2, 0.3) + torch.addcmul(a, a, a, value=0.5) + torch.addcdiv(a, a, a.abs() + 1),
        lambda a: (
            torch.full_like(a, 3) + torch.arange(0, 9, device=a.device) + torch.linspace(0, 1, 9, device=a.device)
        ),
        lambda a: a.to(torch.bfloat16).to(torch.float64).to(torch.int32).to(torch.bool).float(),
    ):
        check(function, x)


def test_complex_numbers() -> None:
    x = torch.randn(8, 9, dtype=torch.complex64)
    for dtype in (torch.complex64, torch.complex128):
        check(lambda a: (a * a.t()[:8, :8].sum() if a.shape[0] == a.shape[1] else a * a) + 1, x.to(dtype))
        check(lambda a: a / (a + 2), x.to(dtype))
        check(lambda a: torch.view_as_real(a * (1 - 2j)), x.to(dtype))
