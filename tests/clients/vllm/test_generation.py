"""Greedy generation by vLLM on the emulated GPU, against transformers in float32 and against vLLM on the CPU."""

from __future__ import annotations

import math
from collections.abc import Callable

import models
import pytest
import torch
from conftest import Generate, Generated, Model
from generate import PROMPTS, TOKENS

#: How much a number that is stored is off, relative to itself, at most.
ROUNDING = {torch.float16: 2.0**-11, torch.bfloat16: 2.0**-8}
#: Numbers that are stored one after the other in a layer: tables of rotations, norm, queries and keys, their norms,
#: what is rotated, attention's weights and result, projected, the sum, norm, gate and up, their product, down, the sum.
#: That is Qwen3, with 14; Gemma 2 has two norms more, and none of queries and keys.
STORED_IN_A_LAYER = 15
#: Of the largest logit. In float16 that is 8 of the deviations below: logits are spread normally, and the largest of
#: these 24,576 is 4.2 times their deviation.
ALLOWED = {torch.float16: 3 * 2.0**-10, torch.bfloat16: 2.0**-6}
#: What a model is made of: what the host would compute of it, were there no kernel.
HEAVY = ("mm", "bmm", "addmm", "linear", "_softmax", "silu", "gelu", "rsqrt", "native_layer_norm", "mean", "scaled_dot")


def deviation(model: Model, dtype: torch.dtype) -> float:
    """How much logits are off by rounding alone, relative to their size, as a standard deviation.

    What is stored is off by a number that is spread evenly up to a rounding, so by a rounding / sqrt(3) or less, and
    independently each time. Errors add up where what a layer adds is as large as what it is added to. Qwen3 comes near
    that, whose embeddings are small, since they are the projection, too; those of the others are large, and exact.
    A model in float64 that rounds what is stored is off by as much as the GPU is, after each step of a layer.
    """
    stored = STORED_IN_A_LAYER * model.reference.config.num_hidden_layers + 2  # the last norm, and logits
    return math.sqrt(stored / 3) * ROUNDING[dtype]


def of_reference(model: Model, generated: Generated) -> torch.Tensor:
    """The reference's logits of each token that was generated, given those before it."""
    found = []
    for prompt, tokens in zip(PROMPTS, generated.said["tokens"], strict=True):
        with torch.no_grad():
            found.append(model.reference(torch.tensor([prompt + tokens[:-1]])).logits[0, len(prompt) - 1 :])
    return torch.stack(found)


def check(model: Model, dtype: torch.dtype, generated: Generated) -> float:
    """Logits are the reference's, and tokens the largest ones but where two are as close as the error. The error."""
    want = of_reference(model, generated)
    off = generated.logits - want
    relative = (off.square().mean().sqrt() / want.square().mean().sqrt()).item()
    print(f"logits are off by {relative / ROUNDING[dtype]:.2f} roundings")
    assert relative <= deviation(model, dtype)
    error = off.abs().max().item()
    assert error <= ALLOWED[dtype] * want.abs().max().item()
    tokens = torch.tensor(generated.said["tokens"])
    below = want.max(-1).values - want.gather(-1, tokens[..., None])[..., 0]
    assert below.max().item() <= 2 * error
    return error


def test_vllm_takes_these_classes(model: Callable[..., Model], generate: Generate) -> None:
    said = generate(model("llama", torch.float16), dtype="float16").said
    assert said["platform"] == "WavesmithPlatform" and said["device"] == "wavesmith:0"
    assert said["attention"] == ["WavesmithAttentionBackend"]
    assert said["cache"] == ["wavesmith:0", "torch.float16"]
    for name in ("QKVParallelLinear", "RowParallelLinear", "MergedColumnParallelLinear", "ParallelLMHead"):
        assert f"Wavesmith{name}" in said["modules"] and name not in said["modules"]
    assert {"WavesmithRotaryEmbedding", "WavesmithSiluAndMul"} <= set(said["modules"])


def test_tokens_are_those_of_the_cpu(model: Callable[..., Model], generate: Generate) -> None:
    llama = model("llama", torch.float16)
    ours, theirs = (generate(llama, ours=ours, dtype="float16") for ours in (True, False))
    assert theirs.said["platform"] == "CpuPlatform" and not theirs.kernels
    assert ours.said["tokens"] == theirs.said["tokens"]
    error = check(llama, torch.float16, ours)
    assert error <= 2 * check(llama, torch.float16, theirs)
    print(f"largest error {error}")


def test_kernels_ran_on_the_gpu(model: Callable[..., Model], generate: Generate) -> None:
    """By the GPU's report: each step's layers, and no more attention than there was."""
    ours = generate(model("llama", torch.float16), dtype="float16")
    layers = 2
    assert ours.launches("attention_f16") == layers  # the prompts
    assert ours.launches("decode_f16") == layers * (TOKENS - 1)
    assert ours.launches("cache") == layers * TOKENS
    assert ours.launches("norm") == (2 * layers + 1) * TOKENS
    assert ours.launches("gemm_f16") >= (4 * layers + 1) * TOKENS
    assert ours.launches("rope") == 2 * layers * TOKENS and ours.launches("gate") == layers * TOKENS
    operators = {name.split(".")[1].rstrip("_") for name in ours.said["host"]}
    print("the host computed", sorted(operators))
    assert not operators & set(HEAVY)


def test_bfloat16(model: Callable[..., Model], generate: Generate) -> None:
    check(model(), torch.bfloat16, generate(model(), dtype="bfloat16"))


@pytest.mark.parametrize("name", [name for name in models.CONFIGURATIONS if name != "llama"])
def test_models(name: str, model: Callable[..., Model], generate: Generate) -> None:
    dtype = torch.bfloat16 if name == "gemma2" else torch.float16  # vLLM takes no other for Gemma
    one = model(name, dtype)
    generated = generate(one)
    check(one, dtype, generated)
    assert generated.launches("decode") == 2 * (TOKENS - 1)
    assert not {name.split(".")[1].rstrip("_") for name in generated.said["host"]} & set(HEAVY)


def test_prompts_in_pieces_and_small_pages(model: Callable[..., Model], generate: Generate) -> None:
    """Requests that have keys in the cache and several tokens, beside new ones and such with one token."""
    llama = model("llama", torch.float16)
    whole = generate(llama, dtype="float16")
    pieces = generate(llama, dtype="float16", max_num_batched_tokens=16, block_size=8)
    assert pieces.said["tokens"] == whole.said["tokens"]
    check(llama, torch.float16, pieces)
    assert pieces.launches("cache") > whole.launches("cache")


def test_prefixes_that_are_cached(model: Callable[..., Model], generate: Generate) -> None:
    llama = model("llama", torch.float16)
    twice = generate(llama, dtype="float16", enable_prefix_caching=True, rounds=2)
    assert twice.said["cached"] == [32, 0, 16, 0]  # whole pages of 16
    assert twice.said["tokens"] == generate(llama, dtype="float16").said["tokens"]
    check(llama, torch.float16, twice)


def test_an_engine_in_a_process_of_its_own(model: Callable[..., Model], generate: Generate) -> None:
    llama = model("llama", torch.float16)
    apart = generate(llama, dtype="float16", apart=True)
    assert apart.said["platform"] == "WavesmithPlatform"
    assert apart.said["tokens"] == generate(llama, dtype="float16").said["tokens"]


def test_sampling(model: Callable[..., Model], generate: Generate) -> None:
    """With a seed twice the same, and no token that nucleus and top-k leave out."""
    llama = model("llama", torch.float16)
    how = {"temperature": 0.9, "top_k": 5, "top_p": 0.95, "repetition_penalty": 1.2, "seed": 3}
    first, second = (generate(llama, dtype="float16", sampling=how, max_num_seqs=seqs) for seqs in (4, 5))
    assert first.said["tokens"] == second.said["tokens"]
    want = of_reference(llama, first)
    ranks = (want > want.gather(-1, torch.tensor(first.said["tokens"])[..., None])).sum(-1)
    assert ranks.max() > 0 and ranks.float().mean() < 10
