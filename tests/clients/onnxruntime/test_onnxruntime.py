"""ONNX Runtime's ROCm provider against its provider for the CPU, every node on the GPU."""

from __future__ import annotations

import os

import numpy as np
import onnxruntime as ort
import pytest
from models import Model, models, saved
from onnx import helper

NAMES = list(models(np.random.default_rng(0)))
WAVES_OF_32 = os.environ["WAVESMITH_GPU"].startswith("rx")
#: Wrong on GPUs with waves of 32, where the wheel's kernels assume 64 lanes: `test_what_waves_of_64_make_of_32_lanes`.
FOR_WAVES_OF_64 = ("Softmax of 33", "Softmax of 64", "Softmax of 300", "Softmax of 1024", "LayerNorm", "LogSoftmax")
FOR_WAVES_OF_64 += ("ReduceSum", "ReduceMean", "ReduceSumSquare")
RIGHT_ANYWHERE = ("ReduceMean over the middle", "ReduceSum of all")


@pytest.fixture
def generator() -> np.random.Generator:
    seed = np.random.SeedSequence().entropy % 2**32
    print(f"seed {seed}")
    return np.random.default_rng(seed)


def _run(model: bytes, inputs: dict[str, np.ndarray], tunes: bool = False) -> list[np.ndarray]:
    """What the emulated GPU gives; no node may be left to the CPU."""
    options = ort.SessionOptions()
    options.log_severity_level = 3
    options.add_session_config_entry("session.disable_cpu_ep_fallback", "1")
    settings = {"tunable_op_enable": "1", "tunable_op_tuning_enable": "1"} if tunes else {}
    return ort.InferenceSession(model, options, providers=[("ROCMExecutionProvider", settings)]).run(None, inputs)


def _on_cpu(model: bytes, inputs: dict[str, np.ndarray]) -> list[np.ndarray]:
    return ort.InferenceSession(model, providers=["CPUExecutionProvider"]).run(None, inputs)


def _compare(results: list[np.ndarray], expected: list[np.ndarray], allowed: float) -> None:
    for ours, theirs in zip(results, expected, strict=True):
        wide = theirs.astype(np.float64)
        np.testing.assert_allclose(ours.astype(np.float64), wide, rtol=0, atol=allowed * np.abs(wide).max())


@pytest.mark.parametrize("name", NAMES)
def test_models(name: str, generator: np.random.Generator) -> None:
    if WAVES_OF_32 and name.startswith(FOR_WAVES_OF_64) and name not in RIGHT_ANYWHERE:
        pytest.skip("the wheel's kernel assumes waves of 64")
    model = models(generator)[name]
    _compare(_run(model.made(), model.inputs), _on_cpu(model.made(), model.inputs), model.allowed)


@pytest.mark.parametrize("name", ["Gemm", "MatMul", "MatMul f16", "FastGelu", "Attention", "SkipLayerNormalization"])
def test_tuned(name: str, generator: np.random.Generator) -> None:
    """ONNX Runtime times what it has for an operation, and takes the fastest."""
    if WAVES_OF_32 and name == "SkipLayerNormalization":
        pytest.skip("the wheel's kernel assumes waves of 64")
    model = models(generator)[name]
    _compare(_run(model.made(), model.inputs, tunes=True), _on_cpu(model.made(), model.inputs), model.allowed)


def test_a_small_network(generator: np.random.Generator) -> None:
    """Convolutions, normalisation, pooling and a classifier; ONNX Runtime fuses what it can."""

    def floats(*shape: int) -> np.ndarray:
        return generator.standard_normal(shape).astype(np.float32) / 4

    inputs = {"x": floats(2, 3, 32, 32)}
    weights = {
        "w1": floats(8, 3, 3, 3),
        "b1": floats(8),
        "w2": floats(16, 8, 3, 3),
        "b2": floats(16),
        "w3": floats(16, 10),
    }
    weights |= {
        "scale": floats(8),
        "bias": floats(8),
        "mean": floats(8),
        "variance": np.abs(floats(8)) + 0.5,
        "b3": floats(10),
    }
    nodes = [
        helper.make_node("Conv", ["x", "w1", "b1"], ["a"], pads=[1, 1, 1, 1]),
        helper.make_node("BatchNormalization", ["a", "scale", "bias", "mean", "variance"], ["b"]),
        helper.make_node("Relu", ["b"], ["c"]),
        helper.make_node("MaxPool", ["c"], ["d"], kernel_shape=[2, 2], strides=[2, 2]),
        helper.make_node("Conv", ["d", "w2", "b2"], ["e"], strides=[2, 2]),
        helper.make_node("Relu", ["e"], ["f"]),
        helper.make_node("GlobalAveragePool", ["f"], ["g"]),
        helper.make_node("Flatten", ["g"], ["h"]),
        helper.make_node("Gemm", ["h", "w3", "b3"], ["result"]),
    ]
    model = saved(nodes, inputs, weights, ["result"])
    _compare(_run(model, inputs), _on_cpu(model, inputs), 1e-5)


@pytest.mark.skipif(not WAVES_OF_32, reason="waves of 64")
def test_what_waves_of_64_make_of_32_lanes(generator: np.random.Generator) -> None:
    """The wheel's kernels exchange values over 64 lanes, its host's code starts 32 a row.

    A lane that reads the one 32 further reads itself (ds_bpermute_b32 counts lanes modulo 32 there: RDNA3 ISA,
    LDS instructions), so what is reduced is doubled, and columns from 32 on are neither read nor written.
    """
    for width in (33, 64):
        x = generator.standard_normal((8, width)).astype(np.float32)
        powers = np.exp(x[:, :32].astype(np.float64))
        expected = np.zeros(x.shape)
        expected[:, :32] = powers / (2 * powers.sum(1, keepdims=True))
        model = Model("Softmax", {"x": x})
        np.testing.assert_allclose(_run(model.made(), model.inputs)[0], expected, rtol=0, atol=1e-7)
    x = generator.standard_normal((8, 64)).astype(np.float32)
    model = Model("ReduceMean", {"x": x}, attributes={"keepdims": 1, "axes": [1]})
    _compare(_run(model.made(), model.inputs), [2 * x.mean(1, keepdims=True)], 1e-5)
