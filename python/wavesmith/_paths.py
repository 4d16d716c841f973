"""Where the parts of an installed Wavesmith lie: libraries in `lib`, a header in `include`, the command in `bin`.

`PYTHONPATH=build/release/python` shows a build in the source tree the same way (`tools/python_tree` lays it out);
with `PYTHONPATH=python` alone, the libraries are those of `build/release`.
"""

from __future__ import annotations

from pathlib import Path

from wavesmith._errors import InstallationError

_PACKAGE = Path(__file__).absolute().parent
_BUILD = _PACKAGE.parent.parent / "build" / "release"


def _folder(name: str, content: str) -> Path:
    for folder in (_PACKAGE / name, _BUILD / name):
        if (folder / content).exists():
            return folder
    raise InstallationError(f"{content} is missing in {_PACKAGE / name}; install again: pip install wavesmith")


def libraries() -> Path:
    """The folder with libamdhip64.so.7 and libhiprtc.so.7 and, in `stand-ins`, what stands in for AMD's libraries."""
    return _folder("lib", "libamdhip64.so.7")


def command() -> Path:
    """The program `wavesmith`."""
    return _folder("bin", "wavesmith") / "wavesmith"


def hip_library() -> Path:
    """The HIP runtime. One process has one copy, so everything that loads it takes this file."""
    return libraries() / "libamdhip64.so.7"


def kernel_library() -> Path:
    """Wavesmith's own kernels; their code objects lie in `kernels` beside it."""
    return _folder("lib", "libwavesmith_kernels.so.0") / "libwavesmith_kernels.so.0"


def kernel_header() -> Path:
    """The C API of Wavesmith's own kernels."""
    installed = _PACKAGE / "include" / "wavesmith_kernels.h"
    return installed if installed.exists() else _PACKAGE.parent.parent / "kernels" / installed.name
