"""Kernels written in FlyDSL for this project, against PyTorch on the CPU."""

# ruff: noqa: B008, N803 - names and defaults as FlyDSL's programs have them
from __future__ import annotations

import ctypes
import os
import subprocess
import sys
from pathlib import Path

import flydsl.compiler as flyc
import flydsl.expr as fx
import pytest
import torch
from conftest import on_gpu


def synchronize() -> None:
    assert ctypes.CDLL("libamdhip64.so.7").hipDeviceSynchronize() == 0


@flyc.kernel
def axpy_kernel(X: fx.Tensor, Y: fx.Tensor, Z: fx.Tensor, tiled: fx.TiledCopy):
    # Four floats a lane; lanes beyond the matrix are masked.
    rows, columns = X.shape.unpack()
    places = fx.make_view((0, 0), fx.make_identity_layout((rows, columns)))
    tile = tiled.tile_mn
    block = (None, None, fx.block_idx.x, fx.block_idx.y)
    lane = tiled.get_slice(fx.thread_idx.x)
    x = lane.partition_S(fx.flat_divide(X, tile)[block])
    y = lane.partition_S(fx.flat_divide(Y, tile)[block])
    z = lane.partition_D(fx.flat_divide(Z, tile)[block])
    place = lane.partition_S(fx.flat_divide(places, tile)[block])[(0, None), None, None]
    x_values, y_values, z_values = fx.make_fragment_like(x), fx.make_fragment_like(y), fx.make_fragment_like(z)
    inside = fx.make_fragment_like(place, dtype=fx.Boolean)
    for i in fx.range_constexpr(fx.size(inside.shape).unpack()):
        inside[i] = fx.elem_less(place[i], (rows, columns))
    wide = fx.make_copy_atom(fx.UniversalCopy128b(), fx.Float32)
    fx.copy(wide, x, x_values, pred=inside)
    fx.copy(wide, y, y_values, pred=inside)
    z_values.store(x_values.load() * 3.0 + y_values.load())
    fx.copy(wide, z_values, z, pred=inside)


@flyc.jit
def axpy(X: fx.Tensor, Y: fx.Tensor, Z: fx.Tensor, stream: fx.Stream = fx.Stream(None)):
    wide = fx.make_copy_atom(fx.UniversalCopy128b(), fx.Float32)
    tiled = fx.make_tiled_copy_tv(
        wide, fx.make_ordered_layout((8, 16), order=(1, 0)), fx.make_ordered_layout((1, 4), order=(0, 1))
    )
    tile_rows, tile_columns = tiled.tile_mn.unpack()
    rows, columns = X.shape.unpack()
    grid = ((rows + tile_rows - 1) // tile_rows, (columns + tile_columns - 1) // tile_columns, 1)
    axpy_kernel(X, Y, Z, tiled).launch(grid=grid, block=(128, 1, 1), stream=stream)


SIZE, DEPTH = 64, 8


@flyc.kernel
def product_kernel(A: fx.Tensor, B: fx.Tensor, C: fx.Tensor):
    # One workgroup, four waves in a square; MFMA of 16x16x4 in f32 through buffer resources.
    a_tile = fx.slice(fx.zipped_divide(fx.rocdl.make_buffer_tensor(A), (SIZE, DEPTH)), (None, fx.block_idx.x))
    b_tile = fx.slice(fx.zipped_divide(fx.rocdl.make_buffer_tensor(B), (SIZE, DEPTH)), (None, fx.block_idx.x))
    c_tile = fx.slice(fx.zipped_divide(fx.rocdl.make_buffer_tensor(C), (SIZE, SIZE)), (None, fx.block_idx.x))
    tiled = fx.make_tiled_mma(
        fx.make_mma_atom(fx.rocdl.MFMA(16, 16, 4, fx.Float32)), fx.make_layout((2, 2, 1), (1, 2, 0))
    )
    lane = tiled.thr_slice(fx.thread_idx.x)
    atom = fx.make_copy_atom(fx.rocdl.BufferCopy32b(), fx.Float32)
    copy_a = fx.make_tiled_copy_A(atom, tiled).get_slice(fx.thread_idx.x)
    copy_b = fx.make_tiled_copy_B(atom, tiled).get_slice(fx.thread_idx.x)
    copy_c = fx.make_tiled_copy_C(atom, tiled).get_slice(fx.thread_idx.x)
    a, b, c = lane.make_fragment_A(a_tile), lane.make_fragment_B(b_tile), lane.make_fragment_C(c_tile)
    fx.copy(atom, copy_a.partition_S(a_tile), copy_a.retile(a), pred=None)
    fx.copy(atom, copy_b.partition_S(b_tile), copy_b.retile(b), pred=None)
    c.fill(0)
    fx.gemm(tiled, c, a, b, c)
    fx.copy(atom, copy_c.retile(c), copy_c.partition_S(c_tile), pred=None)


@flyc.jit
def product(A: fx.Tensor, B: fx.Tensor, C: fx.Tensor, stream: fx.Stream = fx.Stream(None)):
    product_kernel(A, B, C).launch(grid=(1, 1, 1), block=(256, 1, 1), stream=stream)


@pytest.mark.representative
@pytest.mark.parametrize("shape", [(8, 64), (100, 1000), (3, 4)])
def test_elementwise_with_masked_borders(shape: tuple[int, int], generator: torch.Generator) -> None:
    x, y = (on_gpu(torch.randn(shape, generator=generator)) for _ in range(2))
    z = on_gpu(torch.zeros(shape))
    axpy(x, y, z)
    synchronize()
    expected = torch.addcmul(y.as_subclass(torch.Tensor), x.as_subclass(torch.Tensor), torch.tensor(3.0))
    torch.testing.assert_close(z.as_subclass(torch.Tensor), expected, rtol=1e-6, atol=1e-6)


@pytest.mark.representative
def test_matrix_product(generator: torch.Generator) -> None:
    a, b = (on_gpu(torch.randn(SIZE, DEPTH, generator=generator)) for _ in range(2))
    c = on_gpu(torch.zeros(SIZE, SIZE))
    product(a, b, c)
    synchronize()
    wide = [x.as_subclass(torch.Tensor).double() for x in (a, b)]
    torch.testing.assert_close(c.as_subclass(torch.Tensor).double(), wide[0] @ wide[1].T, rtol=1e-5, atol=1e-5)


@pytest.mark.representative
def test_the_gpu_is_found(target: str) -> None:
    from flydsl.runtime.device import get_rocm_arch

    assert get_rocm_arch() == target


@pytest.mark.representative
def test_a_kernel_s_fault_names_the_kernel() -> None:
    # x lies in memory that the program has given back.
    program = """
import ctypes, mmap
import torch
from conftest import GpuTensor, on_gpu
from test_flydsl import axpy, synchronize
memory = mmap.mmap(-1, 1 << 16)
x = torch.frombuffer(memory, dtype=torch.float32, count=8 * 64).reshape(8, 64).as_subclass(GpuTensor)
y, z = (on_gpu(torch.ones(8, 64)) for _ in range(2))
axpy(x, y, z)
synchronize()
print("once")
assert ctypes.CDLL(None).munmap(ctypes.c_void_p(x.data_ptr()), ctypes.c_size_t(1 << 16)) == 0
axpy(x, y, z)
synchronize()
"""
    environment = os.environ | {"PYTHONPATH": str(Path(__file__).parent)}
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, timeout=120)
    assert done.returncode == 1 and "once" in done.stdout, done.stderr  # what synchronize() asserts
    assert "memory fault" in done.stderr and "kernel 'axpy_kernel" in done.stderr, done.stderr


def test_code_for_another_gpu_is_named(target: str, tmp_path) -> None:
    other = "gfx90a"
    program = tmp_path / "program.py"
    program.write_text(
        "from conftest import on_gpu\nfrom test_flydsl import axpy, synchronize\nimport torch\n"
        "x, y, z = (on_gpu(torch.ones(8, 64)) for _ in range(3))\naxpy(x, y, z)\nsynchronize()\n"
    )
    environment = os.environ | {"FLYDSL_GPU_ARCH": other, "PYTHONPATH": str(Path(__file__).parent)}
    done = subprocess.run([sys.executable, str(program)], env=environment, capture_output=True, text=True, timeout=120)
    # FlyDSL's own launcher prints HIP's errors and goes on.
    assert "failed with 'hipErrorNoBinaryForGpu'" in done.stderr, done.stderr
    assert f"no code for {target}" in done.stderr and other in done.stderr


@pytest.mark.parametrize("gpus", [1, 2])
def test_a_second_gpu_is_used_or_its_lack_explained(gpus: int) -> None:
    # FlyDSL launches on the device that is current in HIP; how many there are it asks rocm_agent_enumerator.
    from wavesmith import _paths

    program = """
import ctypes
import torch
from conftest import on_gpu
from flydsl.runtime import get_device_runtime
from test_flydsl import axpy, synchronize
print("status", ctypes.CDLL("libamdhip64.so.7").hipSetDevice(1))
print("device", get_device_runtime().current_device_id(), "of", get_device_runtime().device_count())
x, y, z = (on_gpu(torch.ones(8, 64)) for _ in range(3))
axpy(x, y, z)
synchronize()
print("sums", float(z.min()), float(z.max()))
"""
    gpu = os.environ["WAVESMITH_GPU"]
    path = f"{Path(__file__).parent}{os.pathsep}{os.environ.get('PYTHONPATH', '')}"
    words = [_paths.command(), "run", "--quiet", "--gpu", f"{gpu}:{gpus}", "--", sys.executable, "-c", program]
    environment = os.environ | {"PYTHONPATH": path}
    done = subprocess.run(words, env=environment, capture_output=True, text=True, timeout=120)
    if gpus == 1:
        assert done.stdout.splitlines()[:2] == ["status 101", "device 0 of 1"], done.stdout
        said = f"device 1 does not exist, this process has 1: wavesmith run --gpu {gpu}:2 gives more"
        assert said in done.stderr, done.stderr
    else:
        assert done.stdout.splitlines()[:2] == ["status 0", "device 1 of 2"], done.stdout
        assert "is asked for" not in done.stderr
    assert done.stdout.splitlines()[2] == "sums 4.0 4.0", done.stdout
