"""Small models with random weights, as vLLM and transformers load them."""

from __future__ import annotations

import json
from pathlib import Path

import safetensors.torch
import torch
import transformers

_SMALL = {
    "hidden_size": 256,
    "intermediate_size": 512,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "head_dim": 64,
    "vocab_size": 512,
    "max_position_embeddings": 256,
    "bos_token_id": 1,
    "eos_token_id": 2,
    "pad_token_id": 0,
}

#: Each with what no other one has.
CONFIGURATIONS = {
    "llama": lambda: transformers.LlamaConfig(**_SMALL, tie_word_embeddings=False),
    "llama3": lambda: transformers.LlamaConfig(
        **(_SMALL | {"head_dim": 128}),
        tie_word_embeddings=False,
        rope_parameters={
            "rope_type": "llama3",
            "rope_theta": 500000.0,
            "factor": 8.0,
            "low_freq_factor": 1.0,
            "high_freq_factor": 4.0,
            "original_max_position_embeddings": 64,
        },
    ),
    "qwen2": lambda: transformers.Qwen2Config(**_SMALL, tie_word_embeddings=False),  # biases
    "qwen3": lambda: transformers.Qwen3Config(**_SMALL, tie_word_embeddings=True),  # norms of queries and keys
    "mistral": lambda: transformers.MistralConfig(**_SMALL, tie_word_embeddings=False, sliding_window=24),
    # soft caps, windows in every second layer, norms with weights around 1, gelu
    "gemma2": lambda: transformers.Gemma2Config(**_SMALL, sliding_window=24, query_pre_attn_scalar=64),
}


def write(name: str, folder: Path, dtype: torch.dtype, seed: int) -> transformers.PreTrainedModel:
    """Writes the model's weights and settings; returns it with the same weights in float32, for the CPU."""
    generator = torch.Generator().manual_seed(seed)
    config = CONFIGURATIONS[name]()
    model = transformers.AutoModelForCausalLM.from_config(config, attn_implementation="eager").float().eval()
    with torch.no_grad():
        for parameter_name, parameter in model.named_parameters():
            spread = 0.1 if parameter.ndim == 1 else parameter.shape[1] ** -0.5
            if "lm_head" in parameter_name:
                spread *= 4
            elif "embed" in parameter_name and not config.tie_word_embeddings:
                spread = 1.0
            centre = 1.0 if parameter_name.endswith("norm.weight") and name != "gemma2" else 0.0
            drawn = centre + spread * torch.randn(parameter.shape, generator=generator)
            parameter.copy_(drawn.to(dtype))
    config.dtype = dtype
    model.to(dtype).save_pretrained(folder)
    return model.float()


def quantise(model: transformers.PreTrainedModel, folder: Path, dtype: torch.dtype) -> None:
    """Writes the model with its layers' weights in float8, as llm-compressor's FP8_DYNAMIC does; rounds the model's."""
    kind, state = torch.float8_e4m3fn, {}
    for name, value in model.state_dict().items():
        if value.ndim < 2 or "embed" in name or "lm_head" in name:
            state[name] = value.to(dtype)
            continue
        scale = value.abs().amax(-1, keepdim=True) / torch.finfo(kind).max
        state[name] = (value / scale).to(kind)
        state[name.removesuffix("weight") + "weight_scale"] = scale
        value.copy_(state[name].float() * scale)
    folder.mkdir()
    safetensors.torch.save_file(state, folder / "model.safetensors", metadata={"format": "pt"})
    numbers = {"num_bits": 8, "type": "float", "symmetric": True}
    group = {
        "targets": ["Linear"],
        "weights": numbers | {"strategy": "channel", "dynamic": False},
        "input_activations": numbers | {"strategy": "token", "dynamic": True},
    }
    settings = model.config.to_dict() | {
        "dtype": str(dtype).removeprefix("torch."),
        "quantization_config": {
            "quant_method": "compressed-tensors",
            "format": "float-quantized",
            "quantization_status": "compressed",
            "config_groups": {"group_0": group},
            "ignore": ["lm_head"],
        },
    }
    (folder / "config.json").write_text(json.dumps(settings))
