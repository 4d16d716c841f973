"""AITER's operators over Wavesmith's kernels, by AITER's names and arguments."""

from __future__ import annotations

from typing import Any

import pytest
import torch
import torch.nn.functional as functional
from operators_data import DEVICE, activation, attention, check, on

from wavesmith import aiter, ops

pytestmark = pytest.mark.representative

RELATIVE = 2.0**-7


def test_norms() -> None:
    x, residual = torch.randn(6, 64).bfloat16(), torch.randn(6, 64).bfloat16()
    weight, bias = torch.randn(64).bfloat16(), torch.randn(64).bfloat16()
    summed = (x.double() + residual.double()).bfloat16()
    want = functional.rms_norm(x.double(), (64,), weight.double(), 1e-6)
    check(aiter.rmsnorm2d_fwd(on(x), on(weight), 1e-6), want, RELATIVE)
    out, sum_ = (torch.empty(6, 64, dtype=torch.bfloat16, device=DEVICE) for _ in range(2))
    aiter.rmsnorm2d_fwd_with_add(out, on(x), on(residual), sum_, on(weight), 1e-6)
    want = functional.rms_norm(summed.double(), (64,), weight.double(), 1e-6)
    check(out, want, RELATIVE)
    assert torch.equal(sum_.cpu(), summed)
    in_place, other = on(x), on(residual)
    aiter.fused_add_rms_norm_cu(in_place, other, on(weight), 1e-6)
    assert torch.equal(in_place, out)
    assert torch.equal(other, sum_)
    q, scales = torch.empty(6, 64, dtype=torch.int8, device=DEVICE), torch.empty(6, 1, device=DEVICE)
    aiter.rmsnorm2d_fwd_with_add_dynamicquant(q, on(x), on(residual), sum_, scales, on(weight), 1e-6)
    check(q.cpu() * scales.cpu(), want, 0.0, 0.51 * float(scales.max()))
    aiter.layernorm2d_fwd_with_add(out, on(x), on(residual), sum_, on(weight), on(bias), 1e-5)
    check(out, functional.layer_norm(summed.double(), (64,), weight.double(), bias.double(), 1e-5), RELATIVE)


def test_activations_and_elementwise() -> None:
    x, out = torch.randn(5, 48), torch.empty(5, 24, device=DEVICE)
    gate, up = x.double().chunk(2, -1)
    for function, want in (
        (aiter.silu_and_mul, functional.silu(gate) * up),
        (aiter.gelu_tanh_and_mul, activation("gelu", gate) * up),
        (aiter.gelu_and_mul, functional.gelu(gate) * up),
    ):
        function(out, on(x))
        check(out, want, 1e-5)
    check(aiter.div(on(x), on(x[0])), x.double() / x[0].double(), 1e-5)
    check(aiter.sigmoid(on(x)), torch.sigmoid(x.double()), 1e-5)


def test_quantising() -> None:
    x = torch.randn(6, 128)
    q, scales = aiter.per_token_quant_hip(on(x), quant_dtype=torch.float8_e4m3fn)
    check(q.cpu().float() * scales.cpu(), x.double(), 2.0**-4, float(scales.max()))
    q, scales = aiter.per_group_quant_hip(on(x), quant_dtype=torch.int8, group_size=64)
    check(q.cpu().float() * scales.cpu().repeat_interleave(64, 1), x.double(), 0.0, 0.51 * float(scales.max()))
    out, scale = torch.empty(6, 128, dtype=torch.int8, device=DEVICE), torch.empty(1, device=DEVICE)
    aiter.dynamic_per_tensor_quant(out, on(x), scale)
    check(out.cpu() * scale.cpu(), x.double(), 0.0, 0.51 * float(scale))
    again = torch.empty_like(out)
    aiter.static_per_tensor_quant(again, on(x), scale)
    assert torch.equal(again, out)
    q, scales = aiter.per_1x32_f4_quant_hip(on(x))
    assert (q.dtype, q.shape) == (torch.float4_e2m1fn_x2, (6, 64))
    check(ops.dequantise(q, scales), x.double(), 0.26, float(scales.float().max()) / 2)


def test_products() -> None:
    x, weight = (torch.randint(-127, 128, (rows, 64), dtype=torch.int8) for rows in (12, 20))
    of_x, of_weight = torch.rand(12, 1), torch.rand(1, 20)
    want = (x.double() * of_x) @ (weight.double().t() * of_weight)
    check(aiter.gemm_a8w8(on(x), on(weight), on(of_x), on(of_weight)), want, RELATIVE)
    x, weight = torch.randn(2, 12, 32).bfloat16(), torch.randn(2, 20, 32).bfloat16()
    out = torch.empty(2, 12, 20, dtype=torch.bfloat16, device=DEVICE)
    check(aiter.batched_gemm_bf16(on(x), on(weight), out), x.double() @ weight.double().mT, RELATIVE)


def test_rope() -> None:
    x, angles = torch.randn(5, 2, 3, 32), torch.rand(5, 1, 1, 16) * 6
    first, second = x.double()[..., :16], x.double()[..., 16:]
    c, s = angles.double().cos(), angles.double().sin()
    want = torch.cat((first * c - second * s, second * c + first * s), -1)
    check(aiter.rope_fwd(on(x), on(angles), 0, True, False), want, 1e-5)
    cos, sin = on(angles.cos()), on(angles.sin())
    check(aiter.rope_cached_fwd(on(x), cos, sin, 0, True, False), want, 1e-5)
    positions = on(torch.arange(5)[:, None].expand(5, 2).contiguous())
    one, two = on(x), on(2 * x)
    aiter.rope_cached_positions_2c_fwd_inplace(one, two, cos, sin, positions, 0, True, False)
    check(one, want, 1e-5)
    check(two, 2 * want, 1e-5)
    rows = x[:, 0].reshape(5, 96)
    one, two = on(rows), on(2 * rows)
    aiter.rotary_embedding_fwd(on(torch.arange(5)), one, two, 32, cos[:, 0, 0], sin[:, 0, 0], True, False)
    check(one, want[:, 0].reshape(5, 96), 1e-5)
    check(two, 2 * want[:, 0].reshape(5, 96), 1e-5)


def test_attention() -> None:
    q, keys, values = torch.randn(2, 4, 64).half(), torch.randn(6, 16, 2, 64).half(), torch.randn(6, 16, 2, 64).half()
    cache = [torch.zeros(6, 16, 2, 64, dtype=torch.float16, device=DEVICE) for _ in range(2)]
    one = torch.ones(1, device=DEVICE)
    slots = torch.arange(96, device=DEVICE)
    aiter.reshape_and_cache_flash(on(keys.flatten(0, 1)), on(values.flatten(0, 1)), *cache, slots, "auto", one, one)
    assert torch.equal(cache[0].cpu(), keys)
    table, contexts = torch.tensor([[4, 1, 0], [5, 2, 3]], dtype=torch.int32), torch.tensor([20, 48], dtype=torch.int32)
    out = torch.empty(2, 4, 64, dtype=torch.float16, device=DEVICE)
    words = (None, on(contexts), 48, None, "auto", "NHD", 0.0, one, one)
    aiter.paged_attention_v1(out, one, on(q), *cache, 0.125, on(table), *words)
    for sequence, length in enumerate(contexts.tolist()):
        of_k, of_v = (one[table[sequence].long()].flatten(0, 1)[None, :length] for one in (keys, values))
        check(out[sequence, None, None], attention(q[sequence, None, None], of_k, of_v)[0], 2.0**-9, 2.0**-9)


def test_latent_attention() -> None:
    """Two sequences of two new tokens each; pages of four."""
    buffer, q = torch.randn(7, 4, 1, 576).half(), torch.randn(4, 3, 576).half()
    pages, last = [[6, 0, 3], [1, 5]], [2, 4]
    out = torch.full((4, 3, 512), float("nan"), dtype=torch.float16, device=DEVICE)
    starts, places = torch.tensor([0, 3, 5], dtype=torch.int32), torch.tensor([*pages[0], *pages[1]], dtype=torch.int32)
    lengths = on(torch.tensor(last, dtype=torch.int32))
    words: dict[str, Any] = {"page_size": 4, "sm_scale": 0.07, "return_lse": True}
    given = (on(torch.tensor([0, 2, 4])), on(starts), on(places), lengths, 2)
    _, lse = aiter.mla_decode_fwd(on(q), on(buffer), out, *given, **words)
    assert lse is not None
    for sequence in range(2):
        length = 4 * len(pages[sequence]) - 4 + last[sequence]
        keys = buffer[pages[sequence]].flatten(0, 1)[None, :length]
        rows = slice(2 * sequence, 2 * sequence + 2)
        want, want_lse = attention(q[None, rows], keys, keys[..., :512], causal=True, scale=0.07)
        check(out[None, rows], want, 2.0**-9, 2.0**-9)
        check(lse[rows], want_lse[0].t(), 1e-4)


def test_flash_attention() -> None:
    q, k = torch.randn(1, 5, 4, 32).half(), torch.randn(1, 9, 2, 32).half()
    got, lse = aiter.flash_attn_func(on(q), on(k), on(k), causal=True, return_lse=True)
    want, want_lse = attention(q, k, k, causal=True)
    check(got, want, 2.0**-9, 2.0**-9)
    check(lse, want_lse, 1e-4)
