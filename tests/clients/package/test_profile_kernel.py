"""`wavesmith.profile_kernel`: the cycle model, asked from Python."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import command_says

import wavesmith

COUNT = 64 * 4096


def without_host_time(said: dict[str, Any]) -> dict[str, Any]:
    replay = {name: value for name, value in said["replay"].items() if name != "host_seconds"}
    return {**said, "replay": replay}


@pytest.mark.representative
def test_says_what_the_command_says(code: bytes, tmp_path: Path) -> None:
    path = tmp_path / "code.co"
    path.write_bytes(code)
    words = [f"f32[{COUNT}]=iota", f"f32[{COUNT}]=ones", "f32=2", f"i32={COUNT}"]
    arguments = [part for word in words for part in ("--arg", word)]
    command = ["--gpu", "mi300x", "--kernel", "axpy", "--grid", "4096", "--block", "64", *arguments]
    said = command_says("profile", path, *command)
    (kernel,) = said["kernels"]
    x, y = np.arange(COUNT, dtype=np.float32), np.ones(COUNT, np.float32)
    for args in (words, [x, y, 2.0, COUNT], [x, f"f32[{COUNT}]=ones", np.float32(2), np.int32(COUNT)]):
        got = wavesmith.profile_kernel(code, "axpy", grid=4096, block=64, args=args, gpu="mi300x")
        assert without_host_time(got.to_dict()) == without_host_time(kernel)
    assert (y == 1).all(), "arrays stay as they are"
    assert (got.gpu, got.seconds, got.bound) == (said["gpu"], kernel["seconds"], kernel["bound"])
    assert (got.grid, got.block) == ((4096, 1, 1), (64, 1, 1))
    assert [vars(stall) for stall in got.stalls] == kernel["stalls"]
    assert [vars(pipe) for pipe in got.pipes] == kernel["pipes"]
    assert vars(got.memory) == kernel["memory"]
    assert got.to_row()["top_stall"] == got.stalls[0].cause


@pytest.mark.representative
def test_fewer_compute_units_take_longer(code: bytes) -> None:
    args = [f"f32[{COUNT}]=ones", f"f32[{COUNT}]=ones", 2.0, COUNT]
    seconds = [
        wavesmith.profile_kernel(code, "axpy", grid=4096, block=64, args=args, gpu="mi300x", set=change).seconds
        for change in (None, {"compute.units": 8})
    ]
    assert seconds[1] > 2 * seconds[0]


@pytest.mark.representative
@pytest.mark.parametrize(
    ("asked", "error", "words"),
    [
        ({"code": "/no/such/file"}, wavesmith.NotFoundError, "/no/such/file"),
        ({"kernel": None}, wavesmith.NotFoundError, "name one: axpy"),
        ({"kernel": "cube"}, wavesmith.NotFoundError, "cube"),
        ({"gpu": "mi9000"}, wavesmith.NotFoundError, "mi9000"),
        ({"gpu": "mi210"}, wavesmith.WrongTargetError, "gfx942"),
        ({"grid": 0}, wavesmith.BadInputError, "grid is 0"),
        ({"args": [None]}, wavesmith.ArgumentError, "takes 4 arguments"),
        ({"args": [1, None, 2.0, 0]}, wavesmith.ArgumentError, "a pointer, but int is given"),
        ({"args": ["f32[9]", None, 2.0, 0]}, wavesmith.BadInputError, "not understood"),
        ({"args": ["f32[9]=ones", "f32[9]=ones", 2.0, 1 << 20]}, wavesmith.MemoryFaultError, "past the end"),
        ({"kernel": "trap", "args": []}, wavesmith.TrapError, "trap"),
    ],
)
def test_what_does_not_fit_is_an_error_that_says_so(
    code: bytes, asked: dict[str, Any], error: type[wavesmith.Error], words: str
) -> None:
    usual: dict[str, Any] = {"kernel": "axpy", "grid": 4096, "block": 64, "gpu": "mi300x", "args": [None, None, 2.0, 0]}
    with pytest.raises(error) as raised:
        wavesmith.profile_kernel(asked.pop("code", code), **usual | asked)
    assert words in str(raised.value)
