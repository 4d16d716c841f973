"""Attention as vLLM calls it, with steps of every kind, against float64; what is refused; what parts a step has."""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from vllm.config import VllmConfig, set_current_vllm_config
from vllm.platforms import current_platform
from vllm.v1.attention.backend import CommonAttentionMetadata
from vllm.v1.attention.backends.registry import AttentionBackendEnum
from vllm.v1.attention.selector import AttentionSelectorConfig
from vllm.v1.kv_cache_interface import FullAttentionSpec, KVQuantMode

from wavesmith.vllm import _batch
from wavesmith.vllm.attention import PER_TOKEN_HEAD, SCALE_BYTES, WavesmithAttention, WavesmithAttentionBackend

DEVICE = torch.device("wavesmith:0")
HEADS, KV_HEADS, SIZE, PAGE, BLOCKS = 6, 2, 64, 16, 40


@pytest.fixture(autouse=True)
def _settings() -> Iterator[None]:
    torch.manual_seed(11)
    with set_current_vllm_config(VllmConfig()):
        yield


def layout(heads_outside: bool, dtype: torch.dtype) -> torch.Tensor:
    """The cache as vLLM has it, (blocks, heads, page, 2 * size), with either dimension outside in memory."""
    row = 2 * (SIZE + (SCALE_BYTES if dtype == torch.int8 else 0))
    if heads_outside:
        return torch.zeros(BLOCKS, KV_HEADS, PAGE, row, dtype=dtype, device=DEVICE)
    return torch.zeros(BLOCKS, PAGE, KV_HEADS, row, dtype=dtype, device=DEVICE).transpose(1, 2)


def reference(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, how: dict[str, Any]) -> torch.Tensor:
    """Of one request, in float64: q's tokens are the last ones of k's."""
    group = q.shape[1] // k.shape[1]
    k, v = (one.double().repeat_interleave(group, 1) for one in (k, v))
    scores = torch.einsum("qhd,khd->hqk", q.double(), k) * how["scale"]
    if cap := how.get("logits_soft_cap"):
        scores = cap * torch.tanh(scores / cap)
    positions = torch.arange(k.shape[0] - q.shape[0], k.shape[0])[:, None]
    distance = positions - torch.arange(k.shape[0])
    if slopes := how.get("alibi_slopes"):
        scores = scores - torch.tensor(slopes, dtype=torch.float64)[:, None, None] * distance
    hidden = distance < 0
    if window := how.get("sliding_window"):
        hidden |= distance >= window
    scores = scores.masked_fill(hidden, -torch.inf)
    if (sinks := how.get("sinks")) is not None:
        scores = torch.cat([scores, sinks.double()[:, None, None].expand(-1, q.shape[0], 1)], -1)
    weights = scores.softmax(-1)[..., : k.shape[0]]
    return torch.einsum("hqk,khd->qhd", weights, v)


def rounded(heads: torch.Tensor) -> torch.Tensor:
    """Heads as integers of 8 bits keep them, each by a scale of its own."""
    scale = heads.double().abs().amax(-1, keepdim=True) / 127
    return (heads.double() / scale).round() * scale


STEPS = {
    "prompts": [(9, 9), (33, 33), (1, 1)],
    "tokens": [(1, 20), (1, 64), (1, 1), (1, 17)],
    "all": [(1, 40), (1, 7), (5, 5), (20, 20), (6, 50), (6, 22), (3, 19)],
}
KINDS: dict[str, dict[str, Any]] = {
    "plain": {},
    "window": {"sliding_window": 9},
    "capped": {"logits_soft_cap": 5.0},
    "alibi": {"alibi_slopes": [0.5**n for n in range(1, HEADS + 1)]},
    "sinks": {"sinks": torch.linspace(-1, 2, HEADS)},
    "float8": {"kv_cache_dtype": "fp8"},
    "int8": {"kv_cache_dtype": PER_TOKEN_HEAD},
}


@pytest.mark.parametrize("heads_outside", [False, True])
@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("kind", KINDS)
def test_steps(kind: str, step: str, heads_outside: bool) -> None:
    """Keys of former steps are written first, each request's pages in a mixed order."""
    how = KINDS[kind] | {"scale": SIZE**-0.5}
    float8, int8 = (how.get("kv_cache_dtype") == one for one in ("fp8", PER_TOKEN_HEAD))
    if float8 and not current_platform.supports_fp8():
        pytest.skip("the GPU has no float8")
    made = WavesmithAttention(HEADS, SIZE, how["scale"], KV_HEADS, **{k: v for k, v in how.items() if k != "scale"})
    if made._sinks is not None:
        made._sinks = torch.nn.Parameter(made._sinks.bfloat16().to(DEVICE), requires_grad=False)
        how["sinks"] = made._sinks.float().cpu()
    made.process_weights_after_loading(torch.bfloat16)
    scale = torch.tensor(0.25, device=DEVICE)
    layer = SimpleNamespace(_k_scale=scale, _v_scale=scale)

    lengths = [new for new, _ in STEPS[step]]
    contexts = [context for _, context in STEPS[step]]
    keys, values = ([torch.randn(n, KV_HEADS, SIZE).bfloat16() for n in contexts] for _ in range(2))
    queries = [torch.randn(n, HEADS, SIZE).bfloat16() for n in lengths]
    free = torch.randperm(BLOCKS).tolist()
    table = torch.full((len(contexts), 6), -1, dtype=torch.int32)
    for request, context in enumerate(contexts):
        for block in range(-(-context // PAGE)):
            table[request, block] = free.pop()
    slots = [
        table[request, torch.arange(context) // PAGE].long() * PAGE + torch.arange(context) % PAGE
        for request, context in enumerate(contexts)
    ]
    cache = layout(heads_outside, torch.uint8 if float8 else torch.int8 if int8 else torch.bfloat16)

    def write(which: list[slice]) -> tuple[torch.Tensor, torch.Tensor]:
        k, v, s = (
            torch.cat([one[part] for one, part in zip(all, which, strict=True)]).to(DEVICE)
            for all in (keys, values, slots)
        )
        made.do_kv_cache_update(layer, k, v, cache, s)
        return k, v

    write([slice(0, context - new) for new, context in STEPS[step]])
    k, v = write([slice(context - new, context) for new, context in STEPS[step]])
    q = torch.cat(queries).to(DEVICE)
    starts = torch.tensor([0, *lengths]).cumsum(0).int()
    common = CommonAttentionMetadata(
        query_start_loc=starts.to(DEVICE),
        query_start_loc_cpu=starts,
        seq_lens=torch.tensor(contexts, dtype=torch.int32, device=DEVICE),
        num_reqs=len(contexts),
        num_actual_tokens=len(q),
        max_query_len=max(lengths),
        max_seq_len=max(contexts),
        block_table_tensor=table.clamp(min=0).to(DEVICE),
        slot_mapping=torch.cat(slots).to(DEVICE),
    )
    batch = WavesmithAttentionBackend.get_builder_cls()(None, [], None, DEVICE).build(0, common)
    output = torch.full((len(q) + 2, HEADS, SIZE), torch.nan, dtype=torch.bfloat16, device=DEVICE)
    padded = torch.cat([q, q[:2]])  # vLLM pads
    made.forward(layer, padded, torch.cat([k, k[:1], k[:1]]), torch.cat([v, v[:1], v[:1]]), cache, batch, output)
    if float8:
        for one in (*keys, *values):
            one.copy_((one.float() / 0.25).to(current_platform.fp8_dtype()).float() * 0.25)
    if int8:
        keys, values = ([rounded(one) for one in all] for all in (keys, values))
    want = torch.cat([reference(*each, how) for each in zip(queries, keys, values, strict=True)])
    torch.testing.assert_close(output[: len(q)].cpu().double(), want, rtol=2.0**-7, atol=2.0**-6)
    assert output[len(q) :].isnan().all()


def test_a_page_of_integers_has_room_for_its_scales() -> None:
    made = {"block_size": PAGE, "num_kv_heads": KV_HEADS, "head_size": SIZE, "head_size_v": SIZE}
    plain = FullAttentionSpec(**made, dtype=torch.bfloat16)
    assert WavesmithAttentionBackend.customize_spec(plain) == plain
    integers = FullAttentionSpec(**made, dtype=torch.int8, kv_quant_mode=KVQuantMode.INT8_PER_TOKEN_HEAD)
    bytes_of_page = WavesmithAttentionBackend.customize_spec(integers).page_size_bytes
    assert bytes_of_page == PAGE * KV_HEADS * 2 * (SIZE + SCALE_BYTES)


def test_parts() -> None:
    """New requests and those with keys in the cache apart, and of these the equally long ones together."""
    starts, contexts = [0, 1, 2, 5, 8, 15, 15], [9, 4, 3, 3, 20, 6]
    assert list(_batch.parts_of(starts, contexts)) == [
        (False, slice(0, 2), [(slice(0, 2), 1)]),
        (True, slice(2, 4), [(slice(2, 4), 3)]),
        (False, slice(4, 6), [(slice(4, 5), 7), (slice(5, 6), 0)]),
    ]


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"head_size": 96}, "head_size not supported"),
        ({"dtype": torch.float32}, "dtype not supported"),
        ({"kv_cache_dtype": "fp8_e5m2"}, "kv_cache_dtype not supported"),
        ({"use_mla": True}, "MLA not supported"),
        ({"attn_type": "encoder_only"}, "attention type encoder_only not supported"),
        ({"block_size": 12}, "block_size not supported"),
    ],
)
def test_what_has_no_attention(change: dict[str, Any], reason: str) -> None:
    asked = {"head_size": 64, "dtype": torch.bfloat16, "kv_cache_dtype": "auto", "block_size": 16} | change
    with pytest.raises(ValueError, match=reason):
        current_platform.get_attn_backend_cls(None, AttentionSelectorConfig(**asked))


def test_another_backend_is_refused() -> None:
    asked = AttentionSelectorConfig(64, torch.bfloat16, "auto", 16)
    with pytest.raises(ValueError, match="has the attention backend CUSTOM, not FLASH_ATTN"):
        current_platform.get_attn_backend_cls(AttentionBackendEnum.FLASH_ATTN, asked)
    named = current_platform.get_attn_backend_cls(AttentionBackendEnum.CUSTOM, asked)
    assert named == "wavesmith.vllm.attention.WavesmithAttentionBackend"
