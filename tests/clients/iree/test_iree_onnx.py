"""Networks as ONNX has them, through iree-import-onnx: equal to IREE's CPU back end."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import onnx
import pytest
from iree_program import CPU_FLAGS, Module, check_equal, compile_program, hip_flags
from onnx import TensorProto, helper, numpy_helper


class Graph:
    """An ONNX graph under construction: every node has one result."""

    def __init__(self, generator: np.random.Generator) -> None:
        self.generator = generator
        self.nodes: list[onnx.NodeProto] = []
        self.constants: list[onnx.TensorProto] = []

    def constant(self, value: np.ndarray) -> str:
        name = f"c{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(value, name))
        return name

    def weights(self, *shape: int, scale: float | None = None) -> str:
        width = scale if scale is not None else float(np.prod(shape[1:]) or shape[0]) ** -0.5
        return self.constant((self.generator.standard_normal(shape) * width).astype(np.float32))

    def __call__(self, operator: str, *inputs: str, **attributes) -> str:
        name = f"n{len(self.nodes)}"
        self.nodes.append(helper.make_node(operator, list(inputs), [name], **attributes))
        return name

    def mlir(self, folder: Path, source: list[int], result: str, shape: list[int]) -> str:
        def value(name: str, dims: list[int]) -> onnx.ValueInfoProto:
            return helper.make_tensor_value_info(name, TensorProto.FLOAT, dims)

        graph = helper.make_graph(self.nodes, "main", [value("x", source)], [value(result, shape)], self.constants)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
        onnx.checker.check_model(model)
        onnx.save(model, folder / "model.onnx")
        subprocess.run(
            [sys.executable, "-m", "iree.compiler.tools.import_onnx", str(folder / "model.onnx"),
             "-o", str(folder / "model.mlir")],
            check=True,
        )  # fmt: skip
        return (folder / "model.mlir").read_text()


def transformer_block(graph: Graph, tokens: int, width: int, heads: int) -> str:
    """Layer norm, attention over heads, a sum with what came in; the same with a layer of four times the width."""

    def layer_norm(x: str) -> str:
        ones = graph.constant(np.ones(width, np.float32))
        return graph("LayerNormalization", x, ones, graph.weights(width, scale=0.1))

    def linear(x: str, inputs: int, outputs: int) -> str:
        weights = graph.weights(inputs, outputs, scale=inputs**-0.5)
        return graph("Add", graph("MatMul", x, weights), graph.weights(outputs, scale=0.1))

    shape = graph.constant(np.array([2, tokens, heads, width // heads], np.int64))
    back = graph.constant(np.array([2, tokens, width], np.int64))

    def split(x: str, order: list[int]) -> str:
        return graph("Transpose", graph("Reshape", x, shape), perm=order)

    normal = layer_norm("x")
    query = split(linear(normal, width, width), [0, 2, 1, 3])
    key = split(linear(normal, width, width), [0, 2, 3, 1])
    value = split(linear(normal, width, width), [0, 2, 1, 3])
    scale = graph.constant(np.array((width / heads) ** -0.5, np.float32))
    causal = graph.constant(np.triu(np.full((tokens, tokens), -1e9, np.float32), 1))
    scores = graph("Add", graph("Mul", graph("MatMul", query, key), scale), causal)
    mixed = graph("MatMul", graph("Softmax", scores, axis=-1), value)
    joined = graph("Reshape", graph("Transpose", mixed, perm=[0, 2, 1, 3]), back)
    middle = graph("Add", "x", linear(joined, width, width))
    wide = linear(layer_norm(middle), width, 4 * width)
    gate = graph("Mul", wide, graph("Sigmoid", wide))
    return graph("Add", middle, linear(gate, 4 * width, width))


def small_cnn(graph: Graph) -> str:
    """Two convolutions with batch norm and pooling, a grouped one, the mean over the image, a classifier."""

    def convolution(x: str, inputs: int, outputs: int, **attributes) -> str:
        weights = graph.weights(outputs, inputs // attributes.get("group", 1), 3, 3)
        y = graph("Conv", x, weights, graph.weights(outputs, scale=0.1), kernel_shape=[3, 3], **attributes)
        mean, scale, bias = (graph.weights(outputs, scale=0.1) for _ in range(3))
        variance = graph.constant(graph.generator.uniform(0.5, 2.0, outputs).astype(np.float32))
        return graph("Relu", graph("BatchNormalization", y, scale, bias, mean, variance))

    y = convolution("x", 3, 16, pads=[1, 1, 1, 1])
    y = graph("MaxPool", y, kernel_shape=[2, 2], strides=[2, 2])
    y = convolution(y, 16, 32, pads=[1, 1, 1, 1], strides=[2, 2])
    y = convolution(y, 32, 32, group=4, pads=[1, 1, 1, 1])
    y = graph("AveragePool", y, kernel_shape=[2, 2], strides=[2, 2])
    y = graph("Flatten", graph("GlobalAveragePool", y))
    return graph("Softmax", graph("Gemm", y, graph.weights(32, 10), graph.weights(10, scale=0.1)), axis=1)


def _check(build, source: list[int], shape: list[int], gpu, folder: Path) -> None:
    seed = np.random.SeedSequence().entropy % 2**32
    print(f"seed {seed}")
    generator = np.random.default_rng(seed)
    graph = Graph(generator)
    text = graph.mlir(folder, source, build(graph), shape)
    x = generator.standard_normal(source).astype(np.float32)
    expected = Module(compile_program(text, CPU_FLAGS), "local-task")(x)
    results = Module(compile_program(text, hip_flags(gpu.target)), gpu.uri)(x)
    assert np.std(expected[0]) > 1e-3
    check_equal(results, expected, (1e-3, 1e-4))


@pytest.mark.representative
def test_transformer_block(iree_gpu, tmp_path: Path) -> None:
    _check(lambda graph: transformer_block(graph, 24, 64, 4), [2, 24, 64], [2, 24, 64], iree_gpu, tmp_path)


@pytest.mark.representative
def test_small_cnn(iree_gpu, tmp_path: Path) -> None:
    _check(small_cnn, [2, 3, 32, 32], [2, 10], iree_gpu, tmp_path)
