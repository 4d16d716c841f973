"""Programs compiled by IREE give on emulated GPUs what they give on IREE's own CPU back end."""

from __future__ import annotations

import numpy as np
import pytest
from iree_program import CPU_FLAGS, Module, Program, check_equal, compile_program, hip_flags, programs


def _parameters() -> list:
    mark = pytest.mark.representative
    return [pytest.param(p, id=p.name, marks=[mark] if p.representative else []) for p in programs()]


@pytest.mark.parametrize("program", _parameters())
def test_as_on_the_cpu(program: Program, iree_gpu) -> None:
    seed = np.random.SeedSequence().entropy % 2**32
    print(f"seed {seed}")
    generator = np.random.default_rng(seed)
    source = program.source(iree_gpu.target)
    on_cpu = Module(compile_program(source, CPU_FLAGS + program.flags), "local-task")
    on_gpu = Module(compile_program(source, hip_flags(iree_gpu.target) + program.flags), iree_gpu.uri)
    for sizes in program.runs():
        inputs = program.draw(sizes, iree_gpu.target, generator)
        expected = on_cpu(*inputs)
        assert any(np.any(result != 0) for result in expected), "a result of zeros shows nothing"
        check_equal(on_gpu(*inputs), expected, program.tolerance)
