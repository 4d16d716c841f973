"""The driver that Triton uses while a GPU is emulated."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import triton.backends.driver as drivers
from triton.backends.compiler import GPUTarget

from . import torch_device

if TYPE_CHECKING:
    from types import ModuleType

_NAME = "wavesmith"


class _Utilities:
    """What Triton calls a driver's ``utils``."""

    def __init__(self) -> None:
        from .hip import hip

        self._hip = hip()
        self._known: dict[int, dict[str, Any]] = {}

    def get_device_properties(self, device: int | None) -> dict[str, Any]:
        # The index of torch.device("cpu") is None: there it means the only GPU.
        device = device or 0
        if device not in self._known:
            self._known[device] = self._hip.properties(device)
        return dict(self._known[device])

    def load_binary(self, name: str, image: bytes, shared: int, device: int) -> tuple[int, int, int, int, int]:
        return self._hip.load(name, image)

    def unload_module(self, module: int) -> None:
        self._hip.unload(module)


class WavesmithDriver(drivers.DriverBase):
    """Kernels on the emulated GPUs, tensors on the CPU."""

    def __init__(self) -> None:
        import triton

        if not hasattr(drivers, "expand_signature"):
            raise RuntimeError(f"Wavesmith's Triton driver needs triton 3.8 or newer; this is {triton.__version__}")
        from .hip import hip
        from .launcher import Launcher

        self._hip = hip()
        self._hip.device_count()  # says what is wrong with WAVESMITH_GPU, if anything is
        self._hip.show_host_memory()
        self.utils = _Utilities()
        self.launcher_cls = Launcher
        if os.environ.get("WAVESMITH_TORCH_CUDA", "0") == "1":
            from . import torch_cuda

            torch_cuda.install()

    @staticmethod
    def is_active() -> bool:
        """Whether a GPU is emulated for this process, and its PyTorch has it as `wavesmith.torch` or not at all.

        A PyTorch for ROCm has its tensors on the emulated GPU already; then Triton's own driver is the right
        one. ``TRITON_DEFAULT_BACKEND=wavesmith`` chooses this one anyway.
        """
        if os.environ.get("TRITON_DEFAULT_BACKEND") == _NAME or torch_device.registered():
            return True
        if not os.environ.get("WAVESMITH_GPU"):
            return False
        try:
            import torch
        except ImportError:
            return True
        if torch_device.registered():
            return True
        return not (torch.version.hip is not None and torch.cuda.is_available())

    def get_current_device(self) -> int:
        return torch_device.current_device() if torch_device.registered() else self._hip.current_device()

    def set_current_device(self, device: int) -> None:
        if torch_device.registered():
            torch_device.set_device(device)
        else:
            self._hip.set_device(device)

    def get_current_stream(self, device: int | None = None) -> int:
        if not torch_device.registered():
            return 0
        return torch_device.raw_stream(self.get_current_device() if device is None else device)

    def get_current_target(self) -> GPUTarget:
        from triton import knobs

        properties = self.utils.get_device_properties(self.get_current_device())
        arch = knobs.runtime.override_arch or properties["arch"].split(":")[0]
        return GPUTarget("hip", arch, properties["warpSize"])

    def get_device_capability(self, device: int | None = None) -> tuple[int, int]:
        properties = self.utils.get_device_properties(device)
        return properties["major"], properties["minor"]

    def get_active_torch_device(self) -> Any:
        import torch

        if torch_device.registered():
            return torch.device(torch_device.name(), torch_device.current_device())
        # Programs for any device call getattr(torch, device.type), which for a GPU's has these.
        for name in ("set_stream", "default_stream", "set_device", "empty_cache", "Event"):
            if not hasattr(torch.cpu, name):
                setattr(torch.cpu, name, getattr(self.get_device_interface(), name))
        return torch.device("cpu")

    def map_python_to_cpp_type(self, ty: str) -> str:
        from triton.backends.amd.driver import ty_to_cpp

        return ty_to_cpp(ty)

    def get_device_interface(self) -> ModuleType:
        from . import timing

        return torch_device if torch_device.registered() else timing

    def get_benchmarker(self) -> Any:
        return self.get_device_interface().benchmark

    # Nothing that a benchmark could read too early stays in an emulated cache.
    def get_empty_cache_for_benchmark(self) -> None:
        return None

    def clear_cache(self, cache: None) -> None:
        pass

    def assemble_tensormap_to_arg(self, tensormaps_info: Any, args: Any) -> Any:
        return args

    def allocate_default_profile_scratch(self, size: int, alignment: int, stream: int | None) -> Any:
        import torch

        return torch.zeros(size, dtype=torch.int8, device=self.get_active_torch_device())
