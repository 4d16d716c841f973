"""Random numbers, and what JAX makes of functions: gradients, loops, branches, maps."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from operation import both, normal, operation, uniform

# Random numbers


@operation(uniform(0, 2**31 - 1, (), dtype=np.int32), tolerance=2e-6, representative=True)
def random_numbers(seed):
    keys = jax.random.split(jax.random.key(seed), 4)
    return (
        jax.random.bits(keys[0], (99,)),
        jax.random.uniform(keys[1], (99,)),
        jax.random.randint(keys[2], (99,), 0, 1000),
        jax.random.bernoulli(keys[3], 0.3, (99,)),
    )


@operation(uniform(0, 2**31 - 1, (), dtype=np.int32), tolerance=1e-5)
def random_distributions(seed):
    keys = jax.random.split(jax.random.key(seed), 4)
    return (
        jax.random.normal(keys[0], (999,)),
        jax.random.exponential(keys[1], (99,)),
        jax.random.categorical(keys[2], jnp.zeros((50, 7))),
        jax.random.permutation(keys[3], 40),
    )


# Transformations


@operation(normal((40,)), tolerance=1e-5, representative=True)
def gradients(x):
    return jax.value_and_grad(lambda a: (jnp.tanh(a) * jnp.sin(a)).sum())(x)


@operation(normal((6,), (5, 6)), tolerance=2e-5)
def jacobians(x, w):
    def f(a):
        return jnp.tanh(w @ a)

    return jax.jacrev(f)(x), jax.jacfwd(f)(x), jax.hessian(lambda a: f(a).sum())(x)


@operation(normal((7, 5), (5,)), tolerance=1e-5)
def vectorised(x, y):
    return jax.vmap(lambda row: jnp.dot(row, y))(x), jax.vmap(jax.vmap(jnp.sin))(x), jax.vmap(jnp.sort)(x)


@operation(normal((4, 8), (10, 4)), tolerance=1e-5, representative=True)
def scanned(w, x):
    def step(state, row):
        state = jnp.tanh(state + row @ w)
        return state, state.sum()

    return lax.scan(step, jnp.zeros(8), x)


@operation(uniform(1, 20, (), dtype=np.int32), tolerance=0)
def loops(n):
    power = lax.fori_loop(0, n, lambda i, a: (a * 3 + i) % 1009, jnp.int32(1))
    return power, lax.while_loop(lambda s: s[0] < 100, lambda s: (s[0] + n, s[1] + 1), (jnp.int32(0), 0))


@operation(both(uniform(0, 2, (), dtype=np.int32), normal((20,))), tolerance=2e-6)
def branches(i, x):
    return lax.cond(i > 0, jnp.sin, jnp.cos, x), lax.switch(i, [jnp.abs, jnp.square, jnp.negative], x)


@operation(normal((6, 30)), tolerance=1e-5)
def mapped(x):
    return lax.map(lambda row: jnp.sort(row).cumsum(), x)


@operation(normal((16, 16)), tolerance=1e-5)
def checkpointed(x):
    return jax.grad(lambda a: jax.checkpoint(lambda b: jnp.sin(jnp.sin(b)))(a).sum())(x)


@operation(normal((5, 8)), tolerance=1e-5)
def custom_gradient(x):
    @jax.custom_vjp
    def clipped(a):
        return jnp.exp(a)

    clipped.defvjp(lambda a: (jnp.exp(a), a), lambda a, g: (jnp.clip(g * jnp.exp(a), -1, 1),))
    return jax.grad(lambda a: clipped(a).sum())(x)
