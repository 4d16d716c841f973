"""Memory of a GPU in which kernels leave parts of results."""

from __future__ import annotations

from wavesmith._module import _hip

_workspaces: dict[tuple[int, int], tuple[int, int]] = {}
"""Of each device and stream: address and bytes. Work in a stream is in order, so that calls can share it."""


def workspace(size: int, stream: int) -> int:
    """Memory of the current device for the stream's work, of at least so many bytes."""
    hip = _hip()
    key = hip.device(), stream
    address, has = _workspaces.get(key, (0, 0))
    if has < size:
        if address:
            del _workspaces[key]
            hip.free(address)  # which waits for what uses it
        address = hip.allocate(size)
        _workspaces[key] = address, size
    return address
