"""What PyTorch calls the device: "wavesmith", or "cuda" in a process with WAVESMITH_TORCH=cuda (`_cuda`)."""

from __future__ import annotations

import os

DEVICE = "cuda" if os.environ.get("WAVESMITH_TORCH") == "cuda" else "wavesmith"

#: The dispatcher's key of its kernels.
KEY = "CUDA" if DEVICE == "cuda" else "PrivateUse1"
