"""Kernels that programs write for CuPy, compiled at run time."""

from __future__ import annotations

import numpy as np
import pytest

cp = pytest.importorskip("cupy")


@pytest.mark.representative
def test_elementwise_kernel():
    kernel = cp.ElementwiseKernel("T x, T y, float32 z", "T w", "w = (x - y) * z", "scaled_difference")
    x, y = np.arange(1001, dtype="f4"), np.full(1001, 3, dtype="f4")
    np.testing.assert_array_equal(cp.asnumpy(kernel(cp.asarray(x), cp.asarray(y), 0.5)), (x - y) * np.float32(0.5))


@pytest.mark.representative
def test_reduction_kernel():
    kernel = cp.ReductionKernel("T x", "T y", "x * x", "a + b", "y = sqrt(a)", "0", "norm")
    x = np.random.default_rng(1).standard_normal((31, 700))
    np.testing.assert_allclose(cp.asnumpy(kernel(cp.asarray(x), axis=1)), np.linalg.norm(x, axis=1), rtol=1e-13)


@pytest.mark.representative
def test_raw_kernel_with_shared_memory():
    kernel = cp.RawKernel(
        r"""
        extern "C" __global__ void reverse(const int* in, int* out, int n) {
          extern __shared__ int tile[];
          const int i = blockIdx.x * blockDim.x + threadIdx.x;
          if (i < n) tile[threadIdx.x] = in[i];
          __syncthreads();
          if (i < n) out[i] = tile[blockDim.x - 1 - threadIdx.x];
        }""",
        "reverse",
    )
    values = cp.arange(1024, dtype="i4")
    out = cp.empty_like(values)
    kernel((8,), (128,), (values, out, np.int32(1024)), shared_mem=512)
    np.testing.assert_array_equal(cp.asnumpy(out), np.arange(1024).reshape(8, 128)[:, ::-1].ravel())
    assert kernel.attributes["max_threads_per_block"] >= 256
    assert kernel.num_regs > 0


@pytest.mark.representative
def test_raw_module_with_templates_and_constants():
    module = cp.RawModule(
        code=r"""
        __constant__ float factor;
        template <typename T> __global__ void scale(T* p, int n) {
          const int i = blockIdx.x * blockDim.x + threadIdx.x;
          if (i < n) p[i] *= static_cast<T>(factor);
        }""",
        options=("-std=c++17",),
        name_expressions=("scale<float>", "scale<double>"),
    )
    for dtype, name in (("f4", "scale<float>"), ("f8", "scale<double>")):
        kernel = module.get_function(name)
        cp.ndarray((1,), "f4", module.get_global("factor"))[...] = 2.5
        values = cp.arange(100, dtype=dtype)
        kernel((1,), (128,), (values, np.int32(100)))
        np.testing.assert_array_equal(cp.asnumpy(values), np.arange(100, dtype=dtype) * 2.5)


@pytest.mark.representative
def test_structures_as_arguments():
    kernel = cp.RawKernel(
        r"""
        struct Point { double x, y; char tag; };
        extern "C" __global__ void put(Point p, double* out) { out[0] = p.x; out[1] = p.y; out[2] = p.tag; }""",
        "put",
    )
    point = np.array([(1.5, -2.5, 7)], dtype=np.dtype([("x", "f8"), ("y", "f8"), ("tag", "i1")], align=True))
    out = cp.zeros(3)
    kernel((1,), (1,), (point[0], out))
    np.testing.assert_array_equal(cp.asnumpy(out), [1.5, -2.5, 7])


@pytest.mark.representative
def test_fused_and_vectorized_functions():
    @cp.fuse()
    def fused(x, y):
        return cp.sqrt(x * x + y * y) - 1

    @cp.vectorize
    def clipped(x, y):
        if x > y:
            return y
        return x

    x, y = cp.arange(300, dtype="f8"), cp.full(300, 4.0)
    np.testing.assert_allclose(cp.asnumpy(fused(x, y)), np.sqrt(np.arange(300.0) ** 2 + 16) - 1, rtol=1e-14)
    np.testing.assert_array_equal(cp.asnumpy(clipped(x, y)), np.minimum(np.arange(300.0), 4))


def test_atomics_across_blocks():
    kernel = cp.RawKernel(
        r"""
        extern "C" __global__ void count(const unsigned* in, unsigned* bins, int n) {
          const int i = blockIdx.x * blockDim.x + threadIdx.x;
          if (i < n) atomicAdd(&bins[in[i] & 15], 1u);
        }""",
        "count",
    )
    values = np.random.default_rng(3).integers(0, 1 << 31, 50_000).astype("u4")
    bins = cp.zeros(16, dtype="u4")
    kernel((196,), (256,), (cp.asarray(values), bins, np.int32(values.size)))
    np.testing.assert_array_equal(cp.asnumpy(bins), np.bincount(values & 15, minlength=16))


@pytest.mark.representative
def test_mistakes_are_named_with_their_line():
    with pytest.raises(cp.cuda.compiler.CompileException, match=r":2:\d+: error: .*undeclared identifier 'nowhere'"):
        cp.RawKernel('extern "C" __global__ void k(int* p) {\n *p = nowhere;\n}', "k").compile()


@pytest.mark.representative
@pytest.mark.filterwarnings("ignore:.*experimental")
def test_kernels_in_python():
    from cupyx import jit

    @jit.rawkernel()
    def twice(x, y, n):
        i = jit.blockIdx.x * jit.blockDim.x + jit.threadIdx.x
        if i < n:
            y[i] = x[i] * 2

    x = cp.arange(100, dtype="f4")
    y = cp.zeros_like(x)
    twice((1,), (128,), (x, y, 100))
    np.testing.assert_array_equal(cp.asnumpy(y), np.arange(100) * 2)
