"""wavesmith.profile: modelled times of kernels and operators, in a process that was not started with --time."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import torch

import wavesmith

pytestmark = pytest.mark.representative

SIZE = 1 << 20  # bytes


def buffer() -> torch.Tensor:
    return torch.empty(SIZE, dtype=torch.uint8, device="wavesmith")


def test_operators_have_the_time_of_what_they_launched() -> None:
    x = buffer()
    with wavesmith.profile(record_shapes=True) as profile:
        x.clone()
        x[: SIZE // 2].clone()
        with torch.profiler.record_function("softmax of mine"):
            wavesmith.kernels.softmax(torch.ones(64, 256).to("wavesmith"))
    rows = {row.key: row for row in profile.key_averages()}
    assert rows["aten::clone"].count == rows["aten::clone"].kernels == 2 and rows["aten::clone"].bound == "memory"
    # 1 MiB is read and written at terabytes per second, after a latency of less than a few microseconds.
    assert 0.2 < rows["aten::clone"].self_device_time_total < 50
    assert rows["aten::clone"].device_time == rows["aten::clone"].device_time_total / 2
    mine = rows["softmax of mine"]
    assert mine.count == 1 and mine.self_device_time_total == 0 < mine.device_time_total
    kernel = next(row for row in profile.kernels() if "softmax" in row.key)
    assert kernel.count == 1 and kernel.bound == "latency"  # a small grid fills nothing
    assert rows["(no operator)"].kernels >= 1  # wavesmith.kernels is no operator of PyTorch's
    by_shape = {row.key for row in profile.key_averages(group_by_input_shape=True)}
    assert {f"aten::clone {SIZE}", f"aten::clone {SIZE // 2}"} <= by_shape
    total = sum(one.duration for one in profile.timed)
    assert sum(row.self_device_time_total for row in profile.key_averages()) == pytest.approx(total)
    assert profile.device_time >= total * 0.99


def test_times_are_the_same_each_time() -> None:
    x, times = buffer(), []
    for _ in range(3):
        with wavesmith.profile() as profile:
            for _ in range(3):
                x.clone()
        times.append([one.duration for one in profile.timed])
    assert len(times[0]) == 3 and times[1] == pytest.approx(times[2])


def test_tables_and_rows() -> None:
    x, small = buffer(), torch.ones(3, 3, dtype=torch.complex64, device="wavesmith")
    with wavesmith.profile() as profile:
        x.clone()
        small.exp_()
    table = profile.key_averages().table(sort_by="self_cuda_time_total", row_limit=1)
    assert any(name in table for name in ("aten::clone", "aten::copy_", "aten::fill_"))
    assert "aten::exp" not in table and "Device time, modelled" in table
    assert table.count("\n") == 4
    rows = profile.rows()
    assert set(rows[0]) == {"name", "calls", "device_time_us", "self_device_time_us", "kernels", "bound"}
    assert next(row["bound"] for row in rows if "aten::exp" in row["name"]) == "host"
    assert all(row["name"] and row["device_time_us"] > 0 for row in profile.rows(by="kernel"))
    with pytest.raises(ValueError, match="operator"):
        profile.rows(by="colour")


def test_gradients_are_seen() -> None:
    weight = torch.randn(4, 4, device="wavesmith", requires_grad=True)
    with wavesmith.profile() as profile:
        (weight @ weight).sum().backward()
    assert {"aten::mm", "aten::sum", "aten::expand"} <= {row.key for row in profile.key_averages()}
    assert next(row for row in profile.key_averages() if row.key == "aten::mm").count == 3


def test_compiled_functions_run_as_compiled() -> None:
    pytest.importorskip("triton")
    compiled = torch.compile(lambda x: torch.tanh(x) * 3 + x, fullgraph=True)
    x = torch.randn(33, device="wavesmith")
    for _ in range(2):  # the first compiles, and may try kernels
        with wavesmith.profile() as profile:
            compiled(x)
    (row,) = profile.kernels()
    assert row.key.startswith("triton") and row.device_time > 0 and row.bound == "latency"
    assert not {"aten::tanh", "aten::mul"} & {row.key for row in profile.key_averages()}


def test_streams_run_beside_each_other_in_the_trace(tmp_path: Path) -> None:
    x, y, stream = buffer(), buffer(), torch.wavesmith.Stream()
    with wavesmith.profile() as profile:
        x.clone()
        with stream:
            y.clone()
    assert len({one.stream for one in profile.timed}) == 2
    profile.export_chrome_trace(tmp_path / "trace.json")
    events = json.loads((tmp_path / "trace.json").read_text())["traceEvents"]
    slices = [event for event in events if event["ph"] == "X"]
    assert {event["name"] for event in slices} == {"copy", "aten::clone"} and all(event["dur"] > 0 for event in slices)
    names = {event["args"]["name"] for event in events if event["ph"] == "M"}
    assert "GPU 0, modelled" in names and "operators" in names


def test_one_at_a_time_and_none_after_it() -> None:
    with wavesmith.profile() as profile:
        with pytest.raises(wavesmith.UseError, match="one at a time"), wavesmith.profile():
            pass
        buffer().clone()
    buffer().clone()
    torch.wavesmith.synchronize()
    assert len(profile.timed) == 1
