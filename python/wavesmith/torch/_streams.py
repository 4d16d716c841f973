"""Streams and events of the device: `torch.wavesmith.Stream` and what belongs to it."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

import torch

from wavesmith.torch._name import DEVICE

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = [
    "Event",
    "Stream",
    "StreamContext",
    "current_stream",
    "default_stream",
    "is_current_stream_capturing",
    "set_stream",
    "stream",
]


def index_of(device: Any) -> int:
    """The number of a device: of a number, a name, a torch.device, or the current one for None.

    Raises:
        ValueError: it is another kind of device.
    """
    if isinstance(device, int):
        return device
    if device is not None:
        device = torch.device(device)
        if device.type != DEVICE:
            raise ValueError(f"'{device}' is not a device of this module, whose are called '{DEVICE}'")
        if device.index is not None:
            return int(device.index)
    return torch._C._accelerator_getDeviceIndex()


class Stream(torch.Stream):
    """Work of a device that is done in order.

    Args:
        device: whose; None: the current one.
        priority: below 0: before others.
    """

    def __new__(cls, device: Any = None, priority: int = 0, **kwargs: Any) -> Stream:
        if kwargs:
            return super().__new__(cls, **kwargs)
        return super().__new__(cls, device=torch.device(DEVICE, index_of(device)), priority=priority)

    @property
    def cuda_stream(self) -> int:
        """The hipStream_t."""
        return int(self.native_handle)  # type: ignore[attr-defined]

    def __repr__(self) -> str:
        return f"<{DEVICE}.Stream device={self.device} hip_stream={self.cuda_stream:#x}>"


def _as_stream(found: torch.Stream) -> Stream:
    return Stream(stream_id=found.stream_id, device_index=found.device_index, device_type=found.device_type)


class _EventType(type):
    """The type of `Event`: PyTorch's streams take PyTorch's own events, none that are derived from them."""

    def __instancecheck__(cls, value: Any) -> bool:
        return isinstance(value, torch.Event)

    def __call__(
        cls, enable_timing: bool = False, blocking: bool = False, interprocess: bool = False, external: bool = False
    ) -> Any:
        return torch.Event(device=DEVICE, enable_timing=enable_timing, blocking=blocking)


class Event(metaclass=_EventType):
    """A point in a stream, a torch.Event of the device: `Event(enable_timing=False, blocking=False)`.

    Events of other processes are not supported: `interprocess` changes nothing.
    """


def current_stream(device: Any = None) -> Stream:
    """The stream that the calling thread gives a device's work to."""
    return _as_stream(torch._C._accelerator_getStream(index_of(device)))


def default_stream(device: Any = None) -> Stream:
    """The stream that every thread gives work to where it chose no other: HIP's null stream."""
    index = index_of(device)
    return Stream(stream_id=0, device_index=index, device_type=torch._C._accelerator_getStream(index).device_type)


def set_stream(stream: torch.Stream | None) -> None:
    """Chooses the calling thread's stream, and device. None changes nothing."""
    if stream is not None:
        torch._C._accelerator_setStream(stream)


class StreamContext:
    """Chooses a stream within `with`; None changes nothing."""

    def __init__(self, stream: torch.Stream | None) -> None:
        self.stream = stream

    def __enter__(self) -> None:
        if self.stream is not None:
            self.stream.__enter__()

    def __exit__(self, *raised: Any) -> None:
        if self.stream is not None:
            self.stream.__exit__(*raised)


def stream(stream: torch.Stream | None) -> StreamContext:
    """Chooses a stream within `with`; None changes nothing."""
    return StreamContext(stream)


def is_current_stream_capturing() -> bool:
    """Whether what the current stream is given becomes part of a graph."""
    return bool(torch._C._accelerator_getStream(index_of(None)).is_capturing())


@contextlib.contextmanager
def side_stream(stream: torch.Stream | None) -> Iterator[torch.Stream]:
    """A stream beside the current one, which begins after what that has and which that waits for."""
    chosen = stream if stream is not None else Stream()
    before = current_stream()
    chosen.wait_stream(before)
    with chosen:
        yield chosen
    before.wait_stream(chosen)
