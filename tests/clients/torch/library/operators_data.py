"""What the tests of the kernel library's operators share: references in float64, and calls of every operator."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import torch
import torch.nn.functional as functional
from torch import Tensor

import wavesmith
from wavesmith.torch.library import load

DEVICE = "wavesmith"
ops = torch.ops.wavesmith

load()


def names() -> list[str]:
    """All operators that the dispatcher knows, with overloads: "softmax", "softmax.out". Those of names that begin with
    "_" are the device's own."""
    every = torch._C._dispatch_get_all_op_names()
    public = re.compile(r"wavesmith::(?!_)")
    return sorted(name.removeprefix("wavesmith::") for name in every if public.match(name))


HALF = {torch.float32: 2.0**-21, torch.float16: 2.0**-10, torch.bfloat16: 2.0**-7}
"""About two units in the last place, relative."""


def on(tensor: Tensor, dtype: torch.dtype | None = None) -> Tensor:
    """On the device, in another type."""
    return tensor.to(dtype or tensor.dtype).to(DEVICE)


def rounded(tensor: Tensor, dtype: torch.dtype) -> Tensor:
    """Numbers of a type in float64, so that a reference sees what the operator does."""
    return tensor.to(dtype).double()


def check(result: Tensor, reference: Tensor, relative: float, absolute: float | None = None) -> None:
    """Compares with a float64 reference; where nothing else is said, absolute is relative to the largest."""
    result = result.cpu().double()
    assert result.shape == reference.shape
    if absolute is None:
        absolute = relative * float(reference.abs().max()) if reference.numel() else 0.0
    torch.testing.assert_close(result, reference, rtol=relative, atol=absolute, equal_nan=True)


def activation(name: str, x: Tensor) -> Tensor:
    return {
        "none": lambda: x,
        "relu": lambda: functional.relu(x),
        "gelu": lambda: functional.gelu(x, approximate="tanh"),
        "silu": lambda: functional.silu(x),
    }[name]()


def attention(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    *,
    causal: bool = False,
    window: tuple[int, int] = (-1, -1),
    softcap: float = 0.0,
    slopes: Tensor | None = None,
    sinks: Tensor | None = None,
    scale: float | None = None,
) -> tuple[Tensor, Tensor]:
    """Attention and its log-sum-exp in float64, of (batch, length, heads, size)."""
    q, k, v = (one.cpu().double() for one in (q, k, v))
    shared = q.shape[2] // k.shape[2]
    k, v = k.repeat_interleave(shared, 2), v.repeat_interleave(shared, 2)
    scores = torch.einsum("bqhd,bkhd->bhqk", q, k) * (q.shape[-1] ** -0.5 if scale is None else scale)
    if softcap:
        scores = softcap * torch.tanh(scores / softcap)
    ahead = torch.arange(q.shape[1])[:, None] + k.shape[1] - q.shape[1] - torch.arange(k.shape[1])
    if slopes is not None:
        scores = scores - slopes.cpu().double().reshape(-1, q.shape[2], 1, 1) * ahead.abs()
    left, right = window[0], 0 if causal else window[1]
    visible = torch.ones_like(ahead, dtype=torch.bool)
    if left >= 0:
        visible &= ahead <= left
    if right >= 0:
        visible &= ahead >= -right
    scores = scores.masked_fill(~visible, float("-inf"))
    if sinks is not None:
        column = sinks.cpu().double()[None, :, None, None].expand(*scores.shape[:3], 1)
        scores = torch.cat((scores, column), -1)
    lse = scores.logsumexp(-1)
    weights = (scores - lse[..., None]).exp().nan_to_num()[..., : k.shape[1]]
    return torch.einsum("bhqk,bkhd->bqhd", weights, v), lse


@dataclass
class Call:
    """A call of an operator."""

    name: str
    args: tuple[Any, ...]
    kwargs: dict[str, Any] = field(default_factory=dict)

    @property
    def op(self) -> Any:
        return self.overload()

    def overload(self, name: str = "") -> Any:
        return getattr(getattr(ops, self.name), name or "default")

    def tensors(self) -> list[tuple[str, int, Tensor]]:
        """Its tensors with the names and positions of their arguments."""
        pairs = enumerate(zip(self.op._schema.arguments, self.args, strict=False))
        return [(argument.name, index, arg) for index, (argument, arg) in pairs if isinstance(arg, Tensor)]

    def __call__(self) -> Any:
        return self.op(*self.args, **self.kwargs)


def results_given(call: Call) -> dict[str, Tensor]:
    """Tensors for the overload `.out` to write into."""
    made = call()
    outs = [argument.name for argument in call.overload("out")._schema.arguments if argument.is_write]
    results = made if isinstance(made, tuple) else (made,)
    return {name: torch.empty_like(one) for name, one in zip(outs, results, strict=True)}


def _half(*shape: int) -> Tensor:
    return torch.randn(shape).half().to(DEVICE)


def _ints(*values: int) -> Tensor:
    return torch.tensor(values, dtype=torch.int32, device=DEVICE)


def float8() -> torch.dtype:
    """The e4m3 that every GPU can make: its products are another matter."""
    return torch.float8_e4m3fn


def e4m3() -> torch.dtype:
    """The e4m3 whose products the GPU has."""
    return torch.float8_e4m3fnuz if "mi300x" in str(wavesmith.used()) else torch.float8_e4m3fn


def _rand(*shape: int) -> Tensor:
    return torch.rand(shape, device=DEVICE)


def _rows(columns: int = 32) -> Tensor:
    return torch.randn(5, columns, device=DEVICE)


def _vector(count: int = 32) -> Tensor:
    return torch.randn(count, device=DEVICE)


def calls() -> Iterator[Call]:
    """Calls of every operator, small, that have each of its arguments between them."""
    yield from _products()
    yield from _attentions()
    yield from _norms()
    yield Call("softmax", (_rows(),), {"scale": 0.5})
    yield Call("softmax", (_rows(),), {"logarithm": True})
    table = (_rand(9, 8), _rand(9, 8))
    yield Call("rope", (_half(5, 2, 32), *table))
    yield Call("rope", (_half(5, 2, 32), *table, _ints(3, 0, 8, 7, 7)), {"interleaved": True})
    yield Call("gated", (_rows(),), {"activation": "gelu"})
    yield Call("gated", (_rows(), _rows()))
    yield Call("gated", (_rows(), _rows(), _rand(1)), {"dtype": torch.int8})
    yield Call("gated_quantise", (_rows(64),), {"dtype": torch.int8})
    yield Call("gated_quantise", (_rows(), _rows()), {"dtype": torch.int8})
    yield Call("elementwise", (_rows(), _vector()), {"operation": "multiply"})
    yield Call("elementwise", (_rows(),), {"operation": "tanh", "alpha": 0.5})
    yield Call("reduce", (_rows(),), {"reduction": "mean"})
    yield Call("reduce", (_rows(),), {"reduction": "maximum", "dim": None})
    yield Call("transpose", (_rows(),), {"dtype": torch.float16})
    yield Call("copy", (_rows(),), {"dtype": torch.float16})
    yield Call("quantise", (_rows(64),), {"dtype": float8(), "scaling": "matrix"})
    yield Call("quantise", (_rows(64),), {"dtype": torch.uint8, "scaling": "mx"})
    yield Call("quantise_with", (_rows(), torch.tensor([0.02], device=DEVICE)), {"dtype": torch.int8})
    q, scales = ops.quantise(_rows(64), dtype=torch.int8)
    yield Call("dequantise", (q, scales), {"dtype": torch.float16})
    yield from _samplings()


def _longs(count: int) -> Tensor:
    return torch.arange(3, 3 + count, device=DEVICE)


def _samplings() -> Iterator[Call]:
    filters = (_rand(5) + 0.5, _ints(0, 3, 7, 1, 40), _rand(5), _rand(5) / 9)
    yield Call("sample", (_rows(), _longs(5)))
    yield Call("sample", (_rows(), _longs(5), _longs(5), *filters))
    yield Call("sample_log_probabilities", (_rows(), _longs(5), _longs(5), *filters))
    yield Call("sampling_probabilities", (_rows(), *filters))
    drafts, counts, bonus = _ints(*range(6)).view(2, 3), _ints(3, 1), _ints(8, 9)
    target, draft = ops.softmax(torch.randn(2, 4, 32, device=DEVICE)), ops.softmax(torch.randn(2, 3, 32, device=DEVICE))
    yield Call("verify_drafts", (drafts, target, _longs(2)))
    yield Call("verify_drafts", (drafts, target, _longs(2), _longs(2), draft, counts, bonus))
    yield Call("verify_drafts_greedily", (drafts, _ints(0, 1, 9, 9, 3, 4, 5, 9).view(2, 4), counts, bonus))


def _products() -> Iterator[Call]:
    yield Call("gemm", (_half(7, 16), _half(16, 12)))
    words = {"activation": "silu", "alpha": 0.5, "beta": 2.0, "dtype": torch.float32}
    yield Call("gemm", (_half(3, 7, 16), _half(16, 12), _vector(12), _half(3, 7, 12)), words)
    eight = [torch.randint(-9, 9, (rows, 64), dtype=torch.int8, device=DEVICE) for rows in (7, 12)]
    scales = (_rand(7, 1), _rand(12), _rand(1))
    yield Call("gemm", (eight[0], eight[1].t(), None, None, *scales), {"dtype": torch.int8})
    packed = torch.randint(0, 256, (24, 64), dtype=torch.uint8, device=DEVICE).t()
    four = (_rand(24, 4).half(), _rand(24, 4).half())
    yield Call("gemm", (_half(9, 128), packed, *[None] * 6, *four))
    yield Call("gemm", (_half(9, 16), _half(2, 12, 16).mT, *[None] * 8, _ints(0, 4, 9)))
    yield Call("gemm", (_half(9, 16).t(), _half(9, 12), *[None] * 8, _ints(0, 4, 4, 9)), {"groups_along_k": True})
    if _has_products_of_8_bit_floats():
        a, of_a = ops.quantise(_rows(256), dtype=e4m3(), scaling="block")
        yield Call("gemm", (a, a.t(), *[None] * 5, of_a, _rand(1, 2)))


def _has_products_of_8_bit_floats() -> bool:
    return "mi210" not in str(wavesmith.used())


def _attentions() -> Iterator[Call]:
    q, k, v = (_half(2, 3, heads, 32) for heads in (4, 2, 2))
    yield Call("attention", (q, k, v, _rand(4), _vector(4)), {"causal": True, "softcap": 5.0})
    q, k, v = (_half(6, heads, 32) for heads in (4, 2, 2))
    ends = _ints(0, 2, 6)
    yield Call("attention", (q, k, v, None, None, ends, ends), {"max_seqlen_q": 4, "max_seqlen_k": 4})
    slots = torch.tensor([3, 40, -1], device=DEVICE)
    new = (_half(3, 2, 64), _half(3, 2, 64))
    several = (_half(2, 4, 64), _half(6, 16, 2, 64), _half(6, 16, 2, 64), _ints(20, 41))
    table = torch.arange(6, dtype=torch.int32, device=DEVICE).view(2, 3)
    yield Call("paged_attention", (*several, table, None, None, _rand(4), _vector(4)))
    yield Call("cache_write", (*new, *several[1:3], slots))
    latents = (_half(2, 4, 576), _half(6, 16, 576), _ints(20, 41), table)
    yield Call("latent_attention", (*latents, _rand(1), _vector(4)), {"softmax_scale": 0.07})
    q, *caches, contexts = several
    integers = [(one * 30).to(torch.int8) for one in caches]
    yield Call("paged_attention", (q, *integers, contexts, table, _rand(6, 16, 2), _rand(6, 16, 2)))
    yield Call("cache_write", (*new, *integers, slots, _rand(6, 16, 2), _rand(6, 16, 2)))
    if _has_products_of_8_bit_floats():
        caches = [one.to(e4m3()) for one in caches]
        yield Call("paged_attention", (q, *caches, contexts, table, _rand(2), _rand(2)))
        yield Call("cache_write", (*new, *caches, slots, _rand(2), _rand(2)))


def _norms() -> Iterator[Call]:
    for name, count in (("rms_norm", 1), ("layer_norm", 1), ("add_rms_norm", 2), ("add_layer_norm", 2)):
        given = tuple(_rows() for _ in range(count))
        yield Call(name, (*given, _vector(), _vector()), {"weight_offset": 1.0})
        yield Call(name, (*given, _vector(), None, _rand(1)), {"dtype": torch.int8})
        yield Call(f"{name}_quantise", (*given, _vector(), _vector()), {"dtype": torch.int8})
        given = tuple(_rows(64) for _ in range(count))
        yield Call(f"{name}_quantise", given, {"dtype": torch.int8, "scaling": "block", "block": 32})
