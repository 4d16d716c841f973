"""Graphs of the device's work: `torch.wavesmith.CUDAGraph`, `graph` and `make_graphed_callables`' parts."""

from __future__ import annotations

import functools
import itertools
from typing import Any

import torch

from wavesmith.torch import _streams

__all__ = ["CUDAGraph", "graph", "graph_pool_handle"]

_pools = itertools.count(1)


def graph_pool_handle() -> tuple[int, int]:
    """A pool of memory that several graphs may share (`pool=`)."""
    return 0, next(_pools)


@functools.cache
def _capture_stream(device: int) -> torch.Stream:
    """Where graphs are captured: one for all, so that what one gave back to a shared pool another can take."""
    return _streams.Stream(device)


class CUDAGraph(torch.accelerator.Graph):
    """A graph with torch.cuda's way to say its pool: at `capture_begin`."""

    def capture_begin(self, pool: tuple[int, int] | None = None, capture_error_mode: str | None = None) -> None:
        """Begins to capture what the current stream is given, which must not be the default one."""
        if pool is not None:
            self.graph_pool = pool
        if capture_error_mode is not None:
            self.capture_error_mode = capture_error_mode  # type: ignore[assignment]
        super().capture_begin()

    def register_generator_state(self, generator: torch.Generator) -> None:
        """Nothing: a graph knows each generator that its operators draw of."""


class graph:  # noqa: N801  as torch.cuda calls it
    """Captures what is done within `with` in a graph, on a stream of its own.

    Args:
        cuda_graph: the graph.
        pool: the memory pool that it shares with others (`graph_pool_handle`, or another graph's `pool()`).
        stream: where to capture; None: one that is kept for it.
        capture_error_mode: "global", "thread_local" or "relaxed".
    """

    def __init__(
        self,
        cuda_graph: CUDAGraph,
        pool: tuple[int, int] | None = None,
        stream: torch.Stream | None = None,
        capture_error_mode: str = "global",
    ) -> None:
        self.cuda_graph = cuda_graph
        self._options = {"pool": pool, "capture_error_mode": capture_error_mode}
        self._side = _streams.side_stream(stream or _capture_stream(_streams.index_of(None)))

    def __enter__(self) -> None:
        torch.accelerator.synchronize()
        torch.accelerator.empty_cache()
        self._side.__enter__()
        self.cuda_graph.capture_begin(**self._options)  # type: ignore[arg-type]

    def __exit__(self, *raised: Any) -> None:
        try:
            self.cuda_graph.capture_end()
        finally:
            self._side.__exit__(*raised)
