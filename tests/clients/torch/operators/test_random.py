"""Random numbers: those that PyTorch draws on CUDA, their distributions, generators and graphs."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest
import torch

N = 1_000_000
#: Of N numbers, how far from their distribution one in 1500 seeds leads (Kolmogorov and Smirnov); seeds are fixed.
FAR = 2 / math.sqrt(N)


def device() -> torch.device:
    return torch.device("wavesmith")


def same(one: torch.Tensor, other: torch.Tensor) -> bool:
    return torch.equal(one.cpu(), other.cpu())


def drawn(seed: int, fill: Callable[[torch.Tensor], torch.Tensor], dtype: torch.dtype = torch.float32) -> torch.Tensor:
    torch.manual_seed(seed)
    return fill(torch.empty(N, dtype=dtype, device=device())).cpu()


def distance(numbers: torch.Tensor, distribution: Callable[[torch.Tensor], torch.Tensor]) -> float:
    """The largest difference between the share of numbers up to a value and the distribution there."""
    ordered = numbers.double().sort().values
    expected = distribution(ordered)
    rank = torch.arange(len(ordered) + 1, dtype=torch.float64) / len(ordered)
    return max(float((rank[1:] - expected).max()), float((expected - rank[:-1]).max()))


@pytest.mark.representative
def test_first_numbers_are_those_that_people_saw_on_cuda(by_kernels: None) -> None:
    torch.manual_seed(0)
    torch.testing.assert_close(
        torch.rand(3, device=device()).cpu(), torch.tensor([0.3990, 0.5167, 0.0249]), atol=6e-5, rtol=0
    )
    torch.manual_seed(0)
    seen = torch.tensor([-0.9247, -0.4253, -2.6438, 0.1452, -0.1209, -0.5797])
    torch.testing.assert_close(torch.randn(6, device=device()).cpu(), seen, atol=6e-5, rtol=0)


@pytest.mark.representative
def test_bits_are_philoxs(by_kernels: None) -> None:
    # Random123's known answer of the key and counter 0.
    torch.manual_seed(0)
    bits = torch.empty(1, dtype=torch.int64, device=device()).random_(-(2**63), None)
    assert int(bits) == 0x6627E8D5E169C58D
    torch.manual_seed(0)
    assert int(torch.empty(1, dtype=torch.int32, device=device()).random_(0, 2**28 - 1)) == 0x6627E8D5 % (2**28 - 1)


@pytest.mark.representative
def test_the_same_seed_draws_the_same(by_kernels: None) -> None:
    def all_kinds() -> list[torch.Tensor]:
        empty = torch.empty(3, 5, 7, device=device())
        return [
            torch.randn(1001, device=device()),
            torch.rand(13, 17, dtype=torch.float64, device=device()),
            torch.randint(0, 100, (99,), device=device()),
            torch.bernoulli(torch.full((37,), 0.3, device=device())),
            torch.nn.functional.dropout(torch.ones(40, device=device()), 0.5),
            empty.clone().exponential_(),
            empty.transpose(0, 2).clone().cauchy_(),
            empty.clone().log_normal_(),
            empty.clone().geometric_(0.2),
        ]

    torch.manual_seed(5)
    first, state = all_kinds(), torch.wavesmith.get_rng_state()
    second = all_kinds()
    torch.wavesmith.set_rng_state(state)
    for one, other in zip(second, all_kinds(), strict=True):
        assert same(one, other)
    torch.manual_seed(5)
    for one, other, third in zip(first, all_kinds(), second, strict=True):
        assert same(one, other) and not same(one, third)


@pytest.mark.representative
def test_a_generator_is_a_seed_and_an_offset(by_kernels: None) -> None:
    generator = torch.Generator(device()).manual_seed(11)
    assert generator.get_offset() == 0 and len(generator.get_state()) == 16
    torch.rand(5, device=device(), generator=generator)
    assert generator.get_offset() == 4  # as CUDA's
    torch.bernoulli(torch.full((5,), 0.5, device=device()), generator=generator)
    assert generator.get_offset() == 16
    copy = generator.clone_state() if hasattr(generator, "clone_state") else None
    generator.set_offset(4)
    again = torch.rand(5, device=device(), generator=generator)
    generator.manual_seed(11)
    torch.rand(5, device=device(), generator=generator)
    assert same(torch.rand(5, device=device(), generator=generator), again)
    assert copy is None or copy.get_offset() == 16
    with pytest.raises(RuntimeError, match="multiple of 4"):
        generator.set_offset(2)
    with pytest.raises(RuntimeError, match="Expected a 'wavesmith' device type for generator but found 'cpu'"):
        torch.empty(3, device=device()).normal_(generator=torch.Generator())


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16, torch.float16], ids=str)
def test_uniform_numbers(dtype: torch.dtype) -> None:
    numbers = drawn(1, lambda x: x.uniform_(), dtype)
    digits = 2 * torch.finfo(dtype).eps if dtype.itemsize == 2 else 0
    assert distance(numbers, lambda x: x) < FAR + digits
    assert float(numbers.min()) >= 0 and float(numbers.max()) < 1  # never the upper bound
    moved = drawn(2, lambda x: x.uniform_(-3, 5), dtype).double()
    assert float(moved.min()) >= -3 and float(moved.max()) < 5
    assert abs(float(moved.mean()) - 1) < 4 * math.sqrt(64 / 12 / N) + digits
    assert abs(float(moved.var()) - 64 / 12) < 0.02


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=str)
def test_normal_numbers(dtype: torch.dtype) -> None:
    numbers = drawn(3, lambda x: x.normal_(2, 3), dtype)
    assert bool(numbers.isfinite().all())
    scaled = (numbers.double() - 2) / 3
    assert distance(scaled, torch.special.ndtr) < FAR
    for power, moment in ((1, 0), (2, 1), (3, 0), (4, 3)):
        spread = {1: 1, 2: 2, 3: 15, 4: 96}[power]  # the power's variance
        assert abs(float((scaled**power).mean()) - moment) < 4 * math.sqrt(spread / N)
    logarithms = drawn(4, lambda x: x.log_normal_(0.5, 0.25), dtype).double().log()
    assert distance((logarithms - 0.5) / 0.25, torch.special.ndtr) < FAR


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.float16], ids=str)
def test_exponential_and_cauchy_numbers(dtype: torch.dtype) -> None:
    numbers = drawn(5, lambda x: x.exponential_(2), dtype)
    assert bool(numbers.isfinite().all()) and (dtype == torch.float16 or float(numbers.min()) > 0)
    assert distance(numbers, lambda x: 1 - (-2 * x).exp()) < FAR + (2e-3 if dtype == torch.float16 else 0)
    if dtype != torch.float16:
        numbers = drawn(13, lambda x: x.cauchy_(1, 2), dtype)
        assert bool(numbers.isfinite().all())
        assert distance(numbers, lambda x: 0.5 + ((x - 1) / 2).atan() / math.pi) < FAR


def test_discrete_numbers() -> None:
    trials = drawn(7, lambda x: x.geometric_(0.3))
    for most in range(1, 20):
        assert abs(float((trials <= most).double().mean()) - (1 - 0.7**most)) < FAR
    digits = drawn(8, lambda x: x.random_(0, 10), torch.int64)
    counts = torch.bincount(digits, minlength=10).double()
    assert len(counts) == 10 and float(((counts - N / 10) ** 2 / (N / 10)).sum()) < 27.9  # chi square, one in 1000
    wide = drawn(9, lambda x: x.random_(-(2**62), 2**62), torch.int64)
    assert distance(wide, lambda x: x / 2**63 + 0.5) < FAR
    assert set(drawn(10, lambda x: x.random_(), torch.bool).tolist()) == {True, False}
    for p in (0.0, 0.25, 1.0):
        ones = drawn(11, lambda x, p=p: x.bernoulli_(p))  # type: ignore[misc]
        assert abs(float(ones.mean()) - p) <= 4 * math.sqrt(p * (1 - p) / N) + 1e-7
    chances = torch.rand(N, generator=torch.Generator().manual_seed(12))
    torch.manual_seed(12)
    ones = torch.bernoulli(chances.to(device())).cpu()
    for tenth in range(10):
        chosen = (chances * 10).floor() == tenth
        assert abs(float((ones - chances)[chosen].mean())) < 4 * math.sqrt(0.25 / (N / 10))


def test_streams_are_independent() -> None:
    first = drawn(20, lambda x: x.normal_())
    following = torch.empty(N, device=device()).normal_().cpu()
    other = drawn(21, lambda x: x.normal_())
    for one, two in ((first, following), (first, other), (first[1:], first[:-1]), (first[256:], first[:-256])):
        assert abs(float((one.double() * two.double()).mean())) < 4 / math.sqrt(N)
        assert abs(float((one.double() ** 2 * two.double() ** 2).mean()) - 1) < 4 * math.sqrt(8 / N)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16, torch.float16], ids=str)
def test_dropout_keeps_and_scales(dtype: torch.dtype, by_kernels: None) -> None:
    x = torch.full((100_003,), 3.0, dtype=dtype, device=device(), requires_grad=True)
    torch.manual_seed(30)
    y = torch.nn.functional.dropout(x, 0.25)
    y.sum().backward()
    here = y.detach().double().cpu()
    kept = (here != 0).double()
    assert abs(float(kept.mean()) - 0.75) < 4 * math.sqrt(0.1875 / x.numel())
    tolerance = torch.finfo(dtype).eps * 4
    torch.testing.assert_close(here, 4 * kept, rtol=tolerance, atol=0)
    assert x.grad is not None
    torch.testing.assert_close(x.grad.double().cpu(), kept / 0.75, rtol=tolerance, atol=0)
    again = torch.nn.functional.dropout(x, 0.25)
    other = (again != 0).double().cpu()
    assert abs(float((kept - 0.75).mul(other - 0.75).mean())) < 4 * 0.1875 / math.sqrt(x.numel())


@pytest.mark.representative
def test_strides_and_few_elements(by_kernels: None) -> None:
    for shape in ((), (0,), (1,), (3,), (257,), (5, 0, 2), (3, 1, 7)):
        for fill in (torch.Tensor.normal_, torch.Tensor.uniform_, torch.Tensor.exponential_):
            assert fill(torch.full(shape, math.nan, device=device())).cpu().isfinite().all()
    base = torch.full((64, 33), -1.0, device=device())
    base[::2, 1::3].uniform_(2, 3)
    base = base.cpu()
    drawn_ones = base[::2, 1::3]
    assert bool(((drawn_ones >= 2) & (drawn_ones < 3)).all())
    assert int((base == -1).sum()) == base.numel() - drawn_ones.numel()
    numbers = torch.randn(50_000, dtype=torch.complex64, device=device()).cpu()
    assert abs(float(torch.view_as_real(numbers).var()) - 0.5) < 0.02
    # The elements' order is that of memory, as PyTorch's iterators have it.
    torch.manual_seed(1)
    rows = torch.empty(7, 9, device=device()).normal_()
    torch.manual_seed(1)
    turned = torch.empty(9, 7, device=device()).t().normal_()
    assert same(turned.t().flatten(), rows.flatten())


def test_choices_with_replacement() -> None:
    weights = torch.tensor([[1.0, 0.0, 3.0, 4.0], [0.0, 2.0, 0.0, 2.0]], device=device())
    torch.manual_seed(40)
    chosen = torch.multinomial(weights, 20_000, replacement=True).cpu()
    for row, right in enumerate(([0.125, 0, 0.375, 0.5], [0, 0.5, 0, 0.5])):
        shares = torch.bincount(chosen[row], minlength=4) / 20_000
        torch.testing.assert_close(shares, torch.tensor(right), atol=0.015, rtol=0)
    single = torch.multinomial(weights[0], 1)
    assert single.shape == (1,) and int(single) != 1


def test_choices_of_different_categories(by_kernels: None) -> None:
    weights = torch.tensor([[1.0, 0.0, 3.0, 4.0], [0.0, 2.0, 0.0, 2.0]], device=device())
    for dtype in (torch.float32, torch.float64, torch.float16, torch.bfloat16):
        torch.manual_seed(41)
        many = weights.to(dtype)[:, None].expand(2, 5_000, 4).reshape(-1, 4)
        first = torch.multinomial(many, 1).cpu().view(2, -1)
        for row, right in enumerate(([0.125, 0, 0.375, 0.5], [0, 0.5, 0, 0.5])):
            shares = torch.bincount(first[row], minlength=4) / 5_000
            torch.testing.assert_close(shares, torch.tensor(right), atol=0.04, rtol=0)
    both = torch.multinomial(weights, 2).cpu()
    assert both.shape == (2, 2) and set(both[1].tolist()) == {1, 3} and 1 not in both[0].tolist()
    out = torch.empty(0, dtype=torch.int64, device=device())
    assert torch.multinomial(weights.t()[1], 1, out=out) is out and out.cpu().tolist() == [1]


def test_deviations_of_tensors(by_kernels: None) -> None:
    mean, deviation = torch.randn(300, 1, device=device()), torch.rand(400, device=device())
    torch.manual_seed(3)
    drawn = torch.normal(mean, deviation)
    torch.manual_seed(3)
    right = torch.empty(300, 400, device=device()).normal_().mul_(deviation).add_(mean)
    assert same(drawn, right)
    for bad in (-0.5, float("nan")):
        deviation[7] = bad
        with pytest.raises(RuntimeError, match="normal expects all elements of std >= 0.0"):
            torch.normal(mean, deviation)


def test_permutations() -> None:
    torch.manual_seed(50)
    counts = torch.zeros(6)
    for _ in range(600):
        a, b, _c = torch.randperm(3, device=device()).tolist()
        counts[2 * a + (b > 3 - a - b)] += 1
    assert float(((counts - 100) ** 2 / 100).sum()) < 20.5  # chi square, one in 1000
    assert same(torch.randperm(5000, device=device()).sort().values.cpu(), torch.arange(5000))
    assert torch.randperm(9, dtype=torch.int32, device=device()).dtype == torch.int32


@pytest.mark.representative
def test_each_replay_of_a_graph_goes_on(by_kernels: None) -> None:
    ours, y, mask = torch.wavesmith, torch.zeros(100, device=device()), torch.zeros(100, device=device())

    def work() -> None:
        y.normal_()
        mask.bernoulli_(0.5)

    graph = ours.CUDAGraph()
    with ours.graph(graph):
        work()
    torch.manual_seed(60)
    captured = []
    for _ in range(3):
        graph.replay()
        captured.append((y.clone(), mask.clone()))
    after = torch.rand(3, device=device())
    torch.manual_seed(60)
    for by_graph in captured:
        work()
        assert same(by_graph[0], y) and same(by_graph[1], mask)
    assert same(torch.rand(3, device=device()), after)
    assert not same(captured[0][0], captured[1][0])
