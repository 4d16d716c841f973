"""Operators of networks that are composed: interpolation, padding, windows, adaptive pools, bags and sampling."""

from __future__ import annotations

import itertools
import warnings

import pytest
import torch
import torch.nn.functional as functional
from comparison import PIECES, no_fallback, on_both, same_error

pytestmark = pytest.mark.representative

TOLERANCE = 1e-5
HOST = (*PIECES, "aten.cumsum")


@pytest.mark.parametrize("mode", ("linear", "bilinear", "bicubic", "trilinear", "nearest", "nearest-exact"))
@pytest.mark.parametrize("align", (False, True))
def test_interpolation(mode: str, align: bool) -> None:
    nearest = mode.startswith("nearest")
    if nearest and align:
        pytest.skip("nearest elements have no corners to align")
    dimensions = {"linear": 1, "trilinear": 3}.get(mode, 2)
    x = torch.randn(2, 3, *(7, 5, 4)[:dimensions])
    for sizes in ((11, 3, 5), (7, 1, 8)):
        named = {"size": sizes[:dimensions], "mode": mode, "align_corners": None if nearest else align}
        on_both(lambda x, n=named: functional.interpolate(x, **n), x, tolerance=TOLERANCE)
    scaled = {"scale_factor": 1.7, "mode": mode, "align_corners": None if nearest else align}
    on_both(lambda x: functional.interpolate(x, **scaled), x, tolerance=TOLERANCE)


@pytest.mark.parametrize("mode", ("bilinear", "bicubic"))
def test_interpolation_without_aliases(mode: str) -> None:
    x = torch.randn(1, 2, 13, 9).contiguous(memory_format=torch.channels_last)
    for size in ((4, 5), (20, 3)):
        on_both(lambda x, s=size: functional.interpolate(x, s, mode=mode, antialias=True), x, tolerance=TOLERANCE)
    ours = functional.interpolate(x.to("wavesmith"), (4, 5), mode=mode)
    assert ours.stride() == functional.interpolate(x, (4, 5), mode=mode).stride()


@pytest.mark.parametrize("antialias", (False, True))
@pytest.mark.parametrize("mode", ("bilinear", "bicubic"))
def test_images_of_bytes(mode: str, antialias: bool) -> None:
    """Each byte is PyTorch's; edges of black and white are where bicubic sums are less than 0 or more than 255."""
    x = torch.randint(0, 256, (2, 3, 23, 40), dtype=torch.uint8)
    x[..., 10:] = (x[..., 10:] > 127) * 255
    for image in (x, x.contiguous(memory_format=torch.channels_last), x[1:, :, ::2, 3:]):
        for size, align in (((9, 13), False), ((50, 41), True), ((1, 90), False), ((23, 7), True)):
            named = {"size": size, "mode": mode, "antialias": antialias, "align_corners": align}
            with no_fallback():
                ours = functional.interpolate(image.to("wavesmith"), **named)
            wanted = functional.interpolate(image, **named)
            assert torch.equal(ours.cpu(), wanted)
            assert ours.stride() == wanted.stride()
    with pytest.raises(NotImplementedError, match="not implemented for 'Short'"):
        functional.interpolate(x.short().to("wavesmith"), (9, 13), mode=mode, antialias=antialias)


def test_infinities_stay_where_they_are() -> None:
    x = torch.randn(1, 1, 9)
    x[..., 4] = float("inf")
    ours = functional.interpolate(x.to("wavesmith"), 23, mode="linear").cpu()
    assert torch.equal(ours.isfinite(), functional.interpolate(x, 23, mode="linear").isfinite())


@pytest.mark.parametrize("mode", ("reflect", "replicate"))
def test_padding(mode: str) -> None:
    for dimensions, padding in ((1, (2, 1)), (2, (1, 0, 2, 3)), (3, (1, 2, 0, 1, 3, 2))):
        x = torch.randn(2, 3, *(5, 4, 6)[:dimensions])
        on_both(lambda x, p=padding: functional.pad(x, p, mode), x, tolerance=TOLERANCE)
    x = torch.randn(2, 3, 4, dtype=torch.complex64)
    there = x.to("wavesmith")
    assert torch.equal(functional.pad(there, (1, 2), mode).cpu(), functional.pad(x, (1, 2), mode))
    same_error(lambda x: functional.pad(x, (7, 1), "reflect"), torch.randn(1, 2, 3))
    same_error(lambda x: functional.pad(x, (1, 1), mode), torch.randn(2, 0, 3))


def test_windows_as_columns() -> None:
    x = torch.randn(2, 3, 8, 9)
    for named in ({"padding": 1}, {"stride": 2, "dilation": 2}, {"stride": (3, 1), "padding": (0, 2)}):
        on_both(lambda x, n=named: functional.unfold(x, (3, 2), **n), x, tolerance=TOLERANCE)
        columns = functional.unfold(x, (3, 2), **named)
        on_both(lambda c, n=named: functional.fold(c, (8, 9), (3, 2), **n), columns, tolerance=TOLERANCE)
    on_both(lambda x: x.unfold(2, 3, 2), x, tolerance=TOLERANCE)


def test_shuffled_channels() -> None:
    x = torch.randn(2, 6, 3, 4)
    for image in (x, x.contiguous(memory_format=torch.channels_last), x[..., 0]):
        on_both(lambda x: functional.channel_shuffle(x, 3), image, tolerance=0)
        ours = functional.channel_shuffle(image.to("wavesmith"), 3)
        assert ours.stride() == functional.channel_shuffle(image, 3).stride()
    same_error(lambda x: functional.channel_shuffle(x, 4), x)


def test_adaptive_pools() -> None:
    x = torch.randn(2, 3, 7, 10)
    for out in ((3, 4), (1, 5), (7, 12)):
        on_both(lambda x, o=out: functional.adaptive_avg_pool2d(x, o), x, tolerance=TOLERANCE)
        on_both(lambda x, o=out: functional.adaptive_max_pool2d(x, o), x, tolerance=TOLERANCE)
    on_both(lambda x: functional.adaptive_avg_pool3d(x, (2, 3, 4)), x, tolerance=TOLERANCE)
    on_both(lambda x: functional.adaptive_max_pool3d(x, (2, 3, 4)), x, tolerance=TOLERANCE)
    ours = functional.adaptive_max_pool2d(x.to("wavesmith"), 3, return_indices=True)[1]
    assert torch.equal(ours.cpu(), functional.adaptive_max_pool2d(x, 3, return_indices=True)[1])


@pytest.mark.parametrize("dimensions", (1, 2, 3))
def test_adaptive_max_pools(dimensions: int) -> None:
    pool = getattr(functional, f"adaptive_max_pool{dimensions}d")
    x = torch.randint(-9, 9, (2, 3, *(7, 10, 6)[:dimensions])).float()  # several are the largest
    x[0, 0, 2] = float("nan")
    lies = [x, x[0], x.transpose(0, 1), x.double(), x.half(), x.bfloat16()]
    if dimensions == 2:
        lies.append(x.contiguous(memory_format=torch.channels_last))
    for image in lies:
        for out in (1, 4, 11):
            with no_fallback():
                ours, places = pool(image.to("wavesmith"), out, return_indices=True)
            theirs = pool(image, out, return_indices=True)
            torch.testing.assert_close(ours.cpu(), theirs[0], atol=0, rtol=0, equal_nan=True)
            assert torch.equal(places.cpu(), theirs[1]) and ours.stride() == theirs[0].stride()
    on_both(lambda x: pool(x, 4), torch.randn(0, 3, *(7, 10, 6)[:dimensions]), tolerance=0)
    same_error(lambda x: pool(x, 4), x[:, :, :0])
    same_error(lambda x: pool(x, (2, 2, 2, 2)), x)


@pytest.mark.parametrize("dimensions", (2, 3))
def test_given_results_of_adaptive_max_pools(dimensions: int) -> None:
    forward = getattr(torch.ops.aten, f"adaptive_max_pool{dimensions}d")
    backward = getattr(torch.ops.aten, f"adaptive_max_pool{dimensions}d_backward")
    x = torch.randn(2, 3, *(7, 10, 6)[:dimensions])
    values, places = forward(x, [3] * dimensions)
    ours = [torch.empty(0, dtype=each.dtype, device="wavesmith") for each in (values, places, x)]
    forward.out(x.to("wavesmith"), [3] * dimensions, out=ours[0], indices=ours[1])
    backward.grad_input(ours[0], x.to("wavesmith"), ours[1], grad_input=ours[2])
    assert torch.equal(ours[0].cpu(), values) and torch.equal(ours[1].cpu(), places)
    torch.testing.assert_close(ours[2].cpu(), backward(values, x, places))
    same_error(lambda g, x, i: backward(g, x, i), values.double(), x, places)


@pytest.mark.parametrize("mode", ("sum", "mean", "max"))
def test_bags(mode: str) -> None:
    weight = torch.randn(10, 4)
    indices, offsets = torch.tensor([1, 7, 2, 7, 0, 9, 3]), torch.tensor([0, 3, 3, 5, 7])
    for named in ({}, {"padding_idx": 7}, {"include_last_offset": True}):
        on_both(
            lambda w, i, o, n=named: functional.embedding_bag(i, w, o, mode=mode, **n),
            weight,
            indices,
            offsets,
            tolerance=TOLERANCE,
            host=HOST,
        )
    for of in (weight.bfloat16(), weight.t().contiguous().t()):
        on_both(
            lambda w, i, o: functional.embedding_bag(i, w, o, mode=mode),
            of,
            indices.int(),
            offsets.int(),
            tolerance=2**-7 if of.dtype == torch.bfloat16 else TOLERANCE,
            host=HOST,
        )
    of_none = indices[:0], weight, torch.tensor([0, 0])
    none = functional.embedding_bag(*(each.to("wavesmith") for each in of_none))
    assert none.tolist() == [[0.0] * 4] * 2
    if mode == "sum":
        on_both(
            lambda w, s, i, o: functional.embedding_bag(i, w, o, mode="sum", per_sample_weights=s),
            weight,
            torch.randn(7),
            indices,
            offsets,
            tolerance=TOLERANCE,
            host=HOST,
        )


@pytest.mark.parametrize("padding", ("zeros", "border", "reflection"))
def test_sampling_at_a_grid(padding: str) -> None:
    volume = torch.randn(2, 3, 4, 5, 6), torch.rand(2, 3, 2, 4, 3) * 2.6 - 1.3
    image = torch.randn(2, 3, 5, 6), torch.rand(2, 4, 3, 2) * 2.6 - 1.3
    for (x, grid), modes in ((volume, ("bilinear", "nearest")), (image, ("bilinear", "nearest", "bicubic"))):
        for mode, align in itertools.product(modes, (False, True)):
            on_both(
                lambda x, g, m=mode, a=align: functional.grid_sample(x, g, m, padding, a), x, grid, tolerance=TOLERANCE
            )


def test_ctc_loss() -> None:
    logits = torch.randn(9, 3, 5)
    targets = torch.tensor([[1, 2, 2, 3], [4, 1, 0, 0], [3, 3, 3, 3]])
    for inputs, lengths in (([9, 7, 8], [4, 2, 3]), ([9, 1, 5], [1, 0, 4])):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            on_both(
                lambda x, i=inputs, n=lengths: functional.ctc_loss(
                    x.log_softmax(2), targets.to(x.device), i, n, zero_infinity=True
                ),
                logits,
                tolerance=TOLERANCE,
                host=(*HOST, "aten._log_softmax"),
            )


@pytest.mark.parametrize("dtype", (torch.float32, torch.float64))
def test_ctc_loss_of_labels_in_a_row(dtype: torch.dtype) -> None:
    """Labels of all sequences one after the other, lengths as tensors; 70 sequences, one of which cannot be."""
    count = 70
    logits = torch.randn(6, count, 4, dtype=dtype).transpose(0, 1).contiguous().transpose(0, 1)
    lengths = torch.arange(count) % 4
    inputs = torch.full((count,), 6)
    inputs[3] = 1
    targets = torch.randint(1, 4, (int(lengths.sum()),), dtype=torch.int32)
    for reduction in ("mean", "none"):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            on_both(
                lambda x, t, r=reduction: functional.ctc_loss(
                    x.log_softmax(2), t, inputs, lengths, blank=0, zero_infinity=True, reduction=r
                ),
                logits.clone(),
                targets,
                tolerance=TOLERANCE,
                host=(*HOST, "aten._log_softmax"),
            )


def test_gradients_of_elu() -> None:
    x = torch.randn(5, 7)
    for call in (
        lambda x: functional.elu(x, 0.7),
        lambda x: functional.celu(x, 1.3),
        functional.selu,
        lambda x: functional.elu(x * 1, 0.7, inplace=True),
    ):
        on_both(call, x, tolerance=TOLERANCE)


@pytest.mark.parametrize("reduction", ["mean", "sum", "none"])
def test_gradients_of_margins_of_several_labels(reduction: str) -> None:
    """Targets twice, none, all, and some behind the end."""
    target = torch.tensor([[3, 0, -1, 2, 1], [1, 1, 2, -1, 0], [-1] * 5, [4, 3, 2, 1, 0]])

    def call(x: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
        return functional.multilabel_margin_loss(x, target, reduction=reduction)

    for each in (slice(None), 0):
        on_both(call, torch.randn(4, 5)[each], target[each], tolerance=TOLERANCE)


@pytest.mark.parametrize("reduction", ["mean", "sum", "none"])
def test_classes_of_images_elements(reduction: str) -> None:
    x, target, weight = torch.randn(2, 5, 4, 3), torch.randint(0, 5, (2, 4, 3)), torch.rand(5)
    target[0, 1] = -100

    def call(x: torch.Tensor, target: torch.Tensor, weight: torch.Tensor | None = None) -> torch.Tensor:
        weight = weight if weight is None else weight.detach()  # PyTorch has no gradient of it
        return functional.nll_loss(x, target, weight, reduction=reduction)

    on_both(call, x, target, tolerance=TOLERANCE)
    on_both(call, x, target, weight, tolerance=TOLERANCE)
    if reduction != "mean":  # of none, NaN
        on_both(call, x[:0], target[:0], tolerance=TOLERANCE)
        on_both(call, x[:0, :, 0, 0], target[:0, 0, 0], tolerance=TOLERANCE)
    same_error(call, x, target[:, 1:])


@pytest.mark.parametrize("dim", [None, 0, -1])
def test_the_least_and_the_largest(dim: int | None) -> None:
    x = torch.randn(4, 5)
    x[1, 2] = float("nan")
    for each, other in zip(torch.aminmax(x.to("wavesmith"), dim=dim), torch.aminmax(x, dim=dim), strict=True):
        torch.testing.assert_close(each.cpu(), other, equal_nan=True, rtol=0, atol=0)
    on_both(lambda x: torch.aminmax(x, dim=dim).max, torch.randn(4, 5), tolerance=TOLERANCE)


def test_pools_of_no_batch() -> None:
    none = torch.zeros(0, 3, 8, 8)
    for pool in (functional.max_pool2d, functional.avg_pool2d):
        on_both(lambda x, p=pool: p(x, 2), none, tolerance=TOLERANCE)


@pytest.mark.representative
def test_checks_and_windows_are_made_once() -> None:
    """PyTorch's checks of an interpolation are Python that takes milliseconds, the first time."""
    from wavesmith.torch.composed import pooling, results

    x = torch.randn(1, 2, 8, 8, device="wavesmith")
    calls = (
        lambda: functional.interpolate(x, scale_factor=2, mode="bilinear"),
        lambda: functional.max_pool2d(x, 3, 2, 1),
        lambda: functional.avg_pool2d(x, 3, 2, 1, count_include_pad=False),
    )
    first = [call() for call in calls]
    before = [each.cache_info().misses for each in (results._checked, pooling._kept)]
    for call, expected in zip(calls, first, strict=True):
        assert torch.equal(call(), expected)
    assert [each.cache_info().misses for each in (results._checked, pooling._kept)] == before
