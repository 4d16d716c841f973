"""flash-attn's functions over Wavesmith's kernels, against references in float64."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from operators_data import DEVICE, attention, check, on
from torch import Tensor

import wavesmith
from wavesmith import flash_attn

pytestmark = pytest.mark.representative

RELATIVE = 2.0**-9


def half(*shape: int) -> Tensor:
    return torch.randn(shape).half()


@pytest.mark.parametrize(
    "words",
    [
        {},
        {"causal": True},
        {"window_size": (4, 2)},
        {"causal": True, "softcap": 2.0, "softmax_scale": 0.3, "window_size": (6, -1)},
    ],
)
def test_func(words: dict[str, Any]) -> None:
    q, k, v, slopes = half(2, 7, 6, 64), half(2, 19, 2, 64), half(2, 19, 2, 64), torch.rand(6)
    result = wavesmith.flash_attn_func(on(q), on(k), on(v), alibi_slopes=on(slopes), return_attn_probs=True, **words)
    want, want_lse = attention(
        q,
        k,
        v,
        causal=words.get("causal", False),
        window=words.get("window_size", (-1, -1)),
        softcap=words.get("softcap", 0.0),
        slopes=slopes,
        scale=words.get("softmax_scale"),
    )
    assert result[2] is None
    check(result[0], want, RELATIVE, RELATIVE)
    check(result[1], want_lse, 1e-4)
    alone = wavesmith.flash_attn_func(on(q), on(k), on(v), alibi_slopes=on(slopes), **words)
    assert torch.equal(alone, result[0])


def test_packed() -> None:
    qkv, kv, q = half(2, 9, 3, 4, 32), half(2, 11, 2, 2, 32), half(2, 5, 4, 32)
    want, _ = attention(*qkv.unbind(2), causal=True)
    check(wavesmith.flash_attn_qkvpacked_func(on(qkv), causal=True), want, RELATIVE, RELATIVE)
    want, _ = attention(q, *kv.unbind(2))
    check(wavesmith.flash_attn_kvpacked_func(on(q), on(kv)), want, RELATIVE, RELATIVE)


def test_varlen() -> None:
    lengths_q, lengths_k = (3, 0, 8), (5, 4, 17)
    ends_q, ends_k = (
        on(torch.tensor((0, *torch.tensor(lengths).cumsum(0)), dtype=torch.int32)) for lengths in (lengths_q, lengths_k)
    )
    q, k, v = half(11, 4, 64), half(26, 2, 64), half(26, 2, 64)
    lengths = (ends_q, ends_k, max(lengths_q), max(lengths_k))
    out, lse, _ = wavesmith.flash_attn_varlen_func(on(q), on(k), on(v), *lengths, causal=True, return_attn_probs=True)
    parts = zip(q.split(lengths_q), k.split(lengths_k), v.split(lengths_k), strict=True)
    want = [attention(*(one[None] for one in part), causal=True) for part in parts]
    check(out, torch.cat([one[0][0] for one in want]), RELATIVE, RELATIVE)
    check(lse, torch.cat([one[1][0] for one in want], -1), 1e-4)
    kv = on(torch.stack((k, v), 1))
    packed = flash_attn.flash_attn_varlen_kvpacked_func(on(q), kv, *lengths, causal=True)
    assert torch.equal(packed, out)
    qkv = on(torch.stack((k, k, v), 1))
    packed = flash_attn.flash_attn_varlen_qkvpacked_func(qkv, ends_k, max(lengths_k))
    assert torch.equal(packed, flash_attn.flash_attn_varlen_func(on(k), on(k), on(v), ends_k, ends_k, 17, 17))


class Pages:
    """A cache in pages, and what is in it of each sequence."""

    def __init__(self, lengths: tuple[int, ...], page: int = 16, heads: int = 2, size: int = 64) -> None:
        per_sequence = -(-max(lengths) // page) + 1
        self.lengths = torch.tensor(lengths, dtype=torch.int32)
        blocks = len(lengths) * per_sequence + 2
        self.k, self.v = half(blocks, page, heads, size), half(blocks, page, heads, size)
        self.table = torch.randperm(blocks)[: len(lengths) * per_sequence].view(len(lengths), -1).to(torch.int32)

    def of(self, cache: Tensor, sequence: int, length: int) -> Tensor:
        return cache.cpu()[self.table[sequence].long()].flatten(0, 1)[None, :length]


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("tokens", [1, 3])
def test_with_kvcache(causal: bool, tokens: int) -> None:
    pages = Pages((30, 41))
    q, k, v = half(2, tokens, 4, 64), half(2, tokens, 2, 64), half(2, tokens, 2, 64)
    k_cache, v_cache = on(pages.k), on(pages.v)
    out, lse = wavesmith.flash_attn_with_kvcache(
        on(q),
        k_cache,
        v_cache,
        on(k),
        on(v),
        cache_seqlens=on(pages.lengths),
        block_table=on(pages.table),
        causal=causal,
        return_softmax_lse=True,
    )
    assert lse.shape == (2, 4, tokens)
    for sequence, length in enumerate(pages.lengths.tolist()):
        keys, values = (pages.of(cache, sequence, length + tokens) for cache in (k_cache, v_cache))
        assert torch.equal(keys[0, length:], k[sequence])
        assert torch.equal(values[0, length:], v[sequence])
        want, want_lse = attention(q[sequence, None], keys, values, causal=causal)
        check(out[sequence, None], want, RELATIVE, RELATIVE)
        check(lse[sequence, None], want_lse, 1e-4)


def test_with_kvcache_of_sequences() -> None:
    cache, which = (half(4, 40, 2, 64), half(4, 40, 2, 64)), torch.tensor([3, 1], dtype=torch.int32)
    q = half(2, 1, 4, 64)
    out = flash_attn.flash_attn_with_kvcache(
        on(q), on(cache[0]), on(cache[1]), cache_seqlens=23, cache_batch_idx=on(which)
    )
    for sequence, index in enumerate(which.tolist()):
        want, _ = attention(q[sequence, None], cache[0][index, None, :23], cache[1][index, None, :23])
        check(out[sequence, None], want, RELATIVE, RELATIVE)
    out = flash_attn.flash_attn_with_kvcache(on(q), on(cache[0][:2]), on(cache[1][:2]), window_size=(9, 0))
    want, _ = attention(q, cache[0][:2], cache[1][:2], window=(9, 0))
    check(out, want, RELATIVE, RELATIVE)


@pytest.mark.parametrize("interleaved", [False, True])
def test_rotary_of_new_keys(interleaved: bool) -> None:
    cache, new, q = (half(1, 32, 2, 64), half(1, 32, 2, 64)), (half(1, 2, 2, 64), half(1, 2, 2, 64)), half(1, 2, 4, 64)
    angles = torch.rand(40, 16) * 6
    cosines, sines = angles.cos().half(), angles.sin().half()
    k_cache, v_cache = on(cache[0]), on(cache[1])
    out = flash_attn.flash_attn_with_kvcache(
        on(q),
        k_cache,
        v_cache,
        *map(on, new),
        on(cosines),
        on(sines),
        cache_seqlens=5,
        causal=True,
        rotary_interleaved=interleaved,
    )

    def turned(x: Tensor) -> Tensor:
        pairs = (slice(0, 32, 2), slice(1, 32, 2)) if interleaved else (slice(0, 16), slice(16, 32))
        c, s = (one[5:7, None].double() for one in (cosines, sines))
        x = x.double()
        first, second = x[..., pairs[0]].clone(), x[..., pairs[1]].clone()
        x[..., pairs[0]], x[..., pairs[1]] = first * c - second * s, second * c + first * s
        return x

    check(k_cache[:, 5:7], turned(new[0]), RELATIVE, RELATIVE)
    want, _ = attention(turned(q).half(), k_cache.cpu()[:, :7], v_cache.cpu()[:, :7], causal=True)
    check(out, want, RELATIVE, RELATIVE)


def test_varlen_over_pages() -> None:
    pages = Pages((30, 41))
    q, ends_q = half(9, 4, 64), on(torch.tensor([0, 4, 9], dtype=torch.int32))
    ends_k = on(torch.tensor([0, 30, 71], dtype=torch.int32))
    out = flash_attn.flash_attn_varlen_func(
        on(q), on(pages.k), on(pages.v), ends_q, ends_k, 5, 41, causal=True, block_table=on(pages.table)
    )
    for sequence, (rows, length) in enumerate(((slice(0, 4), 30), (slice(4, 9), 41))):
        keys, values = (pages.of(cache, sequence, length) for cache in (pages.k, pages.v))
        want, _ = attention(q[None, rows], keys, values, causal=True)
        check(out[None, rows], want, RELATIVE, RELATIVE)


@pytest.mark.parametrize("size", (32, 192))
def test_gradients(size: int) -> None:
    inputs = [half(11, heads, size) for heads in (4, 2, 2)]
    ends = torch.tensor([0, 4, 11], dtype=torch.int32)
    ours = [on(one).requires_grad_() for one in inputs]
    exact = [one.double().requires_grad_() for one in inputs]
    above = torch.randn(11, 4, size).half()
    out = wavesmith.flash_attn_varlen_func(*ours, on(ends), on(ends), 7, 7, causal=True)
    got = torch.autograd.grad(out, ours, on(above))
    parts = [attention(*(one[None, rows] for one in exact), causal=True)[0][0] for rows in (slice(0, 4), slice(4, 11))]
    for one, other in zip(got, torch.autograd.grad(torch.cat(parts), exact, above.double()), strict=True):
        check(one, other, 0.01)


def test_compiled() -> None:
    q, k = on(half(2, 5, 4, 32)), on(half(2, 9, 2, 32))

    def function(q: Tensor, k: Tensor) -> Tensor:
        return wavesmith.flash_attn_func(q, k, k, causal=True) * 2  # type: ignore[no-any-return]

    compiled = torch.compile(function, fullgraph=True, backend="aot_eager")
    assert torch.equal(compiled(q, k), function(q, k))


def test_refusals() -> None:
    q = on(half(2, 3, 4, 64))
    for call, text in (
        (lambda: flash_attn.flash_attn_func(q, q, q, 0.1), "there is no dropout"),
        (lambda: flash_attn.flash_attn_with_kvcache(q, q, q, cache_leftpad=q), "cache_leftpad is not supported"),
        (lambda: flash_attn.flash_attn_with_kvcache(q, q, q, window_size=(2, 0)), "need causal=True"),
        (lambda: flash_attn.flash_attn_with_kvcache(q, q, q, rotary_cos=q, rotary_sin=q, causal=True), "needs k"),
    ):
        with pytest.raises(NotImplementedError, match=text):
            call()
    with pytest.raises(RuntimeError, match="expected k to have shape"):
        flash_attn.flash_attn_func(q, q[:1], q)
    assert q.device.type == DEVICE
