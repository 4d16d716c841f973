"""The kernel library, and what its functions take."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeVar

from wavesmith import _paths
from wavesmith._module import _hip

if TYPE_CHECKING:
    from wavesmith import _native

Activation = Literal["relu", "gelu", "silu"]
""""gelu" is the approximation by tanh."""


class Array(Protocol):
    """An array of any package: numpy.ndarray, torch.Tensor, cupy.ndarray, jax.Array, ..."""

    def __dlpack__(self, *, stream: Any = None) -> Any: ...
    def __dlpack_device__(self) -> Any: ...


ArrayT = TypeVar("ArrayT", bound=Array)

_kernels: _native.Kernels | None = None


def library() -> _native.Kernels:
    """Loads the library at the first need."""
    global _kernels
    if _kernels is None:
        from wavesmith import _native

        _kernels = _native.Kernels(_hip(), str(_paths.kernel_library()))
    return _kernels
