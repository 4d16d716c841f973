"""Norms and softmax, by the kernel library; their gradients."""

from __future__ import annotations

import pytest
import torch
import torch.nn.functional as functional
from comparison import PIECES, no_fallback, on_both, same_error

FLOATS = {torch.float32: 1e-5, torch.float16: 2**-8, torch.bfloat16: 2**-5}


@pytest.mark.representative
@pytest.mark.parametrize("dtype", FLOATS)
def test_layer_norm(dtype: torch.dtype) -> None:
    for sizes, normalized in (((4, 5, 37), (37,)), ((3, 4, 6, 8), (6, 8)), ((5, 1), (1,))):
        x = torch.randn(sizes).to(dtype)
        weight, bias = torch.randn(normalized).to(dtype), torch.randn(normalized).to(dtype)
        on_both(lambda x, w, b, n=normalized: functional.layer_norm(x, n, w, b), x, weight, bias,
                tolerance=FLOATS[dtype])  # fmt: skip
    on_both(lambda x: functional.layer_norm(x, (6,)), torch.randn(7, 6).to(dtype), tolerance=FLOATS[dtype])
    turned = torch.randn(16, 9).to(dtype).t()
    on_both(lambda x: functional.layer_norm(x, (16,)), turned, tolerance=FLOATS[dtype])


@pytest.mark.representative
@pytest.mark.parametrize("dtype", FLOATS)
def test_rms_norm(dtype: torch.dtype) -> None:
    x, weight = torch.randn(3, 7, 40).to(dtype), torch.randn(40).to(dtype)
    on_both(lambda x, w: functional.rms_norm(x, (40,), w, 1e-5), x, weight, tolerance=FLOATS[dtype])
    on_both(lambda x: functional.rms_norm(x, (7, 40)), x, tolerance=FLOATS[dtype])


def test_statistics_of_layer_norm() -> None:
    x = torch.randn(6, 5, 11)
    with no_fallback(but=PIECES):
        ours = torch.native_layer_norm(x.to("wavesmith"), (11,), None, None, 1e-3)
    for our, their in zip(ours, torch.native_layer_norm(x, (11,), None, None, 1e-3), strict=True):
        torch.testing.assert_close(our.cpu(), their)


@pytest.mark.representative
@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("call", (torch.softmax, torch.log_softmax))
def test_softmax(dtype: torch.dtype, call: object) -> None:
    x = torch.randn(3, 5, 17).to(dtype)
    for dimension in (-1, 0, 1):
        on_both(lambda x, d=dimension: call(x, d), x, tolerance=FLOATS[dtype])  # type: ignore[operator]
    on_both(lambda x: call(x, 0), torch.randn(()).to(dtype), tolerance=FLOATS[dtype])  # type: ignore[operator]
    wide = call(x.to("wavesmith"), -1, dtype=torch.float32)  # type: ignore[operator]
    torch.testing.assert_close(wide.cpu(), call(x, -1, dtype=torch.float32))  # type: ignore[operator]


def test_softmax_of_what_is_not_finite() -> None:
    x = torch.randn(6, 9)
    x[0, 3], x[1, 2], x[3, 5] = float("nan"), float("inf"), -float("inf")
    x[2] = -float("inf")
    torch.testing.assert_close(torch.softmax(x.to("wavesmith"), -1).cpu(), torch.softmax(x, -1), equal_nan=True)


def test_nothing_to_normalise() -> None:
    for sizes in ((0, 5), (3, 0)):
        x = torch.randn(sizes, device="cpu").to("wavesmith")
        assert torch.softmax(x, -1).shape == sizes
    assert functional.layer_norm(torch.randn(0, 5).to("wavesmith"), (5,)).shape == (0, 5)


def test_double_is_right_too() -> None:
    x = torch.randn(4, 9, dtype=torch.double)
    there = x.to("wavesmith")
    for dimension in (0, -1):
        on_both(lambda x, d=dimension: torch.softmax(x, d), x.clone(), tolerance=1e-14)
        on_both(lambda x, d=dimension: torch.log_softmax(x, d), x.clone(), tolerance=1e-14)
    torch.testing.assert_close(functional.layer_norm(there, (9,)).cpu(), functional.layer_norm(x, (9,)))
    torch.testing.assert_close(functional.rms_norm(there, (9,)).cpu(), functional.rms_norm(x, (9,)))


def test_errors_are_pytorchs() -> None:
    r = torch.randn
    same_error(lambda x: functional.layer_norm(x, (4,)), r(3, 5))
    same_error(lambda x, w: functional.layer_norm(x, (5,), w), r(3, 5), r(4))
    same_error(lambda x: torch.softmax(x, 2), r(3, 5))
    same_error(lambda x: torch.softmax(x, 0), torch.ones(3, dtype=torch.long))
