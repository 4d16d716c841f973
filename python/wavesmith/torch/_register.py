"""Makes the device known to PyTorch."""

from __future__ import annotations

import sys
from typing import Any

_libraries: list[Any] = []


def register() -> None:
    """Loads the device's library, and names it to PyTorch. More than once does nothing more.

    Raises:
        UseError: the process has another HIP runtime already, or a PyTorch for GPUs and asked for "cuda".
        InstallationError, CompileError: the library could not be built (`_build.library`).
    """
    if _libraries:
        return
    import ctypes

    import torch
    from torch.utils import backend_registration

    from wavesmith import _paths
    from wavesmith._use import use
    from wavesmith.torch import _build, _name

    use()
    is_cuda = _name.DEVICE == "cuda"
    if is_cuda:
        from wavesmith.torch import _cuda

        _cuda.require()
    else:
        backend_registration.rename_privateuse1_backend(_name.DEVICE)
    ctypes.CDLL(str(_paths.kernel_library()), mode=ctypes.RTLD_GLOBAL)  # whose functions the next library calls
    torch.ops.load_library(str(_build.library()))
    from wavesmith.torch import _device, _distributed, _dlpack, _fallback, _inductor, _library, _prefer, _recurrent

    _dlpack.install()
    if is_cuda:
        _cuda.install()
        torch.wavesmith = _device  # type: ignore[attr-defined]
        sys.modules["torch.wavesmith"] = _device
    else:
        torch._register_device_module(_name.DEVICE, _device)
        backend_registration.generate_methods_for_privateuse1_backend(for_storage=True)
    _inductor.register()
    _distributed.register()
    for key in (_name.KEY, "PrivateUse3"):  # the second: native/fallback.h
        _libraries.append(torch.library.Library("_", "IMPL", key))
        _libraries[-1].fallback(_fallback.fallback)
    _libraries.append(_recurrent.register())
    _libraries.append(torch.library.Library("aten", "IMPL"))
    _library.register(_libraries[-1], _name.KEY)
    _prefer.prefer_as_environment_says()


def fallback_counts() -> dict[str, int]:
    """How often each operator without a kernel was computed by the host, by name."""
    from wavesmith.torch import _fallback

    return dict(_fallback.counts)


def compiled_counts() -> dict[str, int]:
    """How often each operator without a kernel was computed by code that was compiled for it, by name."""
    from wavesmith.torch import _compiled

    return dict(_compiled.counts)
