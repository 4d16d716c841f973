"""Kernels written in Wave, and its own templates, against PyTorch on the CPU."""

# Wave reads the annotations of kernels as objects, so they may not be postponed.
from typing import Any

import pytest
import sympy
import torch
import wave_lang.kernel.lang as tkl
import wave_lang.kernel.wave as tkw
from wave_lang.kernel.lang.global_symbols import GLOBAL_ADDRESS_SPACE
from wave_lang.kernel.wave.compile import WaveCompileOptions, wave_compile
from wave_lang.kernel.wave.constraints import MMAType
from wave_lang.kernel.wave.scheduling.schedule import SchedulingType
from wave_lang.kernel.wave.templates.gemm import get_gemm_kernel
from wave_lang.kernel.wave.utils.run_utils import set_default_run_config

M, N = tkl.sym.M, tkl.sym.N
ADDRESS_SPACE = tkl.sym.ADDRESS_SPACE
MMA = {64: MMAType.F32_16x16x16_F16, 32: MMAType.RDNA4_WAVE32_F32_16x16x16_F16}


def compiled(kernel: Any, subs: dict[Any, Any], **options: Any) -> Any:
    chosen = WaveCompileOptions(subs=subs, canonicalize=True, wave_runtime=True, **options)
    return wave_compile(set_default_run_config(chosen), kernel)


def rows(lanes: int, width: Any) -> list[Any]:
    """A wave for each row of a matrix."""
    return [
        tkw.HardwareConstraint(threads_per_wave=lanes, vector_shapes={M: 1, N: width}),
        tkw.WorkgroupConstraint(M, 1, 1),
        tkw.WorkgroupConstraint(N, width, 0),
        tkw.WaveConstraint(M, 1),
        tkw.WaveConstraint(N, width),
    ]


def addition(lanes: int, shape: tuple[int, int]) -> Any:
    @tkw.wave(rows(lanes, lanes))
    def add(
        a: tkl.Memory[M, N, ADDRESS_SPACE, tkl.f16],
        b: tkl.Memory[M, N, ADDRESS_SPACE, tkl.f16],
        c: tkl.Memory[M, N, ADDRESS_SPACE, tkl.f16],
    ) -> None:
        tkw.write(tkw.read(a) + tkw.read(b), c)

    return compiled(add, {M: shape[0], N: shape[1], ADDRESS_SPACE: GLOBAL_ADDRESS_SPACE})


@pytest.mark.parametrize("shape", [(16, 64), (7, 813)])
def test_addition_with_masked_borders(lanes: int, shape: tuple[int, int]) -> None:
    add = addition(lanes, shape)
    a, b = torch.randn(shape).half(), torch.randn(shape).half()
    c = torch.zeros(shape).half()
    add(a, b, c)
    torch.testing.assert_close(c, a + b, rtol=0, atol=0)


def test_tensors_may_go_right_after_the_launch(lanes: int) -> None:
    add = addition(lanes, (64, 256))
    for _ in range(50):
        c = torch.empty(64, 256).half()
        add(torch.full((64, 256), 2.0).half(), torch.full((64, 256), 3.0).half(), c)
        assert torch.all(c == 5.0)


def test_sum_of_rows(lanes: int) -> None:
    @tkw.wave(rows(lanes, sympy.ceiling(N / 64) * 64))
    def dot(
        a: tkl.Memory[M, N, ADDRESS_SPACE, tkl.f16],
        b: tkl.Memory[M, N, ADDRESS_SPACE, tkl.f16],
        c: tkl.Memory[M, ADDRESS_SPACE, tkl.f16],
    ) -> None:
        tkw.write(tkw.sum(tkw.read(a) * tkw.read(b), dim=N), c)

    run = compiled(dot, {M: 8, N: 256, ADDRESS_SPACE: GLOBAL_ADDRESS_SPACE})
    a, b, c = torch.randint(-3, 4, (8, 256)).half(), torch.randint(-3, 4, (8, 256)).half(), torch.zeros(8).half()
    run(a, b, c)
    torch.testing.assert_close(c, (a.float() * b.float()).sum(dim=-1).half(), rtol=0, atol=0)


@pytest.mark.parametrize("schedule", [SchedulingType.NONE, SchedulingType.MODULO])
@pytest.mark.parametrize("dynamic", [False, True])
def test_gemm_template(lanes: int, schedule: SchedulingType, dynamic: bool) -> None:
    shape = 128, 192, 160
    kernel, subs, symbols = get_gemm_kernel(shape, dynamic, MMA[lanes], torch.float16, threads_per_wave=lanes)
    if schedule == SchedulingType.MODULO:
        from wave_lang.kernel.wave.utils.general_utils import get_default_scheduling_params

        subs.update(get_default_scheduling_params())
    run = compiled(kernel, subs, schedule=schedule, dynamic_symbols=symbols)
    m, n, k = shape
    a, b, c = torch.randint(-4, 5, (m, k)).half(), torch.randint(-4, 5, (n, k)).half(), torch.zeros(m, n)
    run(a, b, c)
    torch.testing.assert_close(c, a.float() @ b.float().T, rtol=0, atol=0)
