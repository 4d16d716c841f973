"""AMD GPUs that are not there: run and check their programs and kernels, with no GPU and no ROCm.

>>> import wavesmith
>>> wavesmith.use("mi355x")            # before Triton, CuPy, ... are imported: they find an MI355X
>>> code = wavesmith.cc(source)        # or compile and launch kernels from here
>>> wavesmith.run(code, "axpy", grid=16, block=256, args=[x, y, numpy.float32(2), 4096])
>>> wavesmith.kernels.gemm(a, b)       # or take one of Wavesmith's own, for the arrays of any package
>>> wavesmith.explain(code).kernel     # what bounds a kernel, and what to change
>>> wavesmith.predict.gemm(4096, 4096, 4096, gpu="mi355x").seconds     # how long an operation takes

Importing this package loads nothing but itself: neither NumPy nor the HIP runtime.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from wavesmith._errors import (
    ArgumentError,
    BadInputError,
    BudgetError,
    ClientError,
    CompileError,
    Error,
    InstallationError,
    InternalError,
    MemoryFaultError,
    NotFoundError,
    OutOfMemoryError,
    OutOfResourcesError,
    TrapError,
    UnsupportedError,
    UseError,
    WrongTargetError,
)
from wavesmith._use import use, used

if TYPE_CHECKING:
    from wavesmith import aiter as aiter
    from wavesmith import flash_attn as flash_attn
    from wavesmith import kernels
    from wavesmith import ops as ops
    from wavesmith._cc import cc
    from wavesmith._check import Checked, Fault, Party, check
    from wavesmith._clients import Client, clients, require
    from wavesmith._explain import explain
    from wavesmith._gpus import Gpu, Number, gpus, machine
    from wavesmith._module import Argument, Kernel, Module, run
    from wavesmith._predict import predict
    from wavesmith._predict._prediction import (
        Conditions,
        Judged,
        Level,
        Operation,
        Parameter,
        Part,
        Prediction,
        operations,
    )
    from wavesmith._predict._table import Refusal, Table
    from wavesmith._profile import Profile, profile
    from wavesmith._profile_kernel import profile_kernel
    from wavesmith.explanation import ExplainedKernel, Explanation, Finding
    from wavesmith.flash_attn import (
        flash_attn_func as flash_attn_func,
    )
    from wavesmith.flash_attn import (
        flash_attn_kvpacked_func as flash_attn_kvpacked_func,
    )
    from wavesmith.flash_attn import (
        flash_attn_qkvpacked_func as flash_attn_qkvpacked_func,
    )
    from wavesmith.flash_attn import (
        flash_attn_varlen_func as flash_attn_varlen_func,
    )
    from wavesmith.flash_attn import (
        flash_attn_with_kvcache as flash_attn_with_kvcache,
    )
    from wavesmith.kernel_profile import KernelProfile

__version__ = "0.1.0"

__all__ = [
    "Argument",
    "ArgumentError",
    "BadInputError",
    "BudgetError",
    "Checked",
    "Client",
    "ClientError",
    "CompileError",
    "Conditions",
    "Error",
    "ExplainedKernel",
    "Explanation",
    "Fault",
    "Finding",
    "Gpu",
    "InstallationError",
    "InternalError",
    "Judged",
    "Kernel",
    "KernelProfile",
    "Level",
    "MemoryFaultError",
    "Module",
    "NotFoundError",
    "Number",
    "Operation",
    "OutOfMemoryError",
    "OutOfResourcesError",
    "Parameter",
    "Part",
    "Party",
    "Prediction",
    "Profile",
    "Refusal",
    "Table",
    "TrapError",
    "UnsupportedError",
    "UseError",
    "WrongTargetError",
    "__version__",
    "cc",
    "check",
    "clients",
    "explain",
    "gpus",
    "kernels",
    "machine",
    "operations",
    "predict",
    "profile",
    "profile_kernel",
    "require",
    "run",
    "use",
    "used",
]

# What needs PyTorch: not for `from wavesmith import *`.
_OF_PYTORCH = (
    "flash_attn_func",
    "flash_attn_kvpacked_func",
    "flash_attn_qkvpacked_func",
    "flash_attn_varlen_func",
    "flash_attn_with_kvcache",
)

_LATER = {
    "cc": "_cc",
    **dict.fromkeys(("Client", "clients", "require"), "_clients"),
    **dict.fromkeys(("Gpu", "Number", "gpus", "machine"), "_gpus"),
    **dict.fromkeys(("Argument", "Kernel", "Module", "run"), "_module"),
    "explain": "_explain",
    **dict.fromkeys(("ExplainedKernel", "Explanation", "Finding"), "explanation"),
    "KernelProfile": "kernel_profile",
    "predict": "_predict",
    **dict.fromkeys(("Profile", "profile"), "_profile"),
    **dict.fromkeys(("Checked", "Fault", "Party", "check"), "_check"),
    "profile_kernel": "_profile_kernel",
    **dict.fromkeys(
        ("Conditions", "Judged", "Level", "Operation", "Parameter", "Part", "Prediction", "operations"),
        "_predict._prediction",
    ),
    **dict.fromkeys(("Refusal", "Table"), "_predict._table"),
    **dict.fromkeys(_OF_PYTORCH, "flash_attn"),
}


def __getattr__(name: str) -> object:
    """What is imported at its first use."""
    if name in _LATER:
        from importlib import import_module

        value = getattr(import_module(f"wavesmith.{_LATER[name]}"), name)
        globals()[name] = value
        return value
    if name in ("aiter", "flash_attn", "kernels", "ops"):
        from importlib import import_module

        return import_module(f"wavesmith.{name}")
    raise AttributeError(f"module 'wavesmith' has no attribute '{name}'")


def __dir__() -> list[str]:
    return __all__
