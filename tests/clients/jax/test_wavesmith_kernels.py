"""Wavesmith's own kernels on JAX's arrays, on the GPU and on the host."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import wavesmith
from wavesmith import kernels

pytestmark = pytest.mark.representative


@pytest.mark.parametrize("place", ["gpu", "cpu"])
@pytest.mark.parametrize(("dtype", "epsilon"), [(jnp.float16, 2.0**-11), (jnp.bfloat16, 2.0**-8)])
def test_products_are_jaxs_arrays(place: str, dtype: object, epsilon: float) -> None:
    device = jax.devices(place)[0]
    a, b = (
        jax.device_put(jax.random.normal(jax.random.key(number), shape).astype(dtype), device)
        for number, shape in enumerate(((70, 45), (45, 33)))
    )
    wide = [np.asarray(one).astype("f8") for one in (a, b)]
    wanted, bound = wide[0] @ wide[1], 46 * 2.0**-24 * (abs(wide[0]) @ abs(wide[1]))
    got = kernels.gemm(a, b)
    assert isinstance(got, jax.Array) and got.dtype == dtype and got.device == device
    assert (abs(np.asarray(got).astype("f8") - wanted) <= bound + epsilon * (abs(wanted) + bound) + 2.0**-24).all()
    twice = np.asarray(2 * kernels.gemm(a, b, dtype=jnp.float32))  # used in JAX's own stream
    assert (abs(twice - 2 * wanted) <= 2 * bound + 2.0**-22 * abs(wanted)).all()


def test_arrays_of_jax_are_never_written_to() -> None:
    one = jnp.ones((4, 4), jnp.float16)
    with pytest.raises(wavesmith.BadInputError, match="out is an array of JAX"):
        kernels.gemm(one, one, out=jnp.zeros((4, 4), jnp.float16))
