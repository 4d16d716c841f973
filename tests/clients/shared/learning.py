"""A network learns, for the arrays of NumPy, CuPy or JAX: three steps of gradient descent with momentum.

wavesmith run --gpu mi300x --report -- python learning.py cnn|experts cupy|jax SEED RESULTS.npz
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from functools import partial
from types import ModuleType
from typing import Any

import numpy as np
from arrays import Arrays

STEPS, RATE, MOMENTUM = 3, 0.2, 0.9


def trained(step: Callable[[Arrays], tuple[Any, Arrays]], p: Arrays) -> Arrays:
    """The losses, and the parameters behind the last step; `step` gives the loss and the slopes."""
    made: Arrays = {}
    speed: Arrays = {}
    for number in range(STEPS):
        made[f"loss{number}"], slope = step(p)
        speed = {name: MOMENTUM * speed[name] + slope[name] if speed else slope[name] for name in p}
        p = {name: value - RATE * speed[name] for name, value in p.items()}
    return made | p


def values(network: ModuleType, seed: int, dtype: str) -> tuple[Arrays, Arrays]:
    """Parameters and inputs, NumPy's."""
    random = np.random.default_rng(seed)
    p = {name: value.astype(dtype) for name, value in network.parameters(random).items()}
    given = network.inputs(random)
    return p, {name: value.astype(dtype) if value.dtype.kind == "f" else value for name, value in given.items()}


def run(network: ModuleType, xp: ModuleType, seed: int, dtype: str) -> Arrays:
    """All results, as NumPy's arrays, of NumPy or CuPy."""
    p, given = ({n: xp.asarray(v) for n, v in of.items()} for of in values(network, seed, dtype))
    results = trained(lambda now: network.slopes(xp, now, given), p)
    return {name: np.asarray(value.get() if hasattr(value, "get") else value) for name, value in results.items()}


def run_jax(network: ModuleType, seed: int) -> Arrays:
    """The same by JAX's own slopes, in f32, with what XLA gives to AMD's libraries and what it keeps."""
    import jax
    import jax.numpy as jnp

    def convolve(x: Any, weight: Any, layer: Any) -> Any:
        around = [(layer.padding, layer.padding)] * 2
        return jax.lax.conv_general_dilated(
            x, weight, (layer.step, layer.step), around, feature_group_count=layer.groups
        )

    def step(given: Arrays, p: Arrays) -> Any:
        return jax.value_and_grad(lambda now: network.loss(jnp, now, given, convolve))(p)

    p, given = values(network, seed, "f4")
    with jax.default_matmul_precision("highest"):
        compiled = jax.jit(lambda p, given: trained(partial(step, given), p)).lower(p, given).compile()
    text = compiled.as_text()
    results: Arrays = {name: np.asarray(value) for name, value in compiled(p, given).items()}
    results["products"] = text.count('custom_call_target="__cublas')
    results["convolutions"] = text.count('custom_call_target="__cudnn$conv')
    results["kept"] = text.count(" dot(") + text.count(" convolution(")
    return results


def main(network: str, framework: str, seed: int, to: str) -> None:
    module = importlib.import_module(network)
    if framework == "jax":
        np.savez(to, **run_jax(module, seed))
    else:
        import cupy

        np.savez(to, **run(module, cupy, seed, "f4"))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4])
