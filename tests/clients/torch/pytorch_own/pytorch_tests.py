"""A process that runs tests of one of PyTorch's files: `python pytorch_tests.py DEVICE FILE`.

Standard input names the tests, a line each; standard output has a line of JSON for each, and before them one with the
names of all tests that the file makes for the device: "privateuse1", "cuda" or "cpu". For the CPU it is PyTorch alone.
"""

from __future__ import annotations

import ast
import importlib.util
import json
import os
import re
import sys
import time
import types
import unittest
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import older_names

_CHAINED = ("The above exception was", "During handling of the above", "To execute this test")


def _load(path: Path, device: str) -> Any:
    """The file as a module, with the device as the only one for which it makes tests."""
    os.environ["PYTORCH_TESTING_DEVICE_ONLY_FOR"] = device
    sys.path.insert(0, str(path.parent))
    sys.argv = [str(path)]
    if device != "cpu":
        import wavesmith.torch  # noqa: F401  the device, before PyTorch's test library looks for it
    older_names.give(path)
    _find_beside(path)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    return module


def _find_beside(path: Path) -> None:
    """Has folders beside the file found, of which it imports modules: an installed package may have the name of one."""
    for node in ast.walk(ast.parse(path.read_text())):
        package, _, name = (getattr(node, "module", None) or "").partition(".")
        if name and (path.parent / package / f"{name}.py").exists():
            sys.modules[package] = types.ModuleType(package)
            sys.modules[package].__path__ = [str(path.parent / package)]


def _cases(module: Any) -> Iterator[unittest.TestCase]:
    """The tests that are made for each kind of device."""
    from torch.testing._internal.common_device_type import DeviceTypeTestBase

    def of(suite: Any) -> Iterator[Any]:
        for each in suite:
            yield from of(each) if isinstance(each, unittest.TestSuite) else (each,)

    for case in of(unittest.defaultTestLoader.loadTestsFromModule(module)):
        if isinstance(case, DeviceTypeTestBase):
            yield case


def _name(case: unittest.TestCase) -> str:
    return ".".join(case.id().split(".")[-2:])


def _works() -> bool:
    """Whether the device still computes: after an access outside of memory it refuses everything."""
    import torch

    from wavesmith.torch._name import DEVICE

    try:
        return bool(torch.ones(1, device=DEVICE).item() == 1)
    except RuntimeError:
        return False


def _error(text: str) -> str:
    """What the first exception of a traceback says, with the sample that PyTorch's library names."""
    lines = [line for line in text.strip().splitlines() if line.strip()]
    end = next((n for n, line in enumerate(lines) if line.startswith(_CHAINED)), len(lines))
    begin = next((n for n, line in enumerate(lines) if n and not line.startswith(" ")), 0)
    sample = re.search(r"Caused by (?:sample|reference) input at index \d+", text)
    said = " ".join(" ".join(lines[begin:end]).split())[:300]
    return f"{said} ({sample[0]})" if sample and sample[0] not in said else said


def _run(case: unittest.TestCase, counts: Callable[[], dict[str, int]]) -> dict[str, Any]:
    import torch

    before, begin = counts(), time.monotonic()
    result = unittest.TestResult()
    torch.manual_seed(0)
    unittest.TestSuite([case]).run(result)  # which sets its class up, too
    host = [key for key, count in counts().items() if count != before.get(key, 0)]
    wrong = result.failures + result.errors
    status = "fails" if wrong or result.unexpectedSuccesses else "skipped" if result.skipped else "passed"
    error = _error(wrong[0][1]) if wrong else " ".join(" ".join(why for _, why in result.skipped).split())[:300]
    if result.unexpectedSuccesses:
        error = "passes where PyTorch expects a failure"
    seconds = round(time.monotonic() - begin, 2)
    return {"test": _name(case), "status": status, "host": host, "seconds": seconds, "error": error}


def main() -> int:
    device, path = sys.argv[1], Path(sys.argv[2]).resolve()
    told = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)
    cases = {_name(case): case for case in _cases(_load(path, device))}
    counts: Callable[[], dict[str, int]] = dict
    if device != "cpu":
        import wavesmith.torch

        counts = wavesmith.torch.fallback_counts
    told.write(json.dumps({"tests": list(cases)}) + "\n")
    for line in sys.stdin:
        answer = _run(cases[line.strip()], counts)
        told.write(json.dumps(answer) + "\n")
        if answer["status"] == "fails" and device != "cpu" and not _works():
            break
    return 0


if __name__ == "__main__":
    sys.exit(main())
