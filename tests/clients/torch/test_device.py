"""The device's module: devices, properties, random numbers, streams, and what other packages see of tensors."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch

import wavesmith

pytestmark = pytest.mark.representative

device = torch.wavesmith
several = pytest.mark.skipif(device.device_count() < 2, reason="wavesmith run --gpu GPU:2")


def test_properties_are_those_of_the_gpu() -> None:
    properties = device.get_device_properties()
    assert properties.name == device.get_device_name() == torch.wavesmith.get_device_properties("wavesmith:0").name
    assert properties.gcnArchName.startswith("gfx") and properties.gcnArchName.split(":")[0] in device.get_arch_list()
    assert properties.multi_processor_count > 0 and properties.warp_size in (32, 64)
    assert int(device.gpu_field("compute.units")) >= properties.multi_processor_count
    assert device.get_device_capability() == (properties.major, properties.minor)
    assert device.mem_get_info()[1] == properties.total_memory
    assert properties.L2_cache_size > 1 << 20 and properties.uuid.startswith("GPU-")
    assert device.is_bf16_supported() and not device._is_in_bad_fork() and device.is_initialized()


def test_the_accelerator_is_the_device() -> None:
    accelerator = torch.accelerator
    assert accelerator.is_available() and accelerator.current_accelerator() == torch.device("wavesmith")
    assert accelerator.device_count() == device.device_count()
    accelerator.synchronize()
    assert accelerator.current_device_index() == device.current_device() == 0
    assert torch.get_device_module("wavesmith") is device


@several
def test_devices_are_chosen_within_with_and_left_again() -> None:
    with device.device(1):
        assert device.current_device() == 1 and torch.ones(2, device="wavesmith").device.index == 1
        with device.device_of(torch.ones(1, device="wavesmith:0")), device.device(None):
            assert device.current_device() == 0
        with pytest.raises(ZeroDivisionError), torch.accelerator.device_index(0):
            _ = 1 / 0
        assert device.current_device() == 1
    assert device.current_device() == 0
    assert device.can_device_access_peer(0, 1) and not device.can_device_access_peer(0, 0)
    with pytest.raises(ValueError, match="not a device of this module"):
        device.get_device_name("cpu")


@several
def test_tensors_go_from_device_to_device() -> None:
    x = torch.randn(33, 5, device="wavesmith:0")
    there = x.to("wavesmith:1", non_blocking=True)
    assert there.device.index == 1 and torch.equal(there.cpu(), x.cpu())
    x.zero_()
    x.t()[1:].copy_(there.t()[1:])
    assert torch.equal(x.cpu()[:, 1:], there.cpu()[:, 1:]) and not x[:, 0].any()
    assert (there + 1).device.index == 1
    module = torch.nn.Linear(5, 2).wavesmith(1)
    assert module(there).device == module.weight.device == torch.device("wavesmith:1")


def test_tensors_of_two_devices_are_not_mixed() -> None:
    x = torch.ones(3, device="wavesmith")
    for operator in (torch.add, torch.atan2, torch.linalg.cross):
        with pytest.raises(RuntimeError, match="same device"):
            operator(x, torch.ones(3))
    assert (x + torch.tensor(2.0)).tolist() == [3, 3, 3] and x[torch.tensor([0, 2])].tolist() == [1, 1]


@several
def test_tensors_of_two_gpus_are_not_mixed() -> None:
    with pytest.raises(RuntimeError, match="same device"):
        _ = torch.ones(3, device="wavesmith:0") + torch.ones(3, device="wavesmith:1")


def test_random_numbers_are_the_seeds() -> None:
    torch.manual_seed(7)
    state, first = device.get_rng_state(), torch.randn(5, device="wavesmith")
    device.set_rng_state(state)
    assert torch.equal(torch.randn(5, device="wavesmith"), first) and device.initial_seed() == 7
    torch.manual_seed(7)
    with torch.random.fork_rng(devices=range(device.device_count()), device_type="wavesmith"):
        torch.rand(100, device="wavesmith")
    assert torch.equal(torch.randn(5, device="wavesmith"), first)
    generator = torch.Generator(device="wavesmith").manual_seed(7)
    assert generator.device.type == "wavesmith" and generator.initial_seed() == 7
    assert torch.equal(torch.randn(5, device="wavesmith", generator=generator), first)
    device.manual_seed_all(9)
    assert [each.initial_seed() for each in device.default_generators] == [9] * device.device_count()
    device.set_rng_state_all(device.get_rng_state_all())


def test_work_of_streams_is_ordered_by_events() -> None:
    stream, other = device.Stream(priority=-1), device.Stream()
    start, stop = (device.Event(enable_timing=True) for _ in range(2))
    assert stream != other and isinstance(start, torch.Event) and isinstance(start, device.Event)
    with device.stream(stream):
        assert device.current_stream() == stream and device.current_stream().cuda_stream == stream.native_handle
        start.record()
        x = torch.ones(1000, device="wavesmith").mul_(3)
        stop.record(stream)
    assert device.current_stream() == device.default_stream() and device.default_stream().cuda_stream == 0
    other.wait_event(stop)
    other.wait_stream(stream)
    with other:
        y = x + 1
        x.record_stream(other)
    device.current_stream().wait_stream(other)
    assert y.sum().item() == 4000 and start.elapsed_time(stop) >= 0
    assert stream.record_event().query() or stream.query() or True
    with device.stream(None):
        device.synchronize()


def test_what_is_pinned_is_copied_without_waiting() -> None:
    pinned = torch.randn(64).pin_memory()
    assert pinned.is_pinned() and not torch.ones(1).is_pinned() and device.host_memory_stats()["allocations.current"]
    there = pinned.to("wavesmith", non_blocking=True)
    back = torch.empty(64, pin_memory=True).copy_(there, non_blocking=True)
    device.synchronize()
    assert torch.equal(back, pinned)
    data = torch.utils.data.TensorDataset(torch.arange(10.0))
    for (batch,) in torch.utils.data.DataLoader(data, 5, pin_memory=True):
        assert batch.is_pinned()


def test_workers_of_a_loader_are_forked_beside_the_device() -> None:
    torch.ones(1, device="wavesmith")
    data = torch.utils.data.TensorDataset(torch.arange(8.0))
    loader = torch.utils.data.DataLoader(data, 4, num_workers=1, pin_memory=True)
    assert [batch.to("wavesmith").sum().item() for (batch,) in loader] == [6, 22]


def test_dlpack_both_ways_and_without_a_copy() -> None:
    for dtype in (torch.float32, torch.bfloat16, torch.int64):
        x = torch.arange(12, device="wavesmith").to(dtype).view(3, 4).t()
        assert tuple(int(each) for each in x.__dlpack_device__()) == (10, 0)  # kDLROCM
        other = torch.from_dlpack(x)
        assert other.data_ptr() == x.data_ptr() and other.stride() == x.stride() and torch.equal(other.cpu(), x.cpu())
    assert torch.equal(torch.from_dlpack(np.arange(3.0)), torch.arange(3.0, dtype=torch.float64))
    assert np.from_dlpack(torch.arange(3)).tolist() == [0, 1, 2]
    interface = torch.ones(4, 2, device="wavesmith", dtype=torch.float16)[:, 0].__cuda_array_interface__
    assert interface["typestr"] == "<f2" and interface["strides"] == (4,) and interface["shape"] == (4,)
    assert not hasattr(torch.ones(1), "__cuda_array_interface__")


def test_kernels_of_the_library_take_tensors_of_the_device() -> None:
    x = torch.randn(9, 64, device="wavesmith")
    result = wavesmith.kernels.softmax(x)
    assert result.device == x.device
    torch.testing.assert_close(result.cpu(), x.cpu().softmax(-1))


def test_a_forked_process_is_told_what_to_do() -> None:
    torch.ones(1, device="wavesmith")
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            torch.ones(1, device="wavesmith")
            text = "nothing"
        except RuntimeError as error:
            text = str(error)
        os.write(write, f"{device._is_in_bad_fork()} {text}".encode())
        os._exit(0)
    os.close(write)
    os.waitpid(child, 0)
    said = os.read(read, 4096).decode()
    os.close(read)
    assert said.startswith("True ") and "spawn" in said


def test_deterministic_memory_is_filled() -> None:
    torch.use_deterministic_algorithms(True)
    try:
        assert torch.empty(5, device="wavesmith").isnan().all()
        assert torch.empty(5, device="wavesmith", dtype=torch.int32).unique().numel() == 1
    finally:
        torch.use_deterministic_algorithms(False)


def test_checkpointed_layers_draw_the_same_again() -> None:
    from torch.utils.checkpoint import checkpoint

    x = torch.randn(8, 8, device="wavesmith", requires_grad=True)

    def layer(value: torch.Tensor) -> torch.Tensor:
        return torch.nn.functional.dropout(torch.tanh(value), 0.5)

    for reentrant in (True, False):
        torch.manual_seed(3)
        (expected,) = torch.autograd.grad(layer(x).sum(), x)
        torch.manual_seed(3)
        x.grad = None
        checkpoint(layer, x, use_reentrant=reentrant).sum().backward()
        assert torch.equal(x.grad, expected)


def test_compiled_functions_are_guarded_by_the_device() -> None:
    compiled = torch.compile(lambda value: value * 2 + 1, backend="eager")
    assert torch.equal(compiled(torch.ones(3, device="wavesmith")).cpu(), compiled(torch.ones(3)))


def test_importing_takes_less_than_a_second(tmp_path: Path) -> None:
    program = (
        "import time, torch; begin = time.process_time(); import wavesmith.torch; print(time.process_time() - begin)"
    )
    took = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True).stdout
    assert float(took) < 1
