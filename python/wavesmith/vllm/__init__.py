"""vLLM on emulated AMD GPUs: a platform whose tensors lie on `torch.device("wavesmith")`, with Wavesmith's kernels.

Two entry points, which vLLM calls in each of its processes: `platform` (group `vllm.platform_plugins`) and `register`
(group `vllm.general_plugins`). Both do nothing unless a GPU is emulated in the process, by `wavesmith run` or
`wavesmith.use`, or WAVESMITH_VLLM=1 says so; WAVESMITH_VLLM=0 switches them off.
"""

from __future__ import annotations

import os


def is_wanted() -> bool:
    """Whether this process is to have the platform."""
    from wavesmith._use import used

    said = os.environ.get("WAVESMITH_VLLM")
    return said != "0" if said else used() is not None


def platform() -> str | None:
    """The platform's class, by name; None where it is not wanted, or PyTorch is ROCm's, for which vLLM has its own."""
    import torch

    if not is_wanted() or torch.version.hip is not None:
        return None
    os.environ["WAVESMITH_VLLM"] = "1"  # the engine's and the workers' processes, which are started, too
    import wavesmith.torch  # noqa: F401  # the device has its name before vLLM looks for it

    return "wavesmith.vllm.platform.WavesmithPlatform"


def register() -> None:
    """Puts Wavesmith's layers, its attention and its quantisation in vLLM's registries. Twice does nothing more."""
    if not is_wanted():
        return
    from wavesmith.torch import library
    from wavesmith.vllm import activation, attention, float8, linear, norm, quantisation, rotary

    library.load()
    for module in (activation, attention, float8, linear, norm, quantisation, rotary):
        module.register()
