"""The kernels that people write in Triton first, against PyTorch in double precision."""

from __future__ import annotations

import pytest
import torch
import triton
import triton.language as tl


@triton.jit
def add(x, y, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = at < n
    tl.store(out + at, tl.load(x + at, mask=mask) + tl.load(y + at, mask=mask), mask=mask)


@pytest.mark.representative
@pytest.mark.parametrize("n", [1, 97, 1024, 98432])
def test_vector_add_equals_torch_and_writes_nothing_past_the_end(n):
    x, y = torch.rand(n), torch.rand(n)
    out = torch.full((n + 64,), -1.0)
    add[(triton.cdiv(n, 1024),)](x, y, out, n, BLOCK=1024)
    assert torch.equal(out[:n], x + y)
    assert torch.all(out[n:] == -1.0)


@triton.jit
def softmax_rows(out, x, stride, rows, columns, BLOCK: tl.constexpr):
    for row in tl.range(tl.program_id(0), rows, tl.num_programs(0), num_stages=2):
        at = tl.arange(0, BLOCK)
        mask = at < columns
        value = tl.load(x + row * stride + at, mask=mask, other=-float("inf"))
        top = tl.exp(value - tl.max(value, axis=0))
        tl.store(out + row * columns + at, top / tl.sum(top, axis=0), mask=mask)


@pytest.mark.parametrize("shape", [(3, 5), (37, 781), (8, 2048)])
def test_softmax_of_rows(shape):
    x = torch.randn(shape)
    out = torch.empty(shape)
    softmax_rows[(4,)](out, x, x.stride(0), *shape, BLOCK=triton.next_power_of_2(shape[1]), num_warps=8)
    assert torch.allclose(out.double(), torch.softmax(x.double(), dim=1), atol=1e-6)


@triton.jit
def matmul(
    a, b, c, M, N, K, am, ak, bk, bn, cm, cn,
    ACTIVATION: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr,
):  # fmt: skip
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    columns = tl.program_id(1) * BN + tl.arange(0, BN)
    inner = tl.arange(0, BK)
    total = tl.zeros((BM, BN), dtype=tl.float32)
    for k in range(0, K, BK):
        left = (rows[:, None] < M) & (inner[None, :] < K - k)
        right = (inner[:, None] < K - k) & (columns[None, :] < N)
        x = tl.load(a + rows[:, None] * am + (k + inner)[None, :] * ak, mask=left, other=0.0)
        y = tl.load(b + (k + inner)[:, None] * bk + columns[None, :] * bn, mask=right, other=0.0)
        total = tl.dot(x, y, total, input_precision="ieee")
    if ACTIVATION == "leaky":
        total = tl.where(total >= 0, total, 0.01 * total)
    mask = (rows[:, None] < M) & (columns[None, :] < N)
    tl.store(c + rows[:, None] * cm + columns[None, :] * cn, total.to(c.dtype.element_ty), mask=mask)


def multiply(a, b, activation="", out=torch.float32, tile=(64, 64, 32), **options):
    (m, k), n = a.shape, b.shape[1]
    c = torch.empty((m, n), dtype=out)
    grid = (triton.cdiv(m, tile[0]), triton.cdiv(n, tile[1]))
    matmul[grid](
        a, b, c, m, n, k, *a.stride(), *b.stride(), *c.stride(), activation, *tile, **options
    )  # fmt: skip
    return c


@pytest.mark.representative
@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32])
@pytest.mark.parametrize("size", [(64, 64, 64), (100, 72, 200)])
def test_matrix_product(dtype, size):
    m, n, k = size
    a, b = torch.randn(m, k).to(dtype), torch.randn(k, n).to(dtype)
    c = multiply(a, b)
    assert torch.allclose(c.double(), a.double() @ b.double(), atol=1e-4 * k**0.5)


def test_matrix_product_of_a_transposed_operand_with_an_epilogue():
    a, b = torch.randn(128, 96).half(), torch.randn(160, 96).half().T
    c = multiply(a, b, "leaky", num_warps=8, num_stages=3)
    want = torch.nn.functional.leaky_relu(a.double() @ b.double())
    assert torch.allclose(c.double(), want, atol=2e-3)


def test_matrix_product_of_bytes_is_exact():
    a = torch.randint(-128, 127, (96, 128), dtype=torch.int8)
    b = torch.randint(-128, 127, (128, 64), dtype=torch.int8)
    out = torch.empty(96, 64, dtype=torch.int32)

    integer_product[(3, 2)](a, b, out, 128, 64, BM=32, BN=32, BK=64)
    assert torch.equal(out, a.int() @ b.int())


@triton.jit
def integer_product(a, b, c, K, N, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    columns = tl.program_id(1) * BN + tl.arange(0, BN)
    inner = tl.arange(0, BK)
    total = tl.zeros((BM, BN), dtype=tl.int32)
    for k in range(0, K, BK):
        x = tl.load(a + rows[:, None] * K + (k + inner)[None, :])
        y = tl.load(b + (k + inner)[:, None] * N + columns[None, :])
        total = tl.dot(x, y, total)
    tl.store(c + rows[:, None] * N + columns[None, :], total)


@triton.jit
def dropout(x, out, n, p, random_seed, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = at < n
    keep = tl.rand(random_seed, at) > p
    tl.store(out + at, tl.where(keep, tl.load(x + at, mask=mask) / (1 - p), 0.0), mask=mask)


def test_dropout_repeats_for_a_seed_and_keeps_the_share_that_was_asked():
    x = torch.ones(20000)
    once, again, other = torch.empty(20000), torch.empty(20000), torch.empty(20000)
    for out, random_seed in ((once, 123), (again, 123), (other, 512)):
        dropout[(20,)](x, out, 20000, 0.3, random_seed, BLOCK=1024)
    assert torch.equal(once, again)
    assert not torch.equal(once, other)
    assert abs((once > 0).double().mean().item() - 0.7) < 0.02
    assert torch.allclose(once[once > 0], torch.tensor(1 / 0.7))


@triton.jit
def layer_norm(x, out, weight, bias, columns, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    mask = at < columns
    value = tl.load(x + row * columns + at, mask=mask, other=0.0).to(tl.float32)
    mean = tl.sum(value, axis=0) / columns
    centred = tl.where(mask, value - mean, 0.0)
    scale = tl.rsqrt(tl.sum(centred * centred, axis=0) / columns + eps)
    result = centred * scale * tl.load(weight + at, mask=mask) + tl.load(bias + at, mask=mask)
    tl.store(out + row * columns + at, result, mask=mask)


@pytest.mark.parametrize("columns", [64, 1000])
def test_layer_norm(columns):
    x, weight, bias = torch.randn(9, columns).half(), torch.randn(columns).half(), torch.randn(columns).half()
    out = torch.empty(9, columns, dtype=torch.float16)
    layer_norm[(9,)](x, out, weight, bias, columns, 1e-5, BLOCK=triton.next_power_of_2(columns))
    want = torch.nn.functional.layer_norm(x.double(), (columns,), weight.double(), bias.double(), 1e-5)
    assert torch.allclose(out.double(), want, atol=1e-2)


@triton.jit
def attention(q, k, v, out, length, scale, D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr):
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    head = tl.program_id(1) * length * D
    depth = tl.arange(0, D)
    query = tl.load(q + head + rows[:, None] * D + depth[None, :])
    most = tl.full((BM,), -float("inf"), tl.float32)
    weight = tl.zeros((BM,), tl.float32)
    total = tl.zeros((BM, D), tl.float32)
    for start in range(0, (tl.program_id(0) + 1) * BM, BN):
        columns = start + tl.arange(0, BN)
        key = tl.load(k + head + columns[None, :] * D + depth[:, None])
        score = tl.dot(query, key) * scale
        score = tl.where(rows[:, None] >= columns[None, :], score, -float("inf"))
        now = tl.maximum(most, tl.max(score, 1))
        p = tl.exp(score - now[:, None])
        shrink = tl.exp(most - now)
        weight = weight * shrink + tl.sum(p, 1)
        value = tl.load(v + head + columns[:, None] * D + depth[None, :])
        total = tl.dot(p.to(value.dtype), value, total * shrink[:, None])
        most = now
    tl.store(out + head + rows[:, None] * D + depth[None, :], (total / weight[:, None]).to(out.dtype.element_ty))


@pytest.mark.representative
@pytest.mark.parametrize("depth", [32, 64])
def test_causal_attention(depth):
    q, k, v = (torch.randn(2, 128, depth).half() for _ in range(3))
    out = torch.empty_like(q)
    attention[(2, 2)](q, k, v, out, 128, depth**-0.5, D=depth, BM=64, BN=32)
    want = torch.nn.functional.scaled_dot_product_attention(q.double(), k.double(), v.double(), is_causal=True)
    assert torch.allclose(out.double(), want, atol=5e-3)


@triton.jit
def grouped(tables, sizes, groups, BLOCK: tl.constexpr):
    """Products of matrices whose addresses and sizes only memory knows."""
    tile = tl.program_id(0)
    first = 0
    for group in range(groups):
        n = tl.load(sizes + group)
        tiles = tl.cdiv(n, BLOCK) * tl.cdiv(n, BLOCK)
        while (tile >= first) & (tile < first + tiles):
            a = tl.load(tables + 3 * group).to(tl.pointer_type(tl.float16))
            b = tl.load(tables + 3 * group + 1).to(tl.pointer_type(tl.float16))
            c = tl.load(tables + 3 * group + 2).to(tl.pointer_type(tl.float32))
            inside = tile - first
            rows = inside // tl.cdiv(n, BLOCK) * BLOCK + tl.arange(0, BLOCK)
            columns = inside % tl.cdiv(n, BLOCK) * BLOCK + tl.arange(0, BLOCK)
            inner = tl.arange(0, BLOCK)
            total = tl.zeros((BLOCK, BLOCK), tl.float32)
            for k in range(0, n, BLOCK):
                x = tl.load(a + rows[:, None] * n + (k + inner)[None, :])
                y = tl.load(b + (k + inner)[:, None] * n + columns[None, :])
                total = tl.dot(x, y, total)
            tl.store(c + rows[:, None] * n + columns[None, :], total)
            tile += tl.num_programs(0)
        first += tiles


@pytest.mark.representative
def test_grouped_product_finds_its_matrices_by_addresses_in_memory():
    """No argument names the matrices: the GPU sees all of the process's memory, as an APU does."""
    sizes = [32, 96, 64]
    a, b = ([torch.randn(n, n).half() for n in sizes] for _ in range(2))
    c = [torch.zeros(n, n) for n in sizes]
    table = torch.tensor([[x.data_ptr() for x in row] for row in zip(a, b, c, strict=True)])
    grouped[(3,)](table, torch.tensor(sizes, dtype=torch.int32), len(sizes), BLOCK=32)
    for x, y, z in zip(a, b, c, strict=True):
        assert torch.allclose(z.double(), x.double() @ y.double(), atol=1e-3)


@triton.jit
def prefix_and_order(x, sums, ordered, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    value = tl.load(x + at)
    tl.store(sums + at, tl.cumsum(value, 0))
    tl.store(ordered + at, tl.sort(value))


def test_scan_and_sort():
    x = torch.randint(-1000, 1000, (512,), dtype=torch.int32)
    sums, ordered = torch.empty_like(x), torch.empty_like(x)
    prefix_and_order[(1,)](x, sums, ordered, BLOCK=512)
    assert torch.equal(sums, x.cumsum(0).int())
    assert torch.equal(ordered, x.sort().values)


@triton.jit
def convert(x, out, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    tl.store(out + at, tl.load(x + at).to(out.dtype.element_ty))


@pytest.mark.parametrize("small", [torch.float8_e4m3fn, torch.float8_e5m2, torch.bfloat16, torch.float16])
def test_conversion_to_small_floats_and_back(small):
    every = torch.arange(256, dtype=torch.uint8).view(torch.float8_e5m2).float()
    x = torch.cat([every[every.isfinite()], torch.randn(1024)])[:1024].clamp(-440, 440).contiguous()
    narrow, wide = torch.empty(1024, dtype=small), torch.empty(1024)
    convert[(1,)](x, narrow, BLOCK=1024)
    convert[(1,)](narrow, wide, BLOCK=1024)
    assert torch.equal(narrow.float(), x.to(small).float())
    assert torch.equal(wide, narrow.float())
