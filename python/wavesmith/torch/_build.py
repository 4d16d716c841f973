"""Builds what needs PyTorch's headers against the installed PyTorch, once, and keeps it.

It lies in `WAVESMITH_CACHE` (else `~/.cache/wavesmith`), in a folder named by the compiler and the sources, so that
another Wavesmith builds another one. The device's library is for one version of PyTorch, which is in its folder's name,
too; the operators' library takes nothing but PyTorch's stable ABI and is for 2.10 and every later version.
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
from dataclasses import dataclass
from pathlib import Path

from wavesmith import _paths
from wavesmith._errors import CompileError, InstallationError

#: The versions of PyTorch that the device was tested with.
TESTED = ("2.13.0",)

_FOLDER = Path(__file__).absolute().parent
_FLAGS = ("-std=c++20", "-O2", "-fPIC", "-fvisibility=hidden")

#: Folders whose sources are compiled as one: each alone costs a second for what they all include.
_TOGETHER = (
    *("device", "memory", "distributed", "linalg", "order", "layers", "losses"),
    *("pointwise", "norms", "products", "index"),  # of native/operators
)


@dataclass(frozen=True)
class _Library:
    """One that is built."""

    name: str
    sources: Path
    what: str  # for people
    folder: str  # what its folder's name begins with
    flags: tuple[str, ...]
    links: tuple[str, ...]


def cache() -> Path:
    """The folder for what is built and kept."""
    named = os.environ.get("WAVESMITH_CACHE")
    if named:
        return Path(named)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "wavesmith"


def library() -> Path:
    """The device's library for the installed PyTorch; builds it where it is not there yet.

    Raises:
        InstallationError: there is no compiler.
        CompileError: the compiler refused a source, which another PyTorch than those of `TESTED` may cause.
    """
    import torch

    version = torch.__version__.partition("+")[0]
    tested = "" if version in TESTED else f", which was not tested (tested: {', '.join(TESTED)})"
    libraries = _torch() / "lib"
    return _built(
        _Library(
            "libwavesmith_torch.so",
            _FOLDER / "native",
            f"the device for PyTorch {torch.__version__}{tested}",
            f"torch-{torch.__version__}",
            (),
            (f"-L{libraries}", "-ltorch_cpu", "-lc10", f"-Wl,-rpath,{libraries}"),
        )
    )


def operators() -> Path:
    """The operators' library, for PyTorch 2.10 and later; builds it where it is not there yet.

    Raises:
        InstallationError: there is no compiler.
        CompileError: the compiler refused a source.
    """
    # What it needs is loaded already, and found by its name: PyTorch's library and that of the kernels.
    kernels = _paths.kernel_library()
    return _built(
        _Library(
            "libwavesmith_operators.so",
            _FOLDER / "library" / "native",
            "the operators for PyTorch",
            "torch-operators",
            ("-DTORCH_TARGET_VERSION=0x020a000000000000", "-DTORCH_STABLE_ONLY"),
            (f"-L{_torch() / 'lib'}", "-ltorch_cpu", f"-L{kernels.parent}", f"-l:{kernels.name}"),
        )
    )


def _torch() -> Path:
    import torch

    return Path(torch.__file__).parent


def _compiler() -> str:
    for name in (os.environ.get("CXX"), "clang++-22", "clang++", "g++", "c++"):
        if name and shutil.which(name):
            return name
    raise InstallationError(
        "no C++ compiler, which the PyTorch device needs once",
        hint="apt-get install g++, or name a compiler of C++20 by CXX",
    )


def _built(made: _Library) -> Path:
    """Where the library is, built if it is not there yet."""
    compiler = _compiler()
    digest = hashlib.sha256(" ".join((compiler, *_FLAGS, *made.flags)).encode())
    for path in (*sorted(made.sources.rglob("*.*")), *sorted(_paths.kernel_header().parent.glob("wavesmith_*.h"))):
        digest.update(path.name.encode() + path.read_bytes())
    built = cache() / f"{made.folder}-{digest.hexdigest()[:16]}" / made.name
    if not built.exists():
        built.parent.mkdir(parents=True, exist_ok=True)
        _build(made, compiler, built)
    return built


def _build(made: _Library, compiler: str, built: Path) -> None:
    print(f"wavesmith: building {made.what}; once, in about a minute on two cores", file=sys.stderr)
    begin = time.monotonic()
    system = (_torch() / "include", _torch() / "include/torch/csrc/api/include", _paths.kernel_header().parent)
    includes = [f"-I{made.sources}", *(f"-isystem{folder}" for folder in system)]
    with tempfile.TemporaryDirectory(dir=built.parent) as scratch:
        command = [compiler, *_FLAGS, *made.flags, *includes]
        prefix = made.sources / "prefix.h"
        if prefix.exists():
            command += _parsed_once(command, prefix, Path(scratch))
        sources = _units(made.sources, Path(scratch))
        objects = [Path(scratch) / f"{i}.o" for i in range(len(sources))]

        def compile_one(pair: tuple[Path, Path]) -> None:
            source, target = pair
            _call([*command, "-c", str(source), "-o", str(target)], source.name)

        with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
            list(pool.map(compile_one, zip(sources, objects, strict=True)))
        linked = Path(scratch) / built.name
        _call([compiler, *map(str, objects), "-o", str(linked), "-shared", *made.links], built.name)
        linked.replace(built)  # at once: another process that builds it too sees a whole file
    print(f"wavesmith: built in {time.monotonic() - begin:.0f} s: {built}", file=sys.stderr)


def _units(folder: Path, scratch: Path) -> list[Path]:
    """What is compiled, the longest first."""
    sources = sorted(folder.rglob("*.cc"))
    sizes = {path: path.stat().st_size for path in sources if path.parent.name not in _TOGETHER}
    for name in _TOGETHER:
        parts = [path for path in sources if path.parent.name == name]
        if parts:
            whole = scratch / f"{name}.cc"
            whole.write_text("".join(f'#include "{path.relative_to(folder)}"\n' for path in parts))
            sizes[whole] = sum(path.stat().st_size for path in parts)
    return sorted(sizes, key=lambda path: -sizes[path])


def _parsed_once(command: list[str], header: Path, scratch: Path) -> list[str]:
    """What has compilers take this header for all sources from a file that they parsed it into."""
    copy = scratch / header.name
    copy.write_bytes(header.read_bytes())
    # What the header itself makes of templates: a third of the time, where each source does that anew.
    once = ["-Xclang", "-fpch-instantiate-templates"] if "clang" in Path(command[0]).name else []
    _call([*command, *once, "-x", "c++-header", str(copy), "-o", f"{copy}.gch"], header.name)
    return ["-include", str(copy)]


def _call(command: list[str], what: str) -> None:
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    if result.returncode:
        raise CompileError(f"building {what} for PyTorch failed:\n{result.stderr[-4000:]}")
