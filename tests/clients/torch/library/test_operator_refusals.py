"""What every operator refuses: each of its tensors on another device, or of a wrong type, shape or strides.

PyTorch's words for devices; for the rest the argument's name, what was expected, and what was given.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
import torch
from operators_data import DEVICE, Call, calls, names, on, ops, results_given
from torch import Tensor

import wavesmith.ops as own

OPERATORS = [name for name in names() if "." not in name]

#: The number of a whole tensor's scale: any shape, and strides that mean nothing.
_ONE_NUMBER = {"scale", "scale_d"}


def _shorter(x: Tensor) -> Tensor:
    return x[..., :-1].contiguous()


def _longer(x: Tensor) -> Tensor:
    return torch.cat((x, x[..., :1]), -1)


def _single(x: Tensor) -> Tensor:
    """A number without dimensions, where rows may be of any shape."""
    return x.flatten()[0]


def _line(x: Tensor) -> Tensor:
    return x.flatten()


#: Where the usual wrong shape, one element less in the last dimension, is a right one: another, by argument and, where
#: it differs, operator.
_SHAPES: dict[str, Callable[[Tensor], Tensor]] = {
    "x": _single,
    "gate": _single,
    "q": _line,
    "k": _line,
    "attention.v": _line,
    "a": _line,
    "b": _line,
    "cosines": _line,
    "block_table": _line,
    "cu_seqlens_q": lambda x: x[None],
    "group_offsets": lambda x: x[None],  # of groups along k any number will do
    "dequantise.q": _single,
    "transpose.x": _line,
    "copy.x": _line,
    "logits": _single,
    "draft_tokens": _line,
    "target_probabilities": _line,
    "k_scale": _longer,
    "v_scale": _longer,
}


def _strided(x: Tensor) -> Tensor:
    """The same with a gap between elements, and between rows, so that neither lines nor columns are contiguous."""
    room = torch.empty(*x.shape[:-1], x.shape[-1] * 2, dtype=x.dtype, device=x.device)[..., ::2]
    return room.copy_(x)


def _with(call: Call, index: int, tensor: Tensor) -> None:
    call.op(*call.args[:index], tensor, *call.args[index + 1 :], **call.kwargs)


def _each(name: str) -> list[tuple[Call, str, int, Tensor]]:
    """The tensors of an operator's calls."""
    return [(call, *one) for call in calls() if call.name == name for one in call.tensors()]


@pytest.mark.representative
@pytest.mark.parametrize("name", OPERATORS)
def test_devices(name: str) -> None:
    error: type[Exception]
    for call, argument, index, tensor in _each(name):
        if len(call.tensors()) == 1:
            error, text = (
                NotImplementedError,
                f"Could not run 'wavesmith::{name}' with arguments from the 'CPU' backend",
            )
        elif index == 0:  # the device that others should be of, and are not
            error = RuntimeError
            text = "on the same device, but found at least two devices, cpu and wavesmith:0!"
        else:
            found = "at least two devices, wavesmith:0 and cpu!"
            text = f"all tensors to be on the same device, but found {found} (when checking argument {argument})"
            error = RuntimeError
        with pytest.raises(error, match=re.escape(text)):
            _with(call, index, tensor.cpu())


@pytest.mark.representative
@pytest.mark.parametrize("name", OPERATORS)
def test_types(name: str) -> None:
    """Float64, which no kernel has, and 16-bit integers, which take neither the place of floats nor of 32 bits."""
    for call, argument, index, tensor in _each(name):
        for dtype in (torch.float64, torch.int16):
            expected = rf"expected {argument} (to have dtype \w+|of a type that the kernels have), but got "
            with pytest.raises(RuntimeError, match=expected + {torch.float64: "Double", torch.int16: "Short"}[dtype]):
                _with(call, index, on(tensor.cpu().float(), dtype))


@pytest.mark.representative
@pytest.mark.parametrize("name", OPERATORS)
def test_shapes(name: str) -> None:
    for call, argument, index, tensor in _each(name):
        wrong = _SHAPES.get(f"{name}.{argument}") or _SHAPES.get(argument) or _shorter
        with pytest.raises(RuntimeError, match=rf"wavesmith::{name}: expected {argument} to (have|be) .*but "):
            _with(call, index, wrong(tensor))


@pytest.mark.representative
@pytest.mark.parametrize("name", OPERATORS)
def test_strides(name: str) -> None:
    for call, argument, index, tensor in _each(name):
        if argument in _ONE_NUMBER or (argument.startswith("block_scale") and "gemm" in name):
            continue  # the strides of blocks' scales are the product's to take
        if argument in ("k_scale", "v_scale") and tensor.dim() == 3:
            continue  # scales of positions may have any
        rows = rf"the rows (or the columns )?of {argument}|{argument}"
        with pytest.raises(RuntimeError, match=rf"expected ({rows}) to (be|have) .*strides .*\["):
            _with(call, index, _strided(tensor))


@pytest.mark.representative
@pytest.mark.parametrize("name", [name for name in names() if name.endswith(".out")])
def test_results_that_are_given(name: str) -> None:
    base = name.removesuffix(".out")
    call = next(call for call in calls() if call.name == base)
    right = results_given(call)
    for argument, result in right.items():
        for wrong, text in (
            (result.cpu(), rf"same device.*wavesmith:0 and cpu! \(when checking argument {argument}\)"),
            (torch.empty(result.shape, dtype=torch.float64, device=DEVICE), f"expected (dtype|{argument}) .*Double"),
            (_longer(result), rf"expected {argument} to have shape \["),
            (_strided(result), rf"expected (the rows or the columns of )?{argument} to be contiguous"),
        ):
            if wrong.shape == result.shape and wrong.stride() != result.stride() and result.numel() == 1:
                continue  # strides of a single element mean nothing
            with pytest.raises(RuntimeError, match=text):
                call.overload("out")(*call.args, **call.kwargs, **{**right, argument: wrong})


@pytest.mark.representative
def test_words_and_what_fits_together() -> None:
    x, weight = on(torch.randn(4, 32)), on(torch.randn(32))
    heads = on(torch.randn(2, 3, 4, 32), torch.float16)
    every: tuple[tuple[Callable[[], Any], str], ...] = (
        (lambda: own.rms_norm(x, dtype=torch.float64), "expected dtype to be a type"),
        (lambda: own.rms_norm(x, dtype=torch.int8, scaling="column"), "scaling to be one of 'matrix', 'row'"),
        (lambda: own.gemm(x, x), r"shapes \(m, k\) and \(k, n\), but got \[4, 32\] and \[4, 32\]"),
        (lambda: own.gemm(x, x.t(), weight), r"expected bias to have shape \[4\], but got \[32\]"),
        (lambda: own.gemm(x, x.t().half()), "wavesmith::gemm: "),
        (lambda: own.gemm(x[:, ::2], x[:, ::2].t()), "expected the rows or the columns of a to be contiguous"),
        (lambda: own.attention(heads, heads, heads[:, :2]), r"expected v to have shape \[2, 3, 4, 32\]"),
        (lambda: own.attention(heads, heads.bfloat16(), heads), "expected k to have dtype Half, but got BFloat16"),
        (lambda: own.attention(heads.float(), heads.float(), heads.float()), "wavesmith::attention: "),
        (lambda: own.rope(x, x, x), r"expected x to have shape \(tokens, heads, elements\)"),
        (lambda: own.gated(x[:, :31].contiguous()), "expected the last dimension of gate to be two halves"),
        (lambda: own.reduce(on(torch.randn(2, 3, 4)), dim=1), "expected dim to be the last one"),
        (lambda: own.elementwise("add", x, weight[:7]), "expected z to have the shape of x"),
        (lambda: ops.softmax.out(x, out=x[:2]), r"expected out to have shape \[4, 32\], but got \[2, 32\]"),
    )
    for call, text in every:
        with pytest.raises(RuntimeError, match=text):
            call()
