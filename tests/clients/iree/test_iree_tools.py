"""IREE's commands, the modes of its HIP driver, and what it says when something is wrong."""

from __future__ import annotations

import os
import signal
import subprocess
from pathlib import Path

import iree.compiler
import iree.runtime
import numpy as np
import pytest
from iree_program import PROGRAMS, compile_program, hip_flags, read

TOOLS = Path(iree.runtime.__file__).parent.parent / "_runtime_libs"

#: Chains of kernels, copies and fills between them, so that a graph has nodes of each kind.
CHAIN = """
#id = affine_map<(m, n) -> (m, n)>
func.func @main(%a: tensor<40x40xf32>, %b: tensor<40x40xf32>) -> (tensor<40x40xf32>, tensor<80x40xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<40x40xf32>
  %start = linalg.fill ins(%zero : f32) outs(%e : tensor<40x40xf32>) -> tensor<40x40xf32>
  %p = linalg.matmul ins(%a, %b : tensor<40x40xf32>, tensor<40x40xf32>)
      outs(%start : tensor<40x40xf32>) -> tensor<40x40xf32>
  %q = linalg.matmul ins(%p, %a : tensor<40x40xf32>, tensor<40x40xf32>)
      outs(%start : tensor<40x40xf32>) -> tensor<40x40xf32>
  %c = arith.constant dense<7.0> : tensor<80x40xf32>
  %i = tensor.insert_slice %p into %c[3, 0] [40, 40] [1, 1] : tensor<40x40xf32> into tensor<80x40xf32>
  return %q, %i : tensor<40x40xf32>, tensor<80x40xf32>
}
"""


def _run(command: list[str], **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(TOOLS / command[0]), *command[1:]],
        env=os.environ | environment,
        capture_output=True,
        text=True,
        timeout=120,
    )


@pytest.mark.parametrize(
    "flags",
    [
        ["--hip_use_streams=true"],
        ["--hip_use_streams=false"],
        ["--hip_use_streams=false", "--hip_async_allocations=false"],
        ["--hip_async_allocations=true", "--hip_async_caching=false"],
        ["--hip_use_streams=true", "--hip_allow_inline_execution=true"],
    ],
    ids=["streams", "graphs", "graphs-own-pools", "pools", "inline"],
)
@pytest.mark.representative
def test_modes_of_the_driver(flags: list[str], iree_gpu, tmp_path: Path) -> None:
    seed = np.random.SeedSequence().entropy % 2**32
    print(f"seed {seed}")
    generator = np.random.default_rng(seed)
    a, b = (generator.standard_normal((40, 40), np.float32) for _ in range(2))
    np.save(tmp_path / "a.npy", a)
    np.save(tmp_path / "b.npy", b)
    (tmp_path / "program.vmfb").write_bytes(compile_program(CHAIN, hip_flags(iree_gpu.target)))
    done = _run(
        ["iree-run-module", f"--device={iree_gpu.uri}", *flags, f"--module={tmp_path}/program.vmfb", "--function=main",
         f"--input=@{tmp_path}/a.npy", f"--input=@{tmp_path}/b.npy",
         f"--output=@{tmp_path}/x.npy", f"--output=@{tmp_path}/y.npy"]
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    product = a.astype(np.float64) @ b
    inserted = np.full((80, 40), 7.0)
    inserted[3:43] = product
    np.testing.assert_allclose(np.load(tmp_path / "x.npy"), product @ a, rtol=1e-3, atol=1e-2)
    np.testing.assert_allclose(np.load(tmp_path / "y.npy"), inserted, rtol=1e-4, atol=1e-4)


@pytest.mark.representative
def test_benchmarks(iree_gpu, tmp_path: Path) -> None:
    program = read(PROGRAMS / "matmul_f16.mlir")
    (tmp_path / "program.vmfb").write_bytes(
        compile_program(program.source(iree_gpu.target), hip_flags(iree_gpu.target))
    )
    done = _run(
        ["iree-benchmark-module", f"--device={iree_gpu.uri}", f"--module={tmp_path}/program.vmfb", "--function=main",
         "--input=128x256xf16=1", "--input=256x192xf16=2", "--benchmark_min_time=3x"]
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "BM_main" in done.stdout


def test_state_lives_on_the_device(iree_gpu) -> None:
    """A module's variable is changed by one call and read by the next."""
    from iree_program import Module

    source = """
    util.global private mutable @total = dense<0> : tensor<4xi32>
    func.func @add(%x: tensor<4xi32>) -> tensor<4xi32> {
      %old = util.global.load @total : tensor<4xi32>
      %new = arith.addi %old, %x : tensor<4xi32>
      util.global.store %new, @total : tensor<4xi32>
      return %new : tensor<4xi32>
    }
    """
    module = Module(compile_program(source, hip_flags(iree_gpu.target)), iree_gpu.uri)
    x = np.array([1, -2, 30, 4], np.int32)
    for count in (1, 2, 3):
        np.testing.assert_array_equal(module(x, function="add")[0], count * x)


def test_devices_have_the_gpus_names(iree_gpu) -> None:
    devices = iree.runtime.get_driver("hip").query_available_devices()
    assert len(devices) == len(os.environ["WAVESMITH_GPU"].split(","))
    assert devices[iree_gpu.index]["name"].startswith("AMD ")


@pytest.mark.representative
def test_code_for_another_gpu_is_named(iree_gpu, tmp_path: Path) -> None:
    (tmp_path / "program.vmfb").write_bytes(compile_program(CHAIN, hip_flags("gfx90a")))
    done = _run(
        ["iree-run-module", f"--device={iree_gpu.uri}", f"--module={tmp_path}/program.vmfb", "--function=main",
         "--input=40x40xf32", "--input=40x40xf32"]
    )  # fmt: skip
    assert done.returncode != 0
    assert f"no code for {iree_gpu.target}" in done.stderr and "gfx90a" in done.stderr
    assert "hipErrorNoBinaryForGpu" in done.stderr


@pytest.mark.representative
@pytest.mark.parametrize("environment", [{}, {"HIP_SKIP_ABORT_ON_GPU_ERROR": "0"}], ids=["by default", "aborting"])
def test_a_fault_names_the_kernel_and_ends_the_program(iree_gpu, tmp_path: Path, environment: dict[str, str]) -> None:
    # Most times IREE waits for ever once a HIP call fails; Wavesmith ends a program that stands still so.
    source = """
    func.func @main(%x: tensor<?xf32>, %at: tensor<i64>) -> tensor<64xf32> {
      %e = tensor.empty() : tensor<64xf32>
      %r = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
          outs(%e : tensor<64xf32>) {
        ^bb0(%o: f32):
          %i = linalg.index 0 : index
          %a = tensor.extract %at[] : tensor<i64>
          %s = arith.index_cast %a : i64 to index
          %j = arith.addi %i, %s : index
          %v = tensor.extract %x[%j] : tensor<?xf32>
          linalg.yield %v : f32
      } -> tensor<64xf32>
      return %r : tensor<64xf32>
    }
    """
    (tmp_path / "program.vmfb").write_bytes(compile_program(source, hip_flags(iree_gpu.target)))
    done = _run(
        ["iree-run-module", f"--device={iree_gpu.uri}", f"--module={tmp_path}/program.vmfb", "--function=main",
         "--input=64xf32=1", "--input=i64=100000000000"],
        **environment,
    )  # fmt: skip
    assert done.returncode != 0
    assert "memory fault" in done.stderr and "kernel 'main_dispatch_0" in done.stderr
    if environment:
        assert done.returncode == -signal.SIGABRT


@pytest.mark.representative
def test_a_device_that_is_not_there_is_refused() -> None:
    done = _run(["iree-run-module", "--device=hip://63", "--module=/dev/null"])
    assert done.returncode != 0 and done.stderr.strip()
