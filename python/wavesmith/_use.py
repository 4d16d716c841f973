"""`wavesmith.use`: emulated GPUs for this process."""

from __future__ import annotations

import ctypes
import os
import sys
from pathlib import Path

from wavesmith import _paths
from wavesmith._errors import UseError

#: The machine that this process has, as WAVESMITH_GPU says it: "mi355x" or "mi300x:8".
_used: str | None = None


def use(gpu: str | None = None, count: int = 1, *, quiet: bool = False) -> None:
    """Gives this process emulated AMD GPUs. Call it before a client (Triton, CuPy, ...) is imported.

    Loads the HIP runtime, so that clients which look for `libamdhip64.so` find it, and sets what they look for
    in the environment (`TRITON_LIBHIP_PATH`, `IREE_HIP_DYLIB_PATH`). One line on stderr says which GPU is
    emulated. Under `wavesmith run` the GPU is already settled, and `use` only checks that it is the same.

    Args:
        gpu: an id out of `wavesmith.gpus()` ("mi355x"), one with changes ("mi300x+compute.units=8"), a TOML
            file's path, or a list of devices ("mi300x:2,mi210"). None: what WAVESMITH_GPU says, else "mi300x".
        count: how many of them.
        quiet: no line on stderr. So does WAVESMITH_QUIET=1.

    Raises:
        UseError: the process already has other GPUs, or a HIP runtime that is not Wavesmith's.
        InstallationError: the libraries of this package are missing.
    """
    global _used
    if count < 1:
        raise ValueError(f"count is {count}; a machine has at least one GPU")
    settled = os.environ.get("WAVESMITH_RUN")
    machine = gpu or os.environ.get("WAVESMITH_GPU") or "mi300x"
    if count > 1:
        machine = f"{machine}:{count}"
    for already, how in ((_used, "wavesmith.use"), (settled, "wavesmith run")):
        if already is not None and gpu is None and count == 1:
            machine = already
        elif already is not None and already != machine:
            raise UseError(
                f"this process has '{already}' ({how}) and cannot have '{machine}' too: the GPUs of a process are "
                "fixed when the HIP runtime is loaded. Start another process, or name all of them at once: "
                f"wavesmith.use('{already},{machine}')"
            )
    if _used is not None:
        return
    folder = _paths.libraries()
    for other in _loaded_runtimes():
        if not any(other.samefile(ours) for ours in folder.glob("libamdhip64.so*")):
            raise UseError(
                f"this process has already loaded {other}, which is not Wavesmith's HIP runtime: call "
                "wavesmith.use() before importing the client, or start it by: wavesmith run -- python ..."
            )
    os.environ["WAVESMITH_GPU"] = machine
    os.environ.setdefault("TRITON_LIBHIP_PATH", str(folder / "libamdhip64.so"))
    os.environ.setdefault("IREE_HIP_DYLIB_PATH", str(folder / "libamdhip64.so"))
    # Whoever asks for one of these names later gets the library that is loaded already.
    for name in ("libamdhip64.so.7", "libamdhip64.so", "libhiprtc.so.7", "libhiprtc.so"):
        if (folder / name).exists():
            ctypes.CDLL(str(folder / name), mode=ctypes.RTLD_GLOBAL)
    _used = machine
    if not (quiet or settled or os.environ.get("WAVESMITH_QUIET")):
        print(f"wavesmith: emulating {machine}", file=sys.stderr)


def used() -> str | None:
    """The GPUs that this process was given, as "mi300x:8"; None before `use`."""
    return _used or os.environ.get("WAVESMITH_RUN")


def _loaded_runtimes() -> list[Path]:
    """The files named libamdhip64* that are mapped into this process."""
    found: dict[str, None] = {}
    for line in Path("/proc/self/maps").read_text().splitlines():
        path = line.partition("/")[2]
        if path and Path(path).name.startswith("libamdhip64"):
            found["/" + path] = None
    return [Path(path) for path in found if Path(path).exists()]
