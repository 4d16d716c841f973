"""Lists of tensors: `torch._foreach_*`, what optimisers and the clipping of gradients make of them, in few launches."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from typing import Any

import pytest
import torch
from comparison import no_fallback

import wavesmith.torch

DEVICE = "wavesmith"
pytestmark = pytest.mark.representative
#: A few roundings of results of a few units.
CLOSE = {torch.float32: {"rtol": 2.0**-21, "atol": 2.0**-21}, torch.bfloat16: {"rtol": 2.0**-6, "atol": 2.0**-6}}
SHAPES = ((3, 5), (1,), (), (0, 2), (4097,), (257, 16))

Tensors = list[torch.Tensor]


def launches(call: Callable[[], object]) -> dict[str, int]:
    """How often each kernel is launched by a call."""
    torch.accelerator.synchronize()
    with wavesmith.profile() as profile:
        call()
        torch.accelerator.synchronize()
    return {row["name"]: row["calls"] for row in profile.rows(by="kernel")}


def random(dtype: torch.dtype, shapes: Sequence[tuple[int, ...]] = SHAPES) -> Tensors:
    """None near 0; the last one's first two dimensions are turned round in memory."""
    made = [(torch.rand(shape) + 0.25).mul_(torch.randn(shape).sign()).to(dtype) for shape in shapes]
    return [*made[:-1], made[-1].t().contiguous().t()] if made[-1].dim() == 2 else made


def there(value: Any) -> Any:
    """A tensor, or a list of them, on the device."""
    return [each.to(DEVICE) for each in value] if isinstance(value, list) else value.to(DEVICE)


def close(ours: torch.Tensor, theirs: torch.Tensor) -> None:
    assert ours.dtype == theirs.dtype and ours.stride() == theirs.stride()
    torch.testing.assert_close(ours.cpu(), theirs, **CLOSE[theirs.dtype])


NUMBERS = [0.5 + i for i in range(len(SHAPES))]
UNARY = ("abs", "ceil", "floor", "frac", "neg", "reciprocal", "round", "sign", "trunc")
BINARY = ("add", "sub", "mul", "div", "maximum", "minimum", "clamp_min", "clamp_max")
L = "a list"
CASES = [
    *[(name, (), {}) for name in UNARY],
    *[(name, (2.5,), {}) for name in BINARY],
    *[(name, (NUMBERS,), {}) for name in BINARY],
    *[(name, (L,), {}) for name in BINARY],
    *[(name, (L,), {"alpha": -0.75}) for name in ("add", "sub")],
    *[("lerp", (L, weight), {}) for weight in (0.25, 0.75, NUMBERS, L)],
    *[(name, (L, L, value), {}) for name in ("addcmul", "addcdiv") for value in (-2.5, NUMBERS)],
]


@pytest.mark.parametrize("dtype", CLOSE, ids=str)
@pytest.mark.parametrize(("name", "arguments", "more"), CASES, ids=str)
def test_functions(name: str, arguments: tuple[Any, ...], more: dict[str, Any], dtype: torch.dtype) -> None:
    x, theirs = random(dtype), [random(dtype) if each is L else each for each in arguments]
    ours = [there(given) if each is L else each for each, given in zip(arguments, theirs, strict=True)]
    on_x = there(x)
    with no_fallback():
        made = getattr(torch, f"_foreach_{name}")(on_x, *ours, **more)
        ran = launches(lambda: getattr(torch, f"_foreach_{name}_")(on_x, *ours, **more))
    assert ran == {"list_f32": 1}
    want = getattr(torch, f"_foreach_{name}")(x, *theirs, **more)
    for one, in_place, other in zip(made, on_x, want, strict=True):
        close(one, other)
        close(in_place, other)


@pytest.mark.parametrize("name", ["sqrt", "rsqrt"])
def test_roots(name: str) -> None:
    x = [each.abs() for each in random(torch.float32)]
    for one, other in zip(
        getattr(torch, f"_foreach_{name}")(there(x)), getattr(torch, f"_foreach_{name}")(x), strict=True
    ):
        close(one, other)


@pytest.mark.parametrize("name", ["add", "mul", "div"])
@pytest.mark.parametrize("of", [torch.bfloat16, torch.float32], ids=str)
def test_a_single_number_on_the_device(name: str, of: torch.dtype) -> None:
    """One of another type may change the results': it is taken tensor by tensor."""
    x, number = random(torch.bfloat16), torch.tensor(1.75, dtype=of)
    on_x, on_number = there(x), number.to(DEVICE)
    made = getattr(torch, f"_foreach_{name}")(on_x, on_number)
    for one, other in zip(made, getattr(torch, f"_foreach_{name}")(x, number), strict=True):
        close(one, other)
    if of == torch.bfloat16:
        assert launches(lambda: getattr(torch, f"_foreach_{name}_")(on_x, on_number)) == {"list_f32": 1}


def test_copies_and_zeros() -> None:
    """Copies of another type, too."""
    source, x = random(torch.float32), random(torch.bfloat16)
    on_source, on_x = there(source), there(x)
    assert launches(lambda: torch._foreach_copy_(on_x, on_source)) == {"list_f32": 1}
    torch._foreach_copy_(x, source)
    for one, other in zip(on_x, x, strict=True):
        assert torch.equal(one.cpu(), other)
    assert launches(lambda: torch._foreach_zero_(on_x)) == {"list_f32": 1}
    assert all((each == 0).all() for each in on_x)


@pytest.mark.parametrize("lists", ["doubles", "integers", "mixed", "strided", "broadcast"])
def test_what_no_kernel_of_lists_takes_is_computed_tensor_by_tensor(lists: str) -> None:
    x, z = random(torch.float32), random(torch.float32)
    if lists == "doubles":
        x, z = [each.double() for each in x], [each.double() for each in z]
    elif lists == "integers":
        x = [(each * 8).int() for each in x]
        z = [(each * 8).int() for each in z]
    elif lists == "mixed":
        z[0] = z[0].half()
    elif lists == "strided":
        x[0], z[0] = torch.randn(3, 10)[:, ::2], torch.randn(5, 3).t()
    else:
        z[4] = z[4][:1]
    with no_fallback():
        ours = torch._foreach_add(there(x), there(z), alpha=2)
    for one, other in zip(ours, torch._foreach_add(x, z, alpha=2), strict=True):
        assert one.dtype == other.dtype
        torch.testing.assert_close(one.cpu(), other, rtol=2.0**-21, atol=2.0**-21)


def test_lists_of_several_lengths_are_refused() -> None:
    x = there(random(torch.float32))
    with pytest.raises(RuntimeError, match="must have the same number of tensors"):
        torch._foreach_add(x, x[1:])
    with pytest.raises(RuntimeError, match="same number of elements as scalar list"):
        torch._foreach_mul_(x, [1.0])


@pytest.mark.parametrize("dtype", CLOSE, ids=str)
@pytest.mark.parametrize("order", [1, 2, float("inf")])
def test_norms(order: float, dtype: torch.dtype) -> None:
    x = random(dtype, ((3, 5), (1,), (), (70000,), (257, 16)))
    on_x = there(x)
    assert launches(lambda: torch._foreach_norm(on_x, order)) == {"norms_of_chunks": 1, "norms_of_arrays": 1}
    for ours, given in zip(torch._foreach_norm(on_x, order), x, strict=True):
        theirs = torch.linalg.vector_norm(given.double(), order).to(dtype)
        assert ours.dtype == dtype and ours.shape == ()
        torch.testing.assert_close(ours.cpu(), theirs, rtol=2.0**-18 if dtype == torch.float32 else 2.0**-7, atol=0)
    wide = torch._foreach_norm(on_x, order, dtype=torch.float32)
    assert all(each.dtype == torch.float32 for each in wide)
    for ours, given in zip(torch._foreach_norm(on_x, 3), x, strict=True):  # has no kernel
        theirs = torch.linalg.vector_norm(given.double(), 3).to(dtype)
        torch.testing.assert_close(ours.cpu(), theirs, rtol=2.0**-16 if dtype == torch.float32 else 2.0**-7, atol=0)


def test_joined_tensors_are_copied_at_once() -> None:
    x = random(torch.float32, ((4, 3), (0,), (1, 3), (7, 3)))
    x[3] = x[3].contiguous()
    on_x = there(x)
    made: Tensors = []
    assert launches(lambda: made.append(torch.cat(on_x))) == {"list_f32": 1}
    assert torch.equal(made[0].cpu(), torch.cat(x))
    numbers, on_numbers = [each[0, 0] for each in x[2:]], [each[0, 0] for each in on_x[2:]]
    assert torch.equal(torch.stack(on_numbers).cpu(), torch.stack(numbers))
    # Turned round, along another dimension, of several types.
    assert torch.equal(torch.cat([on_x[0].t(), on_x[3].t()], 1).cpu(), torch.cat([x[0].t(), x[3].t()], 1))
    assert torch.equal(torch.cat([on_x[0], on_x[0]], 1).cpu(), torch.cat([x[0], x[0]], 1))
    mixed = torch.cat([on_x[0], on_x[3].half()])
    assert mixed.dtype == torch.float32 and torch.equal(mixed.cpu(), torch.cat([x[0], x[3].half()]))


class Model(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layers = torch.nn.Sequential(torch.nn.Linear(40, 33), torch.nn.LayerNorm(33), torch.nn.Linear(33, 7))


def gradients_for(*models: torch.nn.Module) -> None:
    for parameters in zip(*(model.parameters() for model in models), strict=True):
        drawn = torch.randn(parameters[0].shape).to(parameters[0].dtype)
        for parameter in parameters:
            parameter.grad = drawn.to(parameter.device)


@pytest.mark.parametrize("dtype", CLOSE, ids=str)
@pytest.mark.parametrize("more", [{}, {"amsgrad": True}, {"maximize": True}, {"weight_decay": 0}], ids=str)
@pytest.mark.parametrize("kind", [torch.optim.Adam, torch.optim.AdamW])
def test_fused_adam(kind: type[torch.optim.Adam], more: dict[str, Any], dtype: torch.dtype) -> None:
    """A step is a launch, and one for the steps' numbers; parameters are those of the CPU's fused one."""
    host = Model().to(dtype)
    ours = copy.deepcopy(host).to(DEVICE)
    how = {"lr": 1e-2, "weight_decay": 0.1, "fused": True} | more
    optimisers = [kind(model.parameters(), **how) for model in (host, ours)]
    with no_fallback():
        for _ in range(3):
            gradients_for(host, ours)
            for optimiser in optimisers:
                optimiser.step()
        gradients_for(host, ours)
        assert launches(optimisers[1].step) == {"adam": 1, "list_f32": 1}
        optimisers[0].step()
    for one, other in zip(ours.parameters(), host.parameters(), strict=True):
        close(one.detach(), other.detach())


@pytest.mark.parametrize("bad", [False, True])
def test_fused_adam_with_a_scaler(bad: bool) -> None:
    """The gradients' scale, and a step that is left out, are the device's."""
    host = Model()
    ours = copy.deepcopy(host).to(DEVICE)
    optimiser = torch.optim.AdamW(ours.parameters(), lr=1e-2, fused=True)
    reference = torch.optim.AdamW(host.parameters(), lr=1e-2)
    scaler = torch.amp.GradScaler(DEVICE, init_scale=1024.0)
    scaler.scale(torch.zeros((), device=DEVICE))  # makes the scale's tensor
    gradients_for(host, ours)
    for parameter in ours.parameters():
        assert parameter.grad is not None
        parameter.grad *= 1024
    if bad:
        next(ours.parameters()).grad[3] = float("inf")  # type: ignore[index]
    before = [parameter.detach().clone() for parameter in ours.parameters()]
    with no_fallback():
        scaler.step(optimiser)
        scaler.update()
    reference.step()
    assert scaler.get_scale() == (512 if bad else 1024)
    for one, other, was in zip(ours.parameters(), host.parameters(), before, strict=True):
        if bad:
            assert torch.equal(one, was)
        else:
            close(one.detach(), other.detach())


def test_a_rate_on_the_device() -> None:
    host = Model()
    ours = copy.deepcopy(host).to(DEVICE)
    optimisers = [
        torch.optim.AdamW(model.parameters(), lr=torch.tensor(1e-2, device=device), fused=True)
        for model, device in ((host, "cpu"), (ours, DEVICE))
    ]
    with no_fallback():
        gradients_for(host, ours)
        for optimiser in optimisers:
            optimiser.step()
    for one, other in zip(ours.parameters(), host.parameters(), strict=True):
        close(one.detach(), other.detach())


@pytest.mark.parametrize("dtype", CLOSE, ids=str)
@pytest.mark.parametrize("kind", ["AdamW", "SGD", "RMSprop", "Adagrad", "Adamax", "NAdam", "RAdam", "Rprop"])
def test_other_optimisers_of_lists(kind: str, dtype: torch.dtype) -> None:
    """By default they take lists; their launches do not grow with the number of parameters."""
    host = Model().to(dtype)
    ours = copy.deepcopy(host).to(DEVICE)
    more = {"momentum": 0.9} if kind in ("SGD", "RMSprop") else {}
    optimisers = [getattr(torch.optim, kind)(model.parameters(), lr=1e-2, **more) for model in (host, ours)]
    with no_fallback():
        for _ in range(3):
            gradients_for(host, ours)
            for optimiser in optimisers:
                optimiser.step()
    gradients_for(host, ours)
    ran = launches(optimisers[1].step)
    optimisers[0].step()
    if kind in ("AdamW", "SGD"):
        assert set(ran) == {"list_f32"} and ran["list_f32"] <= 8
    for one, other in zip(ours.parameters(), host.parameters(), strict=True):
        close(one.detach(), other.detach())


@pytest.mark.parametrize("dtype", CLOSE, ids=str)
def test_gradients_are_clipped(dtype: torch.dtype) -> None:
    host = Model().to(dtype)
    ours = copy.deepcopy(host).to(DEVICE)
    gradients_for(host, ours)
    norm = torch.nn.utils.clip_grad_norm_(host.parameters(), 0.5)
    found: Tensors = []
    with no_fallback():
        ran = launches(lambda: found.append(torch.nn.utils.clip_grad_norm_(ours.parameters(), 0.5)))
    assert ran["norms_of_chunks"] == 1 and ran["list_f32"] == 2  # the norms as one tensor, and the gradients
    torch.testing.assert_close(found[0].cpu(), norm, rtol=2.0**-16 if dtype == torch.float32 else 2.0**-6, atol=0)
    for one, other in zip(ours.parameters(), host.parameters(), strict=True):
        assert one.grad is not None and other.grad is not None
        close(one.grad, other.grad)
    torch.nn.utils.clip_grad_value_(ours.parameters(), 0.01)
    torch.nn.utils.clip_grad_value_(host.parameters(), 0.01)
    for one, other in zip(ours.parameters(), host.parameters(), strict=True):
        assert one.grad is not None and other.grad is not None
        close(one.grad, other.grad)
