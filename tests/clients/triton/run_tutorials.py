#!/usr/bin/env python3
"""Runs Triton's own tutorials, unmodified, on an emulated GPU: `run_tutorials.py FOLDER [NAME...] [--budget
S]`.

The tutorials are no part of this project: fetch them at the version of the Triton that is installed. Each
runs in a process of its own, so that its assertions decide. What is changed is around them:
- A benchmark runs its sizes in order until the budget is used up, with one timed call each, and says how far
  it came.
- Where the size that a program asserts at is beyond an emulator, its own function is called with a smaller
one
  (SMALLER below).
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import runpy
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from types import ModuleType


def _validate_persistent(tutorial: ModuleType) -> None:
    import torch

    tutorial.validate(32, 32, 32, torch.float16)
    tutorial.validate(512, 512, 512, torch.float16)


def _validate_block_scaled(tutorial: ModuleType) -> None:
    if not tutorial.supports_block_scaling():
        print("the tutorial runs on gfx950 alone")
        return
    for size in (16, 32):
        tutorial.validate_block_scaled_amd(512, 512, 512, block_scale_type="mxfp4", mfma_nonkdim=size)


# What to call instead of the program, at a size for an emulator.
SMALLER = {"09-persistent-matmul": _validate_persistent, "10-block-scaled-matmul": _validate_block_scaled}
# Tutorials whose assertions are tests of pytest's, and which of them to run: the others are the same at sizes for
# a GPU, and so is the smallest size of the benchmark.
TESTS = {"06-fused-attention": "-128-2-1] or -1024-2-1]"}


def _shorten_benchmarks(budget: float) -> None:
    """Makes triton.testing measure with one call a size, and stop at the first size past the budget."""
    import triton.testing as testing

    def do_bench(fn: Any, *_: Any, quantiles: Any = None, **__: Any) -> Any:
        begin = time.perf_counter()
        fn()
        taken = (time.perf_counter() - begin) * 1e3
        return [taken] * len(quantiles) if quantiles else taken

    def run(self: Any, **kwargs: Any) -> None:
        begin = time.monotonic()
        for bench in self.benchmarks if isinstance(self.benchmarks, list) else [self.benchmarks]:
            names = [bench.x_names] if isinstance(bench.x_names, str) else list(bench.x_names)
            done = 0
            last = 0.0
            for x in bench.x_vals:
                # The next size takes at least as long as the last.
                start = time.monotonic()
                if start + last - begin > budget:
                    break
                values = dict(zip(names, x if isinstance(x, (list, tuple)) else [x] * len(names), strict=True))
                line = [self.fn(**values, **{bench.line_arg: y}, **bench.args) for y in bench.line_vals]
                print(f"  {bench.plot_name} {x}: {[f'{v[0] if isinstance(v, tuple) else v:.4g}' for v in line]}")
                done += 1
                last = time.monotonic() - start
            print(f"  {bench.plot_name}: {done} of {len(bench.x_vals)} sizes")

    testing.do_bench = do_bench
    import triton

    triton.testing.Mark.run = run


def _sharpen_references() -> None:
    """Makes PyTorch's results, with which tutorials compare, those that it has on a GPU."""
    import torch

    layer_norm = torch.nn.functional.layer_norm

    # On the CPU the gradients of an f16 layer norm are summed in f16, which is off by more than the
    # tutorial's tolerance; on GPUs they are summed in f32.
    def in_float(x: Any, shape: Any, weight: Any = None, bias: Any = None, eps: float = 1e-5) -> Any:
        widen = [None if each is None else each.float() for each in (weight, bias)]
        return layer_norm(x.float(), shape, *widen, eps).to(x.dtype)

    torch.nn.functional.layer_norm = in_float

    matmul = torch.matmul

    # Likewise products of f16, which on the CPU also take a hundred times as long.
    def product(a: Any, b: Any, **rest: Any) -> Any:
        return matmul(a.float(), b.float(), **rest).to(a.dtype) if a.dtype == torch.float16 else matmul(a, b, **rest)

    torch.matmul = product

    # A tutorial compares with hipBLASLt where it can have it. Nobody serves that here.
    from triton._C.libtriton import amd

    amd.hipblas.HipblasLt = lambda workspace: None


def _run_one(path: Path, budget: float, seed: int) -> None:
    import torch

    torch.manual_seed(seed)
    _shorten_benchmarks(budget)
    _sharpen_references()
    name = path.stem
    if name in SMALLER:
        spec = importlib.util.spec_from_file_location("tutorial", path)
        assert spec and spec.loader
        tutorial = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(tutorial)
        SMALLER[name](tutorial)
        return
    if name in TESTS:
        import pytest

        code = pytest.main(["-q", "-p", "no:cacheprovider", "-k", TESTS[name], str(path)])
        if code:
            raise SystemExit(code)
        return
    runpy.run_path(str(path), run_name="__main__")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--budget", type=float, default=20, help="seconds for the benchmark part of each")
    parser.add_argument("--timeout", type=float, default=300, help="seconds for each")
    parser.add_argument("--seed", type=int, default=0, help="PyTorch's, which the tutorials leave open")
    parser.add_argument("--one", action="store_true", help="run the first name in this process")
    options = parser.parse_args()
    if options.one:
        return _run_one(options.folder / f"{options.names[0]}.py", options.budget, options.seed)
    names = options.names or sorted(each.stem for each in options.folder.glob("[01]*.py"))
    failed = 0
    for name in names:
        begin = time.monotonic()
        words = [
            sys.executable,
            __file__,
            str(options.folder),
            name,
            "--one",
            "--budget",
            str(options.budget),
            "--seed",
            str(options.seed),
        ]
        environment = {**os.environ, "WAVESMITH_TORCH_CUDA": "1", "MPLBACKEND": "Agg"}
        try:
            done = subprocess.run(
                words, env=environment, timeout=options.timeout, capture_output=True, text=True, check=False
            )
            code, output = done.returncode, done.stdout + done.stderr
        except subprocess.TimeoutExpired as late:
            code, output = -1, f"{late.stdout}\n{late.stderr}\nmore than {options.timeout} s"
        # Some differences a tutorial only prints.
        code = code or ("❌" in output)
        failed += code != 0
        print(f"{'ok  ' if code == 0 else 'FAIL'} {name}: {time.monotonic() - begin:.1f} s", flush=True)
        print("\n".join(f"    {line}" for line in output.splitlines()[-14 if code == 0 else -30 :]), flush=True)
    raise SystemExit(1 if failed else 0)


if __name__ == "__main__":
    main()
