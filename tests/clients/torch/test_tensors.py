"""Tensors on the device: made, viewed, copied, resized, and computed by the host where there is no kernel."""

from __future__ import annotations

import pytest
import torch

import wavesmith.torch

pytestmark = pytest.mark.representative


def test_numbers_go_there_and_come_back() -> None:
    for dtype in (torch.float32, torch.bfloat16, torch.int8, torch.bool, torch.complex64, torch.float64):
        there = (torch.randn(7, 5) * 9).to(dtype)
        assert torch.equal(there.to("wavesmith").cpu(), there)
        assert torch.equal(there.t().to("wavesmith")[1:].cpu(), there.t()[1:])


def test_views_share_memory() -> None:
    x = torch.zeros(4, 6, device="wavesmith")
    x.t()[2, 1:3] = 5
    x.unfold(1, 2, 2)[3, 2] = 7
    assert x.cpu().tolist() == [[0] * 6, [0, 0, 5, 0, 0, 0], [0, 0, 5, 0, 0, 0], [0, 0, 0, 0, 7, 7]]
    assert torch.view_as_real(torch.view_as_complex(x.view(4, 3, 2))).data_ptr() == x.data_ptr()


def test_results_take_the_size_they_need() -> None:
    x = torch.randn(3, 4)
    result = torch.empty(0, device="wavesmith")
    torch.cumsum(x.to("wavesmith"), 1, out=result)
    torch.testing.assert_close(result.cpu(), x.cumsum(1))
    result.resize_(2, 2)
    assert result.shape == (2, 2)
    torch.testing.assert_close(result.cpu().flatten(), x.cumsum(1).flatten()[:4])


def test_what_the_host_computes_is_counted() -> None:
    before = sum(wavesmith.torch.fallback_counts().values())
    x = torch.randn(4, 4, device="wavesmith")
    torch.linalg.eigvals(x)
    assert sum(wavesmith.torch.fallback_counts().values()) > before


def test_the_same_seed_gives_the_same_numbers() -> None:
    torch.manual_seed(5)
    first = torch.randn(9, device="wavesmith")
    torch.manual_seed(5)
    assert torch.equal(first, torch.randn(9, device="wavesmith"))


def test_gradients() -> None:
    x = torch.randn(5, 5)
    theirs, ours = x.clone().requires_grad_(), x.to("wavesmith").requires_grad_()
    for each in (theirs, ours):
        (torch.tanh(each @ each.t()) * each).sum().backward()
    assert theirs.grad is not None and ours.grad is not None
    torch.testing.assert_close(ours.grad.cpu(), theirs.grad)


def test_streams_and_events() -> None:
    stream = torch.Stream(device="wavesmith")
    start, stop = (torch.Event("wavesmith", enable_timing=True) for _ in range(2))
    with stream:
        assert torch.accelerator.current_stream() == stream
        start.record()
        y = torch.ones(1000, device="wavesmith") * 3
        stop.record()
    stop.synchronize()
    assert start.query() and start.elapsed_time(stop) >= 0
    assert y.sum().item() == 3000


def test_a_device_that_is_not_there() -> None:
    with pytest.raises(RuntimeError, match="wavesmith:9 is not there"):
        torch.empty(1, device="wavesmith:9")


def test_conjugates_and_negations_are_copied() -> None:
    x = torch.randn(6, dtype=torch.complex64)
    there = x.to("wavesmith")
    assert torch.equal(there.conj().cpu(), x.conj().resolve_conj())
    assert torch.equal(there.conj().imag.clone().cpu(), x.conj().imag.clone())


def test_pinned_memory_that_is_given_back_is_not_kept() -> None:
    torch.empty(9, pin_memory=True)
    torch.accelerator.empty_host_cache()
    torch.accelerator.empty_cache()


def test_kernels_take_tensors_where_they_lie() -> None:
    a, b = (torch.randn(20, 64, dtype=torch.bfloat16) for _ in range(2))
    d = wavesmith.kernels.gemm(a.to("wavesmith"), b.to("wavesmith").t())
    assert d.device == torch.device("wavesmith:0")
    torch.testing.assert_close(d.cpu().double(), a.double() @ b.double().t(), rtol=2**-8, atol=2**-10)
    quantised, scales = wavesmith.kernels.quantise(a.to("wavesmith"), "e4m3", scaling="row")
    assert quantised.dtype == torch.float8_e4m3fn and scales.shape == (20, 1)
    torch.testing.assert_close(quantised.cpu().float() * scales.cpu(), a.float(), rtol=2**-4, atol=2**-6)
    with pytest.raises(wavesmith.BadInputError, match="a lies in the memory of GPU 0 and b in the host's memory"):
        wavesmith.kernels.gemm(a.to("wavesmith"), b.t())
    with pytest.raises(wavesmith.UnsupportedError, match="a is of complex64"):
        wavesmith.kernels.gemm(a.to("wavesmith", torch.complex64), b.t())


def test_reductions_of_nothing() -> None:
    for shape in ((0,), (0, 5), (3, 0)):
        x = torch.empty(shape)
        for order in (0, 0.5, 1, 2, 3.5):
            same = torch.linalg.vector_norm(x.to("wavesmith"), order).cpu()
            assert torch.equal(same, torch.linalg.vector_norm(x, order)), (shape, order)
        for function in (torch.sum, torch.prod, torch.mean, torch.var, torch.all, torch.any):
            theirs = function(x > 0 if function in (torch.all, torch.any) else x)
            there = x.to("wavesmith")
            ours = function(there > 0 if function in (torch.all, torch.any) else there).cpu()
            torch.testing.assert_close(ours, theirs, equal_nan=True)
