"""For programs that write ``device="cuda"`` where Triton would tell them the device: it then means the CPU.

Where PyTorch has the emulated GPU as its device (`wavesmith.torch`), "cuda" is that and this does nothing: say
`wavesmith run --torch-cuda` or `wavesmith.use(torch_cuda=True)`. Without it nothing is compiled against PyTorch.

``WAVESMITH_TORCH_CUDA=1`` installs this when Triton's driver starts; ``install()`` does at once. Every call
of PyTorch takes a little longer, so it is not the default.
"""

from __future__ import annotations

import os
from types import SimpleNamespace
from typing import Any

import torch
from torch.overrides import TorchFunctionMode

from . import timing, torch_device
from .hip import hip


def _is_cuda(value: Any) -> bool:
    return (isinstance(value, torch.device) and value.type == "cuda") or (
        isinstance(value, str) and (value == "cuda" or value.startswith("cuda:"))
    )


_IS_CUDA: Any = vars(torch._C.TensorBase)["is_cuda"].__get__


class CudaIsCpu(TorchFunctionMode):
    """While active, "cuda" as a device means the CPU, every tensor says that it is on a GPU, and is pinned."""

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        if func == _IS_CUDA:
            return True
        if func in (torch.Tensor.cuda, torch.Tensor.pin_memory):
            return args[0]
        if _is_cuda(kwargs.get("device")):
            kwargs = {**kwargs, "device": "cpu"}
        if kwargs.get("pin_memory"):
            kwargs = {**kwargs, "pin_memory": False}
        if any(_is_cuda(each) for each in args):
            args = tuple("cpu" if _is_cuda(each) else each for each in args)
        return func(*args, **kwargs)


def _device_properties(device: Any = None) -> SimpleNamespace:
    index = device if isinstance(device, int) else getattr(torch.device(device or "cuda"), "index", None)
    found: dict[str, Any] = hip().properties(timing.current_device() if index is None else index)
    return SimpleNamespace(
        name=found["name"],
        major=found["major"],
        minor=found["minor"],
        gcnArchName=found["arch"],
        total_memory=found["total_memory"],
        multi_processor_count=found["multiprocessor_count"],
        warp_size=found["warpSize"],
    )


def _device_capability(device: Any = None) -> tuple[int, int]:
    found = _device_properties(device)
    return found.major, found.minor


_mode: CudaIsCpu | None = None


def install() -> None:
    """Makes "cuda" mean the CPU in this thread, and ``torch.cuda`` speak of the emulated GPU.

    The GPU sees the process's memory, where the tensors are, and launches wait for their kernels, unless
    ``HIP_LAUNCH_BLOCKING`` is set: PyTorch reads and frees tensors of the CPU without waiting for a GPU. The
    latter needs a call of this before the program's first one of HIP.
    """
    global _mode
    if _mode is not None or torch_device.registered():
        return
    os.environ.setdefault("HIP_LAUNCH_BLOCKING", "1")
    hip().library.wavesmith_show_host_memory(1)
    for name, stand_in in {
        "get_device_properties": _device_properties,
        "get_device_capability": _device_capability,
        "get_device_name": lambda device=None: _device_properties(device).name,
        "current_device": timing.current_device,
        "set_device": timing.set_device,
        "device_count": timing.device_count,
        "synchronize": timing.synchronize,
        "current_stream": timing.current_stream,
        "default_stream": timing.default_stream,
        "stream": timing.stream,
        "device": timing.device,
        "Event": timing.Event,
        "Stream": timing.Stream,
    }.items():
        setattr(torch.cuda, name, stand_in)
    _mode = CudaIsCpu()
    _mode.__enter__()
