"""Special and rare functions of elements by the library's kernels, against the CPU."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest
import torch
from comparison import same_error
from torch.nn import functional

pytestmark = pytest.mark.usefixtures("by_kernels")

inf, nan = math.inf, math.nan
WIDE = (torch.float32, torch.float64)
ALL = (*WIDE, torch.float16, torch.bfloat16)

#: Functions of one tensor, with the types that PyTorch's CUDA takes.
OF_ONE = {
    **dict.fromkeys(
        (
            *("airy_ai", "bessel_j0", "bessel_j1", "bessel_y0", "bessel_y1", "erfcx", "log_ndtr", "ndtri"),
            *("modified_bessel_i0", "modified_bessel_i1", "modified_bessel_k0", "modified_bessel_k1"),
            *("scaled_modified_bessel_k0", "scaled_modified_bessel_k1", "spherical_bessel_j0"),
        ),
        WIDE,
    ),
    **dict.fromkeys(("i0", "i0e", "i1", "i1e", "erfinv", "gammaln", "digamma", "sinc"), ALL),
}
POLYNOMIALS = (
    *(f"{kind}chebyshev_polynomial_{letter}" for kind in ("", "shifted_") for letter in "tuvw"),
    *("hermite_polynomial_h", "hermite_polynomial_he", "laguerre_polynomial_l", "legendre_polynomial_p"),
)


def check(function: Callable[..., Any], *arguments: Any, **bounds: Any) -> None:
    """The device's result is the CPU's, within what its type keeps."""
    there = [value.to("wavesmith") if isinstance(value, torch.Tensor) else value for value in arguments]
    ours, theirs = function(*there), function(*arguments)
    if isinstance(ours, torch.Tensor):
        ours, theirs = (ours,), (theirs,)
    for one, other in zip(ours, theirs, strict=True):
        torch.testing.assert_close(one.cpu(), other, equal_nan=True, **bounds)


def close(dtype: torch.dtype) -> dict[str, float]:
    """PyTorch computes f32 in f32, and Bessel and Airy functions within 1e-5 in f64."""
    return {"rtol": 2e-4, "atol": 2e-5} if dtype in WIDE else {"rtol": 0.01, "atol": 0.01}


@pytest.mark.representative
@pytest.mark.parametrize("name", OF_ONE)
def test_special_functions_of_one_tensor(name: str) -> None:
    function = getattr(torch.special, name)
    for dtype in OF_ONE[name]:
        check(function, (torch.randn(5, 63, dtype=torch.float64) * 3).to(dtype), **close(dtype))
    check(function, torch.arange(1, 9), **close(torch.float32))
    check(function, torch.tensor([0.0, -0.0, 1, -1, 0.5, nan]), **close(torch.float32))


@pytest.mark.representative
@pytest.mark.parametrize("name", POLYNOMIALS)
def test_orthogonal_polynomials(name: str) -> None:
    function = getattr(torch.special, name)
    for dtype in WIDE:
        x = torch.cat([torch.rand(40) * 2 - 1, torch.tensor([1.0, -1, 0, 1.5])]).to(dtype)
        check(function, x[:, None], torch.arange(-1, 12).to(dtype), rtol=1e-3, atol=1e-3)
    check(function, torch.rand(7), 3, rtol=1e-3, atol=1e-3)
    check(function, 0.25, torch.arange(5).to(torch.float32), rtol=1e-3, atol=1e-3)


@pytest.mark.representative
def test_gamma_functions() -> None:
    for dtype in WIDE:
        a, x = torch.rand(60, 1).to(dtype) * 20 + 0.1, torch.rand(50).to(dtype) * 30
        check(torch.special.gammainc, a, x, **close(dtype))
        check(torch.special.gammaincc, a, x, **close(dtype))
        check(torch.special.zeta, a + 1, x + 0.1, **close(dtype))
        limits = torch.tensor([0.0, 1, inf, -1], dtype=dtype)
        check(torch.special.gammainc, limits[:, None], limits)
        check(torch.special.gammaincc, limits[:, None], limits)
    for n in range(6):
        for dtype in (*WIDE, torch.bfloat16):
            x = (torch.rand(60) * 9 + 0.2).to(dtype)
            check(lambda x, n=n: torch.polygamma(n, x), x, **(close(dtype) | ({"rtol": 1e-3} if dtype in WIDE else {})))


@pytest.mark.representative
@pytest.mark.parametrize(
    "function",
    [
        *(functional.mish, functional.hardswish, functional.hardsigmoid, functional.hardshrink, functional.softshrink),
        *(functional.logsigmoid, functional.glu, torch.logit),
        *(lambda x: torch.logit(x, 0.1), lambda x: functional.glu(x, 0), lambda x: functional.softshrink(x, 1.25)),
        lambda x: functional.prelu(x, torch.full((1,), 0.3, dtype=x.dtype, device=x.device)),
    ],
)
def test_activations_and_their_gradients(function: Callable[..., torch.Tensor]) -> None:
    for dtype in ALL:
        x = (torch.randn(6, 34) * 4).to(dtype)
        x[0, :5] = torch.tensor([0.0, 3, -3, 0.5, -0.5], dtype=dtype)
        gradient = torch.randn(function(x).shape).to(dtype)
        bounds = {} if dtype in WIDE else {"rtol": 0.02, "atol": 0.02}

        def with_gradient(x: torch.Tensor, gradient: torch.Tensor = gradient) -> tuple[torch.Tensor, ...]:
            leaf = x.clone().requires_grad_()
            result = function(leaf)
            return result.detach(), torch.autograd.grad(result, leaf, gradient.to(x.device))[0]

        check(with_gradient, x, **bounds)
        check(function, x.t()[::2][:, ::3] if function(x).shape == x.shape else x, **bounds)
    check(function, torch.tensor([[nan, inf, -inf, 1.0], [0.0, 2, 5, -1]]))


@pytest.mark.representative
def test_parts_of_numbers() -> None:
    numbers = torch.tensor([0.0, 1, -0.75, 6.5, -100, 2.0**-120, inf, -2.5])
    for dtype in ALL:
        check(torch.frexp, torch.randn(77).to(dtype))
        x = (torch.randn(99) * 500).to(dtype)
        for decimals in (0, 2, -1):
            check(lambda x, decimals=decimals: torch.round(x, decimals=decimals), x)
    for dtype in WIDE:
        check(torch.nextafter, numbers.to(dtype), numbers.flip(0).to(dtype), rtol=0, atol=0)
    for dtype in (torch.int64, torch.int32, torch.int8, torch.uint8):
        x, z = (torch.randint(0, 100, (90,)).to(dtype) for _ in range(2))
        for function in (torch.gcd, torch.lcm, torch.heaviside):
            check(function, x, z)
    check(torch.heaviside, numbers, torch.tensor(0.5))
    check(torch.angle, numbers)


@pytest.mark.representative
def test_complex_numbers() -> None:
    for dtype in (torch.complex64, torch.complex128):
        x = torch.randn(5, 31, dtype=dtype)
        for function in (torch.sgn, torch.conj_physical, torch.angle, functional.silu):
            check(function, x)
        check(torch.complex, x.real, x.imag)
        check(torch.polar, x.abs(), x.angle())
        check(torch.sgn, torch.zeros(3, dtype=dtype))


def test_outputs_and_places() -> None:
    x = torch.rand(4, 6) + 0.5
    out = torch.empty(0, device="wavesmith")
    torch.special.bessel_j0(x.to("wavesmith"), out=out)
    torch.testing.assert_close(out.cpu(), torch.special.bessel_j0(x))
    wide = torch.empty(6, 4, dtype=torch.float64, device="wavesmith").t()
    torch.special.zeta(x.to("wavesmith") + 1, x.to("wavesmith"), out=wide)
    torch.testing.assert_close(wide.cpu(), torch.special.zeta(x + 1, x).double(), rtol=1e-4, atol=1e-4)
    there = x.to("wavesmith")
    there.lgamma_().sinc_().clamp_(0.2, 0.8).logit_()
    torch.testing.assert_close(there.cpu(), x.lgamma().sinc().clamp(0.2, 0.8).logit())
    for empty in (torch.empty(0, 3), torch.empty(0)):
        assert torch.special.airy_ai(empty.to("wavesmith")).shape == empty.shape
    check(torch.digamma, torch.tensor(2.5))


def test_what_is_refused() -> None:
    x = torch.ones(3)
    same_error(lambda x: torch.special.zeta(x, x, out=x.int()), x + 1)
    same_error(lambda x: torch.polygamma(-1, x), x)
    same_error(functional.glu, x)
    same_error(lambda x: torch.complex(x, x.double()), x)
    same_error(lambda x: torch.ones_like(x, dtype=torch.int32).lgamma_(), x)
