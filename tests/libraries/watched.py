"""A program run with an eye on the processor time and memory it takes."""

from __future__ import annotations

import contextlib
import os
import resource
import selectors
import signal
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

_TICKS = os.sysconf("SC_CLK_TCK")
_PAGE = os.sysconf("SC_PAGE_SIZE")
_LOOK_SECONDS = 0.5


@dataclass
class Limits:
    """Of one test."""

    seconds: float  # of processor time
    idle_seconds: float  # without any processor time: it hangs
    bytes: int  # of host memory


@dataclass
class End:
    returncode: int
    stopped: str  # why it was stopped: long, hung, memory, done; empty if it ended by itself
    seconds: float  # of processor time


def usage(session: int) -> tuple[float, int]:
    """Processor seconds and bytes of memory of a session's processes; what they share counts once."""
    seconds, size = 0.0, 0
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                fields = (folder / "stat").read_text().rpartition(")")[2].split()
            except OSError:  # it has ended
                continue
            if int(fields[3]) == session:
                seconds += sum(map(int, fields[11:15])) / _TICKS
                size += _resident(folder, int(fields[21]) * _PAGE)
    return seconds, size


def _resident(process: Path, size: int) -> int:
    """The process's proportional share of its resident memory in bytes; `size`, all of it, where that can't be read."""
    with contextlib.suppress(OSError, ValueError, IndexError):  # it has ended, or is another user's
        rollup = (process / "smaps_rollup").read_text()
        return 1024 * int(rollup.split("\nPss:", 1)[1].split()[0])
    return size


def run(
    command: list[str],
    line: Callable[[str], None],
    now: Callable[[], str | None],
    limits: Limits,
    enough: Callable[[], bool] = lambda: False,
) -> End:
    """Runs a command and passes its output on by lines.

    `now` names the test that runs: the limits are each test's. Once `enough` says so the command is stopped ("done").
    """
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    process = subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True
    )
    stopped = ""
    try:
        stopped = _watch(process, line, now, limits, enough)
        if not stopped:
            process.wait(timeout=limits.idle_seconds)
    except subprocess.TimeoutExpired:  # all was said, and yet it doesn't end
        pass
    finally:  # whatever happens: nothing of it is left behind
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return End(process.returncode, stopped, seconds)


def _watch(
    process: subprocess.Popen[bytes],
    line: Callable[[str], None],
    now: Callable[[], str | None],
    limits: Limits,
    enough: Callable[[], bool],
) -> str:
    """Reads to the end of the output; returns why the process is to be stopped, or nothing."""
    assert process.stdout
    os.set_blocking(process.stdout.fileno(), False)
    rest, test, test_began, seconds = b"", now(), 0.0, 0.0
    worked_at, looked = time.monotonic(), 0.0
    with process.stdout, selectors.DefaultSelector() as selector:
        selector.register(process.stdout, selectors.EVENT_READ)
        while True:
            if selector.select(_LOOK_SECONDS):
                data = process.stdout.read(1 << 16)
                *lines, rest = (rest + (data or b"")).split(b"\n")
                if data == b"" and rest:
                    lines.append(rest)
                for each in lines:
                    line(each.decode(errors="replace"))
                    if enough():
                        return "done"
                if data == b"":
                    return ""
            if time.monotonic() - looked < _LOOK_SECONDS:
                continue
            looked = time.monotonic()
            used, size = usage(process.pid)
            if used > seconds:
                seconds, worked_at = used, looked
            if now() != test:
                test, test_began = now(), used
            if used - test_began > limits.seconds:
                return "long"
            if looked - worked_at > limits.idle_seconds:
                return "hung"
            if size > limits.bytes:
                return "memory"
