"""The kernel library's operators: against references in float64, and what PyTorch asks of an operator."""

from __future__ import annotations

import re
import shutil
import subprocess
from typing import Any

import pytest
import torch
import torch.nn.functional as functional
from gradient_cases import cases
from operator_references import REFERENCES
from operators_data import (
    DEVICE,
    HALF,
    activation,
    attention,
    calls,
    check,
    e4m3,
    float8,
    names,
    on,
    ops,
    results_given,
    rounded,
)
from torch import Tensor

import wavesmith
import wavesmith.ops as own
from wavesmith import aiter
from wavesmith.torch import _build

FLOATS = list(HALF)


# What PyTorch asks of every operator.


OPCHECKS = ("test_schema", "test_autograd_registration", "test_faketensor", "test_aot_dispatch_dynamic")


def _is_8_bit_float(one: Any) -> bool:
    return isinstance(one, Tensor) and one.is_floating_point() and one.itemsize == 1


@pytest.mark.parametrize("name", names())
def test_opcheck(name: str) -> None:
    """Schemas, fake tensors and tracing fit what operators do."""
    base, _, overload = name.partition(".")
    tried = 0
    for call in calls():
        if call.name == base:
            given = results_given(call) if overload else {}
            words = call.kwargs | given
            eight = any(_is_8_bit_float(one) for one in (*call.args, *given.values()))
            utilities = OPCHECKS[1:] if eight else OPCHECKS  # the first compares by allclose, which these have not
            torch.library.opcheck(call.overload(overload), call.args, words, test_utils=utilities)
            tried += 1
    assert tried


@pytest.mark.parametrize("name", list(REFERENCES))
def test_opcheck_with_gradients(name: str) -> None:
    # All of opcheck's but test_autograd_registration, which knows the devices CPU, CUDA and XPU only.
    utilities = tuple(one for one in OPCHECKS if one != "test_autograd_registration")
    only = 2 if name in ("elementwise", "gated", "reduce") else None  # whose cases differ in a word
    for call in list(cases(name))[:only]:
        torch.library.opcheck(call.op, call.args, call.kwargs, test_utils=utilities)


def test_every_operator_is_called_with_every_argument() -> None:
    given: dict[str, set[str]] = {}
    for call in calls():
        given.setdefault(call.name, set()).update(name for name, _, _ in call.tensors())
    for name in names():
        if "." not in name:
            arguments = getattr(ops, name).default._schema.arguments
            assert given[name] == {one.name for one in arguments if "Tensor" in str(one.type)}, name
        for key in ("CUDA", "PrivateUse1"):
            assert torch._C._dispatch_has_kernel_for_dispatch_key(f"wavesmith::{name}", key)


@pytest.mark.representative
def test_compiled_without_breaks() -> None:
    def layer(x: Tensor, weight: Tensor, up: Tensor, down: Tensor) -> Tensor:
        y, x = own.rms_norm(x, weight, residual=x)
        return x + own.linear(own.silu_and_mul(own.linear(y, up)), down)

    inputs = [on(torch.randn(shape), torch.bfloat16) for shape in ((6, 32), (32,), (64, 32), (32, 32))]
    compiled = torch.compile(layer, fullgraph=True, backend="aot_eager")
    assert torch.equal(compiled(*inputs), layer(*inputs))
    wanted = [one.detach().requires_grad_() for one in inputs]
    expected = torch.autograd.grad(layer(*wanted).float().sum(), wanted)
    for got, want in zip(torch.autograd.grad(compiled(*wanted).float().sum(), wanted), expected, strict=True):
        assert torch.equal(got, want)


def test_the_library_takes_the_stable_abi_alone() -> None:
    """So one build serves PyTorch 2.10 and later: of its symbols no class or function of C++ is needed."""
    nm = shutil.which("nm") or pytest.skip("no nm")
    symbols = subprocess.run(
        [nm, "-D", "--undefined-only", _build.operators()], check=True, capture_output=True, text=True
    )
    names = [line.split()[-1] for line in symbols.stdout.splitlines()]
    assert "torch_library_impl" in names
    assert not [name for name in names if re.match(r"_Z\w*?(2at|3c10|5torch)", name)]


def test_compiled_every_operator() -> None:
    for call in calls():
        torch._dynamo.reset()  # each is another function
        compiled = torch.compile(call.op, fullgraph=True, backend="aot_eager")
        got, want = compiled(*call.args, **call.kwargs), call()
        for one, other in zip(*(x if isinstance(x, tuple) else (x,) for x in (got, want)), strict=True):
            assert one is other or torch.equal(one, other), call.name


def test_results_that_are_given() -> None:
    for call in calls():
        if call.name == "cache_write":
            continue
        given = results_given(call)
        made = call()
        assert call.overload("out")(*call.args, **call.kwargs, **given) is None
        for one, other in zip(given.values(), made if isinstance(made, tuple) else (made,), strict=True):
            assert torch.equal(one, other), call.name


# Results.


@pytest.mark.representative
@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("name", ["none", "gelu"])
def test_gemm(dtype: torch.dtype, name: str) -> None:
    m, n, k = 33, 47, 65
    a, b, bias, c = torch.randn(m, k), torch.randn(k, n), torch.randn(n), torch.randn(m, n)
    result = own.gemm(on(a, dtype), on(b, dtype), on(bias), residual=on(c, dtype), alpha=0.5, beta=2.0, activation=name)
    assert result.dtype == dtype
    product = 0.5 * rounded(a, dtype) @ rounded(b, dtype) + 2 * rounded(c, dtype) + bias
    check(result, activation(name, product), HALF[dtype], HALF[dtype] * 4 + k * 2.0**-20)


def test_gemm_of_transposed_views_and_batches() -> None:
    a, b = torch.randn(3, 40, 24).half(), torch.randn(3, 50, 40).half()
    check(own.gemm(on(a).mT, on(b).mT), a.double().mT @ b.double().mT, 2.0**-9, 0.02)
    check(own.gemm(on(a[0]).t(), on(b).mT), a[0].double().t() @ b.double().mT, 2.0**-9, 0.02)


def test_gemm_gated_and_grouped() -> None:
    a, b = torch.randn(31, 32).half(), torch.randn(32, 48).half()
    gate, up = (a.double() @ b.double()).chunk(2, -1)
    check(own.gemm(on(a), on(b), gated=True, activation="silu"), functional.silu(gate) * up, 2.0**-9, 0.05)
    weights = torch.randn(3, 20, 32).half()
    offsets = torch.tensor([0, 11, 11, 31], dtype=torch.int32)
    result = own.grouped_gemm(on(a), on(weights).mT, on(offsets))
    parts = [a[offsets[g] : offsets[g + 1]].double() @ weights[g].double().t() for g in range(3)]
    check(result, torch.cat(parts), 2.0**-9, 0.02)


def test_gemm_of_8_bits() -> None:
    a = torch.randint(-128, 128, (30, 64), dtype=torch.int8)
    b = torch.randint(-128, 128, (20, 64), dtype=torch.int8)
    exact = a.double() @ b.double().t()
    assert torch.equal(own.gemm(on(a), on(b).t()).cpu().double(), exact)
    rows, columns = torch.rand(30, 1), torch.rand(20)
    scaled = own.gemm(on(a), on(b).t(), scale_a=on(rows), scale_b=on(columns), dtype=torch.float32)
    check(scaled, exact * rows.double() * columns.double(), 2.0**-21)


def test_gemm_of_floats_of_8_bits_with_scales_of_blocks() -> None:
    if "mi210" in str(wavesmith.used()):
        pytest.skip("no floats of 8 bits")
    a, b = torch.randn(33, 256), torch.randn(130, 256)
    q, of_a = own.quantise(on(a), e4m3(), scaling="block")
    squares = torch.rand(2, 2) + 0.5
    weights, _ = own.quantise(on(b), e4m3())
    exact_a = own.dequantise(q, of_a).cpu().double()
    exact_b = weights.cpu().float().double() * squares.double().repeat_interleave(128, 0)[:130].repeat_interleave(
        128, 1
    )
    result = own.gemm(q, weights.t(), block_scale_a=of_a, block_scale_b=on(squares), dtype=torch.float32)
    check(result, exact_a @ exact_b.t(), 1e-4)
    rows = torch.rand(130)
    result = own.gemm(q, weights.t(), scale_b=on(rows), dtype=torch.float32)
    exact = q.cpu().float().double() @ (weights.cpu().float().double() * rows[:, None].double()).t()
    check(result, exact, 1e-4)


def test_gemm_of_mxfp4() -> None:
    if "mi355x" not in str(wavesmith.used()):
        pytest.skip("MXFP4 is CDNA4's")
    a, b = torch.randn(32, 128), torch.randn(48, 128)
    (q, of_a), (r, of_b) = (own.quantise(on(one), torch.float4_e2m1fn_x2, scaling="mx") for one in (a, b))
    assert of_a is not None
    assert of_b is not None
    exact = own.dequantise(q, of_a).cpu().double() @ own.dequantise(r, of_b).cpu().double().t()
    columns = [on(one.cpu().t().contiguous()).t() for one in (of_a, of_b)]  # by columns, as the product takes them
    result = own.gemm(q, r.view(torch.uint8).t(), block_scale_a=columns[0], block_scale_b=columns[1])
    check(result, exact, 2.0**-7)
    out = torch.empty(32, 48, dtype=torch.bfloat16, device=DEVICE)
    assert torch.equal(aiter.gemm_a4w4(q, r, of_a, of_b, out, bpreshuffle=False), result)


def test_gemm_of_weights_of_4_bits() -> None:
    k, n, group = 128, 24, 32
    a, weights = torch.randn(9, k).half(), torch.randint(-8, 8, (n, k))
    scales = (torch.rand(n, k // group) + 0.5).half()
    packed = ((weights[:, 0::2] & 15) | ((weights[:, 1::2] & 15) << 4)).to(torch.uint8)
    result = own.gemm(on(a), on(packed).t(), block_scale_b=on(scales))
    full = weights.double() * scales.double().repeat_interleave(group, 1)
    check(result, a.double() @ full.t(), 2.0**-8, 0.5)


@pytest.mark.representative
@pytest.mark.parametrize("dtype", FLOATS)
def test_norms(dtype: torch.dtype) -> None:
    x, weight, bias, residual = (torch.randn(s) for s in ((3, 7, 65), (65,), (65,), (3, 7, 65)))
    of_x, of_residual = rounded(x, dtype), rounded(residual, dtype)
    result = own.layer_norm(on(x, dtype), on(weight), on(bias))
    reference = functional.layer_norm(of_x, (65,), weight.double(), bias.double(), 1e-5)
    check(result, reference, HALF[dtype], HALF[dtype] + 1e-5)
    result, summed = own.rms_norm(on(x, dtype), on(weight), residual=on(residual, dtype), epsilon=1e-6)
    check(summed, of_x + of_residual, HALF[dtype], 0.0)
    reference = functional.rms_norm(summed.cpu().double(), (65,), weight.double(), 1e-6)
    check(result, reference, HALF[dtype], HALF[dtype] + 1e-5)


def test_norm_that_quantises() -> None:
    x = on(torch.randn(9, 128))
    for scaling, blocks in (("row", 1), ("block", 2)):
        q, scales = own.rms_norm(x, scaling=scaling, block=64, dtype=torch.int8)
        assert scales.shape == (9, blocks)
        check(own.dequantise(q, scales, block=64), own.rms_norm(x).cpu().double(), 0.0, 0.51 * float(scales.max()))


@pytest.mark.representative
def test_softmax() -> None:
    x = torch.randn(4, 5, 131)
    check(own.softmax(on(x), scale=0.5), torch.softmax(0.5 * x.double(), -1), 1e-5)
    check(own.log_softmax(on(x)), torch.log_softmax(x.double(), -1), 1e-5)


@pytest.mark.representative
@pytest.mark.parametrize("name", ["relu", "gelu", "silu"])
def test_gates(name: Any) -> None:
    x = torch.randn(5, 2, 66)
    reference = activation(name, x[..., :33].double()) * x[..., 33:].double()
    check(own.gated(on(x), activation=name), reference, 1e-5)
    gate, up = x[..., :33].contiguous(), x[..., 33:].contiguous()
    check(own.gated(on(gate), on(up), activation=name), reference, 1e-5)
    q, scales = own.gated(on(x), activation=name, scaling="row", dtype=float8())
    check(own.dequantise(q, scales), reference, 2.0**-3, float(scales.max()))


@pytest.mark.parametrize("interleaved", [False, True])
def test_rope(interleaved: bool) -> None:
    x, angles = torch.randn(2, 5, 3, 40), torch.rand(20, 16) * 6
    positions = torch.tensor([3, 0, 19, 7, 7])
    cosines, sines = angles.cos().double()[positions][:, None], angles.sin().double()[positions][:, None]
    pairs = (slice(0, 32, 2), slice(1, 32, 2)) if interleaved else (slice(0, 16), slice(16, 32))
    reference = x.double()
    first, second = reference[..., pairs[0]].clone(), reference[..., pairs[1]].clone()
    reference[..., pairs[0]] = first * cosines - second * sines
    reference[..., pairs[1]] = second * cosines + first * sines
    result = own.rope(on(x), on(angles.cos()), on(angles.sin()), on(positions), interleaved=interleaved)
    check(result, reference, 1e-5)


@pytest.mark.representative
@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_attention(dtype: torch.dtype) -> None:
    q, k, v = (torch.randn(2, length, heads, 64).to(dtype) for length, heads in ((7, 4), (19, 2), (19, 2)))
    slopes, sinks = torch.rand(2, 4), torch.randn(4)
    out, lse = own.attention(
        on(q),
        on(k),
        on(v),
        causal=True,
        window_size=(9, -1),
        softcap=3.0,
        alibi_slopes=on(slopes),
        sinks=on(sinks),
    )
    want, want_lse = attention(q, k, v, causal=True, window=(9, -1), softcap=3.0, slopes=slopes, sinks=sinks)
    check(out, want, HALF[dtype] * 2, HALF[dtype] * 2)
    check(lse, want_lse, 1e-4)


def test_paged_attention_and_cache_write() -> None:
    keys, values = torch.randn(50, 2, 64).half(), torch.randn(50, 2, 64).half()
    k_cache, v_cache = (torch.zeros(8, 16, 2, 64, dtype=torch.float16, device=DEVICE) for _ in range(2))
    table = torch.randperm(8)[:4].view(1, 4).to(torch.int32)
    tokens = torch.arange(50)
    own.cache_write(on(keys), on(values), k_cache, v_cache, on(table[0, tokens // 16].long() * 16 + tokens % 16))
    q = torch.randn(1, 3, 4, 64).half()
    contexts = torch.tensor([50], dtype=torch.int32)
    out, lse = own.paged_attention(on(q), k_cache, v_cache, on(contexts), on(table))
    want, want_lse = attention(q, keys[None], values[None], causal=True)
    check(out, want, 2.0**-9, 2.0**-9)
    check(lse, want_lse, 1e-4)
    out, _ = own.paged_attention(on(q[:, -1]), k_cache, v_cache, on(contexts), on(table))
    check(out, want[:, -1], 2.0**-9, 2.0**-9)


def test_paged_attention_over_a_cache_of_8_bits() -> None:
    if "mi210" in str(wavesmith.used()):
        pytest.skip("no floats of 8 bits")
    keys, values, q = torch.randn(40, 2, 64).half(), torch.randn(40, 2, 64).half(), torch.randn(1, 4, 64).half()
    k_cache, v_cache = (torch.zeros(1, 64, 2, 64, device=DEVICE).to(e4m3()) for _ in range(2))
    scale, per_head = on(torch.tensor(0.5)), on(torch.tensor([0.25, 2.0]))
    own.cache_write(
        on(keys), on(values), k_cache, v_cache, torch.arange(40, device=DEVICE), k_scale=scale, v_scale=per_head
    )
    kept_k = k_cache[0, :40].cpu().float().double() * 0.5
    kept_v = v_cache[0, :40].cpu().float().double() * torch.tensor([0.25, 2.0])[:, None]
    check(kept_k, keys.double(), 2.0**-4, 2.0**-6)
    contexts = on(torch.tensor([40], dtype=torch.int32))
    out, _ = own.paged_attention(on(q), k_cache, v_cache, contexts, k_scale=scale, v_scale=per_head)
    check(out, attention(q[:, None], kept_k[None], kept_v[None])[0][:, 0], 2.0**-8, 2.0**-8)


def test_attention_with_values_of_another_size() -> None:
    """As latent attention has them before its projections are moved."""
    q, k, v = (torch.randn(2, 37, 3, size).bfloat16() for size in (192, 192, 128))
    out, lse = own.attention(on(q), on(k), on(v), causal=True)
    want, want_lse = attention(q, k, v, causal=True)
    check(out, want, 2.0**-6, 2.0**-6)
    check(lse, want_lse, 1e-4)


@pytest.mark.parametrize("page", [1, 16])
def test_latent_attention(page: int) -> None:
    latents, contexts = torch.randn(2, 48, 576).half(), torch.tensor([33, 48], dtype=torch.int32)
    blocks = 2 * 48 // page
    order = torch.randperm(blocks)
    cache = torch.empty(blocks, page, 576, dtype=torch.float16)
    cache[order] = latents.view(blocks, page, 576)
    table = order.view(2, -1).to(torch.int32)
    q = torch.randn(2, 3, 5, 576).half()
    out, lse = own.latent_attention(on(q), on(cache), on(contexts), on(table), softmax_scale=192**-0.5)
    for one, length in enumerate(contexts.tolist()):
        keys = latents[one : one + 1, :length, None]
        want, want_lse = attention(q[one : one + 1], keys, keys[..., :512], causal=True, scale=192**-0.5)
        check(out[one : one + 1], want, 2.0**-9, 2.0**-9)
        check(lse[one : one + 1], want_lse, 1e-4)


def test_latent_attention_over_a_cache_of_8_bits() -> None:
    if not {"mi300x", "mi355x", "rx9070xt"} & set(re.findall(r"\w+", str(wavesmith.used()))):
        pytest.skip("no floats of 8 bits")
    q, latents = torch.randn(1, 4, 576).half(), on(torch.randn(1, 40, 576)).to(e4m3())
    words: dict[str, Any] = {"softmax_scale": 0.05, "scale": on(torch.tensor(0.5))}
    out, _ = own.latent_attention(on(q), latents, on(torch.tensor([40], dtype=torch.int32)), **words)
    kept = latents.cpu().float().double()[:, :, None] * 0.5
    check(out, attention(q[:, None], kept, kept[..., :512], scale=0.05)[0][:, 0], 2.0**-8, 2.0**-8)


@pytest.mark.parametrize("dtype", [torch.int8, torch.float8_e4m3fn, torch.float8_e5m2])
@pytest.mark.parametrize("scaling", ["matrix", "row", "block"])
def test_quantise(dtype: torch.dtype, scaling: Any) -> None:
    x = torch.randn(3, 5, 70)
    q, scales = own.quantise(on(x), dtype, scaling=scaling, block=64)
    assert scales is not None
    assert q.dtype == dtype
    step = 0.51 if dtype == torch.int8 else 1.0
    relative = {torch.int8: 0.0, torch.float8_e4m3fn: 2.0**-4, torch.float8_e5m2: 2.0**-3}[dtype]
    check(own.dequantise(q, scales, block=64), x.double(), relative * 1.01, step * float(scales.max()))


def test_quantise_to_mx() -> None:
    x = torch.randn(4, 64)
    q, scales = own.quantise(on(x), torch.float4_e2m1fn_x2, scaling="mx")
    assert q.shape == (4, 32)
    assert scales is not None
    assert scales.shape == (4, 2)
    again = own.dequantise(q, scales)
    check(again, x.double(), 0.26, 2.0 ** float(scales.cpu().max() - 127) / 2)
    assert torch.equal(own.quantise(again, torch.uint8, scaling="mx")[0].cpu(), q.view(torch.uint8).cpu())


@pytest.mark.representative
def test_elementwise_reduce_and_transpose() -> None:
    x, z = torch.randn(6, 33), torch.randn(6, 1)
    check(own.elementwise("divide", on(x), on(z), alpha=2.0), 2 * x.double() / z.double(), 1e-6)
    check(own.elementwise("sigmoid", on(x)), torch.sigmoid(x.double()), 1e-5)
    check(own.add(on(x), on(x[0]), alpha=3.0), x.double() + 3 * x[0].double(), 1e-6)
    check(own.reduce(on(x)), x.double().sum(-1), 1e-5)
    check(own.reduce(on(x), "mean", 0), x.double().mean(0), 1e-5)
    check(own.reduce(on(x), "maximum", None), x.double().max(), 0.0)
    assert torch.equal(own.transpose(on(x)).cpu(), x.t())
    assert torch.equal(own.copy(on(x).t(), dtype=torch.float16).cpu(), x.t().half())
