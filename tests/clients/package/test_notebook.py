"""The notebooks of examples/: their cells run, one after another, in a Python of their own."""

from __future__ import annotations

import json

import pytest
from conftest import ROOT, Python

NOTEBOOKS = sorted((ROOT / "examples").glob("*.ipynb"))


@pytest.mark.representative
@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_the_cells_run(notebook: object, python: Python) -> None:
    program = f"""
import json, pathlib
import matplotlib
matplotlib.use("Agg")
names = {{}}
for number, cell in enumerate(json.loads(pathlib.Path({str(notebook)!r}).read_text())["cells"]):
    if cell["cell_type"] == "code":
        exec(compile("".join(cell["source"]), f"cell {{number}}", "exec"), names)
print("to the end")
"""
    ran = python(program)
    assert ran.stdout.endswith("to the end\n"), ran.stderr


@pytest.mark.representative
def test_they_are_committed_without_outputs() -> None:
    assert NOTEBOOKS
    for path in NOTEBOOKS:
        notebook = json.loads(path.read_text())
        assert (notebook["nbformat"], notebook["nbformat_minor"]) == (4, 5)
        ids = [cell["id"] for cell in notebook["cells"]]
        assert len(set(ids)) == len(ids)
        for cell in notebook["cells"]:
            if cell["cell_type"] == "code":
                assert not cell["outputs"] and cell["execution_count"] is None, cell["id"]
