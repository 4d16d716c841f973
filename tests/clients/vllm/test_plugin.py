"""When vLLM gets the platform, and what the platform refuses."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from conftest import Model
from vllm.platforms import current_platform

from wavesmith import _use


def named(**environment: str) -> str:
    """The platform in a process that is not started by `wavesmith run`."""
    program = "from vllm.platforms import current_platform as p; print(type(p).__name__)"
    ours = ("WAVESMITH_", "LD_PRELOAD")
    built = "WAVESMITH_CACHE"  # what is built there takes a minute
    kept = {name: value for name, value in os.environ.items() if name == built or not name.startswith(ours)}
    done = subprocess.run(
        [sys.executable, "-c", program],
        env=kept | {"VLLM_LOGGING_LEVEL": "ERROR"} | environment,
        capture_output=True,
        text=True,
        timeout=300,
        check=True,
    )
    return done.stdout.split()[-1]


def test_it_does_nothing_without_a_gpu() -> None:
    assert named() == "CpuPlatform"


def test_it_can_be_asked_for() -> None:
    assert named(WAVESMITH_VLLM="1", WAVESMITH_GPU="rx9070xt") == "WavesmithPlatform"


def test_it_is_there_with_a_gpu() -> None:
    assert type(current_platform).__name__ == "WavesmithPlatform"
    assert current_platform.device_type == "wavesmith"
    assert current_platform.get_device_name() == f"wavesmith {_use.used()}"
    assert current_platform.get_device_total_memory() > 1 << 30
    assert current_platform.num_compute_units() > 8


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"dtype": "float32"}, "computes in bfloat16 and float16, not in torch.float32"),
        ({"tensor_parallel_size": 2}, "runs on one device, and world_size is 2"),
        ({"attention_backend": "FLASH_ATTN"}, "has the attention backend CUSTOM, not FLASH_ATTN"),
    ],
)
def test_what_an_engine_refuses(
    arguments: dict[str, Any], text: str, model: Callable[..., Model], run: Callable[..., Any], tmp_path: Path
) -> None:
    done = run(model("llama", torch.float16), tmp_path / "said.json", **{"dtype": "float16"} | arguments)
    assert done.returncode != 0 and text in done.stdout + done.stderr
