"""ONNX Runtime's ROCm provider on an emulated GPU: run under `wavesmith run --gpu X -- python -m pytest`."""

from __future__ import annotations

import pytest

onnxruntime = pytest.importorskip("onnxruntime")

if "ROCMExecutionProvider" not in onnxruntime.get_available_providers():
    pytest.skip("this ONNX Runtime is not onnxruntime-rocm", allow_module_level=True)
