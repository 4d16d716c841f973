"""`torch.distributed` on the devices: the backend that `init_process_group` takes for them, which is RCCL's.

It is called "wavesmith"; in a process with WAVESMITH_TORCH=cuda (`_cuda`) programs ask for "nccl", and get it too.
"""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any

import torch

from wavesmith.torch._after_import import after_import
from wavesmith.torch._name import DEVICE

if TYPE_CHECKING:
    from types import ModuleType

#: What the backend is called where it has a name of its own.
NAME = "wavesmith"


def _create(store: Any, rank: int, size: int, timeout: timedelta, name: str = NAME) -> Any:
    from torch.distributed import ProcessGroup

    made = ProcessGroup(store, rank, size)
    torch.ops.wavesmith_device.add_process_group(made.boxed(), round(timeout.total_seconds() * 1000), name)
    return made._get_backend(torch.device(DEVICE))


def _version() -> tuple[int, int, int]:
    number = int(torch.ops.wavesmith_device.rccl_version())
    return number // 10000, number // 100 % 100, number % 100


class _Options:
    """`ProcessGroupNCCL.Options`: taken, and but for the timeout without an effect."""

    def __init__(self, is_high_priority_stream: bool = False) -> None:
        self.is_high_priority_stream = is_high_priority_stream
        self._timeout = timedelta(minutes=10)
        self.global_ranks_in_group: list[int] = []
        self.group_name = ""
        self.split_from = None
        self.split_color = 0
        self.config = type("Config", (), {})()


class _Nccl(type):
    """The type of the name ProcessGroupNCCL: of what it makes that is one, which is a Backend to Python."""

    def __instancecheck__(cls, value: Any) -> bool:
        from torch._C._distributed_c10d import Backend

        return isinstance(value, Backend) and value.name() == "nccl"


class _ProcessGroupNCCL(metaclass=_Nccl):
    """What PyTorch makes for the backend "nccl"."""

    Options = _Options
    NCCL_CTA_POLICY_DEFAULT, NCCL_CTA_POLICY_EFFICIENCY, NCCL_CTA_POLICY_ZERO = range(3)

    def __new__(cls, store: Any, rank: int, size: int, options: Any = None) -> Any:
        timeout = getattr(options, "_timeout", None) or timedelta(minutes=10)
        return _create(store, rank, size, timeout, "nccl")


def _is_nccl(module: ModuleType) -> None:
    """Makes the backend "nccl" of PyTorch's distributed module this one."""
    from torch._C._distributed_c10d import Backend

    nothing = {
        "uid": property(id),
        "_group_start": _nothing,
        "_group_end": _nothing,
        "_add_ephemeral_timeout": _nothing,
    }
    for name, value in nothing.items():
        if not hasattr(Backend, name):
            setattr(Backend, name, value)
    _ProcessGroupNCCL.__module__, _ProcessGroupNCCL.__qualname__ = module.__name__, "ProcessGroupNCCL"
    for part in (module, torch.distributed):
        part.ProcessGroupNCCL = _ProcessGroupNCCL  # type: ignore[attr-defined]
    module._NCCL_AVAILABLE = True  # type: ignore[attr-defined]
    module.default_pg_nccl_timeout = timedelta(minutes=10)  # type: ignore[attr-defined]
    major, minor, patch = _version()
    torch._C._nccl_version = lambda: major << 32 | minor << 16 | patch
    torch._C._nccl_version_suffix = lambda: b""


def _nothing(*_: Any) -> None:
    """What NCCL's process group does and this one needs not."""


def _is_default(module: ModuleType) -> None:
    """Names the backend where a program names none: PyTorch would find it by the device, and call the group gloo's."""
    original = module._new_process_group_helper

    def helper(size: int, rank: int, ranks: Any, backend: Any, *args: Any, **kwargs: Any) -> Any:
        if backend == module.Backend.UNDEFINED:
            backend = module.Backend(NAME)
        return original(size, rank, ranks, backend, *args, **kwargs)

    module._new_process_group_helper = helper  # type: ignore[attr-defined]


def _has_backend(module: ModuleType) -> None:
    module.Backend.register_backend(NAME, _create, devices=[DEVICE])
    if DEVICE == "cuda":
        _is_nccl(module)
    else:
        _is_default(module)


def register() -> None:
    """Makes torch.distributed know the backend, where this PyTorch has torch.distributed."""
    if torch.distributed.is_available():
        after_import("torch.distributed.distributed_c10d", _has_backend)
