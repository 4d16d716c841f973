"""TensorFlow for ROCm on an emulated GPU: run under `wavesmith run --gpu X -- python -m pytest`."""

from __future__ import annotations

import os

import pytest

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "1")

tensorflow = pytest.importorskip("tensorflow")

if not tensorflow.test.is_built_with_rocm():
    pytest.skip("this TensorFlow is not tensorflow-rocm", allow_module_level=True)


@pytest.fixture(autouse=True, scope="session")
def _a_gpu() -> None:
    """Without one TensorFlow would compute on the CPU, and every comparison would hold."""
    if not tensorflow.config.list_physical_devices("GPU"):
        pytest.fail("TensorFlow found no GPU: it wants librocrand.so (wavesmith libraries install rocrand)")
