"""PennyLane's lightning.amdgpu on an emulated GPU: run under `wavesmith run --gpu X -- python -m pytest`."""

from __future__ import annotations

import pytest

pytest.importorskip("pennylane")
pytest.importorskip("pennylane_lightning.lightning_amdgpu_ops")
