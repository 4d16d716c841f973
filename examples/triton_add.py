"""A Triton kernel on an emulated MI355X. Wants: pip install . triton==3.8.0 torch."""

import wavesmith

wavesmith.use("mi355x")
import torch  # noqa: E402
import triton  # noqa: E402
import triton.language as tl  # noqa: E402


@triton.jit
def add(x, y, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + at, tl.load(x + at, mask=at < n) + tl.load(y + at, mask=at < n), mask=at < n)


x, y = torch.rand(98432), torch.rand(98432)
out = torch.empty_like(x)
add[(triton.cdiv(x.numel(), 1024),)](x, y, out, x.numel(), BLOCK=1024)
assert torch.equal(out, x + y)
print(f"{x.numel()} sums are right on {triton.runtime.driver.active.get_current_target().arch}")
