"""Scaled dot product attention, by the kernel library and by products."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import torch
import torch.nn.functional as functional
from comparison import on_both
from torch.nn.attention import SDPBackend, sdpa_kernel

from wavesmith import kernels

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


@pytest.fixture
def deterministic() -> Iterator[None]:
    """Gradients are the same in each run."""
    before = torch.are_deterministic_algorithms_enabled()
    torch.use_deterministic_algorithms(True)
    yield
    torch.use_deterministic_algorithms(before)


@pytest.mark.representative
@pytest.mark.parametrize("causal", (False, True))
def test_the_same_gradients_in_each_run(deterministic: None, causal: bool) -> None:
    """Of so many keys that workgroups add to dQ where no order is asked for."""
    q, k, v = (heads(1, count, 300, 128, torch.bfloat16) for count in (4, 2, 2))

    def call(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
        return attention(q, k, v, is_causal=causal, enable_gqa=True)

    on_both(call, q, k, v, tolerance=TOLERANCE[torch.bfloat16])
    inputs = [one.to("wavesmith").requires_grad_() for one in (q, k, v)]
    out = call(*inputs)
    upstream = torch.randn_like(out)
    first, second = (torch.autograd.grad(out, inputs, upstream, retain_graph=True) for _ in range(2))
    assert all(torch.equal(one, other) for one, other in zip(first, second, strict=True))


@pytest.mark.representative
@pytest.mark.parametrize("dtype", (torch.float16, torch.bfloat16))
def test_gradients_in_any_order(dtype: torch.dtype) -> None:
    assert not torch.are_deterministic_algorithms_enabled()
    q, k, v = heads(1, 4, 200, 128, dtype), heads(1, 2, 300, 128, dtype), heads(1, 2, 300, 128, dtype)
    for causal in (False, True):
        on_both(
            lambda q, k, v, causal=causal: attention(q, k, v, is_causal=causal, enable_gqa=True),
            q, k, v, tolerance=TOLERANCE[dtype],
        )  # fmt: skip


def kept(q: torch.Tensor, keys: int, p: float, seed: int, offset: int) -> torch.Tensor:
    """What multiplies the weights: nothing, or what makes up for that."""
    shape = (*q.shape[:3], keys)
    bits, factor = kernels.attention_dropout(shape, dropout_p=p, dropout_seed=seed, dropout_offset=offset)
    return torch.frombuffer(bytearray(bits), dtype=torch.uint8).reshape(shape) * factor


@pytest.mark.representative
@pytest.mark.parametrize("dtype", (torch.float16, torch.bfloat16))
@pytest.mark.parametrize("causal", (False, True))
def test_dropout(dtype: torch.dtype, causal: bool) -> None:
    """The result and its gradients beside float64's with the same weights dropped."""
    for queries, keys, size, p in ((70, 70, 64, 0.1), (40, 150, 128, 0.5), (150, 40, 24, 0.75)):
        q, k, v = heads(2, 4, queries, size, dtype), heads(2, 2, keys, size, dtype), heads(2, 2, keys, size, dtype)
        ours = [one.to("wavesmith").requires_grad_() for one in (q, k, v)]
        state = torch.wavesmith.get_rng_state()
        seed, offset = (int(number) for number in state.view(torch.int64))
        out = attention(*ours, dropout_p=p, is_causal=causal, enable_gqa=True)
        upstream = torch.randn(out.shape).to(dtype)
        out.backward(upstream.to("wavesmith"))
        assert int(torch.wavesmith.get_rng_state().view(torch.int64)[1]) == offset + 4 * 2 * 4

        wide = [one.double().requires_grad_() for one in (q, k, v)]
        of_k, of_v = (one.repeat_interleave(2, 1) for one in wide[1:])
        scores = wide[0] @ of_k.mT / size**0.5
        if causal:
            scores = scores.masked_fill(torch.ones(queries, keys, dtype=torch.bool).tril().logical_not(), -torch.inf)
        mask = kept(q, keys, p, seed, offset)
        want = (scores.softmax(-1) * mask) @ of_v
        want.backward(upstream.double())
        for got, wanted in ((out, want), *((one.grad, other.grad) for one, other in zip(ours, wide, strict=True))):
            error = (got.detach().cpu().double() - wanted.detach()).abs().max() / wanted.detach().abs().max()
            assert error < TOLERANCE[dtype]


@pytest.mark.representative
def test_dropout_follows_the_seed() -> None:
    q = heads(1, 2, 130, 64, torch.float16).to("wavesmith").requires_grad_()

    def once() -> tuple[torch.Tensor, torch.Tensor]:
        out = attention(q, q, q, dropout_p=0.3)
        return out, *torch.autograd.grad(out.sum(), q)

    torch.use_deterministic_algorithms(False)
    torch.manual_seed(7)
    first, second = once(), once()
    torch.manual_seed(7)
    again = once()
    assert all(torch.equal(one, other) for one, other in zip(first, again, strict=True))
    assert not torch.equal(first[0], second[0])


def test_how_much_is_dropped() -> None:
    """Of all the same weights and values of 1, a result is the share of weights that are kept, times what they grow."""
    torch.manual_seed(1)
    q = torch.zeros(4, 8, 256, 64, dtype=torch.float16, device="wavesmith")
    for p in (0.1, 0.5, 0.9):
        share = attention(q, q, q + 1, dropout_p=p)[..., 0].float()
        bits = 256 * 4 * 8 * 256
        # p is rounded to a multiple of 1 / 256, which the weights' factor makes up for: four standard deviations.
        assert abs(share.mean().item() - 1) < 4 * (p / (1 - p) / bits) ** 0.5 + 2**-11
        assert share.std().item() > 0


@pytest.mark.representative
def test_dropout_in_a_graph() -> None:
    """A replay draws where the generator is then, for the result and its gradients."""
    q, upstream = (heads(1, 2, 70, 64, torch.float16).to("wavesmith") for _ in range(2))
    q.requires_grad_()

    def once() -> tuple[torch.Tensor, torch.Tensor]:
        out = attention(q, q, q, dropout_p=0.4)
        return out, *torch.autograd.grad(out, q, upstream)

    graph = torch.accelerator.Graph()
    with torch.Stream(device="wavesmith"):
        graph.capture_begin()
        captured = once()
        graph.capture_end()
        for seed in (3, 4):
            torch.manual_seed(seed)
            graph.replay()
            got = [one.clone() for one in captured]
            torch.manual_seed(seed)
            wanted = once()
            assert all(torch.equal(one, other) for one, other in zip(got, wanted, strict=True))


@pytest.mark.representative
def test_heads_that_share_keys() -> None:
    q, k, v = (heads(2, count, 19, 64, torch.bfloat16) for count in (6, 2, 2))
    on_both(
        lambda q, k, v: attention(q, k, v, is_causal=True, enable_gqa=True),
        q, k, v, tolerance=TOLERANCE[torch.bfloat16],
    )  # fmt: skip


@pytest.mark.representative
def test_large_heads_and_values_of_another_size(by_kernels: None) -> None:
    """Prompts of latent attention have heads of 192 and values of 128."""
    dtype = torch.bfloat16
    for size, size_v in ((192, 128), (256, 256), (72, 104), (60, 20)):
        q, k = heads(1, 4, 50, size, dtype), heads(1, 2, 70, size, dtype)
        v = heads(1, 2, 70, size_v, dtype)
        assert torch._fused_sdp_choice(*(one.to("wavesmith") for one in (q, k, v)), enable_gqa=True) == (
            SDPBackend.OVERRIDEABLE.value
        )
        for causal in (False, True):
            on_both(
                lambda q, k, v, causal=causal: attention(q, k, v, is_causal=causal, enable_gqa=True),
                q, k, v, tolerance=TOLERANCE[dtype],
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
    assert choice(q, q, q, dropout_p=0.5) == SDPBackend.OVERRIDEABLE.value
    assert choice(q, q, q, dropout_p=1.0) == SDPBackend.MATH.value
    larger = heads(1, 2, 9, 136, torch.bfloat16).to("wavesmith")
    assert choice(larger, larger, larger, dropout_p=0.5) == SDPBackend.MATH.value
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
