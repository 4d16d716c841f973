"""`torch.wavesmith`: the device's module, with the functions that `torch.cuda` has."""

from __future__ import annotations

import dataclasses
import functools
from typing import Any

import torch

from wavesmith.torch import _graphs, _memory, _random, _streams
from wavesmith.torch._name import DEVICE
from wavesmith.triton.hip import hip

# What the module has of its parts.
for _part in (_streams, _memory, _random, _graphs):
    globals().update({name: getattr(_part, name) for name in _part.__all__})


def _index(device: Any = None) -> int:
    return _streams.index_of(device)


def is_available() -> bool:
    """Whether the process has a device."""
    return device_count() > 0


#: What PyTorch asks before it keeps random numbers' states (torch.utils.checkpoint).
_initialized = True


def is_initialized() -> bool:
    """Always: the HIP runtime is loaded before PyTorch's device."""
    return True


def init() -> None:
    """Nothing: the device is there from the start."""


def _is_in_bad_fork() -> bool:
    return bool(torch.ops.wavesmith_device.forked())


def device_count() -> int:
    """How many devices the process has (`wavesmith.use(gpu, count)`)."""
    return int(torch.ops.wavesmith_device.device_count())


def current_device() -> int:
    """The calling thread's device."""
    return torch._C._accelerator_getDeviceIndex()


def set_device(device: Any) -> None:
    """Chooses the calling thread's device. A negative number changes nothing."""
    index = _index(device)
    if index >= 0:
        torch._C._accelerator_setDeviceIndex(index)


def _exchange_device(device: int) -> int:
    return torch._C._accelerator_exchangeDevice(device)


def _maybe_exchange_device(device: int) -> int:
    return current_device() if device < 0 else _exchange_device(device)


class device:  # noqa: N801  as torch.cuda calls it
    """Chooses a device within `with`, for the calling thread; None or a negative number: changes nothing."""

    def __init__(self, device: Any) -> None:
        self.idx = -1 if device is None else _index(device)
        self.prev_idx = -1

    def __enter__(self) -> None:
        self.prev_idx = _maybe_exchange_device(self.idx)

    def __exit__(self, *_: object) -> None:
        if self.idx >= 0:
            set_device(self.prev_idx)


class device_of(device):  # noqa: N801  as torch.cuda calls it
    """Chooses a tensor's or storage's device within `with`; for those of the host it changes nothing."""

    def __init__(self, object: Any) -> None:
        super().__init__(object.device.index if object.device.type == DEVICE else None)


def synchronize(device: Any = None) -> None:
    """Waits for everything that the device was given."""
    torch._C._accelerator_synchronizeDevice(_index(device))


@dataclasses.dataclass(frozen=True)
class DeviceProperties:
    """What HIP tells of a device, under the names of `torch.cuda`."""

    name: str
    major: int
    minor: int
    gcnArchName: str  # noqa: N815  as torch.cuda calls it
    total_memory: int
    multi_processor_count: int
    warp_size: int
    max_threads_per_block: int
    max_threads_per_multi_processor: int
    regs_per_multiprocessor: int
    shared_memory_per_block: int
    shared_memory_per_block_optin: int
    shared_memory_per_multiprocessor: int
    L2_cache_size: int
    clock_rate: int
    memory_clock_rate: int
    memory_bus_width: int
    is_integrated: int
    is_multi_gpu_board: int
    pci_bus_id: int
    uuid: str


@functools.cache
def _properties(index: int) -> DeviceProperties:
    found: dict[str, Any] = hip().properties(index)
    local = found["max_shared_mem"]
    return DeviceProperties(
        name=found["name"],
        major=found["major"],
        minor=found["minor"],
        gcnArchName=found["arch"],
        total_memory=found["total_memory"],
        multi_processor_count=found["multiprocessor_count"],
        warp_size=found["warpSize"],
        max_threads_per_block=found["max_threads_per_block"],
        max_threads_per_multi_processor=found["max_threads_per_sm"],
        regs_per_multiprocessor=found["regs_per_sm"],
        shared_memory_per_block=local,
        shared_memory_per_block_optin=local,
        shared_memory_per_multiprocessor=found["max_shared_mem_per_sm"],
        L2_cache_size=found["l2_cache_size"],
        clock_rate=found["sm_clock_rate"],
        memory_clock_rate=found["mem_clock_rate"],
        memory_bus_width=found["mem_bus_width"],
        is_integrated=found["integrated"],
        is_multi_gpu_board=0,
        pci_bus_id=found["pci_bus_id"],
        uuid=gpu_field("uuid", index),
    )


def get_device_properties(device: Any = None) -> DeviceProperties:
    """What HIP tells of a device: its name, gcnArchName, compute units, warp size, memory, ..."""
    return _properties(_index(device))


def get_device_name(device: Any = None) -> str:
    """The GPU's name."""
    return get_device_properties(device).name


def get_device_capability(device: Any = None) -> tuple[int, int]:
    """The major and minor number of the architecture: (9, 4) for gfx942."""
    properties = get_device_properties(device)
    return properties.major, properties.minor


def get_arch_list() -> list[str]:
    """The architectures of this process's devices."""
    return sorted({get_device_properties(index).gcnArchName.partition(":")[0] for index in range(device_count())})


def gpu_field(field: str, device: Any = None) -> str:
    """A number of the emulated GPU's description by its path, as `wavesmith gpus` lists them ("compute.units")."""
    import ctypes

    text = ctypes.create_string_buffer(256)
    find = hip().library.wavesmith_gpu_field
    find.argtypes, find.restype = [ctypes.c_int, ctypes.c_char_p, ctypes.c_char_p, ctypes.c_size_t], ctypes.c_size_t
    find(_index(device), field.encode(), text, len(text))
    return text.value.decode()


def can_device_access_peer(device: Any, peer_device: Any) -> bool:
    """Whether one device reaches the other's memory: each does, and not its own as a peer's."""
    count = device_count()
    mine, other = _index(device), _index(peer_device)
    if not (0 <= mine < count and 0 <= other < count):
        raise ValueError(f"devices {mine} and {other} of {count}")
    return mine != other


def is_bf16_supported(including_emulation: bool = True) -> bool:
    """Whether the device computes in bfloat16: all of them do."""
    return True


def is_tf32_supported() -> bool:
    """Never: products of f32 are in f32."""
    return False


def get_amp_supported_dtype() -> list[torch.dtype]:
    """What `torch.autocast` may compute in."""
    return [torch.bfloat16, torch.float16]
