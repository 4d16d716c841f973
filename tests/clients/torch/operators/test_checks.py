"""What operators check of tensors before they compute: where they lie, and what they overlap."""

from __future__ import annotations

import subprocess
import sys

import pytest
import torch
from torch.autograd import forward_ad

import wavesmith.torch  # noqa: F401
from wavesmith.torch import _compiled

DEVICE = "wavesmith"
pytestmark = pytest.mark.representative


@pytest.mark.parametrize("name", ["gather", "index_select", "scatter_add", "mul", "cat"])
def test_tensors_of_two_devices(name: str) -> None:
    x, index = torch.ones(4, device=DEVICE), torch.zeros(4, dtype=torch.int64)
    calls = {
        "gather": lambda: x.gather(0, index),
        "index_select": lambda: x.index_select(0, index),
        "scatter_add": lambda: x.scatter_add(0, index, x),
        "mul": lambda: x * torch.ones(4),
        "cat": lambda: torch.cat([x, torch.ones(4)]),
    }
    with pytest.raises(RuntimeError, match="Expected all tensors to be on the same device"):
        calls[name]()
    assert x.sum().item() == 4  # and the device still computes


def test_a_number_of_the_cpu_is_taken() -> None:
    assert torch.equal((torch.ones(3, device=DEVICE) * torch.tensor(2.0)).cpu(), torch.full((3,), 2.0))


@pytest.mark.parametrize("compiled", [False, True])
def test_a_number_of_the_cpu_is_not_written(compiled: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_compiled, "enabled", compiled)
    x = torch.ones((), device=DEVICE)
    for call, out in ((torch.nonzero, torch.empty((), dtype=torch.int64)), (torch.logcumsumexp, torch.empty(()))):
        with pytest.raises(RuntimeError, match="same device|xpected .*device"):
            call(x, *[0] * (call is torch.logcumsumexp), out=out)


def test_overlapping_copies_are_refused() -> None:
    once = torch.zeros(1, device=DEVICE).expand(6)
    with pytest.raises(RuntimeError, match="unsupported operation"):
        once.copy_(torch.ones(6, device=DEVICE))
    memory = torch.arange(12.0, device=DEVICE)
    with pytest.raises(RuntimeError, match="unsupported operation"):
        memory[1:9].copy_(memory[:8])
    mask = torch.ones(6, dtype=torch.bool, device=DEVICE)
    with pytest.raises(RuntimeError, match="unsupported operation"):
        mask[1:].masked_fill_(mask[:-1], False)


def test_the_host_sees_what_overlaps() -> None:
    x = torch.arange(8.0, device=DEVICE)
    with pytest.raises(RuntimeError, match="unsupported operation"):
        x.put_(torch.arange(4, device=DEVICE), x[:4])


def test_an_operand_that_is_written_and_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """Compiled code, which would not see it, is left out."""
    monkeypatch.setattr(_compiled, "enabled", True)
    index = torch.tensor([2, 1, 0], device=DEVICE)
    with pytest.raises(RuntimeError, match="unsupported operation"):
        index.index_fill_(0, index, 0)


def test_too_few_elements_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_compiled, "enabled", True)
    x, mask = torch.zeros(5, device=DEVICE), torch.ones(5, dtype=torch.bool, device=DEVICE)
    with pytest.raises(RuntimeError, match="elements of source < number of ones"):
        x.masked_scatter_(mask, torch.ones(4, device=DEVICE))
    with pytest.raises(RuntimeError, match="shape mismatch"):
        torch.zeros((), device=DEVICE).index_put([], torch.ones(1, device=DEVICE), accumulate=True)


def test_what_is_not_deterministic_is_said() -> None:
    x, index = torch.zeros(5, device=DEVICE), torch.zeros(2, dtype=torch.int64, device=DEVICE)
    torch.use_deterministic_algorithms(True)
    try:
        with pytest.raises(RuntimeError, match="put_ does not have a deterministic implementation"):
            x.put_(index, torch.ones(2, device=DEVICE))
    finally:
        torch.use_deterministic_algorithms(False)


def test_memory_is_filled_where_algorithms_are_deterministic() -> None:
    before = torch.utils.deterministic.fill_uninitialized_memory
    torch.use_deterministic_algorithms(True)
    torch.utils.deterministic.fill_uninitialized_memory = True
    try:
        made = [torch.empty(10, 9, device=DEVICE), torch.empty_strided((10, 9), (1, 5), device=DEVICE)]
        integers = torch.empty(7, dtype=torch.int16, device=DEVICE)
        grown = torch.zeros(3, device=DEVICE).resize_(9)
    finally:
        torch.use_deterministic_algorithms(False)
        torch.utils.deterministic.fill_uninitialized_memory = before
    assert all(bool(each.isnan().all()) for each in made)
    assert bool((integers == torch.iinfo(torch.int16).max).all())
    assert bool((grown[:3] == 0).all()) and bool(grown[3:].isnan().all())


def test_sums_by_index_are_in_order_where_algorithms_are_deterministic(seed: int) -> None:
    x, index = torch.randn(999), torch.randint(0, 7, (999,))
    torch.use_deterministic_algorithms(True)
    try:
        ours = torch.zeros(7, device=DEVICE).scatter_add_(0, index.to(DEVICE), x.to(DEVICE))
        theirs = torch.zeros(7).scatter_add_(0, index, x)
    finally:
        torch.use_deterministic_algorithms(False)
    assert torch.equal(ours.cpu(), theirs)


def test_the_last_stays_where_algorithms_are_deterministic() -> None:
    x, index = torch.randn(30000), torch.randint(0, 7, (30000,))
    torch.use_deterministic_algorithms(True)
    try:
        ours = torch.zeros(7, device=DEVICE).index_put((index.to(DEVICE),), x.to(DEVICE))
        theirs = torch.zeros(7).index_put((index,), x)
    finally:
        torch.use_deterministic_algorithms(False)
    assert torch.equal(ours.cpu(), theirs)


def test_is_set_to() -> None:
    x = torch.ones(3, 4, device=DEVICE)
    assert torch.tensor([], device=DEVICE).set_(x).is_set_to(x) and not x.clone().is_set_to(x)


def test_forward_differentiation(seed: int) -> None:
    x, tangent = torch.randn(5), torch.randn(5)
    with forward_ad.dual_level():
        for function in (torch.sin, lambda x: x.softmax(0), lambda x: torch.zeros_like(x) * x + x.exp()):
            ours = forward_ad.unpack_dual(function(forward_ad.make_dual(x.to(DEVICE), tangent.to(DEVICE))))
            theirs = forward_ad.unpack_dual(function(forward_ad.make_dual(x, tangent)))
            torch.testing.assert_close(ours.tangent.cpu(), theirs.tangent)


@pytest.mark.parametrize("format", [torch.contiguous_format, torch.channels_last])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_group_norm_of_either_memory_format(format: torch.memory_format, dtype: torch.dtype, seed: int) -> None:
    norm = torch.nn.GroupNorm(3, 6).double()
    torch.nn.init.normal_(norm.weight)
    x = torch.randn(2, 6, 5, 7, dtype=torch.float64, requires_grad=True)
    grad = torch.randn(2, 6, 5, 7, dtype=torch.float64)
    norm(x).backward(grad)
    ours = torch.nn.GroupNorm(3, 6).to(DEVICE, dtype)
    ours.load_state_dict(norm.state_dict())
    there = x.detach().to(DEVICE, dtype).to(memory_format=format).requires_grad_()
    y = ours(there)
    y.backward(grad.to(DEVICE, dtype).to(memory_format=format))
    bound = 1e-4 if dtype is torch.float32 else 6e-2
    torch.testing.assert_close(y.cpu().double(), norm(x), rtol=bound, atol=bound)
    torch.testing.assert_close(there.grad.cpu().double(), x.grad, rtol=bound, atol=bound)


def test_targets_of_bytes(seed: int) -> None:
    x, target = torch.randn(4, 5), torch.randint(0, 5, (4,))
    theirs = torch.nn.functional.nll_loss(x, target)
    ours = torch.nn.functional.nll_loss(x.to(DEVICE), target.to(DEVICE, torch.uint8))
    torch.testing.assert_close(ours.cpu(), theirs)


def test_a_number_to_the_power_of_complex_numbers(seed: int) -> None:
    x = torch.randn(5, dtype=torch.complex128)
    torch.testing.assert_close(torch.pow(-1, x.to(DEVICE)).cpu(), torch.pow(-1, x))


def test_nested_tensors_are_refused() -> None:
    with pytest.raises(NotImplementedError):
        torch.nested.as_nested_tensor([torch.ones(2, device=DEVICE), torch.ones(3, device=DEVICE)]) + 1


def test_complex_numbers_are_added_up_by_index(seed: int) -> None:
    x, index = torch.randn(9, dtype=torch.complex64), torch.tensor([0, 2, 2, 1, 0, 2, 2, 1, 1])
    ours = torch.zeros(3, dtype=torch.complex64, device=DEVICE).index_put_((index.to(DEVICE),), x.to(DEVICE), True)
    torch.testing.assert_close(ours.cpu(), torch.zeros(3, dtype=torch.complex64).index_put_((index,), x, True))


def test_a_tensor_of_the_cpu_takes_no_indices_of_the_device() -> None:
    with pytest.raises(RuntimeError, match=r"indices should be either .* \(cpu\)"):
        torch.ones(4)[torch.zeros(2, dtype=torch.int64, device=DEVICE)]


OUTSIDE = """
import torch, wavesmith.torch
x, at = torch.ones(4, 4, device="wavesmith"), torch.tensor([[1, -1]], device="wavesmith")
print(x[at[0]].sum().item())  # counts from the end
try:
    {}
    torch.wavesmith.synchronize()
except RuntimeError as error:
    print("stopped")
"""


WEIGHTS = """
import torch, wavesmith.torch
print(torch.multinomial(torch.tensor([[0.0, 1.0], [2.0, 0.0]], device="wavesmith"), 1).flatten().tolist())
try:
    torch.multinomial(torch.tensor({}, device="wavesmith"), 1)
    torch.wavesmith.synchronize()
except RuntimeError as error:
    print("stopped")
"""


@pytest.mark.parametrize("weights", ["[1.0, -1.0]", "[-1.0]", "[[1.0, 1.0], [0, 0]]", "[1, float('inf')]"])
def test_weights_that_are_no_chances(weights: str) -> None:
    """They stop a kernel; in a process of its own, whose device is lost."""
    code = WEIGHTS.format(weights)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout.splitlines() == ["[1, 0]", "stopped"], done.stderr[-2000:]


@pytest.mark.parametrize("call", ["x.scatter_(1, at, 1.0)", "x.index_select(0, at[0])"])
def test_where_no_index_counts_from_the_end(call: str) -> None:
    """A negative one stops the kernel, as one behind the end does; in a process of its own, whose device is lost."""
    done = subprocess.run([sys.executable, "-c", OUTSIDE.format(call)], capture_output=True, text=True, check=False)
    assert done.stdout.split() == ["8.0", "stopped"], done.stderr[-2000:]


ASSERTIONS = """
import torch, wavesmith.torch
for good in (True, 3, -0.5, float("nan"), 2j):
    torch._assert_async(torch.tensor(good, device="wavesmith"))
torch._assert_async(torch.tensor([[1e-45]], device="wavesmith"), "this holds")
torch.wavesmith.synchronize()
try:
    torch._assert_async(torch.tensor({}, device="wavesmith"){})
    torch.wavesmith.synchronize()
except torch.AcceleratorError as error:
    print(error)
"""


@pytest.mark.parametrize(
    ("number", "text", "says"),
    [
        ("False", ", 'the mask has none'", "the mask has none"),
        ("[0]", "", "Expected Tensor with single nonzero value, but got zero"),
        ("-0.0", ", 'a weight'", "a weight"),
        ("0j", ", 'a root'", "a root"),
    ],
)
def test_an_assertion_stops_the_device_and_is_named(number: str, text: str, says: str) -> None:
    """In a process of its own, whose device is lost."""
    code = ASSERTIONS.format(number, text)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout.strip().endswith(f"assertion failed: {says}"), done.stderr[-2000:]


def test_an_assertion_is_of_one_number() -> None:
    for count, words in ((0, "no values"), (2, "more than one value")):
        for text in ((), ("all",)):
            with pytest.raises(RuntimeError, match=f"Boolean value of Tensor with {words} is ambiguous"):
                torch._assert_async(torch.ones(count, device=DEVICE), *text)
