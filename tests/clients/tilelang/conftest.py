"""TileLang on an emulated GPU: run under `wavesmith run --gpu X -- python -m pytest`."""

from __future__ import annotations

import os
import shutil
import subprocess

import pytest

pytest.importorskip("tilelang", reason="tilelang is not installed")

from wavesmith import tilelang as bridge

bridge.install()

# What is compiled once stays for the next run of the same kernels: only by choice.
os.environ.setdefault("TILELANG_DISABLE_CACHE", "1")
# It compiles its host code, on a machine without a compiler of that name by the one that compiles Wavesmith.
if not any(map(shutil.which, ("g++", "clang++", "c++"))):
    os.environ.setdefault("CXX", "clang++-22")


@pytest.fixture(autouse=True, scope="session")
def _headers() -> None:
    """TileLang's templates include what only HIP 7's headers have."""
    program = "#include <hip/amd_detail/amd_hip_fp8.h>\n__device__ __hip_fp8_e4m3_fnuz x;\n"
    made = subprocess.run(
        ["hipcc", "--genco", "--offload-arch=gfx942", "-x", "hip", "-", "-o", os.devnull],
        input=program,
        text=True,
        capture_output=True,
    )
    if made.returncode:
        pytest.skip("no HIP 7 headers (wavesmith libraries install hip): " + made.stderr.splitlines()[0])
