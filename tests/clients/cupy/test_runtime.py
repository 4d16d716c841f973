"""What CuPy asks the HIP runtime for: devices, streams, events, graphs, memory."""

from __future__ import annotations

import os
import re
import subprocess
import sys

import numpy as np
import pytest

cp = pytest.importorskip("cupy")
cublas = pytest.importorskip("cupy.cublas")


@pytest.mark.representative
def test_device_properties():
    properties = cp.cuda.runtime.getDeviceProperties(0)
    assert properties["gcnArchName"].startswith(b"gfx")
    assert properties["warpSize"] in (32, 64)
    free, total = cp.cuda.Device(0).mem_info
    assert 0 < free <= total
    assert cp.cuda.Device(0).compute_capability


@pytest.mark.representative
def test_streams_and_events_keep_order():
    first, second = cp.cuda.Stream(non_blocking=True), cp.cuda.Stream(non_blocking=True)
    start, end = cp.cuda.Event(), cp.cuda.Event()
    with first:
        start.record()
        values = cp.arange(100_000, dtype="i8")
        for _ in range(10):
            values += 1
        end.record()
    second.wait_event(end)
    with second:
        total = values.sum()
    second.synchronize()
    assert int(total) == 100_000 * 99_999 // 2 + 10 * 100_000
    assert end.done
    assert cp.cuda.get_elapsed_time(start, end) >= 0


@pytest.mark.representative
def test_functions_of_the_host_run_in_order():
    stream = cp.cuda.Stream()
    seen = []
    with stream:
        values = cp.zeros(1000) + 1
        stream.launch_host_func(lambda argument: seen.append(argument), "after")
        values *= 2
    stream.synchronize()
    assert seen == ["after"]
    np.testing.assert_array_equal(cp.asnumpy(values), 2)


@pytest.mark.representative
def test_graphs():
    stream = cp.cuda.Stream(non_blocking=True)
    with stream:
        values = cp.zeros(500, dtype="f4")
        values += 1  # compiled before the capture
        stream.synchronize()
        stream.begin_capture()
        values += 1
        values *= 2
        graph = stream.end_capture()
        for _ in range(3):
            graph.launch()
    stream.synchronize()
    np.testing.assert_array_equal(cp.asnumpy(values), 22)  # ((1 + 1) * 2 + 1) * 2 ...


@pytest.mark.representative
def test_memory_pools():
    pool = cp.cuda.MemoryPool()
    with cp.cuda.using_allocator(pool.malloc):
        a = cp.empty(1 << 20, dtype="u1")
        assert pool.used_bytes() == 1 << 20
        pointer = a.data.ptr
        del a
        assert pool.used_bytes() == 0
        assert pool.n_free_blocks() == 1
        b = cp.empty(1 << 20, dtype="u1")
        assert b.data.ptr == pointer
        del b
        pool.free_all_blocks()
        assert pool.total_bytes() == 0
    pool.set_limit(size=1 << 20)
    with pytest.raises(cp.cuda.memory.OutOfMemoryError), cp.cuda.using_allocator(pool.malloc):
        cp.empty(1 << 21, dtype="u1")


@pytest.mark.representative
def test_other_kinds_of_memory():
    managed = cp.cuda.malloc_managed(4000)
    values = cp.ndarray(1000, "f4", managed)
    values[...] = 3
    cp.cuda.Device().synchronize()
    np.testing.assert_array_equal(cp.asnumpy(values), 3)
    pinned = np.frombuffer(cp.cuda.alloc_pinned_memory(4000), "f4", 1000)
    pinned[:] = np.arange(1000)
    on_gpu = cp.empty(1000, "f4")
    stream = cp.cuda.Stream()
    on_gpu.set(pinned, stream=stream)
    stream.synchronize()
    np.testing.assert_array_equal(cp.asnumpy(on_gpu), pinned)


@pytest.mark.representative
def test_several_devices():
    if cp.cuda.runtime.getDeviceCount() < 2:
        pytest.skip("one GPU; wavesmith run --gpu mi300x:2")
    with cp.cuda.Device(0):
        first = cp.arange(1000)
    with cp.cuda.Device(1):
        second = cp.asarray(first) * 2
        assert second.device.id == 1
        assert int(second.sum()) == 999_000
    assert first.device.id == 0
    assert cp.cuda.runtime.deviceCanAccessPeer(0, 1) == 1


@pytest.mark.representative
def test_libraries_that_are_not_served_are_named():
    program = "import cupy, cupyx.scipy.sparse; cupyx.scipy.sparse.csr_matrix(cupy.eye(3)) @ cupy.ones(3)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode != 0
    assert "wavesmith: hipsparse" in done.stderr
    assert "HIPSPARSE_STATUS_NOT_SUPPORTED" in done.stderr


@pytest.mark.representative
@pytest.mark.parametrize(
    "function",
    [
        lambda m, a: m.linalg.det(a),
        lambda m, a: m.linalg.cholesky(a @ a.T + 17 * m.eye(17)),
        lambda m, a: m.linalg.solve(a, a[:, 3]),
        lambda m, a: m.linalg.inv(m.stack([a, a.T])),
        lambda m, a: m.linalg.qr(a[:, :9])[1] * m.sign(m.diag(m.linalg.qr(a[:, :9])[1]))[:, None],
        lambda m, a: m.abs(m.linalg.qr(a[:9], mode="complete")[0]),
        lambda m, a: m.linalg.svd(a[:, :9], compute_uv=False),
        lambda m, a: m.abs(m.linalg.svd(a[:9], full_matrices=False)[2]),
        lambda m, a: m.linalg.svd(m.stack([a, a.T]), compute_uv=False),
        lambda m, a: m.linalg.pinv(a[:, :9]),
        lambda m, a: m.linalg.lstsq(a[:, :9], a[:, 9:11], rcond=None)[0],
        lambda m, a: m.linalg.eigvalsh(a + 1j * a.T + (a - 1j * a.T).T, UPLO="U"),
        lambda m, a: m.abs(m.linalg.eigh(a + a.T)[1]),
        lambda m, a: m.fft.fft(a),
        lambda m, a: m.fft.rfftn(a),
    ],
    ids=[
        "det",
        "cholesky",
        "solve",
        "inv_batch",
        "r",
        "q",
        "svd_tall",
        "svd_wide",
        "svd_batch",
        "pinv",
        "lstsq",
        "eigvalsh",
        "eigh",
        "fft",
        "rfftn",
    ],
)
def test_libraries_that_are_served_give_numpy_s_numbers(function):
    seed = int.from_bytes(os.urandom(4), "little")
    a = np.random.default_rng(seed).standard_normal((17, 17))
    np.testing.assert_allclose(
        cp.asnumpy(function(cp, cp.asarray(a))), function(np, a), 1e-9, 1e-9, err_msg=f"seed {seed}"
    )


def test_functions_of_cublas():
    seed = int.from_bytes(os.urandom(4), "little")
    print("seed", seed)
    random = np.random.default_rng(seed)
    a, b = (random.standard_normal((9, 33)) + 1j * random.standard_normal((9, 33)) for _ in range(2))
    x, y = cp.asarray(a[0]), cp.asarray(b[0])
    for got, expected in [
        (cublas.nrm2(x), np.linalg.norm(a[0])),
        (cublas.asum(x), (np.abs(a[0].real) + np.abs(a[0].imag)).sum()),
        (cublas.iamax(x), (np.abs(a[0].real) + np.abs(a[0].imag)).argmax() + 1),
        (cublas.dotu(x, y), a[0] @ b[0]),
        (cublas.dotc(x, y), a[0].conj() @ b[0]),
        (cublas.dgmm("R", cp.asarray(a), y), a * b[0]),
    ]:
        np.testing.assert_allclose(cp.asnumpy(got), expected, 1e-12)
    outer = cp.zeros((33, 33), complex, order="F")
    cublas.gerc(2.0, x, y, outer)
    np.testing.assert_allclose(cp.asnumpy(outer), 2 * np.outer(a[0], b[0].conj()), 1e-12)


@pytest.mark.representative
def test_a_kernel_s_fault_names_the_kernel_and_its_line():
    program = """
import cupy
code = 'extern "C" __global__ void astray(float* x) {\\n  x[1l << 40] = 1;\\n}'
cupy.RawKernel(code, "astray", options=("-g",))((1,), (1,), (cupy.zeros(4),))
print("still here")
cupy.cuda.Device().synchronize()
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 1 and "still here" in done.stdout  # an exception of CuPy's, where it waits
    assert "hipErrorIllegalAddress" in done.stderr
    assert "memory fault: lane 0 writes 4 bytes" in done.stderr and "kernel 'astray'" in done.stderr
    assert re.search(r"global_store_(dword|b32) [^)]*:2\b", done.stderr), done.stderr


@pytest.mark.representative
def test_without_a_compiler_the_message_says_what_to_install(tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", "import cupy; print(cupy.arange(3) + 1)"],
        env=os.environ | {"WAVESMITH_CLANG": "/nowhere/clang++", "CUPY_CACHE_DIR": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 1
    assert "no clang++ found" in done.stderr  # CuPy asks hipcc first, for its folders
    assert "'wavesmith cc --doctor' says what is there and how to get the rest" in done.stderr


@pytest.mark.representative
def test_profiler_ranges_do_nothing():
    cp.cuda.profiler.start()
    cp.cuda.nvtx.Mark("here")
    cp.cuda.nvtx.RangePush("range")
    cp.cuda.nvtx.RangePop()
    cp.cuda.profiler.stop()
