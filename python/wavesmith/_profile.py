"""`wavesmith.profile`: how long the chosen GPU would take for what a program does, by kernel and by operator."""

from __future__ import annotations

import ctypes
import json
import sys
import time
from bisect import bisect_left
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from wavesmith._errors import UseError


@dataclass(frozen=True)
class Timed:
    """A kernel, copy or fill on the modelled clock."""

    name: str
    bound: str
    """What limits it: "compute", "memory", "address" (of vector memory), "lds", "links" or "latency"; "": unknown."""
    device: int
    stream: int
    begin: float
    """Microseconds."""
    end: float
    number: int
    """Of what the program asked for, ascending."""

    @property
    def duration(self) -> float:
        return self.end - self.begin


@dataclass
class Span:
    """An operator's call, or a range that the program named."""

    name: str
    first: int
    """The number of what it asked for first."""
    last: int = 0
    """The number after its last."""
    seconds: float = 0
    """That the host took, emulating included."""
    on_host: bool = False
    """The host computed it (`wavesmith.torch.fallback_counts`)."""
    is_range: bool = False
    shapes: str = ""
    timed: list[Timed] = field(default_factory=list)


@dataclass
class Row:
    """What has the same name, together, with torch.profiler's names. Times are in microseconds."""

    key: str
    count: int = 0
    self_device_time_total: float = 0
    device_time_total: float = 0
    cpu_time_total: float = 0
    kernels: int = 0
    bounds: dict[str, float] = field(default_factory=lambda: defaultdict(float))

    @property
    def device_time(self) -> float:
        """Of one call, on average."""
        return self.device_time_total / self.count if self.count else 0

    @property
    def bound(self) -> str:
        """What limits it for most of its time; "host": the host computed it."""
        return max(self.bounds, key=lambda bound: self.bounds[bound], default="")

    def add(self, timed: Timed, *, own: bool = True) -> None:
        """Counts a kernel."""
        self.device_time_total += timed.duration
        if own:
            self.self_device_time_total += timed.duration
        self.kernels += 1
        self.bounds[timed.bound] += timed.duration


def _number(timed: Timed) -> int:
    return timed.number


_SORTS = {"cuda_time_total": "device_time_total", "self_cuda_time_total": "self_device_time_total"}
_SORTS |= {"privateuse1_time_total": "device_time_total", "calls": "count"}


class Rows(list[Row]):
    """What `key_averages` returns."""

    def table(self, sort_by: str | None = "device_time_total", row_limit: int = 100, max_name: int = 60) -> str:
        """The rows for people, the largest first.

        Args:
            sort_by: "device_time_total", "self_device_time_total", "cpu_time_total", "count", or None: as they are.
            row_limit: how many; -1: all.
            max_name: characters of a name that are shown.
        """
        rows = list(self)
        if sort_by is not None:
            rows.sort(key=lambda row: float(getattr(row, _SORTS.get(sort_by, sort_by))), reverse=True)
        whole = sum(row.self_device_time_total for row in self)
        rows = rows if row_limit < 0 else rows[:row_limit]
        wide = max([4, *(min(len(row.key), max_name) for row in rows)])
        titles = ("Self device", "Self %", "Device total", "Average", "Calls", "Kernels", "Host total", "Bound")
        head = f"{'Name':{wide}}" + "".join(f"{title:>14}" for title in titles)
        lines = [head, "-" * len(head)]
        for row in rows:
            name = row.key if len(row.key) <= max_name else row.key[: max_name - 3] + "..."
            share = 100 * row.self_device_time_total / whole if whole else 0
            cells = (
                _time(row.self_device_time_total),
                f"{share:.1f} %",
                _time(row.device_time_total),
                _time(row.device_time),
                row.count,
                row.kernels,
                _time(row.cpu_time_total),
                row.bound,
            )
            lines.append(f"{name:{wide}}" + "".join(f"{cell!s:>14}" for cell in cells))
        lines.append("-" * len(head))
        lines.append(f"Device time, modelled: {_time(whole)}. The host's time is that of emulating it.")
        return "\n".join(lines)

    def __str__(self) -> str:
        return self.table()


def _time(microseconds: float) -> str:
    for unit, size in (("s", 1e6), ("ms", 1e3)):
        if microseconds >= size:
            return f"{microseconds / size:.3f} {unit}"
    return f"{microseconds:.3f} us"


class _Entry(ctypes.Structure):
    """wavesmith_timed (runtime/wavesmith.h)."""

    _fields_ = [
        ("name", ctypes.c_char_p),
        ("bound", ctypes.c_char_p),
        ("device", ctypes.c_int),
        ("stream", ctypes.c_uint64),
        ("number", ctypes.c_uint64),
        ("begin", ctypes.c_double),
        ("end", ctypes.c_double),
    ]


class Profile:
    """What was done within `with wavesmith.profile() as profile:`; whole after it.

    Times are those that the GPU's model gives (docs/MODELLED_TIME.md), the same in each run. They are of the device
    alone: what the host does between two launches counts as nothing.
    """

    def __init__(self, *, record_shapes: bool = False) -> None:
        self.timed: list[Timed] = []
        """Kernels, copies and fills in the order in which they ended in their streams."""
        self.spans: list[Span] = []
        """Operators and ranges in the order in which they began."""
        self._shapes = record_shapes
        self._operators: Any = None
        self._library: Any = None

    def __enter__(self) -> Profile:
        from wavesmith._use import use
        from wavesmith.triton.hip import hip

        use()
        self._library = library = hip().library
        if not hasattr(library, "wavesmith_model_time"):
            raise UseError(
                "this HIP library cannot begin to model time while a program runs",
                hint="start it by wavesmith run --time, or call wavesmith.use(..., time=True)",
            )
        library.wavesmith_asked.restype = ctypes.c_uint64
        library.wavesmith_timed_count.restype = ctypes.c_size_t
        library.wavesmith_timed_at.argtypes = [ctypes.c_size_t, ctypes.POINTER(_Entry)]
        if library.wavesmith_model_time(1):
            raise UseError("another wavesmith.profile() is in progress: there is one at a time")
        if "wavesmith.torch" in sys.modules:
            from wavesmith.torch._profile_operators import Operators

            self._operators = Operators(self)
            self._operators.__enter__()
        return self

    def __exit__(self, *raised: Any) -> None:
        if self._operators is not None:
            self._operators.__exit__(*raised)
            self._operators = None
        self._library.wavesmith_model_time(0)
        entry = _Entry()
        for index in range(self._library.wavesmith_timed_count()):
            self._library.wavesmith_timed_at(index, ctypes.byref(entry))
            name, bound = entry.name.decode(), entry.bound.decode()
            begin, end = entry.begin * 1e6, entry.end * 1e6
            self.timed.append(Timed(name, bound, entry.device, entry.stream, begin, end, entry.number))
        asked = sorted(self.timed, key=_number)
        for span in self.spans:
            begin, end = (bisect_left(asked, number, key=_number) for number in (span.first, span.last))
            span.timed = asked[begin:end]

    def begin(self, name: str, *, is_range: bool = False, shapes: str = "") -> Span:
        """An operator or range begins; called by what watches them."""
        span = Span(name, self._library.wavesmith_asked(), is_range=is_range, shapes=shapes if self._shapes else "")
        span.seconds = -time.perf_counter()
        self.spans.append(span)
        return span

    def end(self, span: Span) -> None:
        """It has ended."""
        span.seconds += time.perf_counter()
        span.last = self._library.wavesmith_asked()

    @property
    def device_time(self) -> float:
        """Microseconds from the begin of the first to the end of the last on the modelled clock."""
        return max((one.end for one in self.timed), default=0) - min((one.begin for one in self.timed), default=0)

    def kernels(self) -> Rows:
        """Kernels, copies and fills by name, the longest first."""
        rows: dict[str, Row] = {}
        for one in self.timed:
            row = rows.setdefault(one.name, Row(one.name))
            row.count += 1
            row.add(one)
        return Rows(sorted(rows.values(), key=lambda row: -row.device_time_total))

    def key_averages(self, group_by_input_shape: bool = False) -> Rows:
        """Operators and ranges by name, the longest first; what none of them asked for is one more row."""
        rows: dict[str, Row] = {}
        asked: set[int] = set()
        for span in self.spans:
            name = f"{span.name} {span.shapes}" if group_by_input_shape and span.shapes else span.name
            row = rows.setdefault(name, Row(name))
            row.count += 1
            row.cpu_time_total += span.seconds * 1e6
            if span.on_host:
                row.bounds["host"] += 1e-9
            for one in span.timed:
                row.add(one, own=not span.is_range)
            if not span.is_range:
                asked.update(one.number for one in span.timed)
        for one in self.timed:
            if one.number not in asked:
                row = rows.setdefault("(no operator)", Row("(no operator)"))
                row.count += 1
                row.add(one)
        return Rows(sorted(rows.values(), key=lambda row: -row.device_time_total))

    def rows(self, by: str = "operator") -> list[dict[str, Any]]:
        """What `key_averages` ("operator") or `kernels` ("kernel") tells, for pandas.DataFrame and the like."""
        if by not in ("operator", "kernel"):
            raise ValueError(f"by='{by}': it is 'operator' or 'kernel'")
        return [
            {
                "name": row.key,
                "calls": row.count,
                "device_time_us": row.device_time_total,
                "self_device_time_us": row.self_device_time_total,
                "kernels": row.kernels,
                "bound": row.bound,
            }
            for row in (self.kernels() if by == "kernel" else self.key_averages())
        ]

    def export_chrome_trace(self, path: str | Path) -> None:
        """Writes the modelled timeline for chrome://tracing and https://ui.perfetto.dev."""
        events: list[dict[str, Any]] = []
        for device, stream in dict.fromkeys((one.device, one.stream) for one in self.timed):
            events.append(_named("process_name", device, 0, f"GPU {device}, modelled"))
            events.append(_named("thread_name", device, stream, f"stream {stream}"))
        for one in self.timed:
            arguments = {"bound": one.bound, "number": one.number}
            events.append(_slice(one.name, "kernel", one.device, one.stream, one.begin, one.end, arguments))
        for span in self.spans:
            for device in sorted({one.device for one in span.timed}):
                mine = [one for one in span.timed if one.device == device]
                begin, end = min(one.begin for one in mine), max(one.end for one in mine)
                track = _RANGES if span.is_range else _OPERATORS
                arguments = {"kernels": len(mine)} | ({"shapes": span.shapes} if span.shapes else {})
                events.append(_slice(span.name, "operator", device, track, begin, end, arguments))
                events.append(_named("thread_name", device, track, "ranges" if span.is_range else "operators"))
        text = json.dumps({"traceEvents": events, "displayTimeUnit": "ns"})
        Path(path).write_text(text, encoding="utf-8")


# Tracks beside those of streams, whose numbers begin with 1.
_OPERATORS, _RANGES = 1_000_000, 1_000_001


def _named(kind: str, device: int, track: int, name: str) -> dict[str, Any]:
    return {"ph": "M", "name": kind, "pid": device, "tid": track, "args": {"name": name}}


def _slice(
    name: str, kind: str, device: int, track: int, begin: float, end: float, arguments: dict[str, Any]
) -> dict[str, Any]:
    where = {"pid": device, "tid": track, "ts": begin, "dur": end - begin}
    return {"ph": "X", "cat": kind, "name": name, "args": arguments} | where


def profile(*, record_shapes: bool = False) -> Profile:
    """Models the time of what is done within `with`, on the GPU that is emulated.

    >>> with wavesmith.profile() as profile:
    ...     model(x)
    >>> print(profile.key_averages().table(sort_by="device_time_total", row_limit=10))
    >>> profile.export_chrome_trace("trace.json")

    Kernels of all clients are seen; operators and torch.profiler.record_function's ranges are PyTorch's.

    Args:
        record_shapes: note the shapes of operators' tensors (`key_averages(group_by_input_shape=True)`).

    Raises:
        UseError: another one is in progress.
    """
    return Profile(record_shapes=record_shapes)
