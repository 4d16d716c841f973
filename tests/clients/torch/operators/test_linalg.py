"""Linear algebra: what factorisations and solutions are off by, in double precision; outputs; errors."""

from __future__ import annotations

from functools import partial

import pytest
import torch
from comparison import same_error

import wavesmith

TYPES = (torch.float32, torch.float64, torch.complex64, torch.complex128)
REALS = TYPES[:2]
SIZES = (1, 2, 3, 7, 31, 33)
DEVICE = "wavesmith"


def wide(x: torch.Tensor) -> torch.Tensor:
    return x.cpu().to(torch.complex128 if x.is_complex() else torch.float64)


def small(error: torch.Tensor, norm: torch.Tensor, n: int, dtype: torch.dtype) -> None:
    """Each matrix's error is a small multiple of n half units in the last place of a norm."""
    allowed = 20 * max(n, 1) * torch.finfo(dtype).eps * torch.linalg.matrix_norm(norm) + 1e-300
    off = torch.linalg.matrix_norm(error)
    assert (off <= allowed).all(), f"{n}, {dtype}: {float((off / allowed).max()):.3g} of what is allowed"


def matrices(dtype: torch.dtype, *sizes: int, graded: bool = False) -> torch.Tensor:
    """Matrices with any strides: of a larger array, or turned."""
    *batch, rows, columns = sizes
    made = torch.randn(*batch, columns, rows + 1, dtype=dtype)[..., 1:].mT
    if graded:
        made = made * torch.logspace(0, -6, rows, dtype=made.dtype)[:, None]
    return made


def positive(dtype: torch.dtype, *sizes: int) -> torch.Tensor:
    root = torch.randn(*sizes, dtype=dtype)
    return root @ root.mH + torch.eye(sizes[-1], dtype=dtype)


def sizes_of(dtype: torch.dtype) -> list[tuple[int, ...]]:
    large = 70 if dtype is torch.float32 else 5
    return [(1, 1), (2, 3, 7, 7), (33, 33), (large, large)]


@pytest.mark.representative
@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("upper", (False, True))
def test_cholesky(dtype: torch.dtype, upper: bool, by_kernels: None) -> None:
    for sizes in sizes_of(dtype):
        a, b = positive(dtype, *sizes), torch.randn(*sizes[:-1], 3, dtype=dtype)
        factor, info = torch.linalg.cholesky_ex(a.to(DEVICE), upper=upper)
        assert not info.cpu().any()
        f = wide(factor)
        small((f.mH @ f if upper else f @ f.mH) - wide(a), wide(a), sizes[-1], dtype)
        x = wide(torch.cholesky_solve(b.to(DEVICE), factor, upper))
        small(wide(a) @ x - wide(b), wide(a).norm() * x, sizes[-1], dtype)
        inverse = wide(torch.cholesky_inverse(factor, upper))
        unit = torch.eye(sizes[-1], dtype=inverse.dtype)
        small(wide(a) @ inverse - unit, wide(a).norm() * inverse, sizes[-1], dtype)


@pytest.mark.representative
@pytest.mark.parametrize("dtype", TYPES)
def test_lu(dtype: torch.dtype, by_kernels: None) -> None:
    for sizes in (*sizes_of(dtype), (2, 9, 4), (4, 9), (2, 35, 70)):
        a = matrices(dtype, *sizes, graded=len(sizes) == 3)
        p, lower, upper = (wide(each) for each in torch.linalg.lu(a.to(DEVICE)))
        small(p @ lower @ upper - wide(a), lower.norm() * upper, max(sizes), dtype)
        data, pivots = torch.linalg.lu_factor(a.to(DEVICE))
        again = [wide(each) for each in torch.lu_unpack(data, pivots)]
        for ours, theirs in zip(again, (p, lower, upper), strict=True):
            assert torch.equal(ours, theirs)


@pytest.mark.representative
@pytest.mark.parametrize("dtype", TYPES)
def test_solutions(dtype: torch.dtype, by_kernels: None) -> None:
    for sizes in sizes_of(dtype):
        n = sizes[-1]
        a = matrices(dtype, *sizes) + 2 * torch.eye(n, dtype=dtype)
        for given in (a, a.contiguous()):
            for left in (False, True):
                b = torch.randn(*sizes[:-2], *((n, 3) if left else (3, n)), dtype=dtype)
                x = wide(torch.linalg.solve(given.to(DEVICE), b.to(DEVICE), left=left))
                rest = (wide(a) @ x if left else x @ wide(a)) - wide(b)
                small(rest, wide(a).norm() * x.norm() * torch.ones_like(rest), n, dtype)
        data, pivots = torch.linalg.lu_factor(a.to(DEVICE))
        for left in (False, True):
            for adjoint in (False, True):
                b = torch.randn(*sizes[:-2], *((n, 2) if left else (2, n)), dtype=dtype)
                x = wide(torch.linalg.lu_solve(data, pivots, b.to(DEVICE), left=left, adjoint=adjoint))
                matrix = wide(a).mH if adjoint else wide(a)
                rest = (matrix @ x if left else x @ matrix) - wide(b)
                small(rest, wide(a).norm() * x.norm() * torch.ones_like(rest), n, dtype)
        inverse = wide(torch.linalg.inv(a.to(DEVICE)))
        unit = torch.eye(n, dtype=inverse.dtype)
        small(wide(a) @ inverse - unit, wide(a).norm() * inverse, n, dtype)


@pytest.mark.parametrize("dtype", TYPES)
def test_triangles(dtype: torch.dtype, by_kernels: None) -> None:
    for upper in (False, True):
        for left in (False, True):
            for unit in (False, True):
                for n in (1, 5, 33, 70):
                    a = torch.randn(2, n, n, dtype=dtype) / n + 2 * torch.eye(n, dtype=dtype)
                    b = torch.randn(2, *((n, 3) if left else (3, n)), dtype=dtype)
                    x = wide(
                        torch.linalg.solve_triangular(
                            a.to(DEVICE), b.to(DEVICE), upper=upper, left=left, unitriangular=unit
                        )
                    )
                    t = wide(a.triu() if upper else a.tril())
                    if unit:
                        t.diagonal(dim1=-2, dim2=-1).fill_(1)
                    rest = (t @ x if left else x @ t) - wide(b)
                    small(rest, t.norm() * x.norm() * torch.ones_like(rest), n, dtype)


@pytest.mark.representative
@pytest.mark.parametrize("dtype", TYPES)
def test_qr(dtype: torch.dtype, by_kernels: None) -> None:
    for sizes in (*sizes_of(dtype), (2, 9, 4), (4, 9)):
        a = matrices(dtype, *sizes, graded=True)
        for mode in ("reduced", "complete"):
            q, r = (wide(each) for each in torch.linalg.qr(a.to(DEVICE), mode))
            small(q @ r - wide(a), wide(a), max(sizes), dtype)
            unit = torch.eye(q.shape[-1], dtype=q.dtype)
            small(q.mH @ q - unit, unit, max(sizes), dtype)
        data, tau = torch.geqrf(a.to(DEVICE))
        q = wide(torch.linalg.qr(a.to(DEVICE), "complete").Q)
        for left in (False, True):
            for transpose in (False, True):
                rows = sizes[-2]
                c = torch.randn(*sizes[:-2], *((rows, 3) if left else (3, rows)), dtype=dtype)
                ours = wide(torch.ormqr(data, tau, c.to(DEVICE), left, transpose))
                by = q.mH if transpose else q
                small(ours - (by @ wide(c) if left else wide(c) @ by), wide(c), max(sizes), dtype)


@pytest.mark.parametrize("dtype", REALS)
def test_eigenvalues(dtype: torch.dtype, by_kernels: None) -> None:
    for sizes in (*sizes_of(dtype), (2, 32, 32)):
        a = matrices(dtype, *sizes)
        a = a + a.mT
        for uplo in ("L", "U"):
            half = a.tril() if uplo == "L" else a.triu()
            values, vectors = (wide(each) for each in torch.linalg.eigh(half.to(DEVICE), uplo))
            small(wide(a) @ vectors - vectors * values[..., None, :], wide(a), sizes[-1], dtype)
            unit = torch.eye(sizes[-1], dtype=vectors.dtype)
            small(vectors.mT @ vectors - unit, unit, sizes[-1], dtype)


@pytest.mark.parametrize("dtype", REALS)
@pytest.mark.parametrize("full", (False, True))
def test_singular_values(dtype: torch.dtype, full: bool, by_kernels: None) -> None:
    for sizes in (*sizes_of(dtype), (2, 9, 4), (4, 9)):
        rank_one = torch.randn(*sizes[:-1], 1, dtype=dtype) @ torch.randn(1, sizes[-1], dtype=dtype)
        for a in (matrices(dtype, *sizes, graded=True), rank_one, torch.zeros(sizes, dtype=dtype)):
            u, s, vh = (wide(each) for each in torch.linalg.svd(a.to(DEVICE), full_matrices=full))
            inner = s.shape[-1]
            small((u[..., :inner] * s[..., None, :]) @ vh[..., :inner, :] - wide(a), wide(a), max(sizes), dtype)
            for q in (u, vh.mT):
                unit = torch.eye(q.shape[-1], dtype=q.dtype)
                small(q.mT @ q - unit, unit, max(sizes), dtype)
            values = wide(torch.linalg.svdvals(a.to(DEVICE)))
            small((values - s)[..., None], wide(a), max(sizes), dtype)


@pytest.mark.parametrize("dtype", REALS)
def test_ldl(dtype: torch.dtype, by_kernels: None) -> None:
    for sizes in sizes_of(dtype):
        a = matrices(dtype, *sizes)
        a = a + a.mT
        a.diagonal(dim1=-2, dim2=-1)[..., ::2] = 0
        if sizes[-1] == 1:
            a += 1
        data, pivots, info = torch.linalg.ldl_factor_ex(a.to(DEVICE))
        assert not info.cpu().any()
        b = torch.randn(*sizes[:-1], 3, dtype=dtype)
        x = wide(torch.linalg.ldl_solve(data, pivots, b.to(DEVICE)))
        small(wide(a) @ x - wide(b), wide(a).norm() * x.norm() * torch.ones_like(x), 4 * sizes[-1], dtype)


@pytest.mark.representative
def test_operators_take_few_launches(by_kernels: None) -> None:
    """Each launch costs its caller about three microseconds."""
    a = torch.randn(3, 3, device=DEVICE)
    factors = torch.linalg.lu_factor(a)
    for most, call in (
        (3, a.tril),
        (10, lambda: torch.lu_unpack(*factors)),
        (8, lambda: torch.linalg.det(a)),
        (12, lambda: torch.linalg.slogdet(a)),
        (6, lambda: torch.linalg.solve_ex(a, a)),
        (7, lambda: torch.linalg.inv_ex(a)),
        (8, lambda: torch.linalg.qr(a)),
        (2, lambda: torch.linalg.eigh(a)),
        (2, lambda: torch.linalg.svd(a)),
    ):
        call()
        with wavesmith.profile() as profile:
            call()
            torch.accelerator.synchronize()
        assert sum(row["calls"] for row in profile.rows(by="kernel")) <= most


@pytest.mark.representative
@pytest.mark.parametrize("dtype", TYPES)
def test_determinants(dtype: torch.dtype) -> None:
    """Of batches that are turned and permuted, also with `out=` of other strides; a singular matrix's is 0."""
    for sizes in ((1, 1), (2, 3, 7, 7), (20, 20), (0, 0), (0, 3, 3)):
        a = matrices(dtype, *sizes)
        exact, allowed = torch.linalg.det(wide(a)), {"rtol": 1e-3, "atol": 1e-6}
        torch.testing.assert_close(wide(torch.linalg.det(a.to(DEVICE))), exact, **allowed)
        out = torch.empty((*sizes[:-2], 2), dtype=dtype, device=DEVICE)[..., 0]
        torch.testing.assert_close(wide(torch.linalg.det(a.to(DEVICE).mT, out=out)), exact, **allowed)
        ours, theirs = torch.linalg.slogdet(a.to(DEVICE)), torch.linalg.slogdet(wide(a))
        torch.testing.assert_close(wide(ours.sign), theirs.sign, **allowed)
        torch.testing.assert_close(ours.logabsdet.cpu().double(), theirs.logabsdet, rtol=1e-3, atol=1e-3)
    singular = torch.ones(3, 3, dtype=dtype, device=DEVICE)
    assert torch.linalg.det(singular).item() == 0
    assert torch.linalg.slogdet(singular).logabsdet.item() == -float("inf")


def test_unpacking_into_given_matrices(by_kernels: None) -> None:
    for sizes in ((2, 5, 5), (2, 7, 4), (3, 6)):
        a = matrices(torch.float32, *sizes)
        factors, pivots = torch.linalg.lu_factor(a.to(DEVICE))
        info = torch.zeros(sizes[:-2], dtype=torch.int32, device=DEVICE)
        strided = [
            torch.empty((*each.shape, 3), dtype=each.dtype, device=DEVICE)[..., 1] for each in (factors, pivots, info)
        ]
        torch.linalg.lu_factor_ex(a.to(DEVICE), out=strided)
        for want, ours in zip((factors, pivots, info), strided, strict=True):
            assert torch.equal(want, ours)
        expected = torch.lu_unpack(factors, pivots)
        given = [torch.empty((*each.shape[:-1], 2 * each.shape[-1]), device=DEVICE)[..., ::2] for each in expected]
        torch.lu_unpack(factors, pivots, out=given)
        torch.linalg.lu(a.to(DEVICE), out=(again := [torch.empty(0, device=DEVICE) for _ in given]))
        for want, ours, too in zip(expected, given, again, strict=True):
            assert torch.equal(want, ours) and torch.equal(want, too)
        p, lower, upper = torch.linalg.lu(a.to(DEVICE), pivot=False)
        assert p.numel() == 0
        torch.testing.assert_close((lower @ upper).cpu(), a, rtol=1e-2, atol=1e-2)
        nothing = torch.lu_unpack(factors, pivots, unpack_data=False)
        assert torch.equal(nothing.P, expected[0]) and nothing.L.numel() == 0


def poisoned(like: torch.Tensor) -> torch.Tensor:
    """A tensor of the same sizes with other strides, of which no two matrices of a batch have the same distance."""
    shape = (*like.shape[:-2], *(size + 1 for size in like.shape[-2:]), 2)
    part = torch.full(shape, 77, dtype=like.dtype, device=DEVICE)[..., 1]
    for dim in range(max(like.dim() - 2, 0), like.dim()):
        part = part.narrow(dim, 1, like.shape[dim])
    return part


@pytest.mark.parametrize("dtype", TYPES)
def test_results_may_lie_in_any_way(dtype: torch.dtype, by_kernels: None) -> None:
    for sizes in ((2, 3, 5, 5), (3, 4)):
        a, b = matrices(dtype, *sizes).to(DEVICE), torch.randn(*sizes[:-1], 2, dtype=dtype).to(DEVICE)
        calls = [partial(torch.linalg.qr, a), partial(torch.geqrf, a)]
        if not dtype.is_complex:
            calls.append(partial(torch.linalg.svd, a, full_matrices=False))
        if sizes[-1] == sizes[-2]:
            symmetric = positive(dtype, *sizes).to(DEVICE)
            calls += [
                partial(torch.linalg.inv_ex, a),
                partial(torch.linalg.solve_ex, a, b),
                partial(torch.linalg.lu_solve, *torch.linalg.lu_factor(a), b),
                partial(torch.linalg.solve_triangular, a, b, upper=True),
                partial(torch.triangular_solve, b, a),
                partial(torch.linalg.cholesky_ex, symmetric),
                partial(torch.linalg.ldl_factor_ex, symmetric),
            ]
            if not dtype.is_complex:
                calls.append(partial(torch.linalg.eigh, symmetric))
        for call in calls:
            expected = call()
            several = expected if isinstance(expected, tuple) else (expected,)
            given = tuple(poisoned(each) for each in several)
            call(out=given if isinstance(expected, tuple) else given[0])
            for want, got in zip(several, given, strict=True):
                assert torch.equal(want.cpu(), got.cpu())


@pytest.mark.parametrize("dtype", REALS)
def test_exponentials(dtype: torch.dtype, by_kernels: None) -> None:
    for sizes in ((1, 1), (3, 4, 7, 7), (20, 20), (0, 0), (0, 3, 3)):
        a = matrices(dtype, *sizes)
        for scale in (1e-3, 0.3, 3.0):
            exponential = torch.linalg.matrix_exp(wide(a * scale))
            # Elements of such a product of powers cancel: their error goes by its largest one, and by |A|.
            largest = float(exponential.abs().max()) if exponential.numel() else 0.0
            ours_exponential = wide(torch.linalg.matrix_exp((a * scale).to(DEVICE)))
            torch.testing.assert_close(ours_exponential, exponential, rtol=1e-3, atol=1e-3 + 3e-5 * largest)


@pytest.mark.parametrize("dtype", TYPES)
def test_exponentials_of_large_and_of_no_numbers(dtype: torch.dtype, by_kernels: None) -> None:
    for sizes in ((2, 3, 3), (2, 70, 70)):
        a = matrices(dtype, *sizes) / sizes[-1]
        a[1] *= 40  # squares, of one of the batch
        exact = torch.linalg.matrix_exp(wide(a))
        ours = wide(torch.linalg.matrix_exp(a.to(DEVICE)))
        for mine, other in zip(ours, exact, strict=True):
            error = (mine - other).abs().max() / other.abs().max()
            assert error <= 200 * sizes[-1] * torch.finfo(dtype).eps
        a[0, 1, 2] = float("inf")
        ours = wide(torch.linalg.matrix_exp(a.to(DEVICE)))
        assert ours[0].isnan().all() and not ours[1].isnan().any()
    same_error(torch.linalg.matrix_exp, torch.ones(2, 3))
    same_error(torch.linalg.matrix_exp, torch.ones(2, 2, dtype=torch.int64))


@pytest.mark.parametrize("dtype", REALS)
def test_pseudo_inverses(dtype: torch.dtype, by_kernels: None) -> None:
    for sizes in ((4, 3), (2, 3, 5), (2, 0, 3), (33, 33)):
        a = matrices(dtype, *sizes)
        for tolerances in ({}, {"rtol": 0.3}, {"atol": 0.5}, {"atol": torch.full(sizes[:-2], 0.1), "rtol": 0.2}):
            there = {name: each.to(DEVICE) if isinstance(each, torch.Tensor) else each
                     for name, each in tolerances.items()}  # fmt: skip
            if len({type(each) for each in tolerances.values()}) > 1:
                there["rtol"], tolerances["rtol"] = (torch.tensor(0.2, device=each) for each in (DEVICE, "cpu"))
            ours, theirs = torch.linalg.pinv(a.to(DEVICE), **there), torch.linalg.pinv(a, **tolerances)
            torch.testing.assert_close(ours.cpu(), theirs, rtol=1e-3, atol=1e-3 if dtype is torch.float32 else 1e-9)
        symmetric = a @ a.mT
        ours = torch.linalg.pinv(symmetric.to(DEVICE), hermitian=True, rtol=1e-3)
        torch.testing.assert_close(
            ours.cpu(), torch.linalg.pinv(symmetric, hermitian=True, rtol=1e-3), rtol=1e-2, atol=1e-2
        )


def test_cholesky_that_raises(by_kernels: None) -> None:
    a = torch.eye(3)
    torch.testing.assert_close(torch.cholesky((2 * a).to(DEVICE), True).cpu(), torch.cholesky(2 * a, True))
    a[1, 1] = -1
    same_error(torch.cholesky, a)
    same_error(torch.cholesky, torch.stack((a.abs(), a)))
    same_error(torch.cholesky, torch.ones(2, 3))


def test_least_squares(by_kernels: None) -> None:
    for driver in ("gels", "gelsy", "gelsd", "gelss"):
        for sizes in ((5, 3), (2, 3, 3), (3, 5), (2, 40, 7)):
            a, b = torch.randn(*sizes), torch.randn(*sizes[:-1], 2)
            ours = torch.linalg.lstsq(a.to(DEVICE), b.to(DEVICE), driver=driver)
            theirs = torch.linalg.lstsq(a, b, driver=driver)
            for each, other in zip(ours, theirs, strict=True):
                torch.testing.assert_close(each.cpu(), other, rtol=1e-3, atol=1e-3)


def test_pseudo_inverses_of_equal_rows(by_kernels: None) -> None:
    for sizes in ((3, 3), (2, 9, 4), (2, 3, 4, 9), (40, 7), (1, 1)):
        a = torch.randn(*sizes, dtype=torch.double)
        a[..., -1, :] = a[..., 0, :]
        tolerance = torch.tensor(0.5)
        named = ({}, {"rcond": 0.3}, {"atol": tolerance, "rtol": 0 * tolerance}, {"atol": 0.5})
        for options in named[:1] + named[1:] * (sizes[-1] > 1):
            there = {name: x.to(DEVICE) if isinstance(x, torch.Tensor) else x for name, x in options.items()}
            right = torch.linalg.pinv(a, **options)
            torch.testing.assert_close(torch.linalg.pinv(a.to(DEVICE), **there).cpu(), right, rtol=1e-9, atol=1e-9)
            ours = torch.linalg.pinv(a.float().to(DEVICE), **there).cpu()
            if not options:  # others may lie at the tolerance in one type alone
                torch.testing.assert_close(ours, right.float(), rtol=1e-2, atol=1e-2 * float(right.abs().max()))
    assert not torch.linalg.pinv(torch.zeros(2, 4, 3, device=DEVICE)).any()
    with pytest.raises(torch.linalg.LinAlgError, match=r"linalg.svd: \(Batch element 1\)"):
        torch.linalg.pinv(torch.tensor([[[1.0]], [[torch.nan]]], device=DEVICE))


def test_gradients(by_kernels: None) -> None:
    def gradient(x: torch.Tensor) -> torch.Tensor:
        x = x.requires_grad_()
        total = torch.linalg.inv(x).sum() + torch.linalg.det(x).sum() + torch.linalg.slogdet(x).logabsdet.sum()
        total = total + torch.linalg.qr(x).R.abs().sum() + torch.linalg.svdvals(x).sum()
        total = total + torch.linalg.eigvalsh(x + x.mT).sum() + torch.linalg.solve(x, x + 1).sum()
        (made,) = torch.autograd.grad(total, x)
        return made

    x = torch.randn(2, 4, 4) + torch.diag(torch.arange(3.0, 7.0))
    torch.testing.assert_close(gradient(x.to(DEVICE)).cpu(), gradient(x.double()).float(), rtol=1e-3, atol=1e-3)


def test_outputs_are_resized_and_of_their_type() -> None:
    a = positive(torch.float32, 4, 4)
    out, info = torch.empty(0, device=DEVICE), torch.empty(0, dtype=torch.int32, device=DEVICE)
    torch.linalg.cholesky_ex(a.to(DEVICE), out=(out, info))
    torch.testing.assert_close(out.cpu(), torch.linalg.cholesky(a), rtol=1e-4, atol=1e-4)
    assert info.shape == () and int(info) == 0
    kept = torch.empty(4, 8, device=DEVICE)[:, ::2]
    torch.linalg.inv(a.to(DEVICE), out=kept)
    torch.testing.assert_close(kept.cpu(), torch.linalg.inv(a), rtol=1e-3, atol=1e-4)
    with pytest.raises(RuntimeError):
        torch.linalg.inv(a.to(DEVICE), out=torch.empty(4, 4, dtype=torch.int64, device=DEVICE))


@pytest.mark.representative
def test_what_fails_is_said_as_on_the_cpu() -> None:
    singular = torch.ones(3, 3)
    nan = torch.full((3, 3), float("nan"))
    same_error(torch.linalg.inv, singular)
    same_error(torch.linalg.inv, torch.stack([torch.eye(3), singular]))
    same_error(torch.linalg.solve, torch.zeros(2, 2), torch.ones(2))
    same_error(torch.linalg.cholesky, -torch.eye(4))
    same_error(torch.cholesky, -torch.eye(4))
    same_error(torch.linalg.svd, nan)
    same_error(torch.linalg.inv, torch.ones(3, 4))
    same_error(torch.linalg.cholesky, torch.ones(3))
    same_error(torch.linalg.qr, torch.ones(3, 3), "other")
    same_error(torch.linalg.solve, torch.eye(3), torch.ones(4, 2))
    same_error(torch.geqrf, torch.ones(3))
    same_error(torch.linalg.det, torch.ones(3, 3, dtype=torch.int64))
