"""Gradients of every operator that the namespace has: right within a bound, or refused.

Kernels have no float64, which PyTorch's `gradcheck` asks for, so each operator is checked twice:

- its results and gradients against those of a formula in float64, which `gradcheck` finds right as it is meant to be
  used. This says how accurate a gradient is.
- by `gradcheck` itself, with a step and a bound for float32. This takes no formula for granted, and sees what else
  PyTorch wants of a gradient: that of results of which one is not used, and batches of gradients by vmap.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import pytest
import torch
from gradient_cases import cases
from operator_references import REFERENCES
from operators_data import Call, calls, names, ops, results_given
from torch import Tensor

import wavesmith

#: Of the largest element of a result or gradient. Float32: sums have at most 48 terms, none larger than a few times the
#: largest sum, and what they are of is rounded some ten times, to 2^-24: 2^-19 is 32 roundings. Of 16 bits: a result or
#: gradient is rounded to 2^-11, as is the gradient of a product before the two products of it: 2^-9 is four.
ACCURATE = {torch.float32: 2.0**-19, torch.float16: 2.0**-9}

#: Each gradient of attention has a sum of products with a head's 32 results, each rounded to 2^-11.
ACCURATE_ATTENTION = 32 * 2.0**-11

#: Step and bound of numeric derivatives: of two results, each off by r, at a distance of 2h, the slope is off by r/h,
#: and by h^2/6 of the third derivative, which is at most 16 here. Float32: r is 2^-21, so both are below 2^-12. Of 16
#: bits: the step leaves inputs exact; r is 2^-11 times a result of at most 4, so the slope is off by 2^-5 at most, and
#: less by the third derivative, which the scale of attention makes small.
STEPS = {torch.float32: (2.0**-7, 2.0**-10), torch.float16: (2.0**-4, 2.0**-4)}


def _tuple(results: Any) -> tuple[Any, ...]:
    return results if isinstance(results, tuple) else (results,)


def _wanted(call: Call) -> list[int]:
    return [i for i, arg in enumerate(call.args) if isinstance(arg, Tensor) and arg.requires_grad]


def _function(call: Call, *, exact: bool) -> tuple[Callable[..., Any], tuple[Tensor, ...]]:
    """The operator, or its formula in float64, as a function of what wants a gradient; and these inputs."""
    where = _wanted(call)

    def moved(arg: Any) -> Any:
        if not isinstance(arg, Tensor):
            return arg
        arg = arg.detach().cpu()
        return arg.double() if arg.is_floating_point() else arg

    args = [moved(arg) for arg in call.args] if exact else list(call.args)
    words = {name: word for name, word in call.kwargs.items() if not (exact and name == "dtype")}
    types = [call.args[i].dtype for i in where]

    def function(*inputs: Tensor) -> Any:
        for i, one, dtype in zip(where, inputs, types, strict=True):
            args[i] = one if exact else one.to(dtype)
        results = (REFERENCES[call.name] if exact else call.op)(*args, **words)
        return results if exact else tuple(one.float() for one in _tuple(results))

    wide = torch.float64 if exact else torch.float32
    return function, tuple(args[i].detach().to(wide).requires_grad_() for i in where)


def _weighted(results: tuple[Tensor, ...]) -> Tensor:
    """Their sum with weights that are random and the same each time."""
    generator = torch.Generator().manual_seed(1)
    weights = [torch.randn(one.shape, generator=generator).to(one) for one in results]
    return torch.stack([(one * weight).sum() for one, weight in zip(results, weights, strict=True)]).sum()


def _with_gradients(call: Call, *, exact: bool) -> tuple[list[Tensor], list[Tensor]]:
    """Results, and gradients of their weighted sum."""
    function, inputs = _function(call, exact=exact)
    results = _tuple(function(*inputs))
    return [one.detach() for one in results], list(torch.autograd.grad(_weighted(results), inputs))


def _close(got: Tensor, want: Tensor, relative: float) -> None:
    bound = relative * float(want.abs().max())
    torch.testing.assert_close(got.cpu().double(), want, rtol=0, atol=bound)


def _narrow(call: Call) -> torch.dtype:
    """The least accurate type of what the operator takes and gives."""
    types = [one.dtype for one in call.args if isinstance(one, Tensor)]
    return torch.float16 if torch.float16 in types else torch.float32


def differentiable() -> list[str]:
    """The operators with gradients, as the dispatcher says."""
    return [name for name in names() if name in REFERENCES]


def test_every_operator_has_a_gradient_or_refuses_it() -> None:
    """What has a gradient has a formula and cases here; anything else is among the calls that refuse."""
    for name in names():
        assert torch._C._dispatch_has_kernel_for_dispatch_key(f"wavesmith::{name}", "Autograd"), name
    assert set(REFERENCES) <= set(names())


@pytest.mark.representative
@pytest.mark.parametrize("name", differentiable())
def test_gradients_of_formulas(name: str) -> None:
    """The formulas' own, in float64."""
    for call in cases(name):
        function, inputs = _function(call, exact=True)
        assert torch.autograd.gradcheck(function, inputs, fast_mode=True)


@pytest.mark.representative
@pytest.mark.parametrize("name", differentiable())
def test_gradients_are_those_of_formulas(name: str) -> None:
    for call in cases(name):
        results, gradients = _with_gradients(call, exact=False)
        exact, exact_gradients = _with_gradients(call, exact=True)
        bound = ACCURATE_ATTENTION if name == "attention" else ACCURATE[_narrow(call)]
        for got, want in zip(results + gradients, exact + exact_gradients, strict=True):
            _close(got, want, bound)


#: The kernels that a gradient is made of, by the beginnings of their names.
KERNELS = {
    "rms_norm": {"norm_backward"},
    "layer_norm": {"norm_backward"},
    "add_rms_norm": {"norm_backward"},
    "add_layer_norm": {"norm_backward"},
    "softmax": {"softmax_backward"},
    "gated": {"gate_backward"},
    "attention": {"attention_backward"},
}


@pytest.mark.representative
@pytest.mark.parametrize("name", KERNELS)
def test_gradients_are_kernels(name: str) -> None:
    """Of the first case, whose result is of one type."""
    call = next(cases(name))
    results = _tuple(call())
    with wavesmith.profile() as profile:
        torch.autograd.grad(results[0], [call.args[i] for i in _wanted(call)], torch.ones_like(results[0]))
    ran = {row["name"] for row in profile.rows(by="kernel")}
    assert ran
    for kernel in KERNELS[name]:
        assert any(one.startswith(kernel) for one in ran), ran


@pytest.mark.representative
@pytest.mark.parametrize("name", KERNELS)
def test_second_gradients(name: str) -> None:
    """Composed, since kernels have none: those of the formulas."""
    call = next(cases(name))

    def second(*, exact: bool) -> list[Tensor]:
        function, inputs = _function(call, exact=exact)
        first = _tuple(function(*inputs))[0]
        gradients = torch.autograd.grad(_weighted((first,)), inputs, create_graph=True)
        return list(torch.autograd.grad(_weighted(gradients), inputs))

    relative = ACCURATE_ATTENTION if name == "attention" else 16 * ACCURATE[_narrow(call)]
    for got, want in zip(second(exact=False), second(exact=True), strict=True):
        _close(got, want, relative)


@pytest.mark.representative
@pytest.mark.parametrize("words", [{"softcap": 2.0}, {"causal": True, "sinks": True}])
def test_gradients_of_attention_by_both_ways(words: dict[str, Any]) -> None:
    """Heads of 64 are the kernel's; with the gradient of the log-sum-exp, here 0, they are composed."""
    q, k, v = (torch.randn(2, 70, heads, 64, device="wavesmith", dtype=torch.float16) for heads in (4, 2, 2))
    sinks = torch.randn(4, device="wavesmith") if words.get("sinks") else None
    words = {name: word for name, word in words.items() if name != "sinks"}
    inputs = [one.requires_grad_() for one in (q, k, v, sinks) if one is not None]
    out, lse = ops.attention(q, k, v, None, sinks, **words)
    above = torch.randn_like(out)
    with wavesmith.profile() as profile:
        by_kernel = torch.autograd.grad(out, inputs, above, retain_graph=True)
    assert any(row["name"].startswith("attention_backward") for row in profile.rows(by="kernel"))
    composed = torch.autograd.grad((out, lse), inputs, (above, torch.zeros_like(lse)))
    for got, want in zip(by_kernel, composed, strict=True):
        _close(got.float(), want.cpu().double(), 2.0**-7)


@pytest.mark.representative
def test_gradients_outside_of_sequences() -> None:
    """What a packed call does not reach has the gradient 0, whatever its results were."""
    q, k, v = (torch.randn(9, 2, 32, device="wavesmith", dtype=torch.float16, requires_grad=True) for _ in range(3))
    ends = torch.tensor([0, 3, 7], dtype=torch.int32, device="wavesmith")
    out, _ = ops.attention(q, k, v, None, None, ends, ends)
    for gradient in torch.autograd.grad(out[:7].float().square().sum(), (q, k, v)):
        assert gradient[7:].eq(0).all() and gradient[:7].ne(0).any(-1).all()


@pytest.mark.parametrize("name", differentiable())
def test_gradcheck(name: str) -> None:
    for call in cases(name):
        function, inputs = _function(call, exact=False)
        step, bound = STEPS[_narrow(call)]
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "Input #. requires gradient and is not a double precision")
            assert torch.autograd.gradcheck(
                function, inputs, eps=step, atol=bound, rtol=bound, check_batched_grad=True
            ), call


def _floats(call: Call) -> Call:
    """With gradients of all that may have one."""
    args = [
        one.detach().requires_grad_() if isinstance(one, Tensor) and one.is_floating_point() else one
        for one in call.args
    ]
    return Call(call.name, tuple(args), call.kwargs)


@pytest.mark.representative
@pytest.mark.parametrize("name", [name for name in names() if name not in REFERENCES and "." not in name])
def test_operators_without_gradients_refuse(name: str) -> None:
    """Integers have none; other results say what is missing when it is asked for, or at once where they are written."""
    for call in calls():
        if call.name != name:
            continue
        given, missing = _floats(call), f"the derivative for 'wavesmith::{name}' is not implemented"
        if call.op._schema.is_mutable:
            with pytest.raises(RuntimeError, match=missing):
                given()
            with torch.no_grad():
                given()
            continue
        for result in _tuple(given()):
            assert result.requires_grad == (
                result.is_floating_point() and any(isinstance(one, Tensor) and one.requires_grad for one in given.args)
            )
            if result.requires_grad:
                with pytest.raises(NotImplementedError, match=missing):
                    result.backward(torch.ones_like(result), retain_graph=True)


@pytest.mark.representative
@pytest.mark.parametrize("name", [name for name in names() if name.endswith(".out")])
def test_results_that_are_given_have_no_gradient(name: str) -> None:
    base = name.removesuffix(".out")
    call = next(_floats(call) for call in calls() if call.name == base)
    if not _wanted(call):
        return  # it takes integers alone
    with torch.no_grad():
        given = results_given(call)
    with pytest.raises(RuntimeError, match=rf"{base}\(\): functions with out=\.\.\. arguments don't support"):
        call.overload("out")(*call.args, **call.kwargs, **given)


@pytest.mark.representative
def test_arguments_without_gradients_refuse() -> None:
    x = torch.randn(4, 32, device="wavesmith", requires_grad=True)
    one = torch.ones(1, device="wavesmith")
    heads, table = x.view(4, 1, 32), torch.rand(4, 8, device="wavesmith", requires_grad=True)
    eight = torch.float8_e4m3fn
    for result, text in (
        (ops.rms_norm(x, None, None, one, dtype=eight), "a norm whose result is quantised has no gradient"),
        (ops.add_layer_norm(x, x, None, None, one, dtype=eight)[0], "a norm whose result is quantised"),
        (ops.gated(x, None, one, dtype=eight), "a gate whose result is quantised has no gradient"),
        (ops.rope(heads, table, table), "rope has no gradient of its cosines and sines"),
        (ops.gemm(x, x.detach().mT, None, None, one), "gemm has a gradient without scales and types of 8 bits only"),
    ):
        with pytest.raises(RuntimeError, match=text):
            result.backward(torch.ones_like(result))
