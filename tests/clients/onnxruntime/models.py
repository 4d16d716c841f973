"""Models of one or a few operations, with inputs by chance."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

KINDS = {np.dtype("float32"): TensorProto.FLOAT, np.dtype("float16"): TensorProto.FLOAT16}
KINDS |= {
    np.dtype("int64"): TensorProto.INT64,
    np.dtype("int32"): TensorProto.INT32,
    np.dtype("bool"): TensorProto.BOOL,
}


@dataclass
class Model:
    """An operation with its inputs; `constants` are part of the model, as weights are.

    `allowed` is relative to the largest number of the result.
    """

    operation: str
    inputs: dict[str, np.ndarray]
    constants: dict[str, np.ndarray] = field(default_factory=dict)
    attributes: dict[str, object] = field(default_factory=dict)
    outputs: int = 1
    domain: str = ""
    opset: int = 17
    allowed: float = 1e-5

    def made(self) -> bytes:
        names = [*self.inputs, *self.constants]
        results = [f"result{i}" for i in range(self.outputs)]
        node = helper.make_node(self.operation, names, results, domain=self.domain, **self.attributes)
        return saved([node], self.inputs, self.constants, results, self.opset)


def saved(
    nodes: Iterable[onnx.NodeProto],
    inputs: dict[str, np.ndarray],
    constants: dict[str, np.ndarray],
    results: Iterable[str],
    opset: int = 17,
) -> bytes:
    graph = helper.make_graph(
        list(nodes),
        "model",
        [helper.make_tensor_value_info(name, KINDS[value.dtype], value.shape) for name, value in inputs.items()],
        [onnx.ValueInfoProto(name=name) for name in results],
        [numpy_helper.from_array(value, name) for name, value in constants.items()],
    )
    sets = [helper.make_opsetid("", opset), helper.make_opsetid("com.microsoft", 1)]
    return helper.make_model(graph, opset_imports=sets, ir_version=8).SerializeToString()


def _floats(*shape: int, kind: str = "float32") -> Callable[[np.random.Generator], np.ndarray]:
    return lambda generator: generator.standard_normal(shape).astype(kind)


def models(generator: np.random.Generator) -> dict[str, Model]:
    """Every model by its name."""

    def floats(*shape: int, kind: str = "float32") -> np.ndarray:
        return generator.standard_normal(shape).astype(kind)

    x = floats(3, 37, 65)
    image = floats(2, 6, 17, 19)
    found = {}
    for name in ("Relu", "Sigmoid", "Tanh", "Elu", "LeakyRelu", "Softplus", "Erf", "Exp", "Neg", "Abs", "Floor"):
        found[name] = Model(name, {"x": x})
    for name in ("Log", "Sqrt", "Reciprocal"):
        found[name] = Model(name, {"x": np.abs(x) + 0.1})
    for name in ("Add", "Sub", "Mul", "Div", "Pow"):
        found[name] = Model(name, {"a": np.abs(x) + 0.5, "b": floats(37, 65)})
    found["Gelu"] = Model("Gelu", {"x": x}, domain="com.microsoft")
    found["FastGelu"] = Model("FastGelu", {"x": x}, domain="com.microsoft", allowed=1e-3)
    found["Gemm"] = Model(
        "Gemm", {"a": floats(33, 70), "b": floats(50, 70), "c": floats(50)}, attributes={"transB": 1, "alpha": 0.5}
    )
    found["MatMul"] = Model("MatMul", {"a": floats(4, 33, 70), "b": floats(4, 70, 50)})
    found["MatMul f16"] = Model(
        "MatMul", {"a": floats(33, 70, kind="float16"), "b": floats(70, 50, kind="float16")}, allowed=2e-3
    )
    found["Conv"] = Model("Conv", {"x": image}, {"w": floats(8, 6, 3, 3)}, {"pads": [1, 1, 1, 1]})
    found["Conv with a bias"] = Model(
        "Conv", {"x": image}, {"w": floats(8, 6, 3, 3), "b": floats(8)}, {"strides": [2, 1]}
    )
    found["Conv in groups"] = Model(
        "Conv", {"x": image}, {"w": floats(6, 1, 5, 5), "b": floats(6)}, {"group": 6, "dilations": [2, 1]}
    )
    found["Conv of one dimension"] = Model("Conv", {"x": floats(2, 5, 40)}, {"w": floats(7, 5, 3), "b": floats(7)})
    found["ConvTranspose"] = Model(
        "ConvTranspose", {"x": image}, {"w": floats(6, 4, 3, 3), "b": floats(4)}, {"strides": [2, 2]}
    )
    for name in ("MaxPool", "AveragePool"):
        found[name] = Model(name, {"x": image}, attributes={"kernel_shape": [3, 2], "strides": [2, 1]})
        found[f"{name} with padding"] = Model(
            name, {"x": image}, attributes={"kernel_shape": [3, 3], "pads": [1, 1, 1, 1]}
        )
    found["MaxPool with indices"] = Model("MaxPool", {"x": image}, attributes={"kernel_shape": [2, 2]}, outputs=2)
    for name in ("GlobalAveragePool", "GlobalMaxPool"):
        found[name] = Model(name, {"x": image})
    found["BatchNormalization"] = Model(
        "BatchNormalization",
        {"x": image},
        {"scale": floats(6), "bias": floats(6), "mean": floats(6), "variance": np.abs(floats(6)) + 0.1},
    )
    found["InstanceNormalization"] = Model(
        "InstanceNormalization", {"x": image}, {"scale": floats(6), "bias": floats(6)}, allowed=1e-4
    )
    found["LRN"] = Model("LRN", {"x": image}, attributes={"size": 3, "alpha": 0.01})
    for width in (7, 33, 64, 300, 1024, 3000):
        found[f"Softmax of {width}"] = Model("Softmax", {"x": floats(9, width)})
        found[f"LayerNormalization of {width}"] = Model(
            "LayerNormalization",
            {"x": floats(9, width)},
            {"scale": floats(width), "bias": floats(width)},
            {"axis": -1},
            allowed=1e-4,
        )
    found["LogSoftmax"] = Model("LogSoftmax", {"x": floats(9, 50)})
    found["SkipLayerNormalization"] = Model(
        "SkipLayerNormalization",
        {"x": floats(2, 9, 64), "skip": floats(2, 9, 64)},
        {"gamma": floats(64), "beta": floats(64)},
        domain="com.microsoft",
        allowed=1e-4,
    )
    for name in (
        "ReduceSum",
        "ReduceMean",
        "ReduceMax",
        "ReduceMin",
        "ReduceProd",
        "ReduceL2",
        "ReduceSumSquare",
        "ReduceLogSumExp",
    ):
        attributes = {"keepdims": 1} if name == "ReduceSum" else {"keepdims": 1, "axes": [2]}
        constants = {"axes": np.array([2])} if name == "ReduceSum" else {}
        found[name] = Model(name, {"x": x if name != "ReduceProd" else 1 + 0.1 * x}, constants, attributes)
    found["ReduceMean over the middle"] = Model("ReduceMean", {"x": x}, attributes={"keepdims": 0, "axes": [1]})
    found["ReduceSum of all"] = Model("ReduceSum", {"x": x}, {}, {"keepdims": 0}, allowed=1e-4)
    found["ArgMax"] = Model("ArgMax", {"x": x}, attributes={"axis": 2})
    found["TopK"] = Model("TopK", {"x": x}, {"k": np.array([5])}, outputs=2)
    found["Transpose"] = Model("Transpose", {"x": x}, attributes={"perm": [2, 0, 1]})
    found["Concat"] = Model("Concat", {"a": x, "b": x}, attributes={"axis": 1})
    found["Slice"] = Model(
        "Slice",
        {"x": x},
        {"from": np.array([1, 3]), "to": np.array([3, 30]), "axes": np.array([0, 1]), "by": np.array([1, 2])},
    )
    found["Gather"] = Model("Gather", {"x": x}, {"at": generator.integers(0, 37, (4, 5))}, {"axis": 1})
    found["Expand"] = Model("Expand", {"x": floats(3, 1, 65)}, {"shape": np.array([3, 4, 65])})
    found["Pad"] = Model("Pad", {"x": x}, {"pads": np.array([0, 1, 2, 0, 3, 4])})
    found["Resize"] = Model(
        "Resize", {"x": image}, {"roi": np.zeros(0, np.float32), "scales": np.array([1, 1, 2, 2], np.float32)}
    )
    found["CumSum"] = Model("CumSum", {"x": x}, {"axis": np.array(1)}, allowed=1e-4)
    found["Where"] = Model("Where", {"c": x > 0, "a": x, "b": -2 * x})
    found["Cast"] = Model("Cast", {"x": x}, attributes={"to": TensorProto.FLOAT16})
    heads, width = 4, 64
    found["Attention"] = Model(
        "Attention",
        {"x": floats(2, 12, width)},
        {"w": floats(width, 3 * width) / 8, "b": floats(3 * width)},
        {"num_heads": heads},
        domain="com.microsoft",
        allowed=1e-4,
    )
    return found
