"""Collectives between emulated GPUs agree with JAX's between CPU devices."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from agreement import on_cpus, on_gpus, seed
from program import outside

from wavesmith._paths import command

PROGRAM = Path(__file__).with_name("collectives.py")


def _agree(gpus: int, tmp_path: Path, gpu_flags: str = "") -> None:
    base = seed(f"collectives on {gpus}")
    flags = {"XLA_FLAGS": f"{os.environ.get('XLA_FLAGS', '')} {gpu_flags}"}
    cpu = on_cpus(PROGRAM, gpus, base, tmp_path)
    gpu = on_gpus(PROGRAM, f"mi300x:{gpus}", base, tmp_path, flags)
    for name, expected in cpu.items():
        got = gpu[name]
        assert got.dtype == expected.dtype and got.shape == expected.shape, name
        if got.dtype.kind in "iu":
            np.testing.assert_array_equal(got, expected, err_msg=name)
            continue
        # The CPU's sums of bfloat16 are rounded after each device.
        tolerance = 2.0**-6 if "bfloat16" in name else 1e-5
        scale = max(1.0, float(np.abs(expected).max()))
        np.testing.assert_allclose(got, expected, rtol=0, atol=tolerance * scale, err_msg=name)


@pytest.mark.representative
def test_two_gpus(tmp_path: Path) -> None:
    _agree(2, tmp_path)


def test_four_gpus(tmp_path: Path) -> None:
    _agree(4, tmp_path)


def test_collectives_in_graphs(tmp_path: Path) -> None:
    captured = "FUSION,CUSTOM_CALL,COLLECTIVES,CUBLAS"
    _agree(2, tmp_path, f"--xla_gpu_enable_command_buffer={captured} --xla_gpu_graph_min_graph_size=1")


def test_processes_with_a_gpu_each() -> None:
    program = """
import sys, jax, numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P
rank, port = int(sys.argv[1]), sys.argv[2]
jax.distributed.initialize("127.0.0.1:" + port, 2, rank)
assert len(jax.devices()) == 2 and len(jax.local_devices()) == 1
mesh = Mesh(np.array(jax.devices()), "x")
whole = np.arange(12, dtype=np.float32).reshape(2, 6)
parts = jax.make_array_from_callback(whole.shape, NamedSharding(mesh, P("x")), lambda at: whole[at])
def body(v):
    return jax.lax.psum(v, "x"), jax.lax.ppermute(v, "x", [(0, 1), (1, 0)]), jax.lax.all_gather(v, "x", tiled=True)
run = jax.shard_map(body, mesh=mesh, in_specs=P("x"), out_specs=(P(), P("x"), P()), check_vma=False)
sums, swapped, gathered = (np.asarray(each.addressable_shards[0].data) for each in jax.jit(run)(parts))
np.testing.assert_array_equal(sums[0], whole.sum(0))
np.testing.assert_array_equal(swapped[0], whole[1 - rank])
np.testing.assert_array_equal(gathered, whole)
"""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    run = [str(command()), "run", "--quiet", "--gpu", "mi300x", "--", sys.executable, "-c", program]
    ranks = [
        subprocess.Popen([*run, str(rank), port], env=outside(), stderr=subprocess.PIPE, text=True) for rank in range(2)
    ]
    said = [rank.communicate(timeout=300)[1] for rank in ranks]
    assert [rank.returncode for rank in ranks] == [0, 0], "".join(said)[-3000:]
