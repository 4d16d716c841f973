"""Gradients of the operators.

Those of norms, softmax, gates and attention are kernels, whose operators' names begin with "_". Kernels have no
gradient of their own: where a second one is asked for, and in all other operators, gradients are composed of PyTorch's
operators and of ours on the same device, in float32.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from wavesmith.torch.library import _attention_gradient, _gemm_gradient
from wavesmith.torch.library._activations import derivative, value

_ops = torch.ops.wavesmith


def _rows_to(gradient: Tensor, like: Tensor) -> Tensor:
    """The sum over all dimensions but the last, in a vector's type."""
    return gradient.reshape(-1, gradient.shape[-1]).sum(0).to(like.dtype)


def by_kernel() -> bool:
    """Whether nobody asks for the gradient of a gradient (`create_graph`)."""
    return not torch.is_grad_enabled()


# RMSNorm and LayerNorm, with and without a residual.


def _setup_norm(ctx: Any, inputs: Any, keyword_only_inputs: Any, output: Any) -> None:
    x, weight, bias, _ = inputs
    _save_norm(ctx, x, weight, bias, x.dtype, output.dtype, keyword_only_inputs)


def _setup_add_norm(ctx: Any, inputs: Any, keyword_only_inputs: Any, output: Any) -> None:
    x, residual, weight, bias, _ = inputs
    ctx.set_materialize_grads(False)
    ctx.residual_dtype = residual.dtype
    _save_norm(ctx, output[1], weight, bias, x.dtype, output[0].dtype, keyword_only_inputs)


def _save_norm(ctx: Any, of: Tensor, weight: Any, bias: Any, dtype: Any, result: Any, words: dict[str, Any]) -> None:
    ctx.save_for_backward(of, weight, bias)
    ctx.dtype, ctx.quantised = dtype, result.itemsize == 1
    ctx.epsilon, ctx.offset = words["epsilon"], words["weight_offset"]


def _norm_gradients(ctx: Any, gradient: Tensor, added: Tensor | None, centred: bool) -> tuple[Any, Any, Any]:
    """Of x, in its type or float32, the weight and the bias; `added` is what else x's grows by."""
    if ctx.quantised:
        raise RuntimeError("wavesmith: a norm whose result is quantised has no gradient")
    x, weight, bias = ctx.saved_tensors
    if by_kernel():
        of_x, *vectors = _ops._norm_backward(
            gradient.contiguous(),
            x,
            weight,
            bias,
            None if added is None else added.contiguous(),
            epsilon=ctx.epsilon,
            weight_offset=ctx.offset,
            centred=centred,
            dtype=ctx.dtype,
        )
        return of_x, *(None if of is None else one for of, one in zip((weight, bias), vectors, strict=True))
    x, above = x.float(), gradient.float()
    if centred:
        x = x - x.mean(-1, keepdim=True)
    factor = torch.rsqrt(x.square().mean(-1, keepdim=True) + ctx.epsilon)
    normal = x * factor
    scaled = above if weight is None else above * (weight.float() + ctx.offset)
    inner = scaled - normal * (scaled * normal).mean(-1, keepdim=True)
    if centred:
        inner = inner - scaled.mean(-1, keepdim=True)
    of_x = inner * factor
    return (
        of_x if added is None else of_x + added.float(),
        None if weight is None else _rows_to(above * normal, weight),
        None if bias is None else _rows_to(above, bias),
    )


def _norm_backward(centred: bool) -> Callable[..., Any]:
    def backward(ctx: Any, gradient: Tensor) -> Any:
        of_x, of_weight, of_bias = _norm_gradients(ctx, gradient, None, centred)
        return of_x.to(ctx.dtype), of_weight, of_bias, None

    return backward


def _add_norm_backward(centred: bool) -> Callable[..., Any]:
    def backward(ctx: Any, gradient: Tensor | None, of_sum: Tensor | None) -> Any:
        if gradient is None:
            gradient = torch.zeros_like(ctx.saved_tensors[0])
        of_x, of_weight, of_bias = _norm_gradients(ctx, gradient, of_sum, centred)
        return of_x.to(ctx.dtype), of_x.to(ctx.residual_dtype), of_weight, of_bias, None

    return backward


# Softmax.


def _setup_softmax(ctx: Any, inputs: Any, keyword_only_inputs: Any, output: Any) -> None:
    ctx.save_for_backward(output)
    ctx.dtype = inputs[0].dtype
    ctx.scale, ctx.logarithm = keyword_only_inputs["scale"], keyword_only_inputs["logarithm"]


def _softmax_backward(ctx: Any, gradient: Tensor) -> Tensor:
    (y,) = ctx.saved_tensors
    if by_kernel():
        return _ops._softmax_backward(
            gradient.contiguous(), y, scale=ctx.scale, logarithm=ctx.logarithm, dtype=ctx.dtype
        )
    y, above = y.float(), gradient.float()
    if ctx.logarithm:
        result = above - y.exp() * above.sum(-1, keepdim=True)
    else:
        result = y * (above - (above * y).sum(-1, keepdim=True))
    return (ctx.scale * result).to(ctx.dtype)


# Gated activations.


def _setup_gated(ctx: Any, inputs: Any, keyword_only_inputs: Any, output: Any) -> None:
    gate, up, _ = inputs
    ctx.save_for_backward(gate, up)
    ctx.activation, ctx.quantised = keyword_only_inputs["activation"], output.dtype.itemsize == 1


def _gated_backward(ctx: Any, gradient: Tensor) -> Any:
    if ctx.quantised:
        raise RuntimeError("wavesmith: a gate whose result is quantised has no gradient")
    gate, up = ctx.saved_tensors
    if by_kernel():
        of_gate, of_up = _ops._gated_backward(gradient.contiguous(), gate, up, activation=ctx.activation)
        return of_gate, None if up is None else of_up, None
    first, second = gate.float().chunk(2, -1) if up is None else (gate.float(), up.float())
    above = gradient.float()
    of_gate = above * second * derivative(ctx.activation, first)
    of_up = above * value(ctx.activation, first)
    if up is None:
        return torch.cat((of_gate, of_up), -1).to(gate.dtype), None, None
    return of_gate.to(gate.dtype), of_up.to(up.dtype), None


# Rotary embedding: turning back.


def _setup_rope(ctx: Any, inputs: Any, keyword_only_inputs: Any, output: Any) -> None:
    x, cosines, sines, positions = inputs
    ctx.save_for_backward(cosines, sines, positions)
    ctx.dtype = x.dtype
    ctx.words = {name: keyword_only_inputs[name] for name in ("first_position", "interleaved")}


def _rope_backward(ctx: Any, gradient: Tensor) -> Any:
    if any(ctx.needs_input_grad[1:3]):
        raise RuntimeError("wavesmith: rope has no gradient of its cosines and sines")
    cosines, sines, positions = ctx.saved_tensors
    turned = _ops.rope(gradient.contiguous(), cosines, sines.neg(), positions, dtype=ctx.dtype, **ctx.words)
    return turned, None, None, None


# Elementwise functions.

_OF_ONE: dict[str, Callable[[Tensor, Tensor], Tensor]] = {
    "negate": lambda x, y: torch.full_like(x, -1.0),
    "absolute": lambda x, y: torch.sign(x),
    "exp": lambda x, y: y,
    "log": lambda x, y: 1 / x,
    "sqrt": lambda x, y: 0.5 / y,
    "reciprocal_root": lambda x, y: -0.5 * y / x,
    "tanh": lambda x, y: 1 - y * y,
    "sigmoid": lambda x, y: y * (1 - y),
    "relu": lambda x, y: derivative("relu", x),
    "gelu": lambda x, y: derivative("gelu", x),
    "silu": lambda x, y: derivative("silu", x),
    "square": lambda x, y: 2 * x,
}
_OF_TWO: dict[str, Callable[[Tensor, Tensor], tuple[Any, Any]]] = {
    "add": lambda x, z: (1.0, 1.0),
    "subtract": lambda x, z: (1.0, -1.0),
    "multiply": lambda x, z: (z, x),
    "divide": lambda x, z: (1 / z, -x / (z * z)),
    "minimum": lambda x, z: ((x < z) + 0.5 * (x == z), (z < x) + 0.5 * (x == z)),
    "maximum": lambda x, z: ((x > z) + 0.5 * (x == z), (z > x) + 0.5 * (x == z)),
}


def _setup_elementwise(ctx: Any, inputs: Any, keyword_only_inputs: Any, output: Any) -> None:
    x, z = inputs
    ctx.save_for_backward(x, z, output)
    ctx.operation, ctx.alpha, ctx.beta = (keyword_only_inputs[name] for name in ("operation", "alpha", "beta"))


def _elementwise_backward(ctx: Any, gradient: Tensor) -> Any:
    x, z, y = ctx.saved_tensors
    above, scaled = gradient.float(), ctx.alpha * x.float()
    if ctx.operation in _OF_ONE:
        return (ctx.alpha * above * _OF_ONE[ctx.operation](scaled, y.float())).to(x.dtype), None
    of_x, of_z = _OF_TWO[ctx.operation](scaled, ctx.beta * z.float())
    return (ctx.alpha * above * of_x).to(x.dtype), (ctx.beta * above * of_z).sum_to_size(z.shape).to(z.dtype)


# Reductions.


def _setup_reduce(ctx: Any, inputs: Any, keyword_only_inputs: Any, output: Any) -> None:
    ctx.save_for_backward(inputs[0], output)
    ctx.reduction, ctx.dim = keyword_only_inputs["reduction"], keyword_only_inputs["dim"]


def _reduce_backward(ctx: Any, gradient: Tensor) -> Tensor:
    x, y = ctx.saved_tensors
    above, y = (one.float() if ctx.dim is None else one.float().unsqueeze(ctx.dim) for one in (gradient, y))
    if ctx.reduction in ("maximum", "minimum"):  # shared by those that are equal, as amax does
        chosen = (x.float() == y).float()
        dims = list(range(x.dim())) if ctx.dim is None else [ctx.dim]
        return (above * chosen / chosen.sum(dims, keepdim=True)).to(x.dtype)
    if ctx.reduction == "sum_of_squares":
        return (2 * above * x.float()).to(x.dtype)
    count = (math.prod(x.shape) if ctx.dim is None else x.shape[ctx.dim]) if ctx.reduction == "mean" else 1
    return (above / count).expand(x.shape).to(x.dtype)


# Copies.


def _setup_copy(ctx: Any, inputs: Any, keyword_only_inputs: Any, output: Any) -> None:
    ctx.dtype = inputs[0].dtype


def register(library: torch.library.Library) -> None:
    """Registers them."""

    def of(name: str, setup: Callable[..., None], backward: Callable[..., Any]) -> None:
        torch.library.register_autograd(f"wavesmith::{name}", backward, setup_context=setup, lib=library)

    for name, centred in (("rms_norm", False), ("layer_norm", True)):
        of(name, _setup_norm, _norm_backward(centred))
        of(f"add_{name}", _setup_add_norm, _add_norm_backward(centred))
    of("softmax", _setup_softmax, _softmax_backward)
    of("gated", _setup_gated, _gated_backward)
    of("rope", _setup_rope, _rope_backward)
    of("elementwise", _setup_elementwise, _elementwise_backward)
    of("reduce", _setup_reduce, _reduce_backward)
    of("transpose", _setup_copy, lambda ctx, gradient: gradient.mT.to(ctx.dtype))
    of("copy", _setup_copy, lambda ctx, gradient: gradient.to(ctx.dtype))
    of("gemm", _gemm_gradient.setup, _gemm_gradient.backward)
    of("attention", _attention_gradient.setup, _attention_gradient.backward)
