"""What Triton's ``do_bench`` asks of a device: events and waiting, by the host's clock.

Launches wait for their kernels, so an event is the time at which it is recorded.
"""

from __future__ import annotations

import contextlib
import os
import time
from typing import TYPE_CHECKING, Any

from .hip import hip

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence


class Event:
    """A point in time."""

    def __init__(self, enable_timing: bool = False, **_: Any) -> None:
        self._time = 0.0

    def record(self, stream: Any = None) -> None:
        self._time = time.perf_counter()

    def elapsed_time(self, end: Event) -> float:
        """Milliseconds from this event to `end`."""
        return (end._time - self._time) * 1e3

    def synchronize(self) -> None:
        pass

    def wait(self, stream: Any = None) -> None:
        pass

    def query(self) -> bool:
        return True


class Stream:
    """The one stream that there is."""

    cuda_stream = 0

    def __init__(self, *_: Any, **__: Any) -> None:
        pass

    def synchronize(self) -> None:
        synchronize()

    def wait_stream(self, stream: Any) -> None:
        pass

    def wait_event(self, event: Any) -> None:
        pass

    def record_event(self, event: Event | None = None) -> Event:
        event = event or Event()
        event.record()
        return event

    def query(self) -> bool:
        return True

    def __enter__(self) -> Stream:
        return self

    def __exit__(self, *_: Any) -> None:
        pass


ExternalStream = Stream


def synchronize(device: Any = None) -> None:
    """Waits until the GPU has nothing left to do."""
    hip().check(hip().library.hipDeviceSynchronize(), "waiting for the emulated GPU")


def current_stream(device: Any = None) -> Stream:
    return Stream()


default_stream = current_stream


def set_stream(stream: Any) -> None:
    pass


def empty_cache() -> None:
    pass


@contextlib.contextmanager
def stream(which: Any) -> Iterator[Any]:
    yield which


@contextlib.contextmanager
def device(which: Any) -> Iterator[None]:
    """Launches inside go to this device."""
    before = current_device()
    set_device(getattr(which, "index", which) or 0)
    try:
        yield
    finally:
        set_device(before)


def device_count() -> int:
    return hip().device_count()


def current_device() -> int:
    return hip().current_device()


def set_device(device: Any) -> None:
    hip().set_device(device)


def modelled() -> bool:
    """Whether events tell the time that the described GPU would take (`wavesmith run --time`)."""
    return os.environ.get("WAVESMITH_TIME", "0") not in ("", "0")


def elapsed(call: Callable[[], Any], events: Any = Event, budget_ms: float = 100.0) -> list[float]:
    """Milliseconds of calls, by events of this class, after one call to warm up.

    Modelled times do not vary, so one call is timed. Times of the host are taken of as many calls as fit in
    `budget_ms`, at least one: kernels take far longer here than on a GPU.
    """
    call()
    times: list[float] = []
    while not times or (sum(times) < budget_ms and not modelled()):
        begin, end = events(enable_timing=True), events(enable_timing=True)
        begin.record()
        call()
        end.record()
        end.synchronize()
        times.append(begin.elapsed_time(end))
    return times


def benchmark(
    kernel_call: Callable[[], Any],
    *,
    quantiles: Sequence[float] | None = None,
    budget_ms: float = 100.0,
    **_: Any,
) -> Any:
    """Milliseconds of a call, as ``@triton.autotune`` asks: the quantiles, or the mean, of `elapsed`'s."""
    from triton.testing import _summarize_statistics

    return _summarize_statistics(elapsed(kernel_call, Event, budget_ms), quantiles, "mean")
