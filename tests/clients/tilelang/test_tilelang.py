"""Kernels as TileLang's documentation has them, against PyTorch on the CPU in double precision."""

from typing import Any

import pytest
import tilelang
import tilelang.language as T  # noqa: N812 (as its documentation has it)
import torch


@pytest.fixture(autouse=True)
def _seed() -> None:
    seed = torch.seed() % 2**32
    print(f"seed {seed}")
    torch.manual_seed(seed)


def _error(got: torch.Tensor, wanted: torch.Tensor) -> float:
    """The largest difference over the largest number."""
    error = float((got.double() - wanted).abs().max() / wanted.abs().max())
    print(f"largest error relative to the largest number: {error:.1e}")
    return error


@tilelang.jit(out_idx=[-1])
def matmul(m: int, n: int, k: int, dtype: str, block: tuple[int, int, int] = (64, 64, 32), stages: int = 0) -> Any:
    rows, columns, depth = block

    @T.prim_func
    def main(a: T.Tensor((m, k), dtype), b: T.Tensor((k, n), dtype), c: T.Tensor((m, n), "float32")):
        with T.Kernel(T.ceildiv(n, columns), T.ceildiv(m, rows), threads=128) as (bx, by):
            a_shared = T.alloc_shared((rows, depth), dtype)
            b_shared = T.alloc_shared((depth, columns), dtype)
            c_local = T.alloc_fragment((rows, columns), "float32")
            T.clear(c_local)
            for step in T.Pipelined(T.ceildiv(k, depth), num_stages=stages):
                T.copy(a[by * rows, step * depth], a_shared)
                T.copy(b[step * depth, bx * columns], b_shared)
                T.gemm(a_shared, b_shared, c_local)
            T.copy(c_local, c[by * rows, bx * columns])

    return main


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_matmul(dtype: str) -> None:
    m, n, k = 192, 128, 160
    kernel = matmul(m, n, k, dtype)
    a = torch.randn(m, k, device="cuda", dtype=getattr(torch, dtype))
    b = torch.randn(k, n, device="cuda", dtype=getattr(torch, dtype))
    assert _error(kernel(a, b), a.double() @ b.double()) < 5e-6


@tilelang.jit(out_idx=[3])
def attention(batch: int, heads: int, length: int, width: int, causal: bool, rows: int = 64, columns: int = 64) -> Any:
    scale = (1.0 / width) ** 0.5 * 1.44269504  # of exp2
    # WMMA's operand has another layout than its result: TileLang wants it to go through LDS, MFMA's stays in registers.
    lds = torch.cuda.get_device_properties(0).warp_size == 32
    shape = [batch, length, heads, width]

    @T.prim_func
    def main(
        q: T.Tensor(shape, "float16"),
        k: T.Tensor(shape, "float16"),
        v: T.Tensor(shape, "float16"),
        out: T.Tensor(shape, "float16"),
    ):
        with T.Kernel(T.ceildiv(length, rows), heads, batch, threads=128) as (bx, by, bz):
            q_shared = T.alloc_shared([rows, width], "float16")
            k_shared = T.alloc_shared([columns, width], "float16")
            v_shared = T.alloc_shared([columns, width], "float16")
            scores = T.alloc_fragment([rows, columns], "float32")
            if lds:
                weights = T.alloc_shared([rows, columns], "float16")
            else:
                weights = T.alloc_fragment([rows, columns], "float16")
            sums = T.alloc_fragment([rows, width], "float32")
            largest = T.alloc_fragment([rows], "float32")
            before = T.alloc_fragment([rows], "float32")
            factor = T.alloc_fragment([rows], "float32")
            part = T.alloc_fragment([rows], "float32")
            total = T.alloc_fragment([rows], "float32")
            T.copy(q[bz, bx * rows : (bx + 1) * rows, by, :], q_shared)
            T.fill(sums, 0)
            T.fill(total, 0)
            T.fill(largest, -T.infinity("float32"))
            steps = T.ceildiv((bx + 1) * rows, columns) if causal else T.ceildiv(length, columns)
            for step in T.Pipelined(steps, num_stages=0):
                T.copy(k[bz, step * columns : (step + 1) * columns, by, :], k_shared)
                if causal:
                    for i, j in T.Parallel(rows, columns):
                        scores[i, j] = T.if_then_else(bx * rows + i >= step * columns + j, 0, -T.infinity("float32"))
                else:
                    T.clear(scores)
                T.gemm(q_shared, k_shared, scores, transpose_B=True, policy=T.GemmWarpPolicy.FullRow)
                T.copy(v[bz, step * columns : (step + 1) * columns, by, :], v_shared)
                T.copy(largest, before)
                T.reduce_max(scores, largest, dim=1, clear=False)
                for i in T.Parallel(rows):
                    factor[i] = T.exp2(before[i] * scale - largest[i] * scale)
                for i, j in T.Parallel(rows, columns):
                    scores[i, j] = T.exp2(scores[i, j] * scale - largest[i] * scale)
                T.reduce_sum(scores, part, dim=1)
                for i in T.Parallel(rows):
                    total[i] = total[i] * factor[i] + part[i]
                for i, j in T.Parallel(rows, width):
                    sums[i, j] *= factor[i]
                T.copy(scores, weights)
                T.gemm(weights, v_shared, sums, policy=T.GemmWarpPolicy.FullRow)
            for i, j in T.Parallel(rows, width):
                sums[i, j] /= total[i]
            T.copy(sums, out[bz, bx * rows : (bx + 1) * rows, by, :])

    return main


@pytest.mark.parametrize("causal", [False, True])
def test_flash_attention(causal: bool) -> None:
    batch, heads, length, width = 1, 2, 128, 64
    kernel = attention(batch, heads, length, width, causal)
    q, k, v = (torch.randn(batch, length, heads, width, device="cuda", dtype=torch.float16) for _ in range(3))
    wanted = torch.nn.functional.scaled_dot_product_attention(
        *(each.double().transpose(1, 2) for each in (q, k, v)), is_causal=causal
    ).transpose(1, 2)
    assert _error(kernel(q, k, v), wanted) < 1e-3


def test_the_gpu_is_the_emulated_one() -> None:
    """Its architecture is in the code that was made; a tensor says that it is there."""
    kernel = matmul(64, 64, 32, "float16")
    assert torch.cuda.get_device_properties(0).gcnArchName.split(":")[0] in str(kernel.target)
    assert torch.ones(2).device == torch.device("cuda", 0)
    assert torch.ones(2, device="cuda").is_cuda


def test_a_tensor_of_another_shape_is_refused() -> None:
    kernel = matmul(64, 64, 32, "float16")
    with pytest.raises(ValueError, match="shape"):
        kernel(torch.ones(64, 16, dtype=torch.float16), torch.ones(32, 64, dtype=torch.float16))
