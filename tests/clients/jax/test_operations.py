"""Every operation gives on the emulated GPU what it gives on the CPU."""

from __future__ import annotations

import array_operations  # noqa: F401 - these three register what they have
import library_operations  # noqa: F401
import pytest
import transformations  # noqa: F401
from agreement import assert_agree, on_both, seed
from operation import OPERATIONS, Operation


def _parameters() -> list[object]:
    marks = {True: [pytest.mark.representative], False: []}
    return [pytest.param(one, id=one.name, marks=marks[one.representative]) for one in OPERATIONS]


@pytest.mark.parametrize("operation", _parameters())
def test_operation(operation: Operation) -> None:
    gpu, cpu = on_both(operation.run, operation.inputs, seed(operation.name), operation.wide)
    assert_agree(gpu, cpu, operation.tolerance)
