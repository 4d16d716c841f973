"""Names of PyTorch's test library that a test file of an older PyTorch imports, and the installed one has no more.

The library is a part of PyTorch's packages, the test files are not. What a file of another release asks for in vain is
compiled from the source of the library of its own release, each name alone, as a part of the installed module.
"""

from __future__ import annotations

import ast
import builtins
import importlib
from pathlib import Path
from types import ModuleType

_LIBRARY = "torch.testing._internal"


def _names(statement: ast.stmt) -> list[str]:
    """What a statement at the top of a module defines."""
    if isinstance(statement, ast.FunctionDef | ast.ClassDef):
        return [statement.name]
    if isinstance(statement, ast.Assign):
        return [target.id for target in statement.targets if isinstance(target, ast.Name)]
    return []


def _define(module: ModuleType, name: str, source: Path) -> None:
    """Defines what the older module's source defines, with those names of it that the installed module lacks too."""
    defined = {each: node for node in ast.parse(source.read_text()).body for each in _names(node)}
    if name not in defined:
        return
    for node in ast.walk(defined[name]):
        known = hasattr(builtins, getattr(node, "id", "")) or hasattr(module, getattr(node, "id", ""))
        if isinstance(node, ast.Name) and not known and node.id in defined and node.id != name:
            _define(module, node.id, source)
    code = compile(ast.Module([defined[name]], []), str(source), "exec")
    exec(code, module.__dict__)


def give(tests: Path) -> list[str]:
    """Adds what the file needs to the installed library's modules, and returns their names."""
    given = []
    root = next((each for each in tests.parents if (each / _LIBRARY.replace(".", "/")).is_dir()), None)
    for node in ast.walk(ast.parse(tests.read_text())) if root else ():
        if not isinstance(node, ast.ImportFrom) or not (node.module or "").startswith(_LIBRARY):
            continue
        assert root is not None and node.module is not None
        module, source = importlib.import_module(node.module), root / (node.module.replace(".", "/") + ".py")
        for each in node.names:
            if source.exists() and each.name != "*" and not hasattr(module, each.name):
                _define(module, each.name, source)
                given.append(f"{node.module}.{each.name}")
    return given
