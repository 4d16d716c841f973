"""`import torch` calls this, by the entry point group `torch.backends`."""

from __future__ import annotations

import os


def autoload() -> None:
    """Makes the device known to PyTorch where WAVESMITH_TORCH asks for it ("cuda", or any other word), else nothing."""
    if os.environ.get("WAVESMITH_TORCH", "0") not in ("", "0"):
        import wavesmith.torch  # noqa: F401
