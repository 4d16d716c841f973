"""Weights, activations and caches of float8, against transformers with the same numbers rounded."""

from __future__ import annotations

import copy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import models
import pytest
import torch
from conftest import Generate, Generated, Model
from test_generation import of_reference
from transformers.models.llama import modeling_llama
from vllm.config import VllmConfig, set_current_vllm_config
from vllm.model_executor.layers.linear import ReplicatedLinear
from vllm.platforms import current_platform

import wavesmith
from wavesmith.vllm.quantisation import NAME, WavesmithFp8Config, WavesmithFp8LinearMethod


@pytest.fixture
def float8() -> torch.dtype:
    if not current_platform.supports_fp8():
        pytest.skip("the GPU has no float8")
    return current_platform.fp8_dtype()


def rounded(x: torch.Tensor, kind: torch.dtype) -> torch.Tensor:
    """To float8 and back, with a scale per row, as `wavesmith.kernels.quantise` says."""
    scale = x.abs().amax(-1, keepdim=True) / torch.finfo(kind).max
    return (x * (1 / scale)).to(kind).float() * scale


def agrees(generated: Generated, want: torch.Tensor) -> None:
    """Logits are those of rounded numbers; what is rounded to the other side leads away by a part of their spread."""
    error = (generated.logits - want).square().mean().sqrt().item()
    print(f"error {error}, spread {want.std().item()}")
    assert error < 0.08 * want.std().item()


@pytest.mark.parametrize("bias", [False, True])
def test_a_layer(float8: torch.dtype, bias: bool, parallel_state: None) -> None:
    """Exact products of the rounded numbers, but for the result's rounding."""
    torch.manual_seed(17)
    with set_current_vllm_config(VllmConfig()):
        layer = ReplicatedLinear(
            160, 96, bias=bias, params_dtype=torch.bfloat16, quant_config=WavesmithFp8Config(), return_bias=False
        )
    for parameter in layer.parameters():
        torch.nn.init.normal_(parameter)
    weight, added = layer.weight.data.float(), layer.bias.data.float() if bias else 0
    layer.to("wavesmith")
    layer.quant_method.process_weights_after_loading(layer)
    x = torch.randn(3, 7, 160).bfloat16()
    want = rounded(x.float(), float8).double() @ rounded(weight, float8).double().t() + added
    torch.testing.assert_close(layer(x.to("wavesmith")).cpu().double(), want, rtol=2.0**-8, atol=2.0**-9)
    assert layer.weight.dtype == float8 and layer.weight_scale.shape == (96,)


def test_weights_and_activations(model: Callable[..., Model], generate: Generate, float8: torch.dtype) -> None:
    llama = model("llama", torch.float16)
    generated = generate(llama, dtype="float16", quantization=NAME)
    reference = copy.deepcopy(llama.reference)
    for name, module in reference.named_modules():
        if isinstance(module, torch.nn.Linear) and name != "lm_head":
            module.weight.data = rounded(module.weight.data, float8)
            module.register_forward_pre_hook(lambda _, inputs: (rounded(inputs[0], float8),))
    agrees(generated, of_reference(Model(llama.folder, reference), generated))
    layers, steps = 2, 12
    assert generated.launches("gemm_e4m3") >= 4 * layers * steps
    # The weights' once.
    assert generated.launches("quantise") == 4 * layers * (steps + 1)


def test_a_checkpoint(model: Callable[..., Model], generate: Generate, float8: torch.dtype, tmp_path: Path) -> None:
    """By vLLM's own method for checkpoints of compressed-tensors, which is offered the products."""
    reference = copy.deepcopy(model("llama", torch.float16).reference)
    models.quantise(reference, tmp_path / "float8", torch.float16)
    for name, module in reference.named_modules():
        if isinstance(module, torch.nn.Linear) and name != "lm_head":
            module.register_forward_pre_hook(lambda _, inputs: (rounded(inputs[0], float8),))
    quantised = Model(tmp_path / "float8", reference)
    generated = generate(quantised, dtype="float16")
    agrees(generated, of_reference(quantised, generated))
    layers, steps = 2, 12
    assert generated.launches("gemm_e4m3") >= 4 * layers * steps
    assert generated.launches("quantise") == 4 * layers * steps


def test_a_cache(
    model: Callable[..., Model], generate: Generate, float8: torch.dtype, monkeypatch: pytest.MonkeyPatch
) -> None:
    llama = model("llama", torch.float16)
    generated = generate(llama, dtype="float16", kv_cache_dtype="fp8")
    assert generated.said["cache"] == ["wavesmith:0", "torch.uint8"]

    eager = modeling_llama.eager_attention_forward

    def attention(module: Any, query: Any, key: Any, value: Any, *args: Any, **kwargs: Any) -> Any:
        key, value = (one.to(float8).float() for one in (key, value))
        return eager(module, query, key, value, *args, **kwargs)

    monkeypatch.setattr(modeling_llama, "eager_attention_forward", attention)
    agrees(generated, of_reference(llama, generated))
    assert generated.launches("decode_f16_64_e4m3") > 0 and generated.launches("attention") == 0


def test_a_gpu_without_it() -> None:
    if current_platform.supports_fp8():
        pytest.skip("the GPU has float8")
    with pytest.raises(wavesmith.UnsupportedError, match="has no products of float8"):
        WavesmithFp8LinearMethod()
