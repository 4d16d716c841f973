"""Products of groups (torch._grouped_mm), and a layer of experts that is made of them."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from comparison import bounded, no_fallback
from test_products import check

import wavesmith

HALVES = (torch.bfloat16, torch.float16)
#: Where groups end: two are empty, one has a row.
ENDS = (5, 5, 6, 70, 70, 101)


def ends() -> torch.Tensor:
    return torch.tensor(ENDS, dtype=torch.int32)


def slices() -> list[slice]:
    return [slice(first, end) for first, end in zip((0, *ENDS[:-1]), ENDS, strict=True)]


def weights(dtype: torch.dtype, turned: bool) -> torch.Tensor:
    """(groups, 64, 40), whose columns or rows lie together."""
    shape = (len(ENDS), 40, 64) if turned else (len(ENDS), 64, 40)
    made = torch.randn(shape).to("wavesmith", dtype)
    return made.mT if turned else made


def kernels_of(profile: Any) -> set[str]:
    return {row.key.split("_")[1] for row in profile.kernels() if row.key.startswith("gemm_")}


@pytest.mark.representative
@pytest.mark.parametrize("dtype", HALVES)
@pytest.mark.parametrize("turned", [False, True])
def test_groups_of_rows_and_their_gradients(dtype: torch.dtype, turned: bool) -> None:
    x = torch.randn(ENDS[-1], 64).to("wavesmith", dtype).requires_grad_()
    w = weights(dtype, turned).requires_grad_()
    upstream = torch.randn(ENDS[-1], 40).to("wavesmith", dtype)
    with no_fallback(), wavesmith.profile() as profile:
        y = torch._grouped_mm(x, w, offs=ends().to("wavesmith"))
        y.backward(upstream)
    word = "bf16" if dtype == torch.bfloat16 else "f16"
    assert kernels_of(profile) == {f"{word}g", f"{word}k"}
    assert x.grad is not None and w.grad is not None
    here, matrices = x.detach(), w.detach()
    for group, rows in enumerate(slices()):
        check(y.detach()[rows], here[rows], matrices[group])
        check(x.grad[rows], upstream[rows], matrices[group].t())
        check(w.grad[group], here[rows].t(), upstream[rows])
    assert w.grad.stride() == w.stride()


def test_groups_of_columns_and_batches() -> None:
    a = weights(torch.bfloat16, turned=False)
    for b in (torch.randn(ENDS[-1] + 3, 40).to("wavesmith", torch.bfloat16).t(), torch.randn(40, 104).to(a)):
        with no_fallback():
            y = torch._grouped_mm(a, b, offs=ends().to("wavesmith"))
        for group, columns in enumerate(slices()):
            check(y[:, columns], a[group], b[:, columns])
    with no_fallback():
        check(torch._grouped_mm(a, a.mT), a, a.mT)


def test_groups_along_k_that_lie_otherwise_are_copied() -> None:
    a, b = torch.randn(40, 104).to("wavesmith", torch.bfloat16), torch.randn(48, 104).to("wavesmith", torch.bfloat16)
    with no_fallback():
        y = torch._grouped_mm(a, b.t(), offs=ends().to("wavesmith"))
    for group, places in enumerate(slices()):
        check(y[group], a[:, places], b.t()[places])


def test_floats_are_products_of_each_group() -> None:
    x, w = torch.randn(ENDS[-1], 64).to("wavesmith"), weights(torch.float32, turned=True)
    with no_fallback():
        y = torch._grouped_mm(x, w, offs=ends().to("wavesmith"))
    for group, rows in enumerate(slices()):
        check(y[rows], x[rows], w[group])


def test_errors_are_pytorchs() -> None:
    x, w = torch.randn(8, 16).bfloat16(), torch.randn(2, 16, 8).bfloat16()
    two = torch.tensor([3, 8], dtype=torch.int32)
    for arguments in ((x, w, two.long()), (x, w, None), (x, w, two[None]), (x[:, :8], w, two), (x.double(), w, two)):
        with pytest.raises(RuntimeError) as theirs:
            torch._grouped_mm(*arguments)
        with pytest.raises(RuntimeError) as ours:
            torch._grouped_mm(*(each if each is None else each.to("wavesmith") for each in arguments))
        assert str(ours.value).splitlines()[0] == str(theirs.value).splitlines()[0]


@pytest.mark.representative
def test_it_is_compiled_with_its_gradients() -> None:
    def loss(x: torch.Tensor, w: torch.Tensor, offs: torch.Tensor) -> torch.Tensor:
        return torch.nn.functional.silu(torch._grouped_mm(x, w, offs=offs)).float().square().sum()

    results = []
    for call in (loss, torch.compile(loss)):
        torch.manual_seed(5)
        x = torch.randn(ENDS[-1], 64).to("wavesmith", torch.bfloat16).requires_grad_()
        w = weights(torch.bfloat16, turned=True).requires_grad_()
        call(x, w, ends().to("wavesmith")).backward()
        assert x.grad is not None and w.grad is not None
        results.append((x.grad.cpu().float(), w.grad.cpu().float()))
    for eager, compiled in zip(*results, strict=True):
        assert (eager - compiled).abs().max() <= 2.0**-6 * eager.abs().max()


class Layer(torch.nn.Module):
    """A SwiGLU layer of experts as models train it: the best of each token, weighted, by grouped products."""

    def __init__(self, size: int, inner: int, experts: int, most: int, sigmoid: bool) -> None:
        super().__init__()
        self.most, self.sigmoid = most, sigmoid
        self.router = torch.nn.Parameter(torch.randn(experts, size) / size**0.5)
        self.up = torch.nn.Parameter(torch.randn(experts, 2 * inner, size) / size**0.5)
        self.down = torch.nn.Parameter(torch.randn(experts, size, inner) / inner**0.5)

    def forward(self, x: torch.Tensor, chosen: torch.Tensor) -> torch.Tensor:
        scores = x @ self.router.t()
        chances = scores.sigmoid() if self.sigmoid else scores.softmax(-1)
        shares = chances.gather(1, chosen)
        shares = shares / shares.sum(-1, keepdim=True)
        order = chosen.flatten().argsort(stable=True)
        tokens = order // self.most
        count = torch.bincount(chosen.flatten(), minlength=len(self.router))
        offs = count.cumsum(0).to(torch.int32)
        both = self.product(x[tokens], self.up.mT, offs)
        gate, up = both.chunk(2, -1)
        hidden = torch.nn.functional.silu(gate) * up
        rows = self.product(hidden, self.down.mT, offs) * shares.flatten()[order, None]
        return torch.zeros_like(x).index_add(0, tokens, rows)

    def product(self, x: torch.Tensor, w: torch.Tensor, offs: torch.Tensor) -> torch.Tensor:
        if x.dtype != torch.float64:
            return torch._grouped_mm(x, w, offs=offs)
        begins = [0, *offs.tolist()]
        return torch.cat([x[begins[g] : begins[g + 1]] @ w[g] for g in range(len(w))])


@pytest.mark.representative
@pytest.mark.parametrize("sigmoid", [False, True])
@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float32])
def test_a_layer_of_experts_and_its_gradients(dtype: torch.dtype, sigmoid: bool) -> None:
    size, inner, experts, most, tokens = 64, 48, 7, 2, 37
    layer = Layer(size, inner, experts, most, sigmoid).to(dtype)
    x, upstream = torch.randn(tokens, size).to(dtype), torch.randn(tokens, size).to(dtype)
    # The choice is the same for both, without the last expert, which has no token.
    chosen = (x.double() @ layer.router.double().t())[:, :-1].topk(most).indices
    exact = Layer(size, inner, experts, most, sigmoid).double()
    exact.load_state_dict(layer.state_dict())
    ours = Layer(size, inner, experts, most, sigmoid).to("wavesmith", dtype)
    ours.load_state_dict(layer.state_dict())
    wanted, got = x.double().requires_grad_(), x.to("wavesmith").requires_grad_()
    y = exact(wanted, chosen)
    y.backward(upstream.double())
    with no_fallback():
        z = ours(got, chosen.to("wavesmith"))
        z.backward(upstream.to("wavesmith"))
    # Rounding to the type between the steps is what remains: a few units of each tensor's largest.
    unit = 2.0**-5 if dtype == torch.bfloat16 else 2.0**-18
    pairs = {"y": (z, y), "x": (got.grad, wanted.grad)}
    pairs |= {
        name: (one.grad, other.grad)
        for (name, one), other in zip(ours.named_parameters(), exact.parameters(), strict=True)
    }
    for name, (one, other) in pairs.items():
        assert one is not None and other is not None, name
        bounded(one, other.detach(), torch.full_like(other, unit * float(other.detach().abs().max())))
    assert ours.up.grad is not None and not ours.up.grad[-1].any()
