"""Steps of a transformer's training, its batch and its weights' columns sharded over all devices.

python sharded.py SEED RESULTS.npz
"""

from __future__ import annotations

import sys
from functools import partial

import jax
import numpy as np
import test_transformer as transformer
from jax.sharding import Mesh, NamedSharding
from jax.sharding import PartitionSpec as P


def placed(p: transformer.Parameters, words: np.ndarray, mesh: Mesh) -> tuple[transformer.Parameters, jax.Array]:
    """Sentences are dealt to the rows of the mesh; weights that widen a layer to its columns, by columns."""

    def of(path: tuple, weight: np.ndarray) -> jax.Array:
        name = path[-1].key
        parts = P(None, "columns") if name in ("qkv", "up") else P("columns", None) if name in ("out", "down") else P()
        return jax.device_put(weight, NamedSharding(mesh, parts))

    return jax.tree_util.tree_map_with_path(of, p), jax.device_put(words, NamedSharding(mesh, P("rows", None)))


def main(seed: int, to: str) -> None:
    devices = jax.devices()
    mesh = Mesh(np.array(devices).reshape(2, -1), ("rows", "columns"))
    p, words = transformer.inputs(np.random.default_rng(seed))
    step = jax.jit(partial(transformer.train, "highest"))
    losses, slope, trained, logits = step(*placed(p, words, mesh))
    leaves, _ = jax.tree.flatten((losses, slope, trained, logits))
    print(len(devices), "devices,", len(logits.sharding.device_set), "of the logits")
    np.savez(to, **{f"{i}": np.asarray(leaf) for i, leaf in enumerate(leaves)})


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2])
