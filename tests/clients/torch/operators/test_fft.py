"""Fourier transforms: all of torch.fft by kernels, their layouts, gradients, and what is left to the fallback."""

from __future__ import annotations

import itertools

import pytest
import torch

import wavesmith.torch

KINDS = ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft")


def same(ours: torch.Tensor, theirs: torch.Tensor) -> None:
    assert ours.device.type == "wavesmith"
    assert ours.stride() == theirs.stride()
    wide = theirs.dtype in (torch.float64, torch.complex128)
    size = theirs.abs().max().item() if theirs.numel() else 0.0
    torch.testing.assert_close(ours.cpu(), theirs, rtol=0, atol=max(size, 1e-30) * (1e-14 if wide else 5e-6))


def of_kind(kind: str, sizes: tuple[int, ...], wide: bool) -> torch.Tensor:
    real = torch.randn(sizes, dtype=torch.float64 if wide else torch.float32)
    return real if kind.startswith(("r", "ih")) else torch.complex(real, torch.randn_like(real))


@pytest.mark.representative
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.usefixtures("by_kernels")
def test_along_each_dimension(kind: str) -> None:
    for dim, n, norm in ((0, None, None), (1, 7, "forward"), (2, 12, "ortho"), (-1, 74, None), (1, 5, "forward")):
        x = of_kind(kind, (5, 6, 9), n in (7, 74))
        call = getattr(torch.fft, kind)
        same(call(x.to("wavesmith"), n, dim, norm), call(x, n, dim, norm))


@pytest.mark.representative
@pytest.mark.usefixtures("by_kernels")
def test_several_dimensions() -> None:
    for kind in KINDS[:-1]:
        x = of_kind(kind, (4, 6, 5, 3), False)
        for dims in ((1, 2), (3, 0, 1), (0, 1, 2, 3)):
            call = getattr(torch.fft, f"{kind}n")
            same(call(x.to("wavesmith"), dim=dims), call(x, dim=dims))
        call = getattr(torch.fft, f"{kind}2")
        same(call(x.to("wavesmith")[::2, :, 1:].transpose(1, 3)), call(x[::2, :, 1:].transpose(1, 3)))


@pytest.mark.usefixtures("by_kernels")
def test_of_real_numbers_and_of_conjugates() -> None:
    x = torch.randn(3, 10)
    same(torch.fft.fft(x.to("wavesmith")), torch.fft.fft(x))
    same(torch.fft.ifft2(x.to("wavesmith")), torch.fft.ifft2(x))
    z = torch.randn(3, 10, dtype=torch.complex64)
    same(torch.fft.fft(z.to("wavesmith").conj()), torch.fft.fft(z.conj()))
    same(torch.fft.fft(z.to("wavesmith").imag), torch.fft.fft(z.imag))


def test_empty_ones_and_errors() -> None:
    for sizes in ((0, 4), (2, 0, 3)):
        x = torch.zeros(sizes, device="wavesmith")
        assert torch.fft.fft(x).shape == sizes
        assert torch.fft.rfft(x).shape == (*sizes[:-1], sizes[-1] // 2 + 1)
    with pytest.raises(RuntimeError, match="Invalid number of data points"):
        torch.fft.fft(torch.zeros(3, 0, device="wavesmith"))
    with pytest.raises(RuntimeError, match="Unsupported dtype|Half"):
        torch.fft.fft(torch.zeros(8, dtype=torch.half, device="wavesmith"))


def test_into_given_tensors() -> None:
    x = torch.randn(4, 6, dtype=torch.complex64)
    on_device = x.to("wavesmith")
    out = torch.empty(0, dtype=torch.complex64, device="wavesmith")
    assert torch.fft.fft(on_device, out=out) is out
    torch.testing.assert_close(out.cpu(), torch.fft.fft(x))
    torch.fft.fft(on_device, out=on_device)
    torch.testing.assert_close(on_device.cpu(), torch.fft.fft(x))
    real = torch.empty(4, 9, device="wavesmith")
    torch.fft.irfft(x.to("wavesmith"), 9, out=real)
    torch.testing.assert_close(real.cpu(), torch.fft.irfft(x, 9))


@pytest.mark.representative
def test_gradients() -> None:
    x = torch.randn(3, 8)
    theirs, ours = (x.detach().to(device).requires_grad_() for device in ("cpu", "wavesmith"))
    for each in (theirs, ours):
        torch.fft.irfft(torch.fft.rfft(each) * 2j).square().sum().backward()
    torch.testing.assert_close(ours.grad.cpu(), theirs.grad)


@pytest.mark.representative
def test_short_times_and_back() -> None:
    x, window = torch.randn(2, 600), torch.hann_window(64)
    spectrum = torch.stft(x, 64, 16, window=window, return_complex=True)
    ours = torch.stft(x.to("wavesmith"), 64, 16, window=window.to("wavesmith"), return_complex=True)
    torch.testing.assert_close(ours.cpu(), spectrum, rtol=0, atol=1e-4)
    back = torch.istft(ours, 64, 16, window=window.to("wavesmith"), length=600)
    torch.testing.assert_close(back.cpu(), x, rtol=0, atol=1e-5)


def test_windows_added_up() -> None:
    for sizes, dim, size, step in itertools.product(((5, 23), (23, 4)), (0, 1), (1, 3, 4), (1, 2, 3, 5)):
        if sizes[dim] < size:
            continue
        theirs, ours = (
            torch.randn(sizes, generator=torch.Generator().manual_seed(1)).to(each).requires_grad_()
            for each in ("cpu", "wavesmith")
        )
        factor = torch.arange(size) + 1.0
        for each in (theirs, ours):
            (each.unfold(dim, size, step) * factor.to(each.device)).square().sum().backward()
        torch.testing.assert_close(ours.grad.cpu(), theirs.grad)


def test_what_has_too_many_dimensions_is_left_to_the_host() -> None:
    x = torch.randn((1,) * 8 + (4,), dtype=torch.complex64)
    before = wavesmith.torch.fallback_counts().get("aten._fft_c2c.default", 0)
    y = torch.fft.fft(x.to("wavesmith"))
    assert wavesmith.torch.fallback_counts()["aten._fft_c2c.default"] == before + 1
    torch.testing.assert_close(y.cpu(), torch.fft.fft(x))
