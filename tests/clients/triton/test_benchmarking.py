"""`do_bench` and `@triton.autotune`, by the host's clock."""

from __future__ import annotations

import time

import pytest
import torch
import triton
import triton.language as tl
import triton.testing


@triton.autotune(
    configs=[triton.Config({"BLOCK": block}, num_warps=warps) for block, warps in ((64, 1), (1024, 4))],
    key=["n"],
)
@triton.jit
def scale(x, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + at, tl.load(x + at, mask=at < n) * 3, mask=at < n)


@pytest.mark.representative
def test_autotune_tries_every_configuration_and_keeps_one():
    x, out = torch.randn(5000), torch.empty(5000)
    scale[lambda meta: (triton.cdiv(5000, meta["BLOCK"]),)](x, out, 5000)
    assert torch.equal(out, x * 3)
    assert scale.best_config in scale.configs
    assert len(scale.configs_timings) == 2
    assert all(min(timing) > 0 for timing in scale.configs_timings.values())


def test_do_bench_measures_wall_time():
    took = triton.testing.do_bench(lambda: time.sleep(0.004), warmup=1, rep=10)
    assert 4 <= took < 40
    quantiles = triton.testing.do_bench(lambda: time.sleep(0.001), warmup=1, rep=5, quantiles=[0.5, 0.2, 0.8])
    assert quantiles[1] <= quantiles[0] <= quantiles[2]


def test_perf_report_runs():
    @triton.testing.perf_report(
        triton.testing.Benchmark(
            x_names=["n"], x_vals=[64, 128], line_arg="which", line_vals=["a"], line_names=["A"],
            plot_name="scale", args={},
        )
    )  # fmt: skip
    def bench(n, which):
        return float(n)

    pytest.importorskip("pandas")
    pytest.importorskip("matplotlib")
    frames = bench.run(return_df=True)
    assert list(frames["A (N/A)" if "A (N/A)" in frames else frames.columns[1]]) == [64.0, 128.0]
