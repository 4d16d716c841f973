"""Tells a calling thread's own work from what it does while it waits for the device, when it may run kernels itself."""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import torch

_LOADED = "WAVESMITH_BENCH_WAITS"


def preload() -> None:
    """Starts this program anew with `waits.c`, which counts, before the HIP library."""
    if _LOADED in os.environ:
        return
    library = Path(tempfile.mkdtemp(prefix="wavesmith-waits-")) / "waits.so"
    source = Path(__file__).with_name("waits.c")
    compiler = next(filter(shutil.which, (os.environ.get("CC", "cc"), "clang-22", "clang", "gcc")), None)
    if compiler is None:
        sys.exit("waits: no C compiler; apt-get install clang-22, or name one by CC")
    subprocess.run([compiler, "-O2", "-shared", "-fPIC", source, "-o", library], check=True)
    before = os.environ.get("LD_PRELOAD", "")
    environment = {_LOADED: str(library), "LD_PRELOAD": f"{library} {before}".strip()}
    os.execve(sys.executable, [sys.executable, *sys.argv], {**os.environ, **environment})


class Clock:
    """Times calls by the processor time of the calling thread without what it spends waiting."""

    def __init__(self) -> None:
        self._counters = ctypes.CDLL(os.environ[_LOADED])
        self._counters.waits_seconds.restype = ctypes.c_double
        self._counters.waits_count.restype = ctypes.c_long

    def time(self, call: Callable[[], object], calls: int = 100, series: int = 5) -> tuple[float, float]:
        """The least of the mean microseconds of some series of calls, and the waits of a call.

        Short series find a moment in which nothing else runs, on a busy machine, too.
        """
        for _ in range(3):
            call()
        torch.accelerator.synchronize()
        each = max(1, calls // series)
        least, waited = float("inf"), 0
        for _ in range(series):
            waits, in_waits = self._counters.waits_count(), self._counters.waits_seconds()
            begin = time.thread_time()
            for _ in range(each):
                call()
            taken = time.thread_time() - begin - (self._counters.waits_seconds() - in_waits)
            least, waited = min(least, taken / each * 1e6), self._counters.waits_count() - waits
            torch.accelerator.synchronize()
        return least, waited / each
