"""A program for GPUs that never asks where tensors belong."""

from __future__ import annotations

import torch
import triton
import triton.language as tl


@triton.jit
def double(x, N: tl.constexpr):
    tl.store(x + tl.arange(0, N), tl.load(x + tl.arange(0, N)) * 2)


triton.runtime.driver.active.get_current_target()
x = torch.arange(64, device="cuda", dtype=torch.float32)
assert x.is_cuda
double[(1,)](x, N=64)
torch.cuda.synchronize()
assert torch.equal(x, torch.arange(64).cuda() * 2.0)
assert torch.equal(x.to("cuda:0"), x)
assert torch.equal(torch.ones(4, pin_memory=True).to("cuda"), torch.ones(4))
print(torch.cuda.get_device_properties("cuda").multi_processor_count)
