"""`wavesmith.explain`: the static analysis, asked from Python."""

from __future__ import annotations

import dataclasses
import doctest
import importlib
from pathlib import Path
from typing import Any

import pytest
from conftest import command_says

import wavesmith
import wavesmith._explain

SOURCE = """
#define KERNEL extern "C" __attribute__((global)) void
KERNEL axpy(const float* x, float* y, float a, int n) {
  int i = __builtin_amdgcn_workgroup_id_x() * 64 + __builtin_amdgcn_workitem_id_x();
  if (i < n) y[i] += a * x[i];
}
KERNEL columns(const float* x, float* y, int n) {
  __attribute__((shared)) static float part[64 * 64];
  const unsigned lane = __builtin_amdgcn_workitem_id_x();
  float sum = 0;
  for (int i = 0; i < n; ++i) {
    part[lane * 64] = x[i * 64 + lane];
    __builtin_amdgcn_s_barrier();
    sum += part[((lane + 1) & 63) * 64];
  }
  y[lane] = sum;
}
"""


@pytest.fixture(scope="module")
def built() -> bytes:
    return wavesmith.cc(SOURCE, gpu=["mi300x", "rx9070xt"])


@pytest.fixture(scope="module")
def file(built: bytes, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("explain") / "code.co"
    path.write_bytes(built)
    return path


@pytest.mark.representative
@pytest.mark.parametrize(
    ("words", "asked"),
    [
        ("", {}),
        ("--kernel columns --gpu rx9070xt", {"kernel": "columns", "gpu": "rx9070xt"}),
        (
            "--gpu mi300x --workgroup 128 --dynamic-lds 4096 --served-by memory",
            {"gpu": "mi300x", "workgroup": 128, "dynamic_lds": 4096, "served_by": "memory"},
        ),
    ],
)
def test_says_what_the_command_says(file: Path, words: str, asked: dict[str, Any]) -> None:
    said = command_says("explain", file, *words.split())
    got = wavesmith.explain(file, **asked)
    assert got.to_dict() == said
    assert (got.file, got.form, got.gpu, got.target) == (said["file"], said["form"], said["gpu"], said["target"])
    assert len(got) == len(said["kernels"])
    for kernel, one in zip(got, said["kernels"], strict=True):
        assert kernel.to_dict() == one
        assert dataclasses.asdict(kernel.resources) == {k: v for k, v in one["resources"].items() if k != "tag"}
        assert kernel.occupancy.waves_per_simd == one["occupancy"]["waves_per_simd"]
        assert kernel.occupancy.limited_by == one["occupancy"]["limited_by"]
        assert kernel.bound is not None
        assert dataclasses.asdict(kernel.bound) == {k: v for k, v in one["bound"].items() if k != "tag"}
        assert [finding.rule for finding in kernel.findings] == [finding["rule"] for finding in one["findings"]]
        for finding, other in zip(kernel.findings, one["findings"], strict=True):
            assert finding.gain_percent.value == other["gain_percent"]["value"]
            assert finding.gain_percent.kind == other["gain_percent"]["tag"]
        assert [loop.cycles.value for loop in kernel.loops] == [
            loop["cycles"]["at_this_occupancy"] for loop in one["loops"]
        ]


@pytest.mark.representative
def test_bytes_are_as_good_as_a_file(file: Path, built: bytes) -> None:
    of_file, of_bytes = wavesmith.explain(file).to_dict(), wavesmith.explain(built).to_dict()
    assert of_bytes.pop("file") == "<bytes>" and of_file.pop("file") == str(file)
    assert of_bytes == of_file
    source = wavesmith.explain(SOURCE.encode(), gpu="mi300x", options=["-DUNUSED"])
    assert source.form == "HIP source" and "-DUNUSED" in source.command and source.compile_seconds > 0
    assert [one.resources.used for one in source] == [one.resources.used for one in wavesmith.explain(file)]


@pytest.mark.representative
def test_findings_are_ranked_and_quantified(file: Path) -> None:
    kernel = wavesmith.explain(file, "columns", gpu="mi300x").kernel
    assert kernel.hot_loop is not None and kernel.hot_loop in kernel.loops
    ranks = [one.rank for one in kernel.findings]
    assert ranks == sorted(ranks, reverse=True) and ranks
    (conflict,) = (one for one in kernel.findings if one.rule == "lds-bank-conflict")
    assert conflict.gain_percent.value is not None and 0 < conflict.gain_percent.value <= 100
    assert conflict.evidence and conflict.experiment
    assert "ds_" in conflict.where[0].instruction and conflict.where[0].pc
    assert conflict.where[0].loop == kernel.loops.index(kernel.hot_loop)
    assert conflict.gain_of == kernel.hot_loop.place
    row = kernel.to_row()
    assert row["vgprs"] == kernel.resources.used.vgprs and row["bound"] == kernel.bound.by  # type: ignore[union-attr]
    assert row["top_finding"] == kernel.findings[0].title
    assert conflict.to_row()["gain_percent"] == conflict.gain_percent.value


@pytest.mark.representative
def test_registers_are_those_of_the_module(file: Path, built: bytes) -> None:
    module = wavesmith.Module(built, gpu="mi300x")
    for kernel in wavesmith.explain(file, gpu="mi300x"):
        assert kernel.resources.used.vgprs == module[kernel.name].vgprs
        assert kernel.resources.lds_bytes == module[kernel.name].lds_bytes


@pytest.mark.representative
def test_the_examples_of_the_documentation_are_true() -> None:
    module = importlib.import_module("wavesmith._explain")
    found = doctest.testmod(module, extraglobs={"wavesmith": wavesmith, "source": SOURCE})
    assert found.attempted > 0 and found.failed == 0


@pytest.mark.representative
@pytest.mark.parametrize(
    ("asked", "error", "words"),
    [
        ({"code": "/no/such/file"}, wavesmith.NotFoundError, "/no/such/file"),
        ({"code": b""}, wavesmith.BadInputError, "no bytes"),
        ({"code": b"no code"}, wavesmith.BadInputError, "takes HIP source"),
        ({"kernel": "cube"}, wavesmith.NotFoundError, "'axpy', 'columns'"),
        ({"gpu": "mi9000"}, wavesmith.NotFoundError, "mi300x"),
        ({"gpu": "mi210"}, wavesmith.WrongTargetError, "gfx942"),
        ({"gpu": "h100"}, wavesmith.UnsupportedError, "predictions only"),
        ({"workgroup": 2000}, wavesmith.BadInputError, "1 to 1024"),
        ({"served_by": "disk"}, wavesmith.BadInputError, "l2 and memory"),
        ({"code": SOURCE.encode() + b"!"}, wavesmith.BadInputError, "error: "),
    ],
)
def test_what_does_not_fit_is_an_error_that_says_so(
    file: Path, asked: dict[str, Any], error: type[wavesmith.Error], words: str
) -> None:
    with pytest.raises(error) as raised:
        wavesmith.explain(asked.pop("code", file), **asked)
    assert words in str(raised.value)


@pytest.mark.representative
def test_one_of_several_kernels_is_asked_for_by_name(file: Path) -> None:
    with pytest.raises(wavesmith.NotFoundError, match="axpy; columns"):
        _ = wavesmith.explain(file).kernel
