"""OpenMM's HIP platform on an emulated GPU: run under `wavesmith run --gpu X -- python -m pytest`."""

from __future__ import annotations

import pytest

openmm = pytest.importorskip("openmm")

if "HIP" not in [openmm.Platform.getPlatform(i).getName() for i in range(openmm.Platform.getNumPlatforms())]:
    pytest.skip("OpenMM has no HIP platform: openmm-hip-7 is not installed", allow_module_level=True)
