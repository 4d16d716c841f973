"""The kernel library's operators in PyTorch: `torch.ops.wavesmith`, which `load` makes known.

They take tensors of a GPU in PyTorch for ROCm, where nothing is copied and work goes into the current stream, and those
of the device `wavesmith`. `wavesmith.ops` has them with documented arguments.
"""

from __future__ import annotations

from typing import Any

_libraries: list[Any] = []


def load() -> None:
    """Loads the operators, and what PyTorch wants to know of them. More than once does nothing more.

    With a PyTorch that is not for ROCm, the device `wavesmith` is registered first (`wavesmith.torch`).

    Raises:
        UseError: the process has another HIP runtime already.
        InstallationError, CompileError: the library could not be built (`wavesmith.torch._build`).
    """
    if _libraries:
        return
    import ctypes

    import torch

    from wavesmith import _paths
    from wavesmith.torch import _build

    if torch.version.hip is None:
        from wavesmith.torch._register import register

        register()
    ctypes.CDLL(str(_paths.kernel_library()))
    torch.ops.load_library(str(_build.operators()))
    from wavesmith.torch.library import _autocast, _fakes, _gradients, _no_gradients, _vmap

    library = torch.library.Library("wavesmith", "FRAGMENT")
    _libraries.append(library)
    for part in (_fakes, _gradients, _no_gradients, _vmap, _autocast):
        part.register(library)
