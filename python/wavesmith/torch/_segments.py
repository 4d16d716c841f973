"""Reductions of segments, rows that follow each other along an axis and have lengths of their own."""

from __future__ import annotations

import math

import torch

from wavesmith.torch._library import NotServed, operator

_START = {"max": -math.inf, "min": math.inf, "sum": 0.0, "mean": 0.0, "prod": 1.0}


class _Segments:
    """Segments along an axis of data with the shape (outer, axis, inner)."""

    def __init__(
        self, data: torch.Tensor, lengths: torch.Tensor | None, offsets: torch.Tensor | None, axis: int, checks: bool
    ) -> None:
        which = lengths if lengths is not None else offsets
        if which is None or not -data.dim() <= axis < data.dim() or not data.is_floating_point():
            raise NotServed
        axis %= data.dim()
        if which.dim() != axis + 1 or which.shape[:-1] != data.shape[:axis]:
            raise NotServed
        which = which.to(data.device, torch.int64).reshape(math.prod(data.shape[:axis]), -1)
        if lengths is not None:
            self.lengths = which
            self.ends = which.cumsum(1)
        else:
            if not which.shape[1]:
                raise NotServed
            self.lengths = which[:, 1:] - which[:, :-1]
            self.ends = which[:, 1:].contiguous()
        self.begins = self.ends - self.lengths
        self.count = self.lengths.shape[1]
        self.longest = 0
        self.shape = (*data.shape[:axis], self.count, *data.shape[axis + 1 :])
        self.data = data.reshape(math.prod(data.shape[:axis]), data.shape[axis], math.prod(data.shape[axis + 1 :]))
        if self.lengths.numel():
            least, self.longest, last = torch.stack(
                (self.lengths.amin(), self.lengths.amax(), self.ends[:, -1].amin())
            ).tolist()
            if checks and (least < 0 or last != data.shape[axis]):
                raise NotServed

    def padded(self, data: torch.Tensor, fill: float) -> torch.Tensor:
        """Each segment with the length of the longest: (outer, segments, longest, inner)."""
        outer, axis, inner = data.shape
        number = torch.arange(self.longest, device=data.device)
        places = self.begins.unsqueeze(2) + number
        is_there = (number < self.lengths.unsqueeze(2)).unsqueeze(3)
        flat = places.clamp(max=max(axis - 1, 0)).reshape(outer, -1, 1).expand(-1, -1, inner)
        return torch.where(is_there, data.gather(1, flat).reshape(outer, self.count, self.longest, inner), fill)

    def spread(self, values: torch.Tensor) -> torch.Tensor:
        """To each element what its segment has; 0 to those in none."""
        outer, axis, inner = self.data.shape
        number = torch.arange(axis, device=values.device).expand(outer, axis)
        segment = torch.searchsorted(self.ends, number.contiguous(), right=True)
        is_there = (segment < self.count).unsqueeze(2)
        places = segment.clamp(max=self.count - 1).unsqueeze(2).expand(-1, -1, inner)
        return torch.where(is_there, values.gather(1, places), 0)


@operator("segment_reduce")
def _segment_reduce(
    data: torch.Tensor,
    reduce: str,
    *,
    lengths: torch.Tensor | None = None,
    indices: torch.Tensor | None = None,
    offsets: torch.Tensor | None = None,
    axis: int = 0,
    unsafe: bool = False,
    initial: complex | None = None,
) -> torch.Tensor:
    if indices is not None or reduce not in _START or isinstance(initial, complex) or not data.numel():
        raise NotServed
    segments = _Segments(data, lengths, offsets, axis, lengths is not None and not unsafe)
    start = _START[reduce] if initial is None else initial
    if not segments.longest:
        return data.new_full(segments.shape, math.nan if reduce == "mean" and initial is None else start)
    terms = segments.padded(segments.data, _START[reduce])
    if reduce in ("max", "min"):
        result = terms.amax(2) if reduce == "max" else terms.amin(2)
        if initial is not None:
            result = result.clamp(min=initial) if reduce == "max" else result.clamp(max=initial)
    elif reduce == "prod":
        result = terms.prod(2) * start
    else:
        result = terms.sum(2) + start
        if reduce == "mean":
            length = segments.lengths.unsqueeze(2)
            of_none = math.nan if initial is None else start
            result = torch.where(length == 0, of_none, result / length.to(result.dtype))
    return result.reshape(segments.shape)


@operator("_segment_reduce_backward")
def _segment_reduce_backward(
    grad: torch.Tensor,
    output: torch.Tensor,
    data: torch.Tensor,
    reduce: str,
    *,
    lengths: torch.Tensor | None = None,
    offsets: torch.Tensor | None = None,
    axis: int = 0,
    initial: complex | None = None,
) -> torch.Tensor:
    if reduce not in _START or isinstance(initial, complex) or not data.numel():
        raise NotServed
    segments = _Segments(data, lengths, offsets, axis, False)
    if not segments.longest:
        return torch.zeros_like(data)
    outer, _, inner = segments.data.shape
    grad = grad.reshape(outer, segments.count, inner)
    x = segments.data
    if reduce == "mean":
        grad = grad / segments.lengths.unsqueeze(2).to(grad.dtype)
    share = segments.spread(grad)
    if reduce in ("max", "min"):
        # What is as large as the result shares its gradient.
        taken = (x == segments.spread(output.reshape(grad.shape))) | x.isnan()
        counts = segments.padded(taken.to(x.dtype), 0).sum(2)
        share = torch.where(taken, share / segments.spread(counts), 0)
    elif reduce == "prod":
        share = share * _product_of_others(segments, 1.0 if initial is None else initial)
    return share.reshape(data.shape)


def _product_of_others(segments: _Segments, start: float) -> torch.Tensor:
    """Of each element the product of all others of its segment, and of where products start."""
    x = segments.data
    is_special = (x == 0) | x.isnan()
    others = segments.spread(segments.padded(torch.where(is_special, 1, x), 1).prod(2) * start)
    zeros, nans = (
        segments.spread(segments.padded(kind.to(x.dtype), 0).sum(2)) - kind.to(x.dtype) for kind in (x == 0, x.isnan())
    )
    others = torch.where(is_special, others, others / x)
    return torch.where(nans > 0, math.nan, torch.where(zeros > 0, 0, others))
