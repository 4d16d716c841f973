"""Each layer that takes the place of vLLM's, against vLLM's own on the CPU in float32, and what is refused."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import torch
from vllm import ir
from vllm.config import VllmConfig, set_current_vllm_config
from vllm.model_executor.layers import activation, layernorm, linear
from vllm.model_executor.layers.rotary_embedding import get_rope

import wavesmith

DEVICE = torch.device("wavesmith:0")
#: A few roundings of bfloat16, of numbers of a few units.
CLOSE = {"rtol": 2.0**-6, "atol": 2.0**-6}


@pytest.fixture(autouse=True)
def _settings() -> Iterator[None]:
    torch.manual_seed(7)
    with set_current_vllm_config(VllmConfig()):
        yield


def close(ours: torch.Tensor, theirs: torch.Tensor) -> None:
    assert ours.device == DEVICE and ours.dtype == torch.bfloat16
    torch.testing.assert_close(ours.cpu().float(), theirs, **CLOSE)


def random(*shape: int) -> torch.Tensor:
    return torch.randn(shape).bfloat16()


@pytest.mark.parametrize(
    ("made", "columns"),
    [
        (lambda: activation.SiluAndMul(), 130),
        (lambda: activation.GeluAndMul(approximate="tanh"), 64),
        (lambda: activation.GELUTanh(), 33),
        (lambda: activation.NewGELU(), 33),
        (lambda: activation.FastGELU(), 33),
    ],
    ids=["silu_and_mul", "gelu_and_mul", "gelu_tanh", "gelu_new", "gelu_fast"],
)
def test_activations(made: object, columns: int) -> None:
    layer = made()  # type: ignore[operator]
    assert type(layer).__name__.startswith("Wavesmith")
    x = random(9, columns)
    close(layer(x.to(DEVICE)), layer.forward_native(x.float()))


def test_gelu_by_erf_is_refused() -> None:
    with pytest.raises(wavesmith.UnsupportedError, match="the approximation by tanh alone"):
        activation.GeluAndMul(approximate="none")(random(2, 8).to(DEVICE))


@pytest.mark.parametrize("shape", [(5, 200), (3, 4, 64)])
def test_rms_norm(shape: tuple[int, ...]) -> None:
    """Also of heads that lie in a larger array."""
    x, weight = random(*shape[:-1], 2 * shape[-1])[..., : shape[-1]], random(shape[-1])
    with ir.ops.rms_norm.set_priority(["wavesmith"]):
        ours = ir.ops.rms_norm(x.to(DEVICE), weight.to(DEVICE), 1e-5)
        with pytest.raises(wavesmith.UnsupportedError, match="the first 8 columns has no kernel"):
            ir.ops.rms_norm(x.to(DEVICE), None, 1e-5, 8)
    close(ours, ir.ops.rms_norm.impls["native"].impl_fn(x.float(), weight.float(), 1e-5))


def test_add_rms_norm() -> None:
    x, residual, weight = random(5, 200), random(5, 200), random(200)
    with ir.ops.fused_add_rms_norm.set_priority(["wavesmith"]):
        ours, summed = ir.ops.fused_add_rms_norm.maybe_inplace(
            x.to(DEVICE), residual.to(DEVICE), weight.to(DEVICE), 1e-5
        )
    theirs, want = ir.ops.fused_add_rms_norm.impls["native"].impl_fn(x.float(), residual.float(), weight.float(), 1e-5)
    close(ours, theirs)
    close(summed, want)


@pytest.mark.parametrize("bias", [False, True])
def test_layer_norm(bias: bool) -> None:
    layer = layernorm.LayerNorm(96, bias=bias, dtype=torch.bfloat16)
    torch.nn.init.normal_(layer.weight)
    x = random(7, 96)
    theirs = torch.nn.functional.layer_norm(
        x.float(), (96,), layer.weight.float(), layer.bias.float() if bias else None
    )
    close(layer.to(DEVICE)(x.to(DEVICE)), theirs)


@pytest.mark.parametrize("neox", [True, False])
@pytest.mark.parametrize("part", [1.0, 0.5])
@pytest.mark.parametrize("kind", ["default", "linear", "llama3", "yarn", "dynamic"])
def test_rotary(neox: bool, part: float, kind: str) -> None:
    more = {
        "llama3": {"low_freq_factor": 1.0, "high_freq_factor": 4.0, "original_max_position_embeddings": 32},
        "yarn": {"original_max_position_embeddings": 32},
    }.get(kind, {})
    parameters = {"rope_type": kind, "rope_theta": 10000.0, "factor": 4.0, "partial_rotary_factor": part} | more
    layer = get_rope(64, 64, neox, parameters, torch.bfloat16)
    assert type(layer).__name__.startswith("Wavesmith")
    tokens, heads = 6, 3
    qkv = random(tokens, (heads + 2) * 64)
    positions = torch.randint(0, 64, (tokens,))
    query, key = qkv[:, : heads * 64], qkv[:, heads * 64 : (heads + 1) * 64]
    table = layer.cos_sin_cache.float()
    theirs = layer.forward_static(positions, query.float(), key.float(), 64, layer.rotary_dim, table, neox)
    there = qkv.to(DEVICE)
    ours = layer.to(DEVICE)(positions.to(DEVICE), there[:, : heads * 64], there[:, heads * 64 : (heads + 1) * 64])
    for one, other in zip(ours, theirs, strict=True):
        close(one, other)


@pytest.mark.parametrize("bias", [False, True])
def test_linear(bias: bool, parallel_state: None) -> None:
    layer = linear.ReplicatedLinear(160, 96, bias=bias, params_dtype=torch.bfloat16, return_bias=False)
    for parameter in layer.parameters():
        torch.nn.init.normal_(parameter, std=160**-0.5)
    x = random(3, 7, 160)
    theirs = torch.nn.functional.linear(x.float(), layer.weight.float(), layer.bias.float() if bias else None)
    close(layer.to(DEVICE)(x.to(DEVICE)), theirs)
