"""The compiler half of the back end: none. Triton's own AMD back end compiles for the emulated GPUs.

Triton demands a class for each entry point and asks each which targets it compiles for; this one names none,
so that ``GPUTarget("hip", ...)`` has one compiler, ``triton.backends.amd.compiler.HIPBackend``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from triton.backends.compiler import BaseBackend, GPUTarget

if TYPE_CHECKING:
    from types import ModuleType

_REASON = "Wavesmith compiles nothing itself: its driver's targets are those of Triton's AMD back end"


class NoCompiler(BaseBackend):
    """Compiles for no target."""

    @staticmethod
    def supports_target(target: GPUTarget) -> bool:
        return False

    def hash(self) -> str:
        return "wavesmith"

    def parse_options(self, options: dict[str, Any]) -> object:
        raise NotImplementedError(_REASON)

    def add_stages(self, stages: dict[str, Any], options: object, *args: object) -> None:
        raise NotImplementedError(_REASON)

    def load_dialects(self, context: object) -> None:
        raise NotImplementedError(_REASON)

    def get_module_map(self) -> dict[str, ModuleType]:
        raise NotImplementedError(_REASON)
