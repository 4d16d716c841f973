"""Runs a function when a module has been imported, so that parts of PyTorch that take seconds are not imported for it.

>>> after_import("torch._inductor.config", set_defaults)  # now, where the module is there already
"""

from __future__ import annotations

import importlib.machinery
import importlib.util
import sys
from collections.abc import Callable, Sequence
from types import ModuleType
from typing import Any

_Action = Callable[[ModuleType], None]
_actions: dict[str, list[_Action]] = {}


class _Loader:
    """A module's own loader, and the actions behind it."""

    def __init__(self, loader: Any, actions: list[_Action]) -> None:
        self._loader = loader
        self._actions = actions

    def __getattr__(self, name: str) -> Any:
        return getattr(self._loader, name)

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType | None:
        module: ModuleType | None = self._loader.create_module(spec)
        return module

    def exec_module(self, module: ModuleType) -> None:
        if module.__spec__ is not None:
            module.__spec__.loader = self._loader  # who asks the module for its source asks its own loader
        self._loader.exec_module(module)
        for action in self._actions:
            action(module)


class _Finder:
    """Finds the modules that have actions as the other finders do."""

    @staticmethod
    def find_spec(
        name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        actions = _actions.get(name)
        if actions is None:
            return None
        spec = importlib.machinery.PathFinder.find_spec(name, path, target)
        if spec is not None and spec.loader is not None:
            spec.loader = _Loader(spec.loader, actions)  # type: ignore[assignment]
        return spec


def after_import(name: str, action: _Action) -> None:
    """Calls `action(module)` once the module of this name is imported; at once if it is."""
    module = sys.modules.get(name)
    if module is not None:
        action(module)
        return
    if not _actions:
        sys.meta_path.insert(0, _Finder)
    _actions.setdefault(name, []).append(action)
