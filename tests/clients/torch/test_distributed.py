"""torch.distributed: ranks in processes of their own (ranks.py), each with emulated GPUs of its own."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

HERE = Path(__file__).parent
#: Seconds that ranks may take; a rank imports PyTorch in about three on an idle core.
LIMIT = 300


@dataclass
class Rank:
    """How a rank ended."""

    status: int
    said: str


def _free_port() -> int:
    with socket.socket() as found:
        found.bind(("localhost", 0))
        return int(found.getsockname()[1])


def _ranks(task: str, count: int, seed: int, **environment: str) -> list[Rank]:
    """Runs a task of ranks.py, a process a rank, and waits for all."""
    shared = {
        "WORLD_SIZE": str(count),
        "MASTER_ADDR": "localhost",
        "MASTER_PORT": str(_free_port()),
        "WAVESMITH_TEST_SEED": str(seed),
        "OMP_NUM_THREADS": "1",
        **environment,
    }
    started = [
        subprocess.Popen(
            [sys.executable, str(HERE / "ranks.py"), task],
            env={**os.environ, **shared, "RANK": str(rank), "LOCAL_RANK": str(rank)},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        for rank in range(count)
    ]
    try:
        said = [each.communicate(timeout=LIMIT)[0] for each in started]
        return [Rank(each.returncode, text) for each, text in zip(started, said, strict=True)]
    finally:
        for each in started:
            each.kill()


def _run(task: str, count: int, seed: int, **environment: str) -> None:
    ended = _ranks(task, count, seed, **environment)
    for number, rank in enumerate(ended):
        assert rank.status == 0, f"rank {number}:\n{rank.said}\n" + "\n".join(each.said for each in ended)


@pytest.mark.representative
def test_ddp_has_the_gradients_of_the_whole_batch(seed: int) -> None:
    _run("ddp", 2, seed)


@pytest.mark.parametrize("count", [2, 4])
def test_collectives_are_gloos(seed: int, count: int) -> None:
    _run("collectives", count, seed)


@pytest.mark.parametrize("count", [2, 4])
def test_fsdp_trains_as_one_device(seed: int, count: int) -> None:
    _run("fsdp", count, seed)


def test_the_device_called_cuda_has_nccl(seed: int) -> None:
    _run("collectives", 2, seed, WAVESMITH_TORCH="cuda")
    _run("ddp", 2, seed, WAVESMITH_TORCH="cuda")
    _run("fsdp", 2, seed, WAVESMITH_TORCH="cuda")


def test_ranks_that_do_not_agree_are_told(seed: int) -> None:
    ended = _ranks("mismatch", 2, seed)
    assert all(rank.status != 0 for rank in ended)
    said = "\n".join(rank.said for rank in ended)
    assert "the ranks' calls do not agree" in said
    assert said.count("DistBackendError") >= 2, said


def test_a_rank_that_has_ended_is_not_waited_for(seed: int) -> None:
    ended = _ranks("dies", 2, seed)
    assert ended[1].status == 3
    assert ended[0].status != 0
    assert "has ended" in ended[0].said


def test_a_rank_that_does_not_come_is_waited_for_until_the_timeout(seed: int) -> None:
    ended = _ranks("late", 2, seed)
    assert ended[0].status != 0
    assert "was not done after 10 s" in ended[0].said
    assert ended[1].status == 0, ended[1].said


@pytest.mark.parametrize("gpu", ["mi300x", "mi300x:2"])
def test_torchrun(seed: int, gpu: str) -> None:
    """As users start it: each rank has a machine of its own; with several GPUs it takes the one of its number."""
    command = Path(os.environ["WAVESMITH_BUILD"]) / "bin" / "wavesmith"
    environment = {
        name: value
        for name, value in os.environ.items()
        if name not in ("LD_PRELOAD", "WAVESMITH_RUN", "WAVESMITH_GPU", "LD_LIBRARY_PATH")
    }
    found = subprocess.run(
        [
            *(str(command), "run", "--quiet", "--gpu", gpu, "--"),
            *("torchrun", "--nproc-per-node", "2", "--master-port", str(_free_port())),
            *(str(HERE / "ranks.py"), "ddp"),
        ],
        env={**environment, "WAVESMITH_TEST_SEED": str(seed)},
        capture_output=True,
        text=True,
        timeout=LIMIT,
        check=False,
    )
    assert found.returncode == 0, found.stdout + found.stderr
    assert "rank 0 is done" in found.stdout
