"""Builds the device's library against the installed PyTorch, once, and keeps it.

It lies in `WAVESMITH_CACHE` (else `~/.cache/wavesmith`), in a folder named by PyTorch's version, the compiler and the
sources, so that another PyTorch or another Wavesmith builds another one.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from wavesmith import _paths
from wavesmith._errors import CompileError, InstallationError

#: The versions of PyTorch that the device was tested with.
TESTED = ("2.13.0",)

_SOURCES = Path(__file__).absolute().parent / "native"
_FLAGS = ("-std=c++20", "-O2", "-fPIC", "-fvisibility=hidden")


def cache() -> Path:
    """The folder for what is built and kept."""
    named = os.environ.get("WAVESMITH_CACHE")
    if named:
        return Path(named)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "wavesmith"


def _compiler() -> str:
    for name in (os.environ.get("CXX"), "clang++-22", "clang++", "g++", "c++"):
        if name and shutil.which(name):
            return name
    raise InstallationError(
        "no C++ compiler, which the PyTorch device needs once",
        hint="apt-get install g++, or name a compiler of C++20 by CXX",
    )


def library() -> Path:
    """The library for the installed PyTorch; builds it where it is not there yet.

    Raises:
        InstallationError: there is no compiler.
        CompileError: the compiler refused a source, which another PyTorch than those of `TESTED` may cause.
    """
    import torch

    sources = sorted(_SOURCES.glob("*.cc"))
    compiler = _compiler()
    digest = hashlib.sha256(" ".join((compiler, *_FLAGS)).encode())
    for path in (*sorted(_SOURCES.glob("*")), _paths.kernel_header()):
        digest.update(path.name.encode() + path.read_bytes())
    folder = cache() / f"torch-{torch.__version__}-{digest.hexdigest()[:16]}"
    built = folder / "libwavesmith_torch.so"
    if not built.exists():
        folder.mkdir(parents=True, exist_ok=True)
        _build(sources, compiler, Path(torch.__file__).parent, built)
    return built


def _build(sources: list[Path], compiler: str, torch: Path, built: Path) -> None:
    import torch as installed

    version = installed.__version__.partition("+")[0]
    tested = "" if version in TESTED else f", which was not tested (tested: {', '.join(TESTED)})"
    print(
        f"wavesmith: building the device for PyTorch {installed.__version__}{tested}; once, in less than a minute",
        file=sys.stderr,
    )
    begin = time.monotonic()
    system = (torch / "include", torch / "include/torch/csrc/api/include", _paths.kernel_header().parent)
    includes = [f"-isystem{folder}" for folder in system]
    with tempfile.TemporaryDirectory(dir=built.parent) as scratch:
        objects = [Path(scratch) / f"{source.stem}.o" for source in sources]

        def compile_one(pair: tuple[Path, Path]) -> None:
            source, target = pair
            _call([compiler, *_FLAGS, *includes, "-c", str(source), "-o", str(target)], source.name)

        with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
            list(pool.map(compile_one, zip(sources, objects, strict=True)))
        linked = Path(scratch) / built.name
        link = ["-shared", f"-L{torch / 'lib'}", "-ltorch_cpu", "-lc10", f"-Wl,-rpath,{torch / 'lib'}"]
        _call([compiler, *map(str, objects), "-o", str(linked), *link], built.name)
        linked.replace(built)  # at once: another process that builds it too sees a whole file
    print(f"wavesmith: built in {time.monotonic() - begin:.0f} s: {built}", file=sys.stderr)


def _call(command: list[str], what: str) -> None:
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    if result.returncode:
        raise CompileError(f"building {what} for PyTorch failed:\n{result.stderr[-4000:]}")
