"""cupy.cuda.nccl and cupyx.distributed between two emulated GPUs."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import threading

import numpy as np
import pytest

cp = pytest.importorskip("cupy")
nccl = pytest.importorskip("cupy.cuda.nccl")

pytestmark = pytest.mark.skipif(cp.cuda.runtime.getDeviceCount() < 2, reason="one GPU")

SEED = int.from_bytes(os.urandom(4), "little")
rng = np.random.default_rng(SEED)


@pytest.mark.representative
def test_one_thread_reduces_on_both_gpus():
    print("seed", SEED)
    parts = [rng.standard_normal(1000).astype(np.float32) for _ in range(2)]
    arrays = []
    for gpu, part in enumerate(parts):
        with cp.cuda.Device(gpu):
            arrays.append(cp.asarray(part))
    ranks = nccl.NcclCommunicator.initAll([0, 1])
    nccl.groupStart()
    for gpu, rank in enumerate(ranks):
        with cp.cuda.Device(gpu):
            place = arrays[gpu].data.ptr
            rank.allReduce(place, place, 1000, nccl.NCCL_FLOAT32, nccl.NCCL_SUM, cp.cuda.Stream.null.ptr)
    nccl.groupEnd()
    for gpu, rank in enumerate(ranks):
        assert rank.rank_id() == gpu and rank.device_id() == gpu and rank.size() == 2
        with cp.cuda.Device(gpu):
            np.testing.assert_array_equal(arrays[gpu].get(), parts[0] + parts[1])
        rank.destroy()


def test_a_thread_a_gpu_gathers_and_passes_on():
    print("seed", SEED)
    shared = nccl.get_unique_id()
    parts = [rng.integers(0, 1000, 7, dtype=np.int32) for _ in range(2)]
    found = [None, None]

    def work(gpu):
        with cp.cuda.Device(gpu), cp.cuda.Stream() as stream:
            rank = nccl.NcclCommunicator(2, shared, gpu)
            own, both, other = cp.asarray(parts[gpu]), cp.empty(14, cp.int32), cp.empty(7, cp.int32)
            rank.allGather(own.data.ptr, both.data.ptr, 7, nccl.NCCL_INT32, stream.ptr)
            nccl.groupStart()
            rank.send(own.data.ptr, 7, nccl.NCCL_INT32, 1 - gpu, stream.ptr)
            rank.recv(other.data.ptr, 7, nccl.NCCL_INT32, 1 - gpu, stream.ptr)
            nccl.groupEnd()
            found[gpu] = both.get(), other.get()
            rank.destroy()

    threads = [threading.Thread(target=work, args=(gpu,)) for gpu in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for gpu in range(2):
        np.testing.assert_array_equal(found[gpu][0], np.concatenate(parts))
        np.testing.assert_array_equal(found[gpu][1], parts[1 - gpu])


def test_a_process_a_gpu():
    program = """
import multiprocessing, sys
from cupyx.distributed import NCCLBackend
def rank_of(rank):
    import cupy as cp
    cp.cuda.Device(rank).use()
    group = NCCLBackend(2, rank, "127.0.0.1", int(sys.argv[1]))
    own = (rank + 1) * cp.arange(1, 11, dtype="f")
    total, swapped = cp.empty_like(own), cp.empty_like(own)
    group.all_reduce(own, total)
    group.all_to_all(own.reshape(2, 5), swapped.reshape(2, 5))
    assert total.get().tolist() == [3 * i for i in range(1, 11)]
    part = range(5 * rank + 1, 5 * rank + 6)
    assert swapped.get().tolist() == [*part, *(2 * i for i in part)]
ranks = [multiprocessing.Process(target=rank_of, args=(rank,)) for rank in range(2)]
for rank in ranks:
    rank.start()
for rank in ranks:
    rank.join()
sys.exit(any(rank.exitcode for rank in ranks))
"""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    run = [sys.executable, "-c", program, port]
    done = subprocess.run(run, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
