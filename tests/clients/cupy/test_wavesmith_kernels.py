"""Wavesmith's own kernels on CuPy's arrays, which are used where they lie."""

from __future__ import annotations

import cupy
import numpy as np
import pytest

import wavesmith
from wavesmith import kernels

pytestmark = pytest.mark.representative


def matrices(dtype: str = "f2") -> tuple[cupy.ndarray, cupy.ndarray, np.ndarray, np.ndarray]:
    """Two matrices, their product in float64, and the bound of its error before rounding."""
    random = cupy.random.RandomState(7)
    a, b = random.standard_normal((70, 45)).astype(dtype), random.standard_normal((33, 45)).astype(dtype).T
    wide = a.get().astype("f8"), b.get().astype("f8")
    return a, b, wide[0] @ wide[1], 46 * 2.0**-24 * (abs(wide[0]) @ abs(wide[1]))


def test_results_are_cupys_and_on_the_arguments_device() -> None:
    for device in range(cupy.cuda.runtime.getDeviceCount()):
        with cupy.cuda.Device(device):
            a, b, wanted, bound = matrices()
        got = kernels.gemm(a, b)
        assert cupy.cuda.runtime.getDevice() == 0
        assert isinstance(got, cupy.ndarray) and got.dtype == "f2" and got.device.id == device
        assert (abs(got.get() - wanted) <= bound + 2.0**-11 * abs(wanted) + 2.0**-24).all()
        with cupy.cuda.Device(device):
            batch = cupy.stack([a, 2 * a])
            assert (kernels.gemm(batch, b)[1] == kernels.gemm(2 * a, b)).all()


def test_out_is_written_in_place() -> None:
    a, b, wanted, bound = matrices()
    out = cupy.ones((70, 40), "f4")[:, 3:36]
    assert kernels.gemm(a, b, out=out, c=out, beta=1.0) is out
    assert (abs(out.get() - wanted - 1) <= bound + 2.0**-20 * abs(wanted) + 2.0**-22).all()
    assert (out.base[:, :3] == 1).all() and (out.base[:, 36:] == 1).all()


def test_work_goes_into_the_stream_that_is_given() -> None:
    a, b, _, _ = matrices()
    first = kernels.gemm(a, b)
    cupy.cuda.Device().synchronize()
    stream = cupy.cuda.Stream(non_blocking=True)
    with stream:
        twice = 2 * a
        again = kernels.gemm(twice, b, alpha=0.5, stream=stream.ptr)
        assert (again == first).all()


def test_arrays_of_two_places_are_refused() -> None:
    a, b, _, _ = matrices()
    with pytest.raises(wavesmith.BadInputError, match="a lies in the memory of GPU 0 and b in the host's memory"):
        kernels.gemm(a, b.get())
    with pytest.raises(wavesmith.UnsupportedError, match="a is of f64"):
        kernels.gemm(a.astype("f8"), b)
    with pytest.raises(wavesmith.BadInputError, match="gemm: a has strides 90 and 2: one of them must be 1"):
        kernels.gemm(a[::2, ::2], b[:23])
    with pytest.raises(wavesmith.BadInputError, match="gemm: d overlaps a"):
        kernels.gemm(a, b, out=a[:, :33])


def test_bfloat16_where_cupy_has_it() -> None:
    ml_dtypes = pytest.importorskip("ml_dtypes")
    try:
        a, b, wanted, bound = matrices(ml_dtypes.bfloat16)
    except (TypeError, ValueError):
        pytest.skip("this CuPy has no bfloat16")
    got = kernels.gemm(a, b)
    assert got.dtype == ml_dtypes.bfloat16
    assert (abs(got.get().astype("f8") - wanted) <= bound + 2.0**-8 * abs(wanted)).all()


def test_decode_shares_a_workspace_within_each_stream() -> None:
    caches = [cupy.zeros((256, 16, 2, 128), "f2") for _ in range(2)]
    k, v = (cupy.random.standard_normal((4096, 2, 128)).astype("f2") for _ in range(2))
    q = cupy.random.standard_normal((1, 16, 128)).astype("f2")
    queries, slots = [q, 2 * q, q], cupy.arange(4096)
    table, lengths = cupy.arange(256, dtype="i4")[None], cupy.array([4001], "i4")
    cupy.cuda.Device().synchronize()
    stream = cupy.cuda.Stream(non_blocking=True)
    kernels.cache_write(k, v, *caches, slots, stream=stream.ptr)
    results = [kernels.decode(one, *caches, lengths, block_table=table, stream=stream.ptr) for one in queries]
    stream.synchronize()
    assert isinstance(results[0], cupy.ndarray) and (results[0] == results[2]).all()
    keys, values = (np.repeat(cupy.asnumpy(one[:4001]).astype("f8"), 8, 1) for one in (k, v))
    for query, got in zip(queries, results, strict=True):
        scores = np.einsum("hd,khd->hk", cupy.asnumpy(query[0]).astype("f8"), keys) / np.sqrt(128)
        weights = np.exp(scores - scores.max(-1, keepdims=True))
        want = np.einsum("hk,khd->hd", weights / weights.sum(-1, keepdims=True), values)
        np.testing.assert_allclose(cupy.asnumpy(got[0]).astype("f8"), want, atol=3e-3)
