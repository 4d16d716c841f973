"""Interpolation (`upsample_*`): each dimension is a product with a sparse matrix, and its gradient with the transposed.

Weights are computed on the host, once for each pair of sizes. Images of bytes become those of PyTorch for the CPU,
which rounds weights to 16 bits and resizes rows' bytes to bytes before those of columns.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import torch

from wavesmith.torch._outputs import with_out
from wavesmith.torch.composed.results import served
from wavesmith.torch.composed.sparse import Matrix, computed_in, products, rows_of


class _Line(NamedTuple):
    """How one dimension is resized."""

    filter: str
    size: int
    out: int
    align_corners: bool
    scale: float | None

    def ratio(self) -> float:
        """How far the place in the input moves with each element of the output."""
        if self.align_corners:
            return (self.size - 1) / (self.out - 1) if self.out > 1 else 0.0
        return 1 / self.scale if self.scale is not None and self.scale > 0 else self.size / self.out

    def changes_nothing(self) -> bool:
        return self.size == self.out and self.ratio() == 1 and not self.filter.endswith("_aa")

    def centres(self) -> torch.Tensor:
        """The place in the input of each element of the output."""
        at = torch.arange(self.out, dtype=torch.float64)
        return at * self.ratio() if self.align_corners else (at + 0.5) * self.ratio() - 0.5


def _cubic(distance: torch.Tensor, a: float) -> torch.Tensor:
    x = distance.abs()
    near = ((a + 2) * x - (a + 3)) * x * x + 1
    far = (((x - 5) * x + 8) * x - 4) * a
    return torch.where(x < 1, near, torch.where(x < 2, far, 0.0))


def _triangle(distance: torch.Tensor) -> torch.Tensor:
    return (1 - distance.abs()).clamp(min=0)


def _lanczos(distance: torch.Tensor) -> torch.Tensor:
    return torch.where(distance.abs() < 3, torch.sinc(distance) * torch.sinc(distance / 3), 0.0)


#: The filters of `antialias=True`, and how far each reaches.
_SMOOTH: dict[str, tuple[float, Callable[[torch.Tensor], torch.Tensor]]] = {
    "linear_aa": (1, _triangle),
    "cubic_aa": (2, lambda distance: _cubic(distance, -0.5)),
    "lanczos_aa": (3, _lanczos),
}


def _smooth(line: _Line) -> Matrix:
    reach, of_distance = _SMOOTH[line.filter]
    ratio = line.ratio()
    spread = max(ratio, 1.0)
    centres = (torch.arange(line.out, dtype=torch.float64) + 0.5) * ratio
    begins = (centres - reach * spread + 0.5).trunc().clamp(min=0)
    ends = (centres + reach * spread + 0.5).trunc().clamp(max=line.size)
    columns = begins[:, None] + torch.arange(max(1, int((ends - begins).max())))
    weights = of_distance((columns - centres[:, None] + 0.5) / spread)
    weights = torch.where(columns < ends[:, None], weights, 0.0)
    total = weights.sum(1, keepdim=True)
    weights = torch.where(total != 0, weights / total, weights)
    columns = torch.where(columns < ends[:, None], columns, -1)
    return rows_of(columns.long(), weights, line.size)


def _plain(line: _Line) -> Matrix:
    centres = line.centres()
    last = line.size - 1
    if line.filter == "linear":
        centres = centres.clamp(min=0)
        low = centres.floor().clamp(max=last)
        above = (centres - low).clamp(max=1)
        columns = torch.stack((low, (low + 1).clamp(max=last)), 1)
        return rows_of(columns.long(), torch.stack((1 - above, above), 1), line.size)
    columns = centres.floor()[:, None] + torch.arange(-1, 3)
    return rows_of(columns.clamp(0, last).long(), _cubic(columns - centres[:, None], -0.75), line.size)


def _of_16_bits(made: Matrix) -> Matrix:
    """The matrix with the weights by which PyTorch multiplies bytes: 16 bits of which the largest needs each."""
    made = made.merged()
    assert made.weights is not None
    largest = max(0.0, float(made.weights.max()))
    bits = next((each for each in range(22) if int(0.5 + largest * (2 << each)) >= 1 << 15), 22)
    whole = (made.weights * (1 << bits)).abs().add(0.5).floor().copysign(made.weights)
    return replace(made, weights=whole / (1 << bits))


def _nearest(line: _Line) -> torch.Tensor:
    """The input's index for each element of the output, computed in F32 as PyTorch does."""
    at = torch.arange(line.out)
    if line.filter == "nearest" and line.scale is None and line.out in (line.size, 2 * line.size):
        return at // (line.out // line.size)
    ratio = torch.tensor(line.ratio(), dtype=torch.float32)
    places = (at.float() + (0.5 if line.filter == "nearest_exact" else 0.0)) * ratio
    return places.floor().long().clamp(max=line.size - 1)


@functools.lru_cache(256)
def _nearest_on(line: _Line, device: torch.device) -> torch.Tensor:
    return _nearest(line).to(device)


@functools.lru_cache(256)
def _matrix(line: _Line, transposed: bool, device: torch.device, dtype: torch.dtype) -> Matrix:
    if line.filter.startswith("nearest"):
        made = rows_of(_nearest(line)[:, None], None, line.size)
    else:
        made = _smooth(line) if line.filter.endswith("_aa") else _plain(line)
        made = _of_16_bits(made) if dtype == torch.uint8 else made
    return (made.transposed() if transposed else made).on(device, computed_in(dtype))


def _lines(
    filter_: str, sizes: Sequence[int], out: Sequence[int], align: bool, scales: Sequence[float | None]
) -> list[_Line]:
    return [_Line(filter_, size, places, align, scale) for size, places, scale in zip(sizes, out, scales, strict=True)]


@functools.lru_cache(256)
def _steps(
    lines: tuple[_Line, ...], transposed: bool, device: torch.device, dtype: torch.dtype
) -> list[tuple[int, Matrix]]:
    """The dimensions that change, those that shrink most first, of images of bytes the columns; with their matrices."""
    growth = [math.log(line.out / line.size) * (-1 if transposed else 1) for line in lines]
    order = (1, 0) if dtype == torch.uint8 else sorted(range(len(lines)), key=lambda each: growth[each])
    return [
        (2 + each, _matrix(lines[each], transposed, device, dtype))
        for each in order
        if not lines[each].changes_nothing()
    ]


def _split(
    after: tuple[Any, ...], given: dict[str, Any], dimensions: int, aligns: bool
) -> tuple[bool, tuple[Any, ...]]:
    """`align_corners`, where there is one, and the scales, which may be left out or named."""
    rest = list(after)
    align = bool(rest.pop(0) if rest else given["align_corners"]) if aligns else False
    names = ("scales",) if dimensions == 1 else ("scales_d", "scales_h", "scales_w")[-dimensions:]
    return align, (*rest, *(given.get(name) for name in names[len(rest) :]))


def _operators(name: str, filter_: str, dimensions: int) -> None:
    aligns = not filter_.startswith("nearest")
    forward_op = getattr(torch.ops.aten, name).default
    backward_op = getattr(torch.ops.aten, f"{name}_backward").default

    @functools.lru_cache(1024)
    def planned(
        op: Any, sizes: tuple[int, ...], out: tuple[int, ...], given: Any, align: bool, scales: tuple[Any, ...],
        shape: torch.Size, strides: tuple[int, ...], dtype: torch.dtype, device: torch.device,
    ) -> tuple[torch.Size, tuple[int, ...], Any]:  # fmt: skip
        """Of a class of calls: sizes and strides of the result, and by which matrices or indices it is found."""
        x = torch.empty_strided(shape, strides, dtype=dtype, device="meta")
        like = op(x, *given, *((align,) if aligns else ()), *scales)
        lines = _lines(filter_, sizes, out, align, scales)
        is_back = op is backward_op
        if aligns or is_back:
            served(dtype.is_floating_point or (dtype == torch.uint8 and len(lines) == 2 and not is_back))
            return like.shape, like.stride(), _steps(tuple(lines), is_back, device, dtype) if like.numel() else []
        places = [
            _nearest_on(line, device).view((-1, *(1,) * (dimensions - 1 - at))) if like.numel() else None
            for at, line in enumerate(lines)
        ]
        return like.shape, like.stride(), [None, None, *places]

    def forward(x: torch.Tensor, output_size: Sequence[int], *rest: Any, **given: Any) -> torch.Tensor:
        align, scales = _split(rest, given, dimensions, aligns)
        out = tuple(output_size)
        shape, strides, how = planned(
            forward_op, x.shape[2:], out, (out,), align, scales, x.shape, x.stride(), x.dtype, x.device
        )
        if not aligns and x.numel():
            taken: torch.Tensor = torch.ops.aten.index(x, how)
            if taken.stride() == strides:
                return taken
            return torch.empty_strided(shape, strides, dtype=x.dtype, device=x.device).copy_(taken)
        y = torch.empty_strided(shape, strides, dtype=x.dtype, device=x.device)
        return products(how, x, y) if y.numel() else y

    def backward(
        grad: torch.Tensor, output_size: Sequence[int], input_size: Sequence[int], *rest: Any, **given: Any
    ) -> torch.Tensor:
        align, scales = _split(rest, given, dimensions, aligns)
        out, size = tuple(output_size), tuple(input_size)
        shape, strides, how = planned(
            backward_op, size[2:], out, (out, size), align, scales, grad.shape, grad.stride(), grad.dtype, grad.device
        )
        y = torch.empty_strided(shape, strides, dtype=grad.dtype, device=grad.device)
        return products(how, grad, y) if y.numel() else y

    with_out(name)(forward)
    with_out(f"{name}_backward", "grad_input")(backward)


for _dimensions, _linear in enumerate(("upsample_linear1d", "upsample_bilinear2d", "upsample_trilinear3d"), 1):
    _operators(_linear, "linear", _dimensions)
    _operators(f"upsample_nearest{_dimensions}d", "nearest", _dimensions)
    _operators(f"_upsample_nearest_exact{_dimensions}d", "nearest_exact", _dimensions)
_operators("upsample_bicubic2d", "cubic", 2)
_operators("_upsample_bilinear2d_aa", "linear_aa", 2)
_operators("_upsample_bicubic2d_aa", "cubic_aa", 2)
_operators("_upsample_lanczos2d_aa", "lanczos_aa", 2)
