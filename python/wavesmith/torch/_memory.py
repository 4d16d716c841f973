"""Memory of the devices: `torch.wavesmith.memory_allocated` and what belongs to it."""

from __future__ import annotations

from typing import Any

import torch

from wavesmith.torch._streams import index_of

__all__ = [
    "empty_cache",
    "get_allocator_backend",
    "host_memory_stats",
    "max_memory_allocated",
    "max_memory_cached",
    "max_memory_reserved",
    "mem_get_info",
    "memory_allocated",
    "memory_cached",
    "memory_reserved",
    "memory_stats",
    "memory_summary",
    "reset_accumulated_memory_stats",
    "reset_max_memory_allocated",
    "reset_max_memory_cached",
    "reset_peak_memory_stats",
]


def empty_cache() -> None:
    """Gives memory that no tensor uses back to HIP."""
    torch._C._accelerator_emptyCache()


def memory_stats(device: Any = None) -> dict[str, Any]:
    """What the allocator counts, by names such as "allocated_bytes.all.peak"."""
    return dict(torch.accelerator.memory_stats(index_of(device)))


def memory_allocated(device: Any = None) -> int:
    """Bytes that tensors have."""
    return int(torch.accelerator.memory_allocated(index_of(device)))


def max_memory_allocated(device: Any = None) -> int:
    """The most bytes that tensors had since `reset_peak_memory_stats`."""
    return int(torch.accelerator.max_memory_allocated(index_of(device)))


def memory_reserved(device: Any = None) -> int:
    """Bytes that the allocator has from HIP."""
    return int(torch.accelerator.memory_reserved(index_of(device)))


def max_memory_reserved(device: Any = None) -> int:
    """The most bytes that the allocator had from HIP since `reset_peak_memory_stats`."""
    return int(torch.accelerator.max_memory_reserved(index_of(device)))


memory_cached = memory_reserved
max_memory_cached = max_memory_reserved


def reset_peak_memory_stats(device: Any = None) -> None:
    """The peaks count from here on."""
    torch.accelerator.reset_peak_memory_stats(index_of(device))


reset_max_memory_allocated = reset_max_memory_cached = reset_peak_memory_stats


def reset_accumulated_memory_stats(device: Any = None) -> None:
    """The sums count from here on."""
    torch.accelerator.reset_accumulated_memory_stats(index_of(device))


def mem_get_info(device: Any = None) -> tuple[int, int]:
    """The free and all bytes of the device's memory, as HIP says."""
    free, total = torch._C._accelerator_getMemoryInfo(index_of(device))
    return free, total


def host_memory_stats() -> dict[str, int]:
    """Pinned host memory: pieces and bytes, now."""
    pieces, size = torch.ops.wavesmith_device.pinned()
    return {"allocations.current": int(pieces), "allocated_bytes.current": int(size)}


def get_allocator_backend() -> str:
    """Which allocator there is; of torch.cuda's names, the one that keeps what tensors gave back."""
    return "native"


_ROWS = (
    ("Allocated memory", "allocated_bytes", True),
    ("Active memory", "active_bytes", True),
    ("Requested memory", "requested_bytes", True),
    ("Reserved memory", "reserved_bytes", True),
    ("Allocations", "allocation", False),
    ("Active allocations", "active", False),
    ("Reserved segments", "segment", False),
)


def _amount(number: int, is_bytes: bool) -> str:
    if not is_bytes:
        return str(number)
    for unit in ("B", "KiB", "MiB"):
        if number < 10240:
            return f"{number} {unit}"
        number //= 1024
    return f"{number} GiB"


def memory_summary(device: Any = None, abbreviated: bool = False) -> str:
    """A table of `memory_stats` for people."""
    index = index_of(device)
    stats = memory_stats(index)
    columns = (("current", "Current"), ("peak", "Peak"), ("allocated", "Total added"), ("freed", "Total freed"))
    head = f"{'':20}" + "".join(f"{title:>14}" for _, title in columns)
    lines = [f"Memory of device {index}", head, "-" * len(head)]
    for title, name, is_bytes in _ROWS[: 4 if abbreviated else None]:
        numbers = (int(stats.get(f"{name}.all.{column}", 0)) for column, _ in columns)
        lines.append(f"{title:20}" + "".join(f"{_amount(number, is_bytes):>14}" for number in numbers))
    lines.append(f"{'Calls of hipMalloc':20}{stats.get('num_device_alloc', 0):>14}")
    lines.append(f"{'Out of memory':20}{stats.get('num_ooms', 0):>14}")
    return "\n".join(lines)
