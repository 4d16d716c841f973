"""Scaled dot product attention, by the kernel library and by products."""

from __future__ import annotations

import pytest
import torch
import torch.nn.functional as functional
from comparison import on_both
from torch.nn.attention import SDPBackend, sdpa_kernel

attention = functional.scaled_dot_product_attention
#: A few roundings of a result, and of the weights and changes that gradients round too, to the type.
TOLERANCE = {torch.float32: 3e-6, torch.float16: 2**-8, torch.bfloat16: 2**-5}


def heads(batches: int, count: int, length: int, size: int, dtype: torch.dtype) -> torch.Tensor:
    return torch.randn(batches, count, length, size).to(dtype)


@pytest.mark.representative
@pytest.mark.parametrize("dtype", (torch.float16, torch.bfloat16))
@pytest.mark.parametrize("causal", (False, True))
def test_fused(dtype: torch.dtype, causal: bool) -> None:
    for queries, keys, size in ((17, 17, 64), (40, 23, 32), (23, 40, 128), (1, 65, 24)):
        q, k, v = heads(2, 2, queries, size, dtype), heads(2, 2, keys, size, dtype), heads(2, 2, keys, size, dtype)
        on_both(lambda q, k, v: attention(q, k, v, is_causal=causal), q, k, v, tolerance=TOLERANCE[dtype])


@pytest.mark.representative
def test_heads_that_share_keys() -> None:
    q, k, v = (heads(2, count, 19, 64, torch.bfloat16) for count in (6, 2, 2))
    on_both(
        lambda q, k, v: attention(q, k, v, is_causal=True, enable_gqa=True),
        q, k, v, tolerance=TOLERANCE[torch.bfloat16],
    )  # fmt: skip


def test_layouts_and_head_sizes() -> None:
    for size in (40, 63, 100):
        x = torch.randn(2, 21, 3, 3, size).to(torch.float16)  # as one product of all three gives them

        def call(x: torch.Tensor) -> torch.Tensor:
            q, k, v = (x.select(2, which).transpose(1, 2) for which in range(3))
            return attention(q, k, v, scale=0.3)

        on_both(call, x, tolerance=TOLERANCE[torch.float16])


@pytest.mark.parametrize("dtype", TOLERANCE)
def test_by_products(dtype: torch.dtype) -> None:
    q, k, v = (heads(2, 2, length, 20, dtype) for length in (13, 17, 17))
    seen = torch.rand(2, 1, 13, 17) > 0.3
    seen[..., 0] = True
    bias = torch.randn(13, 17).to(dtype)
    on_both(lambda q, k, v, m: attention(q, k, v, attn_mask=m), q, k, v, seen, tolerance=2 * TOLERANCE[dtype])
    on_both(lambda q, k, v, m: attention(q, k, v, attn_mask=m), q, k, v, bias, tolerance=2 * TOLERANCE[dtype])
    with sdpa_kernel(SDPBackend.MATH):
        on_both(lambda q, k, v: attention(q, k, v, is_causal=True), q, k, v, tolerance=2 * TOLERANCE[dtype])


@pytest.mark.representative
def test_which_serves() -> None:
    q = heads(1, 2, 9, 64, torch.bfloat16).to("wavesmith")

    def choice(*arguments: object, **named: object) -> int:
        return int(torch._fused_sdp_choice(*arguments, **named))

    assert choice(q, q, q) == SDPBackend.OVERRIDEABLE.value
    assert choice(q, q, q, dropout_p=0.5) == SDPBackend.MATH.value
    assert choice(q, q, q, attn_mask=torch.ones(9, 9, dtype=torch.bool, device="wavesmith")) == SDPBackend.MATH.value
    assert choice(*(q.float(),) * 3) == SDPBackend.MATH.value
    with sdpa_kernel(SDPBackend.MATH):
        assert choice(q, q, q) == SDPBackend.MATH.value
    with sdpa_kernel(SDPBackend.FLASH_ATTENTION), pytest.raises(RuntimeError, match="No available kernel"):
        attention(q.float(), q.float(), q.float())


def test_what_is_masked_altogether() -> None:
    q = heads(1, 1, 6, 16, torch.float32)
    seen = torch.ones(6, 6, dtype=torch.bool)
    seen[2] = False
    ours = attention(*(q.to("wavesmith"),) * 3, attn_mask=seen.to("wavesmith"))
    torch.testing.assert_close(ours.cpu(), attention(q, q, q, attn_mask=seen), atol=1e-5, rtol=1e-5)
    assert not ours[0, 0, 2].cpu().any()


def test_nothing_to_attend_to() -> None:
    q, none = heads(2, 2, 5, 64, torch.bfloat16), heads(2, 2, 0, 64, torch.bfloat16)
    assert attention(*(each.to("wavesmith") for each in (none, q, q))).shape == none.shape
    assert not attention(*(each.to("wavesmith") for each in (q, none, none))).cpu().any()


def test_the_module() -> None:
    layer = torch.nn.MultiheadAttention(32, 4, batch_first=True).double()
    ours = torch.nn.MultiheadAttention(32, 4, batch_first=True).to("wavesmith")
    ours.load_state_dict(layer.state_dict())
    x = torch.randn(2, 11, 32)
    wanted = layer(x.double(), x.double(), x.double(), need_weights=False)[0]
    got = ours(*(x.to("wavesmith"),) * 3, need_weights=False)[0]
    torch.testing.assert_close(got.cpu().double(), wanted, atol=1e-5, rtol=1e-4)
