"""`torch.wavesmith`: the device's module, with the functions that `torch.cuda` has."""

from __future__ import annotations

from typing import Any

import torch

_DEVICE = "wavesmith"


def _index(device: Any = None) -> int:
    if device is None:
        return current_device()
    if isinstance(device, int):
        return device
    index = torch.device(device).index
    return current_device() if index is None else index


def is_available() -> bool:
    """Whether the process has a device."""
    return device_count() > 0


def is_initialized() -> bool:
    """Always: the HIP runtime is loaded before PyTorch's device."""
    return True


def _is_in_bad_fork() -> bool:
    return False


def device_count() -> int:
    """How many devices the process has (`wavesmith.use(gpu, count)`)."""
    return int(torch._C._accelerator_hooks_device_count())


def current_device() -> int:
    """The calling thread's device."""
    return torch._C._accelerator_getDeviceIndex()


def set_device(device: Any) -> None:
    """Chooses the calling thread's device."""
    torch._C._accelerator_setDeviceIndex(_index(device))


def synchronize(device: Any = None) -> None:
    """Waits for everything that the device was given."""
    torch._C._accelerator_synchronizeDevice(_index(device))


def get_amp_supported_dtype() -> list[torch.dtype]:
    """What `torch.autocast("wavesmith")` may compute in."""
    return [torch.bfloat16, torch.float16]


def default_generators() -> list[torch.Generator]:
    """The default generator of each device."""
    return [torch.ops.wavesmith_device.default_generator(index) for index in range(device_count())]


def manual_seed(seed: int) -> None:
    """Seeds the current device's generator."""
    default_generators()[current_device()].manual_seed(seed)


def manual_seed_all(seed: int) -> None:
    """Seeds the generators of all devices."""
    for generator in default_generators():
        generator.manual_seed(seed)
