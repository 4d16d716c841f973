"""`tl.dot_scaled`: products of microscaled formats, in hardware or taken apart by Triton's compiler."""

from __future__ import annotations

import pytest
import torch
import triton
import triton.language as tl

FP4 = torch.tensor([0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0, -0.0, -0.5, -1.0, -1.5, -2.0, -3.0, -4.0, -6.0])


@triton.jit
def scaled(
    a, a_scale, b, b_scale, c, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr,
    A: tl.constexpr, B: tl.constexpr,
):  # fmt: skip
    a_k: tl.constexpr = K // 2 if A == "e2m1" else K
    b_k: tl.constexpr = K // 2 if B == "e2m1" else K
    rows, columns = tl.arange(0, M), tl.arange(0, N)
    groups = tl.arange(0, K // 32)
    x = tl.load(a + rows[:, None] * a_k + tl.arange(0, a_k)[None, :])
    y = tl.load(b + columns[None, :] * b_k + tl.arange(0, b_k)[:, None])
    x_scale = tl.load(a_scale + rows[:, None] * (K // 32) + groups[None, :])
    y_scale = tl.load(b_scale + columns[:, None] * (K // 32) + groups[None, :])
    product = tl.dot_scaled(x, x_scale, A, y, y_scale, B)
    tl.store(c + rows[:, None] * N + columns[None, :], product)


def operand(kind: str, rows: int, k: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Random codes of a format, and what they mean in double precision."""
    if kind == "e2m1":
        codes = torch.randint(0, 256, (rows, k // 2), dtype=torch.uint8)
        nibbles = torch.stack([codes & 15, codes >> 4], dim=-1).reshape(rows, k)
        return codes, FP4[nibbles.long()].double()
    small = {"e4m3": torch.float8_e4m3fn, "e5m2": torch.float8_e5m2}[kind]
    values = torch.randn(rows, k).to(small)
    return values.view(torch.uint8), values.double()


@pytest.mark.parametrize("a_kind, b_kind", [("e2m1", "e2m1"), ("e4m3", "e4m3"), ("e5m2", "e2m1"), ("e4m3", "e5m2")])
def test_product_of_microscaled_operands(a_kind, b_kind):
    m, n, k = 32, 64, 128
    a, a_values = operand(a_kind, m, k)
    b, b_values = operand(b_kind, n, k)
    a_scale, b_scale = (torch.randint(120, 130, (rows, k // 32), dtype=torch.uint8) for rows in (m, n))
    c = torch.empty(m, n)
    scaled[(1,)](a, a_scale, b, b_scale, c, m, n, k, a_kind, b_kind)

    def meant(values: torch.Tensor, scale: torch.Tensor) -> torch.Tensor:
        return values * (2.0 ** (scale.double() - 127)).repeat_interleave(32, dim=1)

    want = meant(a_values, a_scale) @ meant(b_values, b_scale).T
    assert torch.allclose(c.double(), want, rtol=1e-5, atol=1e-5 * want.abs().max().item())


test_product_of_microscaled_operands = pytest.mark.representative(test_product_of_microscaled_operands)
