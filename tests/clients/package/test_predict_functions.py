"""`wavesmith.predict.gemm` and its siblings: a function for each operation, and tables of many predictions."""

from __future__ import annotations

import dataclasses
import doctest
import importlib
import inspect
from collections.abc import Callable
from typing import Any, Literal, get_args, get_origin, get_type_hints

import ml_dtypes
import numpy as np
import pytest
from conftest import command_says

import wavesmith

OPERATIONS = {one.name: one for one in wavesmith.operations()}
CONDITIONS = ("set", "clock", "timing", "warm")

#: An example of each operation: its positional arguments, and some of the others.
EXAMPLES: dict[str, tuple[tuple[int | None, ...], dict[str, Any]]] = {
    "gemm": ((4096, 2048, 1024), {"dtype": "f8", "block_scale": 128, "gpu": "mi355x"}),
    "attention": ((2, 32, 4096), {"kv_heads": 8, "causal": True, "timing": "events"}),
    "decode": ((64, 8192), {"queries": 2, "set": {"memory.bandwidth": "8TB/s"}}),
    "paged": ((64, 4096), {"page": 64}),
    "mla": ((64, 16384), {"heads": 16, "gpu": "mi355x"}),
    "delta-rule": ((128, 32), {"state_dtype": "bf16", "gpu": "mi355x"}),
    "moe": ((64, 256, 8, 7168, 256), {"weights": "f8", "stage": "first"}),
    "conv": ((32, 256, 128, 56), {"padding": 1, "gradient": "filters"}),
    "allreduce": ((1 << 27,), {"ranks": 4, "what": "all-gather"}),
    "norm": ((512, 8192), {"kind": "layer", "residual": True, "gpu": "mi210"}),
    "softmax": ((32768, 8192), {"kernel": "torch", "warm": True}),
    "elementwise": ((1 << 26,), {"operands": 2, "function": "gelu", "gpu": "rx9070xt"}),
    "copy": ((1 << 30,), {"what": "read", "clock": 1500}),
    "transpose": ((8192, 4096), {"naive": True, "gpu": "rx7900xtx"}),
    "reduce": ((16, 1 << 20), {"dtype": "f32"}),
    "stream": ((1 << 28, 1 << 27), {"reduces": True}),
    "fft": ((256,), {"height": 256, "kind": "r2c"}),
    "factor": ((2048, 1024), {"what": "gesvd", "vectors": True, "dtype": "f64"}),
}


def function_of(operation: str) -> Callable[..., wavesmith.Prediction]:
    found: Callable[..., wavesmith.Prediction] = getattr(wavesmith.predict, operation.replace("-", "_"))
    return found


@pytest.mark.representative
def test_every_operation_has_an_example() -> None:
    assert EXAMPLES.keys() == OPERATIONS.keys()


@pytest.mark.representative
@pytest.mark.parametrize("operation", EXAMPLES)
def test_a_function_says_what_the_command_says(operation: str) -> None:
    positions, asked = EXAMPLES[operation]
    got = function_of(operation)(*positions, **asked)
    words = [operation, "--gpu", got.gpu]
    switches = {one.name for one in OPERATIONS[operation].parameters if one.kind == "switch"}
    for name, value in got.arguments.items():
        words += [f"--{name}"] if name.replace("-", "_") in switches else [f"--{name}", value]
    for key, value in asked.get("set", {}).items():
        words += ["--set", f"{key}={value}"]
    for name in ("clock", "timing"):
        words += [f"--{name}", str(asked[name])] if name in asked else []
    words += ["--warm"] if asked.get("warm") else []
    (said,) = command_says("predict", *words)
    assert got.to_dict() == said
    given = [value for value in (*positions, *asked.values()) if isinstance(value, int) and not isinstance(value, bool)]
    assert {str(value) for value in given if value != asked.get("clock")} <= set(got.arguments.values())


@pytest.mark.representative
@pytest.mark.parametrize("operation", EXAMPLES)
def test_a_function_has_the_parameters_of_the_model(operation: str) -> None:
    function = function_of(operation)
    signature = inspect.signature(function)
    hints = get_type_hints(function)
    model = {one.name: one for one in OPERATIONS[operation].parameters}
    own = {name: one for name, one in signature.parameters.items() if name not in ("gpu", "conditions")}
    assert own.keys() == model.keys()
    for name, parameter in own.items():
        standard, kind = model[name].default, model[name].kind
        if parameter.default is None:  # the model does otherwise than with any value
            assert standard in ("", "0") or kind == "type", name
        elif parameter.default is not inspect.Parameter.empty:
            assert str(parameter.default) == (standard or ("False" if kind == "switch" else "")), name
        elif parameter.kind is parameter.POSITIONAL_OR_KEYWORD:
            assert kind == "size", name
        if kind == "choice":
            assert get_origin(hints[name]) is Literal, name
            assert set(get_args(hints[name])) == set(model[name].choices), name
        assert f"        {name}:" in (function.__doc__ or ""), f"{name} is not documented"
    assert "Raises:" in (function.__doc__ or "") and ">>>" in (function.__doc__ or "")


@pytest.mark.parametrize("operation", EXAMPLES)
def test_what_is_not_given_is_the_models_own_default(operation: str) -> None:
    positions, _ = EXAMPLES[operation]
    names = list(inspect.signature(function_of(operation)).parameters)
    spelled = function_of(operation)(*positions)
    bare = wavesmith.predict(operation, **dict(zip(names, positions, strict=False)))
    without = [{**one.to_dict(), "arguments": None} for one in (spelled, bare)]
    assert without[0] == without[1]


@pytest.mark.representative
@pytest.mark.parametrize(
    "module",
    ["_predict", *(f"_predict._{part}" for part in ("prediction", "matrix", "attention", "memory", "libraries"))],
)
def test_the_examples_of_the_documentation_are_true(module: str) -> None:
    found = doctest.testmod(importlib.import_module(f"wavesmith.{module}"), extraglobs={"wavesmith": wavesmith})
    assert found.attempted > 0 and found.failed == 0


@pytest.mark.representative
def test_types_are_named_as_any_package_does() -> None:
    for word, types in {
        "f16": (np.float16, np.dtype("float16"), "float16"),
        "bf16": (ml_dtypes.bfloat16, np.dtype(ml_dtypes.bfloat16)),
        "f8": (ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e4m3fnuz, ml_dtypes.float8_e5m2, ml_dtypes.float8_e5m2fnuz),
    }.items():
        expected = wavesmith.predict.gemm(512, 512, 512, dtype=word)
        for dtype in types:
            assert wavesmith.predict.gemm(512, 512, 512, dtype=dtype).seconds == expected.seconds, dtype
            assert wavesmith.predict("gemm", m=512, n=512, k=512, dtype=dtype).seconds == expected.seconds, dtype
    with pytest.raises(wavesmith.BadInputError, match="known are"):
        wavesmith.predict.gemm(512, 512, 512, dtype=object())


@pytest.mark.representative
def test_a_prediction_is_a_frozen_row() -> None:
    got = wavesmith.predict.gemm(512, 384, 256, gpu="mi355x")
    row = got.to_row()
    assert (row["m"], row["dtype"], row["gpu"], row["seconds"]) == (512, "bf16", "mi355x", got.seconds)
    assert row["expected_error"] == got.expected_error and got.judged and row["judged_rows"] == got.judged.rows
    assert got.flops_per_byte == got.flops / got.bytes
    with pytest.raises(dataclasses.FrozenInstanceError):
        got.seconds = 1.0  # type: ignore[misc]
    got.to_dict()["arguments"].clear()
    assert got.to_dict()["arguments"]
    with pytest.raises(wavesmith.NotFoundError, match="there are LDS"):
        got.level("L7")


@pytest.mark.representative
def test_no_argument_hides_a_figure() -> None:
    figures = set(wavesmith.predict.copy(4096).to_row()) - {"bytes", "what"}
    for operation in OPERATIONS.values():
        assert not figures & {parameter.name for parameter in operation.parameters}, operation.name


@pytest.mark.representative
def test_a_table_has_the_gpus_of_each_shape_side_by_side() -> None:
    gpus = ["mi300x", "mi355x"]
    named = wavesmith.predict.table("gemm", [{"m": m, "n": 512, "k": 256} for m in (16, 64)], gpu=gpus, dtype="f16")
    table = wavesmith.predict.table("gemm", [(m, 512, 256) for m in (16, 64)], gpu=gpus, dtype="f16")
    assert table == named and len(table) == 4
    assert [(one.gpu, one.arguments["m"]) for one in table] == [
        ("mi300x", "16"),
        ("mi355x", "16"),
        ("mi300x", "64"),
        ("mi355x", "64"),
    ]
    assert table[0].seconds == wavesmith.predict.gemm(16, 512, 256, dtype="f16").seconds
    assert table.to_rows() == [one.to_row() for one in table]
    assert list(table.to_frame()["seconds"]) == [one.seconds for one in table]
    assert len(wavesmith.predict.table("delta-rule", [(8, 32)], warm=True, clock=1500)) == 1
    assert wavesmith.predict.table("copy", []).to_rows() == []


@pytest.mark.representative
def test_a_table_keeps_what_can_be_predicted() -> None:
    shapes = [{"m": 16, "n": 16, "k": 16}, {"m": 0, "n": 16, "k": 16}]
    with pytest.raises(wavesmith.BadInputError):
        wavesmith.predict.table("gemm", shapes)
    table = wavesmith.predict.table("gemm", shapes, keep_refused=True)
    assert len(table) == 1 and [one.parameters for one in table.refused] == [shapes[1]]
    assert isinstance(table.refused[0].error, wavesmith.BadInputError)
    with pytest.raises(wavesmith.BadInputError):
        wavesmith.predict.table("gemm", shapes[1:], keep_refused=True)


@pytest.mark.representative
def test_a_table_says_what_is_wrong() -> None:
    with pytest.raises(wavesmith.NotFoundError, match="modelled are gemm"):
        wavesmith.predict.table("gem", [(1, 2, 3)])
    with pytest.raises(wavesmith.BadInputError, match="its positions are m, n, k"):
        wavesmith.predict.table("gemm", [(1, 2, 3, 4)])


@pytest.mark.representative
def test_pandas_is_not_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "pandas", None)
    table = wavesmith.predict.table("copy", [(4096,)])
    assert table.to_rows()
    with pytest.raises(wavesmith.ClientError, match="pandas"):
        table.to_frame()
