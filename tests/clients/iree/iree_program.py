"""Programs in MLIR with what they are run on, and IREE's compiler and runtime around them.

A program is a file of `programs/`: MLIR with a function `main`, whose first lines say

    // dims: M=67 N=3,130                 names of sizes; several values: the program runs once for each
    // in: MxNxf32 normal                 an input: shape and type as MLIR has them, and how it is drawn
    // tolerance: 1e-4 1e-5               relative and absolute; without it results have to be equal
    // flags: --iree-...                  more options for the compiler
    // representative                     part of the short run

`@f8@` in the text is the GPU's own 8-bit float. Ways to draw: `normal`, `uniform A B`, `integers A B`,
`permutation` (of 0..n-1 along a vector), `distinct` (floats in random order, no two alike).
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import iree.compiler
import iree.runtime
import ml_dtypes
import numpy as np

PROGRAMS = Path(__file__).parent / "programs"

_TYPES = {
    "f16": np.float16,
    "f32": np.float32,
    "f64": np.float64,
    "bf16": ml_dtypes.bfloat16,
    "f8E4M3FN": ml_dtypes.float8_e4m3fn,
    "f8E4M3FNUZ": ml_dtypes.float8_e4m3fnuz,
    "i1": np.bool_,
    "i8": np.int8,
    "i16": np.int16,
    "i32": np.int32,
    "i64": np.int64,
}

#: IREE's CPU back end; results are compared with it.
CPU_FLAGS = (
    "--iree-hal-target-device=local",
    "--iree-hal-local-target-device-backends=llvm-cpu",
    "--iree-llvmcpu-target-cpu=generic",
)


def hip_flags(target: str) -> tuple[str, ...]:
    flags = ("--iree-hal-target-device=hip", f"--iree-rocm-target={target}")
    # RDNA3 has no instructions for 8-bit floats; IREE can do them in software.
    return (*flags, "--iree-llvmgpu-enable-small-float-emulation") if target == "gfx1100" else flags


def small_float(target: str) -> str:
    """The encoding of e4m3 that a target's conversions and matrix instructions have."""
    return "f8E4M3FNUZ" if target in ("gfx942",) else "f8E4M3FN"


@dataclass
class Program:
    name: str
    text: str
    inputs: list[tuple[list[str], str, list[str]]] = field(default_factory=list)  # dims, type, how it is drawn
    sizes: dict[str, list[int]] = field(default_factory=dict)
    tolerance: tuple[float, float] = (0.0, 0.0)
    flags: tuple[str, ...] = ()
    representative: bool = False

    def source(self, target: str) -> str:
        return self.text.replace("@f8@", small_float(target))

    def runs(self) -> Iterator[dict[str, int]]:
        """The sizes of each run."""
        count = max([len(values) for values in self.sizes.values()], default=1)
        for i in range(count):
            yield {name: values[min(i, len(values) - 1)] for name, values in self.sizes.items()}

    def draw(self, sizes: dict[str, int], target: str, generator: np.random.Generator) -> list[np.ndarray]:
        def number(dim: str) -> int:
            return sizes[dim] if dim in sizes else int(dim)

        return [
            _draw([number(dim) for dim in dims], small_float(target) if kind == "@f8@" else kind, how, generator)
            for dims, kind, how in self.inputs
        ]


def _draw(shape: list[int], kind: str, how: list[str], generator: np.random.Generator) -> np.ndarray:
    words = [float(word) for word in how[1:]]
    match how[0]:
        case "normal":
            values = generator.standard_normal(shape)
        case "uniform":
            values = generator.uniform(words[0], words[1], shape)
        case "integers":
            values = generator.integers(int(words[0]), int(words[1]), shape, endpoint=True)
        case "permutation":
            values = generator.permutation(shape[0])
        case "distinct":
            values = generator.permutation(int(np.prod(shape))).reshape(shape) / 8 - 20
        case other:
            raise ValueError(f"no way to draw '{other}'")
    return values.astype(_TYPES[kind])


def read(path: Path) -> Program:
    program = Program(path.stem, path.read_text())
    for line in program.text.splitlines():
        match = re.fullmatch(r"// (dims|in|tolerance|flags|representative):? ?(.*)", line)
        if not match:
            continue
        key, words = match[1], match[2].split()
        if key == "dims":
            for name, values in (word.split("=") for word in words):
                program.sizes[name] = [int(value) for value in values.split(",")]
        elif key == "in":
            *dims, kind = words[0].split("x")
            program.inputs.append((dims, kind, words[1:]))
        elif key == "tolerance":
            program.tolerance = (float(words[0]), float(words[1]))
        elif key == "flags":
            program.flags = tuple(words)
        else:
            program.representative = True
    return program


def programs() -> list[Program]:
    return [read(path) for path in sorted(PROGRAMS.glob("*.mlir"))]


@functools.lru_cache(maxsize=64)
def compile_program(source: str, flags: tuple[str, ...]) -> bytes:
    return iree.compiler.compile_str(source, extra_args=list(flags))


class Module:
    """A compiled program on a device of IREE's runtime."""

    def __init__(self, blob: bytes, uri: str) -> None:
        config = iree.runtime.Config(device=iree.runtime.get_device(uri))
        context = iree.runtime.SystemContext(config=config)
        context.add_vm_module(iree.runtime.VmModule.copy_buffer(context.instance, blob))
        self._functions = context.modules.module

    def __call__(self, *inputs: np.ndarray, function: str = "main") -> list[np.ndarray]:
        results = self._functions[function](*inputs)
        return [result.to_host() for result in (results if isinstance(results, tuple) else (results,))]


def check_equal(results: list[np.ndarray], expected: list[np.ndarray], tolerance: tuple[float, float]) -> None:
    assert len(results) == len(expected)
    for got, want in zip(results, expected, strict=True):
        assert got.dtype == want.dtype and got.shape == want.shape
        if tolerance == (0.0, 0.0):
            np.testing.assert_array_equal(got, want)
        else:
            wide = np.complex128 if got.dtype.kind == "c" else np.float64
            np.testing.assert_allclose(got.astype(wide), want.astype(wide), rtol=tolerance[0], atol=tolerance[1])
