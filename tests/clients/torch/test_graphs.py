"""Graphs: work of the device that is captured once and replayed."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

pytestmark = pytest.mark.representative

device = torch.wavesmith


def test_a_replay_does_the_same_with_what_is_there_then() -> None:
    x, y = torch.ones(1000, device="wavesmith"), torch.zeros(1000, device="wavesmith")
    graph = torch.accelerator.Graph()
    with torch.Stream(device="wavesmith"):
        graph.capture_begin()
        assert device.is_current_stream_capturing()
        y.copy_(x)
        graph.capture_end()
    assert not device.is_current_stream_capturing() and not y.any()
    for value in (3.0, 5.0):
        x.fill_(value)
        graph.replay()
        device.synchronize()
        assert (y == value).all()


def test_memory_of_a_graph_is_its_own_until_it_is_gone() -> None:
    x = torch.arange(1024.0, device="wavesmith")
    graph = device.CUDAGraph()
    with device.graph(graph):
        between = x.clone()
        result = between.clone()
    address = between.data_ptr()
    del between
    others = [torch.empty(1024, device="wavesmith") for _ in range(4)]
    assert address not in [other.data_ptr() for other in others]
    for other in others:
        other.zero_()
    x.add_(1)
    graph.replay()
    device.synchronize()
    assert torch.equal(result.cpu(), x.cpu())
    second = device.CUDAGraph()
    with device.graph(second, pool=graph.pool()):
        again = x.clone()
    assert again.data_ptr() == address and second.pool() == graph.pool()
    reserved = device.memory_reserved()
    del again, result
    graph.reset()
    assert device.memory_reserved() == reserved  # the other graph's still
    del second
    assert device.memory_reserved() < reserved


def test_a_graph_can_be_kept_shown_and_captured_again(tmp_path: Path) -> None:
    x, y = torch.ones(8, device="wavesmith"), torch.zeros(8, device="wavesmith")
    graph = torch.accelerator.Graph(keep_graph=True)
    for _ in range(2):
        with torch.Stream(device="wavesmith"), graph:
            y.copy_(x)
        graph.debug_dump(str(tmp_path / "graph.dot"))
        assert "digraph" in (tmp_path / "graph.dot").read_text()
        graph.replay()
        graph.reset()
    device.synchronize()
    assert y.tolist() == [1] * 8


def test_what_cannot_be_captured_is_said() -> None:
    graph = torch.accelerator.Graph()
    with pytest.raises(RuntimeError, match="a stream of its own"):
        graph.capture_begin()
    with pytest.raises(RuntimeError, match="cannot be captured"), device.graph(device.CUDAGraph()):
        torch.linalg.eigvals(torch.empty(3, 3, device="wavesmith"))
    with pytest.raises(RuntimeError, match="without capture_begin"):
        graph.capture_end()
    assert torch.ones(2, device="wavesmith").sum().item() == 2


@pytest.mark.skipif(device.device_count() < 2, reason="wavesmith run --gpu GPU:2")
def test_a_graph_stays_on_its_device() -> None:
    graph = device.CUDAGraph()
    with device.device(1):
        x = torch.ones(4, device="wavesmith")
        with device.graph(graph):
            y = x.clone()
    graph.replay()
    device.synchronize(1)
    assert y.device.index == 1 and y.tolist() == [1] * 4
