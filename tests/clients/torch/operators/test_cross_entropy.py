"""Cross entropy by its own kernel, against PyTorch's on the CPU."""

from __future__ import annotations

import math

import pytest
import torch
from torch.nn import functional

import wavesmith.torch

DEVICE = "wavesmith"
TYPES = {torch.float32: (1e-5, 1e-5), torch.float16: (2e-3, 1e-3), torch.bfloat16: (1.6e-2, 8e-3)}


def _case(shape: tuple[int, ...], ignored: int = -100) -> tuple[torch.Tensor, torch.Tensor]:
    generator = torch.Generator().manual_seed(sum(shape))
    places = shape[:1] + shape[2:] if len(shape) > 1 else ()
    classes = shape[1] if len(shape) > 1 else shape[0]
    target = torch.randint(0, classes, places, generator=generator)
    if len(shape) > 1:
        target.view(-1)[1::3] = ignored
    return 4 * torch.randn(shape, generator=generator), target


def _both(
    x: torch.Tensor, target: torch.Tensor, dtype: torch.dtype, **arguments: object
) -> tuple[tuple[torch.Tensor, torch.Tensor], tuple[torch.Tensor, torch.Tensor]]:
    """The loss and its gradient: the CPU's in float64 of the same numbers, and the device's in the type."""
    found = []
    x = x.to(dtype)
    for device, kind in (("cpu", torch.float64), (DEVICE, dtype)):
        logits = x.to(device, kind).requires_grad_()
        loss = functional.cross_entropy(logits, target.to(device), **arguments)  # type: ignore[arg-type]
        upstream = torch.linspace(0.5, 2, max(loss.numel(), 1), dtype=torch.float64)[: loss.numel()]
        loss.backward(upstream.view(loss.shape).to(device, loss.dtype))
        assert logits.grad is not None
        found.append((loss.detach().cpu(), logits.grad.cpu()))
    assert found[1][0].dtype == found[1][1].dtype == dtype
    return found[0], found[1]


def _kernels(shape: tuple[int, ...] = (7, 19), **arguments: object) -> list[str]:
    x, target = _case(shape)
    logits = x.to(DEVICE).requires_grad_()
    classes = target.to(DEVICE)
    with wavesmith.profile() as profile:
        functional.cross_entropy(logits, classes, **arguments).backward()  # type: ignore[arg-type]
    return [row.key for row in profile.kernels()]


@pytest.mark.representative
@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("reduction", ["none", "sum", "mean"])
@pytest.mark.parametrize("shape", [(7, 1031), (1, 5), (64, 2), (13,), (2, 5, 3, 4), (0, 6)])
def test_losses_and_gradients(shape: tuple[int, ...], reduction: str, dtype: torch.dtype) -> None:
    x, target = _case(shape)
    (loss, gradient), ours = _both(x, target, dtype, reduction=reduction)
    rtol, atol = TYPES[dtype]
    torch.testing.assert_close(ours[0].double(), loss, rtol=rtol, atol=atol, equal_nan=True)
    torch.testing.assert_close(ours[1].double(), gradient, rtol=rtol, atol=atol, equal_nan=True)


@pytest.mark.representative
@pytest.mark.parametrize(
    "arguments",
    [
        {"label_smoothing": 0.2},
        {"label_smoothing": 1.0, "reduction": "sum"},
        {"label_smoothing": 0.1, "reduction": "none", "ignore_index": 3},
        {"ignore_index": 2},
        {"weight": torch.linspace(0.5, 2, 19, dtype=torch.float64)},
        {"weight": torch.linspace(0.5, 2, 19, dtype=torch.float64), "label_smoothing": 0.3},
    ],
)
def test_arguments(arguments: dict[str, object]) -> None:
    ignored = arguments.get("ignore_index", -100)
    assert isinstance(ignored, int)
    x, target = _case((11, 19), ignored)
    found = []
    for device, dtype in (("cpu", torch.float64), (DEVICE, torch.float32)):
        logits = x.to(device, dtype).requires_grad_()
        given = {
            key: each.to(device, dtype) if isinstance(each, torch.Tensor) else each for key, each in arguments.items()
        }
        loss = functional.cross_entropy(logits, target.to(device), **given)  # type: ignore[arg-type]
        loss.sum().backward()
        assert logits.grad is not None
        found.append((loss.detach().cpu().double(), logits.grad.cpu().double()))
    torch.testing.assert_close(found[1], found[0], rtol=1e-5, atol=1e-5)


@pytest.mark.representative
def test_it_is_one_kernel_forward_and_one_back() -> None:
    both = {"loss_cross_entropy", "loss_cross_entropy_gradient"}
    assert both < set(_kernels())
    assert both < set(_kernels((2, 5, 3), label_smoothing=0.1, reduction="sum"))
    assert both.isdisjoint(_kernels(weight=torch.ones(19, device=DEVICE)))


@pytest.mark.representative
def test_what_it_does_not_take_is_pytorchs() -> None:
    x, target = _case((6, 9), ignored=0)
    for other in (target.to(torch.uint8), torch.softmax(torch.randn(6, 9), 1)):
        torch.testing.assert_close(
            functional.cross_entropy(x.to(DEVICE), other.to(DEVICE)).cpu(), functional.cross_entropy(x, other)
        )
    doubles = functional.cross_entropy(x.to(DEVICE, torch.float64), target.to(DEVICE))
    torch.testing.assert_close(doubles.cpu(), functional.cross_entropy(x.double(), target))
    for wrong in (target[:5], target.to(torch.float32), target[:, None, None]):
        with pytest.raises((RuntimeError, ValueError)) as theirs:
            functional.cross_entropy(x, wrong)
        with pytest.raises(theirs.type) as ours:
            functional.cross_entropy(x.to(DEVICE), wrong.to(DEVICE))
        assert str(ours.value) == str(theirs.value)
    with pytest.raises(RuntimeError, match="label_smoothing must be between"):
        functional.cross_entropy(x.to(DEVICE), target.to(DEVICE), label_smoothing=1.5)


@pytest.mark.representative
def test_strides() -> None:
    x, target = _case((24, 40))
    ours = x.to(DEVICE)
    for view in (lambda a: a[:, 3:21], lambda a: a.T[:24, :24], lambda a: a[::2, 1:], lambda a: a[:1].expand(9, 40)):
        rows = view(x)
        of = target[: rows.shape[0]].clamp(max=rows.shape[1] - 1)
        logits = view(ours).detach().requires_grad_()
        loss = functional.cross_entropy(logits, of.to(DEVICE))
        loss.backward()
        theirs = rows.detach().requires_grad_()
        expected = functional.cross_entropy(theirs, of)
        expected.backward()
        assert logits.grad is not None
        assert theirs.grad is not None
        torch.testing.assert_close(loss.cpu(), expected)
        torch.testing.assert_close(logits.grad.cpu(), theirs.grad)
    every = torch.arange(48, device=DEVICE) % 5
    torch.testing.assert_close(
        functional.cross_entropy(ours, every[::2]), functional.cross_entropy(ours, every[::2].clone())
    )


@pytest.mark.representative
def test_infinities() -> None:
    x, target = _case((5, 12))
    target = target.clamp(min=0)
    x[0, (target[0] + 1) % 12] = -torch.inf
    x[1, target[1]] = -torch.inf
    x[2, 3] = torch.nan
    x[3] = torch.nan
    target[3] = -100
    theirs, ours = _both(x, target, torch.float32, reduction="none")
    torch.testing.assert_close(ours[0].double(), theirs[0], rtol=1e-5, atol=1e-5, equal_nan=True)
    kept = torch.tensor([0, 1, 4])  # the CPU's gradient of an ignored row is NaN where the row is
    torch.testing.assert_close(ours[1].double()[kept], theirs[1][kept], rtol=1e-5, atol=1e-5)
    assert ours[1][3].eq(0).all()


@pytest.mark.representative
def test_gradients_of_gradients() -> None:
    x, target = _case((4, 7))
    found = []
    for device in ("cpu", DEVICE):
        logits = x.to(device).requires_grad_()
        loss = functional.cross_entropy(logits.square(), target.to(device), label_smoothing=0.1)
        (first,) = torch.autograd.grad(loss, logits, create_graph=True)
        (second,) = torch.autograd.grad(first.square().sum(), logits)
        found.append((first.detach().cpu(), second.cpu()))
    torch.testing.assert_close(found[1], found[0], rtol=1e-4, atol=1e-5)


def test_transforms() -> None:
    x, target = _case((3, 4, 7))
    target = target[:, 0].new_tensor([[0, 6, -100, 2]] * 3)

    def loss(logits: torch.Tensor, classes: torch.Tensor) -> torch.Tensor:
        return functional.cross_entropy(logits, classes)

    for function in (torch.func.vmap(loss), torch.func.vmap(torch.func.grad(loss))):
        torch.testing.assert_close(function(x.to(DEVICE), target.to(DEVICE)).cpu(), function(x, target))
    tangent = torch.ones_like(x[0])
    ours = torch.func.jvp(lambda a: loss(a, target[0].to(DEVICE)), (x[0].to(DEVICE),), (tangent.to(DEVICE),))
    theirs = torch.func.jvp(lambda a: loss(a, target[0]), (x[0],), (tangent,))
    torch.testing.assert_close([each.cpu() for each in ours], list(theirs))
    logits = x[0].to(DEVICE).requires_grad_()
    each = functional.cross_entropy(logits, target[0].to(DEVICE), reduction="none")
    upstream = torch.eye(4, device=DEVICE)
    (ours_of_each,) = torch.autograd.grad(each, logits, upstream, is_grads_batched=True)
    other = x[0].clone().requires_grad_()
    each = functional.cross_entropy(other, target[0], reduction="none")
    (theirs_of_each,) = torch.autograd.grad(each, other, torch.eye(4), is_grads_batched=True)
    torch.testing.assert_close(ours_of_each.cpu(), theirs_of_each)


@pytest.mark.representative
def test_autocast_and_inference() -> None:
    x, target = _case((6, 9))
    ours, classes = x.to(DEVICE, torch.bfloat16), target.to(DEVICE)
    with torch.autocast(DEVICE, torch.bfloat16):
        loss = functional.cross_entropy(ours, classes)
    assert loss.dtype == torch.float32
    torch.testing.assert_close(loss.cpu(), functional.cross_entropy(x.bfloat16().float(), target))
    with torch.inference_mode():
        torch.testing.assert_close(
            functional.cross_entropy(x.to(DEVICE), classes).cpu(), functional.cross_entropy(x, target)
        )


@pytest.mark.representative
def test_logits_that_are_written_to_before_the_gradient() -> None:
    x, target = _case((6, 9))
    logits = x.to(DEVICE).requires_grad_() * 1
    loss = functional.cross_entropy(logits, target.to(DEVICE))
    logits.add_(1)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        loss.backward()


@pytest.mark.representative
def test_a_row_and_no_rows_of_logarithms() -> None:
    before = wavesmith.torch.fallback_counts()
    x, target = _case((9,))
    for weight in (None, torch.linspace(1, 2, 9)):
        for reduction in ("none", "sum", "mean"):
            for rows, classes in ((x, target), (x[None][:0], target[None][:0])):
                found = []
                for device in ("cpu", DEVICE):
                    logs = rows.to(device).detach().requires_grad_()
                    given = None if weight is None else weight.to(device)
                    loss = functional.nll_loss(logs, classes.to(device), given, reduction=reduction)
                    loss.sum().backward()
                    assert logs.grad is not None
                    found.append((loss.detach().cpu(), logs.grad.cpu()))
                torch.testing.assert_close(found[1], found[0], equal_nan=True)
    assert wavesmith.torch.fallback_counts() == before


@pytest.mark.parametrize("reduction", ("mean", "sum", "none"))
def test_of_a_linear_layer_by_parts(reduction: str) -> None:
    """The operators that PyTorch composes in Python: the same numbers as of the whole layer in double precision."""
    generator = torch.Generator().manual_seed(11)
    x, weight = torch.randn(7, 5, generator=generator), torch.randn(9, 5, generator=generator)
    target = torch.tensor([0, 8, 3, 3, 1, 4, 2])
    options = torch.nn.LinearCrossEntropyOptions(batch_chunk_size=2)
    for bias in (None, torch.randn(9, generator=generator)):
        for of_classes in (None, torch.rand(9, generator=generator)):
            for ignored in (-100, 3):
                found = []
                for device, kind in (("cpu", torch.float64), (DEVICE, torch.float32)):
                    tensors = [
                        None if each is None else each.to(device, kind) for each in (x, weight, bias, of_classes)
                    ]
                    leaves = [each.requires_grad_() for each in tensors[:3] if each is not None]
                    loss = functional.linear_cross_entropy(
                        tensors[0], tensors[1], target.to(device), linear_bias=tensors[2], weight=tensors[3],
                        reduction=reduction, ignore_index=ignored, options=options if device == DEVICE else None,
                    )  # fmt: skip
                    upstream = torch.linspace(0.5, 2, 7, dtype=kind)[: loss.numel()].reshape(loss.shape).to(device)
                    loss.backward(upstream)
                    found.append([loss, *(each.grad for each in leaves)])
                for theirs, ours in zip(*found, strict=True):
                    torch.testing.assert_close(ours.cpu().double(), theirs, rtol=1e-5, atol=1e-5)


def test_of_a_linear_layer_with_gaps() -> None:
    """What lies between the elements is no number."""
    options = torch.nn.LinearCrossEntropyOptions(batch_chunk_size=2)
    whole = (torch.randn(7, 5), torch.randn(9, 5), torch.randint(9, (7,)), torch.randn(9))
    apart = []
    for each in whole:
        twice = torch.full((*each.shape, 2), -1 if each.dtype == torch.int64 else math.nan, dtype=each.dtype)
        twice[..., 0] = each
        apart.append(twice.to(DEVICE)[..., 0])
    x, weight, target, bias = whole
    theirs = functional.cross_entropy(functional.linear(x.double(), weight.double(), bias.double()), target)
    ours = functional.linear_cross_entropy(*apart[:3], linear_bias=apart[3], options=options)
    torch.testing.assert_close(ours.cpu().double(), theirs, rtol=1e-5, atol=1e-5)


def test_of_many_rows_of_a_linear_layer() -> None:
    x, weight, target = torch.randn(300, 4), torch.randn(1 << 15, 4), torch.randint(1 << 15, (300,))
    options = torch.nn.LinearCrossEntropyOptions(batch_chunk_size=3)
    there = [each.to(DEVICE).requires_grad_() for each in (x, weight)]
    here = [each.double().requires_grad_() for each in (x, weight)]
    ours = functional.linear_cross_entropy(there[0], there[1], target.to(DEVICE), options=options)
    theirs = functional.cross_entropy(here[0] @ here[1].t(), target)
    ours.backward(), theirs.backward()
    torch.testing.assert_close(ours.cpu().double(), theirs, rtol=1e-5, atol=1e-5)
    for mine, other in zip(there, here, strict=True):
        torch.testing.assert_close(mine.grad.cpu().double(), other.grad, rtol=1e-4, atol=1e-7)
