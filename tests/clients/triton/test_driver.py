"""Which driver Triton takes, and what it says about the GPU."""

from __future__ import annotations

import os

import pytest
import torch
import triton
import triton.backends
import triton.language as tl
from triton.backends.compiler import GPUTarget

from wavesmith.triton.driver import WavesmithDriver
from wavesmith.triton.hip import HipError

ACTIVE = triton.runtime.driver.active


@pytest.mark.representative
def test_the_driver_is_wavesmiths_and_the_compiler_is_tritons():
    assert isinstance(ACTIVE, WavesmithDriver)
    target = ACTIVE.get_current_target()
    assert target.backend == "hip"
    assert target.arch.startswith("gfx")
    compilers = [each.compiler for each in triton.backends.backends.values() if each.compiler.supports_target(target)]
    assert [each.__module__ for each in compilers] == ["triton.backends.amd.compiler"]


def test_tensors_are_the_cpus():
    assert ACTIVE.get_active_torch_device() == torch.device("cpu")
    assert torch.empty(1, device=ACTIVE.get_active_torch_device()).device == ACTIVE.get_active_torch_device()


def test_properties_are_those_of_the_gpu():
    found = ACTIVE.utils.get_device_properties(ACTIVE.get_active_torch_device().index)
    assert found["arch"].split(":")[0] == ACTIVE.get_current_target().arch
    assert found["warpSize"] in (32, 64)
    assert found["max_shared_mem"] >= 65536
    assert found["multiprocessor_count"] > 0


def test_it_is_active_while_a_gpu_is_emulated_only(monkeypatch):
    assert WavesmithDriver.is_active()
    monkeypatch.delenv("WAVESMITH_GPU")
    assert not WavesmithDriver.is_active()
    monkeypatch.setenv("TRITON_DEFAULT_BACKEND", "wavesmith")
    assert WavesmithDriver.is_active()


def test_a_pytorch_for_rocm_keeps_tritons_own_driver(monkeypatch):
    monkeypatch.setattr(torch.version, "hip", "7.0")
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    assert not WavesmithDriver.is_active()


def test_a_gpu_that_is_not_there_is_said_so():
    with pytest.raises(HipError, match=r"device 7 of \d+ emulated GPU"):
        ACTIVE.set_current_device(7)
    assert ACTIVE.get_current_device() == 0


@triton.jit
def nothing(x):
    tl.store(x, 1)


@pytest.mark.representative
def test_a_kernel_for_another_gpu_is_refused_by_name():
    other = "gfx90a" if ACTIVE.get_current_target().arch != "gfx90a" else "gfx942"
    source = triton.compiler.ASTSource(nothing, signature={"x": "*i32"})
    kernel = triton.compile(source, target=GPUTarget("hip", other, 64))
    with pytest.raises(HipError, match="nothing") as refused:
        kernel[(1, 1, 1)](torch.zeros(1, dtype=torch.int32))
    assert other in str(refused.value)


def test_several_gpus(script):
    gpu = os.environ["WAVESMITH_GPU"].split(":")[0].split(",")[0]
    done = script("two_gpus.py", WAVESMITH_GPU=f"{gpu},mi210")
    assert done.returncode == 0, done.stderr
    first, second = done.stdout.split()
    assert first == ACTIVE.get_current_target().arch
    assert second == "gfx90a"


@pytest.mark.representative
def test_a_program_that_writes_cuda_runs(script):
    done = script("writes_cuda.py", WAVESMITH_TORCH_CUDA="1")
    assert done.returncode == 0, done.stderr
    assert done.stdout.split()[0] == str(ACTIVE.utils.get_device_properties(0)["multiprocessor_count"])


def test_an_older_triton_is_said_to_be_too_old(monkeypatch):
    monkeypatch.delattr("triton.backends.driver.expand_signature")
    with pytest.raises(RuntimeError, match=r"needs triton 3\.8 or newer; this is"):
        WavesmithDriver()
