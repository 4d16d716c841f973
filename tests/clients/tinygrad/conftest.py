"""tinygrad on the HIP device of an emulated GPU: run under `wavesmith run --gpu X -- python -m pytest`."""

from __future__ import annotations

import os

import pytest

# Before tinygrad reads it. Kernels are compiled anew: the cache that tinygrad keeps from run to run would hide its
# compiler.
os.environ["CACHELEVEL"] = "0"
os.environ["DEV"] = "HIP"

pytest.importorskip("tinygrad")
