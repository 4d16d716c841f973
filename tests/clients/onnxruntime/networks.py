"""The networks that learn with JAX and CuPy (tests/clients/shared), behind their last step, as models.

wavesmith run --gpu mi300x --report -- python networks.py cnn|experts SEED RESULTS.npz
"""

from __future__ import annotations

import importlib
import sys

import cnn
import experts
import learning
import numpy as np
import onnx
from models import saved
from onnx import TensorProto, helper

Arrays = dict[str, np.ndarray]


class Graph:
    """Nodes, in order, with constants as weights."""

    def __init__(self, weights: Arrays) -> None:
        self.nodes: list[onnx.NodeProto] = []
        self.constants = {name: np.ascontiguousarray(value) for name, value in weights.items()}

    def constant(self, value: np.ndarray) -> str:
        name = f"constant{len(self.constants)}"
        self.constants[name] = value
        return name

    def add(self, operation: str, *inputs: str, result: str = "", **attributes: object) -> str:
        """A node; its result's name."""
        result = result or f"value{len(self.nodes)}"
        self.nodes.append(helper.make_node(operation, list(inputs), [result], **attributes))
        return result

    def silu(self, x: str) -> str:
        return self.add("Mul", x, self.add("Sigmoid", x))

    def shaped(self, x: str, *shape: int) -> str:
        return self.add("Reshape", x, self.constant(np.array(shape, np.int64)))


def cnn_graph(weights: Arrays) -> Graph:
    graph = Graph(weights)
    x = "images"
    for name, layer in cnn.LAYERS.items():
        y = graph.add("Conv", x, name, pads=[layer.padding] * 4, strides=[layer.step] * 2, group=layer.groups)
        x = graph.silu(y)
    x = graph.add("Flatten", graph.add("GlobalAveragePool", x))
    graph.add("MatMul", x, "classifier", result="logits")
    return graph


def normalised(graph: Graph, x: str) -> str:
    """The mean by a product: ReduceMean along rows is wrong on waves of 32 (docs/clients/onnxruntime.md)."""
    part = graph.constant(np.full((experts.WIDTH, 1), 1 / experts.WIDTH, np.float32))
    mean = graph.add("MatMul", graph.add("Mul", x, x), part)
    root = graph.add("Sqrt", graph.add("Add", mean, graph.constant(np.array(1e-5, np.float32))))
    return graph.add("Div", x, root)


def attended(graph: Graph, x: str, layer: int) -> str:
    size, heads = experts.WIDTH // experts.HEADS, (experts.BATCH, experts.LENGTH, 3, experts.HEADS, -1)
    qkv = graph.add("Transpose", graph.shaped(graph.add("MatMul", x, f"qkv{layer}"), *heads), perm=[2, 0, 3, 1, 4])
    parts = [graph.add("Gather", qkv, graph.constant(np.array(part, np.int64)), axis=0) for part in range(3)]
    scores = graph.add("MatMul", parts[0], graph.add("Transpose", parts[1], perm=[0, 1, 3, 2]))
    scores = graph.add("Mul", scores, graph.constant(np.array(1 / np.sqrt(size), np.float32)))
    hidden = np.triu(np.full((experts.LENGTH, experts.LENGTH), -1e4, np.float32), 1)
    weights = graph.add("Softmax", graph.add("Add", scores, graph.constant(hidden)), axis=-1)
    mixed = graph.add("Transpose", graph.add("MatMul", weights, parts[2]), perm=[0, 2, 1, 3])
    return graph.add("MatMul", graph.shaped(mixed, experts.TOKENS, experts.WIDTH), f"out{layer}")


def expert_layer(graph: Graph, x: str, layer: int) -> str:
    chances = graph.add("Softmax", graph.add("MatMul", x, f"router{layer}"), axis=-1)
    graph.nodes.append(
        helper.make_node("TopK", [chances, graph.constant(np.array([experts.CHOSEN]))], [f"best{layer}", f"at{layer}"])
    )
    ends = [graph.constant(np.array([at], np.int64)) for at in (experts.CHOSEN - 1, experts.CHOSEN, 1)]
    least = graph.add("Slice", f"best{layer}", *ends)
    wanted = graph.add("Cast", graph.add("GreaterOrEqual", chances, least), to=TensorProto.FLOAT)
    place = graph.add("CumSum", wanted, graph.constant(np.array(0, np.int64)))
    numbers = graph.constant(np.arange(1, experts.CAPACITY + 1, dtype=np.float32))
    same = graph.add("Equal", graph.shaped(place, experts.TOKENS, experts.EXPERTS, 1), numbers)
    ones = graph.shaped(wanted, experts.TOKENS, experts.EXPERTS, 1)
    places = graph.add("Mul", graph.add("Cast", same, to=TensorProto.FLOAT), ones)
    slots = experts.EXPERTS * experts.CAPACITY
    to = graph.add("Transpose", graph.shaped(places, experts.TOKENS, slots), perm=[1, 0])
    given = graph.shaped(graph.add("MatMul", to, x), experts.EXPERTS, experts.CAPACITY, experts.WIDTH)
    made = graph.add("MatMul", graph.silu(graph.add("MatMul", given, f"up{layer}")), f"down{layer}")
    weighted = graph.add("Mul", places, graph.shaped(chances, experts.TOKENS, experts.EXPERTS, 1))
    back = graph.shaped(weighted, experts.TOKENS, slots)
    return graph.add("MatMul", back, graph.shaped(made, slots, experts.WIDTH))


def experts_graph(weights: Arrays) -> Graph:
    graph = Graph(weights)
    seen = graph.add("Add", graph.add("Gather", "embed", "sentences", axis=0), "place")
    x = graph.shaped(seen, experts.TOKENS, experts.WIDTH)
    for layer in range(experts.LAYERS):
        x = graph.add("Add", x, attended(graph, normalised(graph, x), layer))
        x = graph.add("Add", x, expert_layer(graph, normalised(graph, x), layer))
    graph.add("MatMul", normalised(graph, x), "words", result="logits")
    return graph


def case(name: str, seed: int) -> tuple[bytes, Arrays, np.ndarray]:
    """The model, its inputs, and the logits of doubles."""
    network = importlib.import_module(name)
    weights = {n: w for n, w in learning.run(network, np, seed, "f8").items() if not n.startswith("loss")}
    _, given = learning.values(network, seed, "f8")
    small = {n: w.astype(np.float32) for n, w in weights.items()}
    if name == "cnn":
        logits = cnn.logits(np, weights, given["images"], lambda *of: cnn.convolved(np, *of))[0]
        inputs, graph = {"images": given["images"].astype(np.float32)}, cnn_graph(small)
    else:
        inputs = {"sentences": given["sentences"][:, :-1].copy()}
        logits = experts.logits(np, weights, inputs["sentences"])[0]
        graph = experts_graph(small)
    return saved(graph.nodes, inputs, graph.constants, ["logits"]), inputs, logits


def main(name: str, seed: int, to: str) -> None:
    import onnxruntime as ort

    model, inputs, _ = case(name, seed)
    options = ort.SessionOptions()
    options.log_severity_level = 3
    options.add_session_config_entry("session.disable_cpu_ep_fallback", "1")
    session = ort.InferenceSession(model, options, providers=["ROCMExecutionProvider"])
    np.savez(to, logits=session.run(["logits"], inputs)[0])


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), sys.argv[3])
