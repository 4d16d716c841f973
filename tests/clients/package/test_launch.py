"""Code objects and launches from Python."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from conftest import Python

import wavesmith

pytestmark = pytest.mark.representative


@pytest.fixture(scope="module")
def module(code: bytes) -> wavesmith.Module:
    return wavesmith.Module(code)


def test_a_module_lists_kernels_with_what_they_need(module: wavesmith.Module) -> None:
    assert {"axpy", "stray", "_Z5scaleIfEvPT_"} <= set(module)
    axpy = module["axpy"]
    assert [one.kind for one in axpy.arguments] == ["global_buffer", "global_buffer", "by_value", "by_value"]
    assert [(one.offset, one.size) for one in axpy.arguments] == [(0, 8), (8, 8), (16, 4), (20, 4)]
    assert axpy.vgprs > 0 and axpy.sgprs > 0 and axpy.scratch_bytes == 0 and axpy.lds_bytes == 0
    assert axpy.wave_size == 64


def test_a_bundle_is_read_for_the_gpu_that_is_named(code: bytes) -> None:
    assert wavesmith.Module(code, gpu="rx9070xt")["axpy"].wave_size == 32
    assert wavesmith.Module(code, gpu="rx9070xt").target == "gfx1201"


def test_kernels_are_found_by_their_readable_names(module: wavesmith.Module) -> None:
    assert module["scale<float>"].name == "_Z5scaleIfEvPT_"
    assert module["scale<float>"] is module["void scale<float>(float*)"]
    with pytest.raises(wavesmith.NotFoundError, match="no kernel 'scale'.*scale<int>"):
        module["scale"]
    assert "axpy" in module and "nothing" not in module


def test_arrays_go_to_the_gpu_and_come_back(module: wavesmith.Module) -> None:
    x = np.arange(130, dtype=np.float32)
    y = np.ones(130, np.float32)
    module["axpy"](grid=3, block=64, args=[x, y, np.float32(2), 130])
    np.testing.assert_array_equal(y, 1 + 2 * np.arange(130))
    np.testing.assert_array_equal(x, np.arange(130))


def test_run_takes_the_code_and_the_kernel_at_once(code: bytes, tmp_path: Path) -> None:
    file = tmp_path / "code.co"
    file.write_bytes(code)
    y = np.zeros(64, np.float32)
    wavesmith.run(file, "axpy", 1, 64, [np.ones(64, np.float32), y, 0.5, 64])
    assert (y == 0.5).all()
    with pytest.raises(wavesmith.NotFoundError, match="name one"):
        wavesmith.run(code, None, 1, 64, [])


def test_values_have_the_size_that_the_metadata_says(module: wavesmith.Module) -> None:
    out = np.zeros(4, np.int64)
    module["sizes"](1, 1, [out, -3, np.int16(-300), 1 << 40, 2.0**40])
    assert out.tolist() == [-3, -300, 1 << 40, 1 << 40]
    module["sizes"](1, 1, [out, True, 0xFFFF, -(1 << 63), np.float64(-1)])
    assert out.tolist() == [1, -1, -(1 << 63), -1]


def test_structures_are_passed_as_bytes_or_as_records(module: wavesmith.Module) -> None:
    out = np.zeros(2, np.int32)
    module["pair"](1, 1, [out, np.array([7, -8], np.int32).tobytes()])
    assert out.tolist() == [7, -8]
    record = np.array([(3, 4)], dtype=[("a", "<i4"), ("b", "<i4")])[0]
    module["pair"](1, 1, [out, record])
    assert out.tolist() == [3, 4]


def test_strided_read_only_empty_and_repeated_arrays(module: wavesmith.Module) -> None:
    y = np.zeros((2, 64), np.float32)[:, ::2]
    x = np.ones(64, np.float32)
    x.flags.writeable = False
    module["axpy"](1, 64, [x, y, 3.0, 64])
    assert (y == 3).all() and y.base is not None and (y.base[:, 1::2] == 0).all()
    z = np.ones(64, np.float32)
    module["axpy"](1, 64, [z, z, 1.0, 64])
    assert (z == 2).all()
    empty = np.zeros(0, np.float32)
    module["axpy"](1, 64, [empty, empty, 1.0, 0])
    with pytest.raises(wavesmith.ArgumentError, match="share memory"):
        module["axpy"](1, 32, [z[:32], z[16:48], 1.0, 32])


def test_grids_and_blocks_have_up_to_three_extents(module: wavesmith.Module) -> None:
    out = np.zeros(8, np.int32)
    module["grid"]((4, 2), (2, 2, 1), [out])
    assert out.tolist() == [1] * 8
    for bad in (0, (1, 2, 3, 4), (), -1, 1 << 32):
        with pytest.raises(wavesmith.BadInputError, match="grid"):
            module["grid"](bad, 1, [out])


@pytest.mark.parametrize(
    ("args", "message"),
    [
        ([None, None, 1.0], "takes 4 arguments, 3 are given"),
        ([1, None, 1.0, 1], "argument 0 .*is a pointer, but int is given"),
        ([None, None, np.float64(1), 1], "argument 2 .*4 bytes, but numpy.float64 has 8"),
        ([None, None, 1.0, 1 << 32], "argument 3 .*does not fit"),
        ([None, None, 1.0, -(1 << 31) - 1], "argument 3 .*does not fit"),
        ([None, None, 1e300, 1], "argument 2 .*does not fit"),
        ([None, None, None, 1], "argument 2 .*None is given"),
        ([None, None, b"12345", 1], "argument 2 .*bytes has 5"),
        ([None, None, 1.0, np.zeros(1)], "argument 3 .*an array is given"),
        ([np.array([object()]), None, 1.0, 1], "Python objects"),
    ],
)
def test_arguments_that_do_not_fit_are_refused(module: wavesmith.Module, args: list, message: str) -> None:
    with pytest.raises(wavesmith.ArgumentError, match=message):
        module["axpy"](1, 1, args)


def test_bad_code_is_refused(code: bytes) -> None:
    with pytest.raises(wavesmith.BadInputError, match="neither a code object nor"):
        wavesmith.Module(b"no code")
    with pytest.raises(wavesmith.BadInputError):
        wavesmith.Module(code[:2000])
    with pytest.raises(wavesmith.WrongTargetError, match="gfx950.*mi355x"):
        wavesmith.Module(wavesmith.cc("", gpu="mi355x", options=["-DX"]))


def test_a_source_that_does_not_compile_says_why() -> None:
    with pytest.raises(wavesmith.CompileError, match=r"source\.hip:1:.*error"):
        wavesmith.cc("int")
    with pytest.raises(wavesmith.NotFoundError, match="no GPU 'mi3'.*mi300x"):
        wavesmith.cc("", gpu="mi3")


@pytest.mark.parametrize(
    ("kernel", "args", "error", "says"),
    [
        ("stray", "[numpy.zeros(4)]", "MemoryFaultError", "kernel 'stray'.*global_store"),
        ("trap", "[]", "TrapError", "kernel 'trap'"),
    ],
)
def test_how_a_kernel_ends_is_a_typed_error(
    python: Python, code: bytes, tmp_path: Path, kernel: str, args: str, error: str, says: str
) -> None:
    (tmp_path / "code.co").write_bytes(code)
    ran = python(f"""
import re, numpy, pathlib, wavesmith
wavesmith.use("mi300x", quiet=True)
try:
    wavesmith.run(pathlib.Path("code.co"), "{kernel}", 1, 1, {args})
except wavesmith.{error} as error:
    assert error.hip_error in (700, 719), error.hip_error
    assert re.search("{says}", error.report), error.report
    assert error.report in str(error)
    print("right")
""")
    assert ran.stdout == "right\n", ran.stderr


def test_every_gpu_of_a_machine_runs_kernels(python: Python, code: bytes, tmp_path: Path) -> None:
    (tmp_path / "code.co").write_bytes(code)
    ran = python("""
import numpy, pathlib, wavesmith
wavesmith.use("mi300x,rx9070xt")
module = wavesmith.Module(pathlib.Path("code.co"), gpu="mi300x")
y = numpy.zeros(64, numpy.float32)
for device in (0, 1, 0):
    module["axpy"](1, 64, [numpy.ones(64, numpy.float32), y, 1.0, 64], device=device)
assert (y == 3).all()
try:
    module["axpy"](1, 64, [y, y, 1.0, 64], device=2)
except wavesmith.Error as error:
    print(error)
""")
    assert ran.stdout.startswith("no device 2"), ran.stderr
    assert ran.stderr.startswith("wavesmith: emulating AMD Instinct MI300X (gfx942), AMD Radeon RX 9070 XT (gfx1201)\n")
