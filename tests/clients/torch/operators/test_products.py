"""Products of matrices and vectors, by the kernel library."""

from __future__ import annotations

import pytest
import torch
from comparison import UNIT, bounded, no_fallback, same_error

import wavesmith

FLOATS = (torch.float32, torch.float16, torch.bfloat16)
there = {"device": "wavesmith"}


def check(result: torch.Tensor, a: torch.Tensor, b: torch.Tensor, added: torch.Tensor | float = 0.0) -> None:
    """Beside a @ b + added in double precision, with the bound of wavesmith_kernels.h."""
    a, b = a.cpu().double(), b.cpu().double()
    extra = added.cpu().double() if isinstance(added, torch.Tensor) else torch.tensor(added, dtype=torch.float64)
    sums = torch.matmul(a.abs(), b.abs()) + extra.abs()
    bound = (a.shape[-1] + 3) * 2.0**-24 * sums + 2.0**-130
    exact = torch.matmul(a, b) + extra
    unit = UNIT[result.dtype] if result.dtype != torch.float32 else 0.0
    bounded(result, exact, bound + unit * (exact.abs() + bound) + (2.0**-25 if result.dtype == torch.float16 else 0))


@pytest.mark.representative
@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("m, k, n", [(1, 1, 1), (37, 53, 29), (128, 64, 128), (5, 300, 1), (1, 77, 130)])
def test_matrices(dtype: torch.dtype, m: int, k: int, n: int) -> None:
    for turned in range(4):
        a = torch.randn(k, m).to("wavesmith", dtype).t() if turned & 1 else torch.randn(m, k).to("wavesmith", dtype)
        b = torch.randn(n, k).to("wavesmith", dtype).t() if turned & 2 else torch.randn(k, n).to("wavesmith", dtype)
        with no_fallback():
            result = a @ b
        check(result, a, b)


@pytest.mark.representative
def test_sums_with_what_is_added_in_any_shape() -> None:
    for dtype in FLOATS:
        a, b = torch.randn(19, 33).to("wavesmith", dtype), torch.randn(33, 41).to("wavesmith", dtype)
        for shape in ((41,), (19, 1), (1, 41), (1,), (), (19, 41)):
            c = torch.randn(shape).to("wavesmith", dtype)
            for beta, alpha in ((1, 1), (0.5, 2), (0, 1), (1, 0)):
                with no_fallback(but=("aten.copy", "aten.clone")):
                    result = torch.addmm(c, a, b, beta=beta, alpha=alpha)
                check(result, alpha * a.cpu().double(), b, beta * c.cpu().double().expand(19, 41))
        in_place = torch.randn(41, 19).to("wavesmith", dtype).t()
        before = in_place.cpu()
        with no_fallback():
            in_place.addmm_(a, b, beta=-1)
        check(in_place, a, b, -before)


def test_beta_of_zero_reads_nothing() -> None:
    a, c = torch.randn(8, 8, device="cpu"), torch.full((8, 8), float("nan"))
    result = torch.addmm(c.to("wavesmith"), a.to("wavesmith"), a.to("wavesmith"), beta=0)
    check(result, a, a)


@pytest.mark.representative
def test_batches() -> None:
    for dtype in FLOATS:
        a, b = torch.randn(3, 17, 25).to("wavesmith", dtype), torch.randn(3, 25, 31).to("wavesmith", dtype)
        c, row = torch.randn(3, 17, 31).to("wavesmith", dtype), torch.randn(31).to("wavesmith", dtype)
        with no_fallback():
            plain, added, biased = a @ b, torch.baddbmm(c, a, b), torch.baddbmm(row, a, b)
            shared = torch.bmm(a, b[:1].expand(3, 25, 31))
            across = torch.bmm(a.transpose(1, 2), c)
        check(plain, a, b)
        check(added, a, b, c)
        check(biased, a, b, row)
        check(shared, a, b[:1])
        check(across, a.transpose(1, 2), c)
        summed = torch.addbmm(c[0], a, b)
        wide = a.transpose(0, 1).reshape(17, 75)
        check(summed, wide, b.reshape(75, 31), c[0])


def test_what_lies_far_apart_or_shares_elements() -> None:
    x = torch.randn(40, 60).to("wavesmith")
    for a, b in (
        (x[::2, ::3], x[::3, ::2][:20, :15].t()[:20]),
        (x[1:2].expand(7, 60), x.t()),
        (x.t(), x),
        (x[:, :1], x[:1]),
    ):
        if a.shape[1] != b.shape[0]:
            b = b[: a.shape[1]]
            a = a[:, : b.shape[0]]
        check(a @ b, a, b)


def test_results_elsewhere() -> None:
    a, b = torch.randn(12, 12).to("wavesmith"), torch.randn(12, 12).to("wavesmith")
    columns = torch.zeros(12, 24, **there)
    torch.mm(a, b, out=columns[:, ::2])
    check(columns[:, ::2], a, b)
    assert not columns[:, 1::2].cpu().any()
    over, copy = a.clone(), a.cpu()
    torch.mm(over, b, out=over)
    check(over, copy, b)
    grown = torch.empty(0, **there)
    torch.mm(a, b, out=grown)
    check(grown, a, b)
    side = torch.empty(12, 3, 12, **there).transpose(0, 1)
    batch = torch.randn(3, 12, 12).to("wavesmith")
    torch.bmm(batch, b.expand(3, 12, 12), out=side)
    check(side, batch, b)


@pytest.mark.representative
def test_vectors() -> None:
    for dtype in FLOATS:
        a, x, y = (torch.randn(size).to("wavesmith", dtype) for size in ((37, 53), (53,), (37,)))
        with no_fallback():
            product, added, inner = a @ x, torch.addmv(y, a, x), torch.dot(x, x)
        check(product, a, x)
        check(added, a, x, y)
        check(inner.view(1, 1), x.view(1, -1), x.view(-1, 1))
        check(a.t() @ y, a.t(), y)
        check((a @ torch.stack((x, x), 1)[:, 0]), a, x)
    assert torch.vdot(torch.ones(3, **there), torch.ones(3, **there)).item() == 3
    assert torch.dot(torch.ones(0, **there), torch.ones(0, **there)).item() == 0


@pytest.mark.representative
def test_sums_of_products() -> None:
    """Long vectors are summed by many workgroups; so are integers and doubles."""
    n = 40_009
    x, y = torch.randn(n, dtype=torch.float64), torch.randn(n, dtype=torch.float64)
    for dtype, eps in ((torch.float64, 2**-53), *((each, 2**-24) for each in FLOATS)):
        a, b = x.to(dtype), y.to(dtype)
        with no_fallback(), wavesmith.profile() as profile:
            sum_of_products = torch.dot(a.to("wavesmith"), b.to("wavesmith")[:])
            torch.accelerator.synchronize()
        assert not any(row["name"].startswith("gemm") for row in profile.rows(by="kernel"))
        terms = a.double() * b.double()
        allowed = (n + 1) * eps * terms.abs().sum() + torch.finfo(dtype).eps * terms.sum().abs()
        assert sum_of_products.dtype == dtype
        assert (sum_of_products.cpu().double() - terms.sum()).abs() <= allowed
    numbers = torch.arange(-500, 500)
    for dtype in (torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64):
        a = numbers.to(dtype)
        with no_fallback():
            product = torch.dot(a.to("wavesmith")[::2], a.to("wavesmith")[1::2])
        assert product.dtype == dtype and torch.equal(product.cpu(), torch.dot(a[::2], a[1::2]))


@pytest.mark.representative
def test_nothing_to_multiply() -> None:
    for m, k, n in ((0, 3, 4), (3, 0, 4), (3, 4, 0), (0, 0, 0)):
        a, b = torch.randn(m, k).to("wavesmith"), torch.randn(k, n).to("wavesmith")
        assert torch.equal((a @ b).cpu(), torch.zeros(m, n))
        row = torch.randn(n).to("wavesmith")
        assert torch.equal(torch.addmm(row, a, b, beta=2).cpu(), (2 * row.cpu()).expand(m, n))
        assert torch.equal(torch.bmm(a.expand(2, m, k), b.expand(2, k, n)).cpu(), torch.zeros(2, m, n))
    assert torch.mv(torch.ones(4, 0, **there), torch.ones(0, **there)).cpu().tolist() == [0] * 4


def test_infinities_and_nan() -> None:
    a = torch.randn(20, 20)
    a[3, 4], a[7, 7], a[9, 1] = float("nan"), float("inf"), -float("inf")
    b = torch.rand(20, 20) + 0.5
    torch.testing.assert_close((a.to("wavesmith") @ b.to("wavesmith")).cpu(), a @ b, equal_nan=True)


def test_results_of_f32_from_halves() -> None:
    for dtype in (torch.float16, torch.bfloat16):
        a, b = torch.randn(33, 65).to("wavesmith", dtype), torch.randn(65, 31).to("wavesmith", dtype)
        row = torch.randn(31).to("wavesmith")
        with no_fallback():
            check(torch.mm(a, b, out_dtype=torch.float32), a, b)
            check(torch.addmm(row, a, b, out_dtype=torch.float32), a, b, row)
            check(torch.bmm(a[None], b[None], out_dtype=torch.float32), a[None], b[None])


def test_activations() -> None:
    a, b, row = (torch.randn(size) for size in ((33, 20), (20, 31), (31,)))
    for gelu in (False, True):
        with no_fallback():
            result = torch._addmm_activation(*(each.to("wavesmith") for each in (row, a, b)), use_gelu=gelu)
        sums = torch.addmm(row.double(), a.double(), b.double())
        exact = torch.nn.functional.gelu(sums, approximate="tanh") if gelu else sums.relu()
        bounded(result, exact, torch.full_like(exact, 1e-5))


@pytest.mark.representative
def test_integers() -> None:
    a, b = (torch.randint(-128, 128, size, dtype=torch.int8) for size in ((37, 53), (53, 29)))
    with no_fallback():
        result = torch._int_mm(a.to("wavesmith"), b.to("wavesmith"))
    assert result.dtype == torch.int32 and torch.equal(result.cpu(), a.int() @ b.int())
    assert torch.equal((a.to("wavesmith") @ b.to("wavesmith")).cpu(), a @ b)
    assert torch.equal((a.to("wavesmith").long() @ b.to("wavesmith").long()).cpu(), a.long() @ b.long())


@pytest.mark.representative
@pytest.mark.parametrize("dtype", (torch.float64, torch.complex64, torch.complex128))
def test_doubles_and_complex_numbers(dtype: torch.dtype) -> None:
    a, b, c = (torch.randn(size, dtype=dtype) for size in ((7, 9), (9, 5), (7, 5)))
    unread = torch.full_like(c[:, 0], float("nan"))
    stacks = a.expand(3, 7, 9), torch.randn(3, 5, 9, dtype=dtype)
    for call, *given in (
        (torch.mm, a, b),
        (torch.mm, a, b[:, 0:0]),
        (torch.mm, a[:, 0:0], b[0:0]),
        (lambda a, c: a.conj().t() @ c, a, c),
        (lambda c, a, b: torch.mm(a, b, out=c), c, a, b),
        (lambda c, a, b: torch.addmm(c[0], a, b, beta=2, alpha=-0.5), c, a, b),
        (lambda c, a, b: torch.addmv(c, a, b[:, 0], beta=0, alpha=3), unread, a, b),
        (lambda a, b: torch.addmv(a[:, 8], a[:, :0], b[:0, 0]), a, b),
        (lambda a, b: torch.bmm(a, b.mT), *stacks),
        (lambda c, a, b: torch.baddbmm(c, a, b.mT, alpha=2), c, *stacks),
        (lambda c: torch.vdot(c[:, 0], c[:, 1]), c),
        (lambda c: torch.dot(c[:, 0].conj(), c[:, 1]), c),
        (lambda c: torch.dot(c[0], c[1].conj()), c),
    ):
        with no_fallback():
            ours = call(*(each.to("wavesmith") for each in given))
        torch.testing.assert_close(ours.cpu(), call(*given))


def test_vectors_of_integers() -> None:
    a, x = torch.randint(-9, 9, (7, 9)), torch.randint(-9, 9, (9,))
    with no_fallback():
        assert torch.equal((a.to("wavesmith") @ x.to("wavesmith")).cpu(), a @ x)
        assert torch.equal(torch.dot(x.to("wavesmith"), x.to("wavesmith")).cpu(), torch.dot(x, x))


def eights() -> tuple[torch.dtype, torch.dtype]:
    from wavesmith._use import used

    old = str(used()).startswith(("mi300", "mi325"))
    return (torch.float8_e4m3fnuz, torch.float8_e5m2fnuz) if old else (torch.float8_e4m3fn, torch.float8_e5m2)


@pytest.mark.representative
def test_floats_of_8_bits_with_scales() -> None:
    small, wide = eights()
    a, b = torch.randn(48, 96).to(small), torch.randn(32, 96).to(wide).t()
    one = torch.tensor(0.5), torch.tensor(3.0)
    many = torch.rand(48, 1) + 0.5, torch.rand(1, 32) + 0.5
    bias = torch.randn(32).to(torch.bfloat16)
    for scale_a, scale_b in (one, many):
        for out in (torch.bfloat16, torch.float16, torch.float32):
            with no_fallback():
                result = torch._scaled_mm(
                    *(each.to("wavesmith") for each in (a, b, scale_a, scale_b)),
                    bias=bias.to("wavesmith"),
                    out_dtype=out,
                )
            check(result, a.float() * scale_a, b.float() * scale_b, bias)


def test_floats_of_8_bits_with_scales_of_blocks() -> None:
    small, _ = eights()
    a, b = torch.randn(48, 256).to(small), torch.randn(200, 256).to(small).t()
    scale_a, scale_b = torch.rand(2, 48).t() + 0.5, torch.rand(2, 2) + 0.5
    with no_fallback():
        result = torch._scaled_mm(
            *(each.to("wavesmith") for each in (a, b, scale_a, scale_b)), out_dtype=torch.bfloat16
        )
    wide_a = scale_a.repeat_interleave(128, 1)
    wide_b = scale_b.repeat_interleave(128, 0).repeat_interleave(128, 1)[:, :200]
    check(result, a.float() * wide_a, b.float() * wide_b)


@pytest.mark.representative
def test_gradients() -> None:
    for dtype in (torch.float32, torch.bfloat16):
        layer = torch.nn.Linear(24, 17)
        x, upstream = torch.randn(3, 11, 24), torch.randn(3, 11, 17).to(dtype)
        ours = torch.nn.Linear(24, 17).to("wavesmith", dtype)
        ours.load_state_dict(layer.state_dict())
        x = x.to(dtype)
        there_x = x.to("wavesmith").requires_grad_()
        ours(there_x).backward(upstream.to("wavesmith"))
        weight = ours.weight.detach().cpu()
        assert there_x.grad is not None and ours.weight.grad is not None
        check(there_x.grad.view(33, 24), upstream.view(33, 17), weight)
        check(ours.weight.grad, upstream.view(33, 17).t(), x.view(33, 24))


def test_errors_are_pytorchs() -> None:
    r = torch.randn
    for call, arguments in (
        (torch.mm, (r(2, 3), r(4, 5))),
        (torch.mm, (r(2, 3), r(3, 5).double())),
        (torch.mm, (r(2), r(3, 5))),
        (torch.bmm, (r(2, 3, 4), r(3, 4, 5))),
        (torch.bmm, (r(2, 3, 4), r(2, 4, 5).double())),
        (torch.addmm, (r(5), r(2, 3), r(3, 5).half())),
        (torch.addmm, (r(5).half(), r(2, 3), r(3, 5))),
        (torch.addmm, (r(4), r(2, 3), r(3, 5))),
        (torch.baddbmm, (r(4), r(2, 3, 3), r(2, 3, 5))),
        (torch.baddbmm, (r(5).double(), r(2, 3, 3), r(2, 3, 5))),
        (torch.mv, (r(2, 3), r(4))),
        (torch.mv, (r(2, 3), r(3).double())),
        (torch.dot, (r(2, 3), r(4))),
        (torch.dot, (r(3), r(4))),
        (torch.dot, (r(3), r(3).double())),
        (torch.addbmm, (r(3, 5), r(2, 3, 4), r(2, 5, 5))),
        (torch.addbmm, (r(3, 5), r(2, 3, 4), r(3, 4, 5))),
        (torch.addbmm, (r(3, 4), r(2, 3, 4), r(2, 4, 5))),
        (torch._int_mm, (r(2, 3), r(3, 5))),
        (lambda a, b, out: torch.mm(a, b, out=out), (r(2, 3), r(3, 5), torch.empty(2, 5, dtype=torch.double))),
    ):
        same_error(call, *arguments)
    with pytest.raises(RuntimeError, match=r"Expected all tensors to be on the same device, but got mat2 is on cpu"):
        torch.mm(r(2, 3).to("wavesmith"), r(3, 5))
