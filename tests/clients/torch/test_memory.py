"""Device memory: what is counted, kept and given back."""

from __future__ import annotations

import pytest
import torch

pytestmark = pytest.mark.representative

device = torch.wavesmith
MIB = 1 << 20


@pytest.fixture(autouse=True)
def nothing_kept() -> None:
    device.synchronize()
    device.empty_cache()


def test_what_tensors_have_is_counted() -> None:
    before, reserved = device.memory_allocated(), device.memory_reserved()
    device.reset_peak_memory_stats()
    x = torch.empty(4 * MIB, dtype=torch.uint8, device="wavesmith")
    y = torch.empty(2 * MIB, dtype=torch.uint8, device="wavesmith")
    assert device.memory_allocated() - before == torch.accelerator.memory_allocated() - before == 6 * MIB
    del y
    assert device.memory_allocated() - before == 4 * MIB
    assert device.max_memory_allocated() - before == device.max_memory_reserved() - reserved == 6 * MIB
    assert device.memory_reserved() - reserved == 6 * MIB  # kept
    device.empty_cache()
    assert device.memory_reserved() - reserved == 4 * MIB
    device.reset_peak_memory_stats()
    assert device.max_memory_allocated() == device.memory_allocated()
    stats = device.memory_stats()
    assert stats["allocated_bytes.all.current"] == device.memory_allocated()
    assert stats["num_ooms"] >= 0 and x.numel() == 4 * MIB
    device.reset_accumulated_memory_stats()
    assert device.memory_stats()["allocated_bytes.all.allocated"] == 0
    summary = device.memory_summary()
    assert "Allocated memory" in summary and "Allocations" in summary
    assert "Allocations" not in device.memory_summary(abbreviated=True).replace("Active allocations", "")


def test_memory_that_was_given_back_is_used_again() -> None:
    x = torch.empty(MIB, dtype=torch.uint8, device="wavesmith")
    address = x.data_ptr()
    del x
    assert torch.empty(MIB - 100, dtype=torch.uint8, device="wavesmith").data_ptr() == address
    stream = device.Stream()
    with stream:
        other = torch.empty(MIB, dtype=torch.uint8, device="wavesmith")
        assert other.data_ptr() != address  # another stream's: nothing orders the two


def test_memory_that_another_stream_uses_waits_for_it() -> None:
    stream = device.Stream()
    x = torch.zeros(MIB, device="wavesmith")
    device.synchronize()
    address = x.data_ptr()
    with stream:
        for _ in range(3):
            x.add_(1)
        x.record_stream(stream)
    del x
    fresh = torch.empty(MIB, device="wavesmith")
    assert fresh.data_ptr() != address or stream.query()
    device.synchronize()
    torch.empty(MIB, device="wavesmith")


@pytest.mark.skipif(device.device_count() < 2, reason="wavesmith run --gpu GPU:2")
def test_memory_that_another_devices_default_stream_uses_waits_for_it() -> None:
    """The default streams of all devices have the same number."""
    x, busy = torch.ones(MIB, device="wavesmith:0"), torch.zeros(MIB, device="wavesmith:1")
    stream = device.default_stream(1)
    device.synchronize(0)
    stream.synchronize()
    address = x.data_ptr()
    for _ in range(20):
        busy.add_(1)
    x.record_stream(stream)
    del x
    fresh = torch.empty(MIB, device="wavesmith:0")
    assert fresh.data_ptr() != address or stream.query()
    assert device.current_device() == 0
    del fresh
    stream.synchronize()
    assert address in [torch.empty(MIB, device="wavesmith:0").data_ptr() for _ in range(2)]


def test_too_much_is_refused_and_counted() -> None:
    before = device.memory_stats()["num_ooms"]
    with pytest.raises(torch.OutOfMemoryError, match="out of memory: tried to allocate"):
        torch.empty(1 << 45, dtype=torch.uint8, device="wavesmith")
    assert device.memory_stats()["num_ooms"] == before + 1
    assert torch.ones(3, device="wavesmith").sum().item() == 3


def test_storages_grow_shrink_and_keep_what_fits() -> None:
    x = torch.arange(6.0, device="wavesmith")
    storage = x.untyped_storage()
    assert storage.device == x.device and storage.nbytes() == 24 and storage.is_wavesmith
    storage.resize_(48)
    assert storage.nbytes() == 48 and x.tolist() == [0, 1, 2, 3, 4, 5]
    y = torch.empty(0, device="wavesmith").set_(storage, 2, (2, 2), (1, 2))
    assert y.tolist() == [[2, 4], [3, 5]]
    x.resize_(3, 4)
    assert x.untyped_storage().nbytes() == 48 and x[0].tolist() == [0, 1, 2, 3]
    x.resize_(100)
    assert x[:6].tolist() == [0, 1, 2, 3, 4, 5]
    assert torch.empty(0, device="wavesmith").set_(storage).numel() == 100
    storage.resize_(0)
    assert storage.nbytes() == 0
    with pytest.raises(RuntimeError):
        x.tolist()
