"""JAX on emulated GPUs: run under `wavesmith run --gpu X -- python -m pytest`."""

from __future__ import annotations

import pytest

pytest.importorskip("jax")
pytest.importorskip("jax_plugins.xla_rocm7")
