"""`wavesmith.predict`: the models, asked from Python."""

from __future__ import annotations

from typing import Any

import pytest
from conftest import command_says

import wavesmith


def by_command(*words: str) -> dict[str, Any]:
    """The one prediction that `wavesmith predict --json` prints."""
    said = command_says("predict", *words)
    assert len(said) == 1
    one: dict[str, Any] = said[0]
    return one


@pytest.mark.representative
@pytest.mark.parametrize(
    ("words", "operation", "asked"),
    [
        (
            "gemm --m 4096 --n 2048 --k 1024 --dtype f16 --gpu mi355x",
            "gemm",
            {"gpu": "mi355x", "m": 4096, "n": 2048, "k": 1024, "dtype": "f16"},
        ),
        (
            "gemm --groups 128+7+512 --n 4096 --k 4096 --gpu mi300x",
            "gemm",
            {"groups": [128, 7, 512], "n": 4096, "k": 4096},
        ),
        (
            "attention --batch 2 --heads 32 --kv-heads 8 --queries 4096 --causal --gpu mi300x --timing events",
            "attention",
            {"batch": 2, "heads": 32, "kv_heads": 8, "queries": 4096, "causal": True, "timing": "events"},
        ),
        (
            "attention --batch 2 --heads 32 --length 4096 --gpu mi300x",
            "attention",
            {"batch": 2, "heads": 32, "length": 4096, "causal": False},
        ),
        (
            "copy --bytes 64MiB --gpu mi300x --set memory.bandwidth=8TB/s --warm --clock 1500",
            "copy",
            {"bytes": "64MiB", "set": {"memory.bandwidth": "8TB/s"}, "warm": True, "clock": 1500},
        ),
        ("norm --rows 512 --columns 8192 --gpu h100", "norm", {"rows": 512, "columns": 8192, "gpu": "h100"}),
    ],
)
def test_says_what_the_command_says(words: str, operation: str, asked: dict[str, object]) -> None:
    said = by_command(*words.split())
    got = wavesmith.predict(operation, **asked)  # type: ignore[arg-type]
    assert (got.operation, got.gpu, got.arguments) == (said["operation"], said["gpu"], said["arguments"])
    for name in ("seconds", "flops", "bytes", "clock_mhz", "flops_per_second", "bytes_per_second"):
        assert getattr(got, name) == pytest.approx(said[name]["value"], rel=1e-12), name
    assert got.clock_kind == said["clock_mhz"]["kind"]
    assert got.bound == said["bound"]
    assert got.confidence == said["confidence"]
    assert got.expected_error == said["expected_error"]
    assert (vars(got.judged) if got.judged else None) == said["judged"]
    assert list(got.notes) == said["notes"]
    assert got.facts == said["facts"]
    assert [vars(part) for part in got.parts] == said["parts"]
    assert [vars(level) for level in got.levels] == said["levels"]
    assert got.to_dict() == said


@pytest.mark.representative
def test_a_product_has_the_flops_and_bytes_of_its_definition() -> None:
    got = wavesmith.predict("gemm", m=512, n=384, k=256, dtype="bf16")
    assert got.flops == 2 * 512 * 384 * 256
    assert got.bytes == 2 * (512 * 256 + 256 * 384 + 512 * 384)
    assert sum(part.exposed for part in got.parts) == pytest.approx(got.seconds, rel=0.01)
    assert got.flops_per_second == pytest.approx(got.flops / got.seconds)
    assert got.clock_mhz > 0
    assert {level.name for level in got.levels} >= {"HBM", "L2"}


def test_a_faster_memory_makes_a_copy_faster() -> None:
    slow, fast = (wavesmith.predict("copy", bytes=2**30, set={"memory.bandwidth": rate}) for rate in ("2TB/s", "4TB/s"))
    assert slow.bound == fast.bound == "HBM"
    assert 1.8 < slow.seconds / fast.seconds < 2.1


@pytest.mark.representative
def test_every_operation_and_its_parameters_are_listed() -> None:
    operations = {one.name: one for one in wavesmith.operations()}
    assert {"gemm", "attention", "decode", "moe", "conv", "norm", "softmax", "copy"} <= operations.keys()
    gemm = {one.name: one for one in operations["gemm"].parameters}
    assert gemm["dtype"].kind == "type"
    assert gemm["dtype"].default == "bf16"
    assert set(gemm["layout"].choices) == {"tn", "nn", "nt", "tt"}
    assert gemm["split_k"].kind == "size"
    for operation in operations.values():  # each name is a keyword
        for parameter in operation.parameters:
            assert parameter.name.isidentifier(), parameter
            assert parameter.name not in ("gpu", "set", "clock", "timing", "warm")


@pytest.mark.representative
@pytest.mark.parametrize(
    ("asked", "error", "words"),
    [
        ({"operation": "gem", "m": 1}, wavesmith.NotFoundError, "modelled are gemm"),
        ({"operation": "gemm", "m": 16, "n": 16}, wavesmith.BadInputError, "k is missing"),
        ({"operation": "gemm", "m": 16, "n": 16, "kk": 16}, wavesmith.BadInputError, "no 'kk'"),
        ({"operation": "gemm", "m": "1:4", "n": 16, "k": 16}, wavesmith.BadInputError, "several predictions"),
        ({"operation": "gemm", "m": 16, "n": 16, "k": 16, "gpu": "mi300x,mi355x"}, wavesmith.BadInputError, "several"),
        ({"operation": "gemm", "m": 16, "n": 16, "k": 16, "dtype": "f17"}, wavesmith.BadInputError, "f17"),
        ({"operation": "gemm", "m": -1, "n": 16, "k": 16}, wavesmith.BadInputError, "-1"),
        ({"operation": "gemm", "m": 1.5, "n": 16, "k": 16}, wavesmith.BadInputError, "1.5"),
        ({"operation": "gemm", "m": True, "n": 16, "k": 16}, wavesmith.BadInputError, "true"),
        ({"operation": "gemm", "m": 16, "n": 16, "k": 16, "timing": "guess"}, wavesmith.BadInputError, "guess"),
        ({"operation": "gemm", "m": 16, "n": 16, "k": 16, "gpu": "mi9"}, wavesmith.NotFoundError, "mi9"),
        ({"operation": "copy", "bytes": 4096, "set": {"memory.speed": 3}}, wavesmith.Error, "memory.speed"),
        (
            {"operation": "attention", "batch": 1, "heads": 1, "queries": 64, "causal": "maybe"},
            wavesmith.BadInputError,
            "maybe",
        ),
    ],
)
def test_what_does_not_fit_is_an_error_that_says_so(
    asked: dict[str, object], error: type[wavesmith.Error], words: str
) -> None:
    with pytest.raises(error) as raised:
        wavesmith.predict(asked.pop("operation"), **asked)  # type: ignore[arg-type]
    assert words in str(raised.value)
