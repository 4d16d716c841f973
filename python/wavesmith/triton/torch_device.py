"""What Triton asks of a device when PyTorch has the emulated GPUs as one (`wavesmith.torch`): streams and events."""

from __future__ import annotations

import contextlib
import sys
from typing import TYPE_CHECKING, Any

from . import timing

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence


def registered() -> bool:
    """Whether PyTorch has the device (`wavesmith.torch`), called "wavesmith" or "cuda"."""
    register = sys.modules.get("wavesmith.torch._register")
    return register is not None and bool(register._libraries)


def name() -> str:
    """What PyTorch calls the device."""
    from wavesmith.torch import _name

    return _name.DEVICE


def __getattr__(attribute: str) -> Any:
    """`Event` and `Stream` are PyTorch's own, which import of this module leaves alone."""
    import torch

    if attribute in ("Event", "Stream"):
        return getattr(torch, attribute)
    raise AttributeError(attribute)


def current_device() -> int:
    import torch

    return torch._C._accelerator_getDeviceIndex()


def set_device(device: Any) -> None:
    import torch

    torch.accelerator.set_device_index(device)


def device_count() -> int:
    import torch

    return torch.accelerator.device_count()


def synchronize(device: Any = None) -> None:
    import torch

    torch.accelerator.synchronize(device)


def current_stream(device: Any = None) -> Any:
    import torch

    return torch.accelerator.current_stream(device)


def raw_stream(device: int) -> int:
    """The native handle of a device's current stream."""
    from wavesmith.torch import _launch

    return _launch.raw_stream(device)


def set_stream(stream: Any) -> None:
    import torch

    torch.accelerator.set_stream(stream)


def default_stream(device: Any = None) -> Any:
    import torch

    index = current_device() if device is None else getattr(device, "index", device)
    kind = torch.accelerator.current_stream().device_type
    return torch.Stream(stream_id=0, device_index=index, device_type=kind)


def empty_cache() -> None:
    import torch

    torch.accelerator.empty_cache()


@contextlib.contextmanager
def stream(which: Any) -> Iterator[Any]:
    with which:
        yield which


@contextlib.contextmanager
def device(which: Any) -> Iterator[None]:
    """Launches inside go to this device."""
    before = current_device()
    set_device(which)
    try:
        yield
    finally:
        set_device(before)


def benchmark(
    kernel_call: Callable[[], Any], *, quantiles: Sequence[float] | None = None, budget_ms: float = 100.0, **_: Any
) -> Any:
    """As `timing.benchmark`, by the device's events."""
    import torch
    from triton.testing import _summarize_statistics

    return _summarize_statistics(timing.elapsed(kernel_call, torch.Event, budget_ms), quantiles, "mean")
