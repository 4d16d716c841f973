"""Norms, gated activations and elementwise functions by AITER's names."""

from __future__ import annotations

import torch
from torch import Tensor

from wavesmith import ops
from wavesmith.aiter._refusals import none

_ops = torch.ops.wavesmith


# Norms.


def rms_norm(input: Tensor, weight: Tensor, epsilon: float, use_model_sensitive_rmsnorm: int = 0) -> Tensor:
    """RMSNorm over the last dimension."""
    return _ops.rms_norm(input, weight, epsilon=epsilon)


rmsnorm2d_fwd = rms_norm


def rms_norm_cu(out: Tensor, input: Tensor, weight: Tensor, epsilon: float) -> None:
    """`rms_norm` into `out`."""
    _ops.rms_norm.out(input, weight, epsilon=epsilon, out=out)


def rmsnorm2d_fwd_with_add(
    out: Tensor,
    input: Tensor,
    residual_in: Tensor,
    residual_out: Tensor,
    weight: Tensor,
    epsilon: float,
    use_model_sensitive_rmsnorm: int = 0,
) -> None:
    """RMSNorm of input + residual_in, which becomes residual_out."""
    _ops.add_rms_norm.out(input, residual_in, weight, epsilon=epsilon, out=out, sum=residual_out)


def fused_add_rms_norm_cu(input: Tensor, residual_in: Tensor, weight: Tensor, epsilon: float) -> None:
    """`rmsnorm2d_fwd_with_add` in place of the input and the residual."""
    _ops.add_rms_norm.out(input, residual_in, weight, epsilon=epsilon, out=input, sum=residual_in)


def rmsnorm2d_fwd_with_dynamicquant(
    out: Tensor, input: Tensor, yscale: Tensor, weight: Tensor, epsilon: float, use_model_sensitive_rmsnorm: int = 0
) -> None:
    """RMSNorm, quantised with a scale per row."""
    _ops.rms_norm_quantise.out(
        input, weight, epsilon=epsilon, dtype=out.dtype, out=out, scales=yscale.view(*input.shape[:-1], 1)
    )


def rmsnorm2d_fwd_with_add_dynamicquant(
    out: Tensor,
    input: Tensor,
    residual_in: Tensor,
    residual_out: Tensor,
    yscale: Tensor,
    weight: Tensor,
    epsilon: float,
    use_model_sensitive_rmsnorm: int = 0,
) -> None:
    """RMSNorm of input + residual_in, quantised with a scale per row."""
    _ops.add_rms_norm_quantise.out(
        input,
        residual_in,
        weight,
        epsilon=epsilon,
        dtype=out.dtype,
        out=out,
        sum=residual_out,
        scales=yscale.view(*input.shape[:-1], 1),
    )


def layer_norm(
    input: Tensor,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    epsilon: float = 1e-5,
    x_bias: Tensor | None = None,
) -> Tensor:
    """LayerNorm over the last dimension."""
    none("layer_norm", x_bias=x_bias)
    return _ops.layer_norm(input, weight, bias, epsilon=epsilon)


layernorm2d_fwd = layer_norm


def layernorm2d_fwd_with_add(
    out: Tensor,
    input: Tensor,
    residual_in: Tensor,
    residual_out: Tensor,
    weight: Tensor,
    bias: Tensor,
    epsilon: float,
    x_bias: Tensor | None = None,
) -> None:
    """LayerNorm of input + residual_in, which becomes residual_out."""
    none("layernorm2d_fwd_with_add", x_bias=x_bias)
    _ops.add_layer_norm.out(input, residual_in, weight, bias, epsilon=epsilon, out=out, sum=residual_out)


# Activations.


def silu_and_mul(out: Tensor, input: Tensor) -> None:
    """silu(the first half of the last dimension) * the second."""
    _ops.gated.out(input, activation="silu", out=out)


def gelu_tanh_and_mul(out: Tensor, input: Tensor) -> None:
    """The same with gelu's approximation by tanh."""
    _ops.gated.out(input, activation="gelu", out=out)


def gelu_and_mul(out: Tensor, input: Tensor) -> None:
    """The same with gelu itself, by PyTorch's operator."""
    gate, up = input.chunk(2, -1)
    _ops.gated.out(torch.nn.functional.gelu(gate), up, activation="none", out=out)


# Elementwise functions.


def add(input: Tensor, other: Tensor) -> Tensor:
    """The sum."""
    return ops.elementwise("add", input, other)


def sub(input: Tensor, other: Tensor) -> Tensor:
    """The difference."""
    return ops.elementwise("subtract", input, other)


def mul(input: Tensor, other: Tensor) -> Tensor:
    """The product."""
    return ops.elementwise("multiply", input, other)


def div(input: Tensor, other: Tensor) -> Tensor:
    """The quotient."""
    return ops.elementwise("divide", input, other)


def sigmoid(input: Tensor) -> Tensor:
    """1 / (1 + exp(-input))."""
    return ops.elementwise("sigmoid", input)


def tanh(input: Tensor) -> Tensor:
    """The hyperbolic tangent."""
    return ops.elementwise("tanh", input)
