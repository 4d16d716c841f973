"""One kernel on each of two GPUs."""

from __future__ import annotations

import torch
import triton
import triton.language as tl


@triton.jit
def fill(x, value, N: tl.constexpr):
    tl.store(x + tl.arange(0, N), value)


driver = triton.runtime.driver.active
for device in (0, 1):
    driver.set_current_device(device)
    x = torch.zeros(64)
    fill[(1,)](x, device + 1.0, N=64)
    assert torch.all(x == device + 1.0)
    print(driver.get_current_target().arch)
