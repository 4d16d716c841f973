"""TileLang on emulated AMD GPUs, with a PyTorch that knows only the CPU.

TileLang's kernels take tensors of a GPU alone: there is no PyTorch for ROCm on PyPI. ``install()``, before TileLang is
imported, makes the CPU's tensors count as the emulated GPU's, which sees their memory as an APU does; programs go on
writing ``device="cuda"``. It goes by what PyTorch and TileLang offer for that (a ``TorchFunctionMode``, TileLang's
execution backend ``cython``, which passes addresses): neither is changed.
"""

from __future__ import annotations

import os
from typing import Any

import torch
from torch.overrides import TorchFunctionMode

from .triton import timing, torch_cuda
from .triton.hip import hip

_DEVICE: Any = vars(torch._C.TensorBase)["device"].__get__


class TensorsAreOnTheGpu(TorchFunctionMode):
    """While active, every tensor's device is the emulated GPU that the thread has chosen."""

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if func == _DEVICE:
            return torch.device("cuda", timing.current_device())
        return func(*args, **(kwargs or {}))


_mode: TensorsAreOnTheGpu | None = None


def install() -> None:
    """Makes TileLang's kernels take CPU tensors, in this thread; ``torch.cuda`` speaks of the emulated GPU.

    Kernels are waited for when they are launched (``HIP_LAUNCH_BLOCKING``), since who reads a CPU tensor next knows of
    no stream. Raises `wavesmith.triton.hip.HipError` where no GPU is emulated.
    """
    global _mode
    if _mode is not None:
        return
    os.environ.setdefault("HIP_LAUNCH_BLOCKING", "1")
    # The other backend, tvm_ffi, reads the kind of a tensor's memory past PyTorch's Python.
    os.environ.setdefault("TILELANG_EXECUTION_BACKEND", "cython")
    hip().show_host_memory()
    torch_cuda.install()
    # By these TileLang tells AMD's GPUs from NVIDIA's, and asks for the architecture.
    torch.version.hip = hip().release()
    torch.cuda.is_available = lambda: True
    _mode = TensorsAreOnTheGpu()
    _mode.__enter__()
