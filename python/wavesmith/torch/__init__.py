"""Emulated AMD GPUs as a PyTorch device: `torch.device("wavesmith")`, with a PyTorch for the CPU.

>>> import wavesmith
>>> wavesmith.use("mi300x")
>>> import torch, wavesmith.torch
>>> x = torch.randn(4, 4, device="wavesmith")
>>> (x @ x).sum()

What must be compiled against PyTorch's headers is compiled when this package is first imported with a PyTorch, which
takes about a minute on two cores, and kept (`wavesmith.torch._build`). `torch.wavesmith` is the device's module, as
`torch.cuda` is CUDA's; `torch.accelerator` works too.
"""

from __future__ import annotations

import torch

from wavesmith.torch._prefer import libraries, library_counts, prefer
from wavesmith.torch._register import compiled_counts, fallback_counts, register

__all__ = ["compiled_counts", "fallback_counts", "libraries", "library_counts", "prefer", "register"]

if torch.version.hip is None:  # PyTorch for ROCm has AMD's GPUs itself, as "cuda"
    register()
