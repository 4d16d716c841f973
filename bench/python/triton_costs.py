"""What Triton costs on an emulated MI300X.

launch_triton: microseconds that launching an empty kernel takes beyond what Triton's own launcher takes. That
launcher is compiled with the host's C compiler on the spot and launches through the same HIP library; without
a compiler there is no such row.

matmul_triton_512: a product of 512 x 512 matrices of f16 through Triton on tensors of the CPU, and as a ratio to the
same code object launched through HIP alone on memory of the GPU's.
"""

from __future__ import annotations

import ctypes
import importlib.util
import json
import os
import shutil
import statistics
import sys
import time
from typing import TYPE_CHECKING, Any

if not (importlib.util.find_spec("torch") and importlib.util.find_spec("triton")):
    sys.exit(77)
# Debian's clang-22 by itself has none of the names that Triton looks for.
if not any(map(shutil.which, ["cc", "gcc", "clang"])) and shutil.which("clang-22"):
    os.environ.setdefault("CC", "clang-22")

import wavesmith

wavesmith.use("mi300x")
import torch  # noqa: E402
import triton  # noqa: E402
import triton.language as tl  # noqa: E402

from wavesmith.triton.hip import hip  # noqa: E402
from wavesmith.triton.launcher import Launcher  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Callable

ROUNDS = 5


@triton.jit
def empty(x, y, n, BLOCK: tl.constexpr):
    pass


@triton.jit
def matmul(a, b, c, N: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    columns = tl.program_id(1) * BN + tl.arange(0, BN)
    inner = tl.arange(0, BK)
    total = tl.zeros((BM, BN), dtype=tl.float32)
    for k in range(0, N, BK):
        x = tl.load(a + rows[:, None] * N + (k + inner)[None, :])
        y = tl.load(b + (k + inner)[:, None] * N + columns[None, :])
        total = tl.dot(x, y, total)
    tl.store(c + rows[:, None] * N + columns[None, :], total.to(tl.float16))


class DeviceMemory:
    """Memory of the GPU's, as a tensor to Triton."""

    dtype = torch.float16

    def __init__(self, size: int) -> None:
        pointer = ctypes.c_void_p()
        library = hip().library
        hip().check(library.hipMalloc(ctypes.byref(pointer), ctypes.c_size_t(size)), "hipMalloc")
        hip().check(library.hipMemset(pointer, 0, ctypes.c_size_t(size)), "hipMemset")
        self._address = pointer.value or 0

    def data_ptr(self) -> int:
        return self._address


def seconds(call: Callable[[], Any], count: int) -> float:
    """The median, over a few rounds, of a call's time."""
    for _ in range(min(count, 50)):
        call()
    rounds = []
    for _ in range(ROUNDS):
        begin = time.perf_counter()
        for _ in range(count):
            call()
        hip().library.hipDeviceSynchronize()
        rounds.append((time.perf_counter() - begin) / count)
    return statistics.median(rounds)


def launch() -> dict[str, Any] | None:
    x, y = DeviceMemory(64), DeviceMemory(64)

    def call() -> None:
        empty[(1,)](x, y, 16, BLOCK=16)

    call()
    ours = seconds(call, 2000)
    driver = triton.runtime.driver.active
    try:
        from triton.backends.amd.driver import HIPLauncher, HIPUtils

        utils, driver.utils, driver.launcher_cls = driver.utils, HIPUtils(), HIPLauncher
    except (RuntimeError, OSError) as error:
        print(f"triton_costs: Triton's own launcher cannot be built: {error}", file=sys.stderr)
        return None
    empty.device_caches.clear()
    theirs = seconds(call, 2000)
    driver.utils, driver.launcher_cls = utils, Launcher
    empty.device_caches.clear()
    return {
        "name": "launch_triton",
        "value": (ours - theirs) * 1e6,
        "unit": "us",
        "goal": 60,
        "less_is_better": True,
        "note": f"beyond Triton's own launcher: {ours * 1e6:.1f}, with the kernel's end; that one {theirs * 1e6:.1f}",
    }


def product() -> dict[str, Any]:
    n, tile = 512, (128, 128, 32)
    grid = (n // tile[0], n // tile[1], 1)
    a, b = torch.randn(n, n).half(), torch.randn(n, n).half()
    c = torch.empty(n, n, dtype=torch.float16)

    def through_triton() -> Any:
        return matmul[grid](a, b, c, n, *tile)

    kernel = through_triton()
    assert torch.allclose(c.float(), a.float() @ b.float(), atol=0.1)

    memory = [DeviceMemory(n * n * 2) for _ in range(3)]
    library = hip().library
    for to, tensor in zip(memory, (a, b), strict=False):
        library.hipMemcpy(
            ctypes.c_void_p(to.data_ptr()), ctypes.c_void_p(tensor.data_ptr()), ctypes.c_size_t(n * n * 2), 1
        )
    values = [ctypes.c_void_p(each.data_ptr()) for each in memory] + [ctypes.c_void_p(0)] * 2
    arguments = (ctypes.c_void_p * 5)(*(ctypes.addressof(value) for value in values))
    warps, _, shared = kernel.packed_metadata
    threads = warps * kernel.metadata.warp_size

    def through_hip() -> None:
        library.hipModuleLaunchKernel(kernel.function, *grid, threads, 1, 1, shared, None, arguments, None)
        library.hipStreamSynchronize(None)

    # In turns, so that what else the machine does meets both.
    pairs = [(seconds(through_triton, 8), seconds(through_hip, 8)) for _ in range(3)]
    ours, plain = (min(each) for each in zip(*pairs, strict=True))
    rate = 2 * n**3 / 1e9
    return {
        "name": "matmul_triton_512",
        "value": rate / ours,
        "unit": "GFLOP/s",
        "ratio": plain / ours,
        "goal": 0.7,
        "goal_is_ratio": True,
        "note": f"f16; the same code object through HIP alone: {rate / plain:.1f} GFLOP/s",
    }


for row in (launch(), product()):
    if row is not None:
        print(json.dumps(row))
