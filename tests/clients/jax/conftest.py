"""Settings of XLA that suit an emulated GPU (docs/clients/jax.md), before JAX is imported."""

from __future__ import annotations

import os

# What is fast here is not what is fast on the GPU: for a matrix product the first of all tilings that fits the GPU is
# taken, and none measured.
os.environ.setdefault("XLA_FLAGS", "--xla_gpu_autotune_level=0 --xla_gpu_exhaustive_tiling_search=true")

import pytest

pytest.importorskip("jax")
pytest.importorskip("jax_plugins.xla_rocm7")
