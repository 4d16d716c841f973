"""Arguments of every kind reach the kernel as they are."""

from __future__ import annotations

import pytest
import torch
import triton
import triton.language as tl
from triton.tools.tensor_descriptor import TensorDescriptor


@triton.jit
def store_scalars(i, f, flag, small, big, unsigned, whole, real):
    tl.store(whole, i)
    tl.store(whole + 1, flag.to(tl.int64))
    tl.store(whole + 2, small)
    tl.store(whole + 3, big)
    tl.store(whole + 4, unsigned.to(tl.int64, bitcast=True))
    tl.store(real, f)


@pytest.mark.representative
def test_scalars_of_every_size():
    whole, real = torch.zeros(5, dtype=torch.int64), torch.zeros(1)
    store_scalars[(1,)](-7, 0.1, True, 3, -(2**40), 2**64 - 2, whole, real)
    assert whole.tolist() == [-7, 1, 3, -(2**40), -2]
    assert real.item() == torch.tensor(0.1).item()


@triton.jit
def annotated(half: tl.float16, brain: tl.bfloat16, double: tl.float64, byte: tl.uint8, short: tl.int16, out):
    tl.store(out, half.to(tl.float64))
    tl.store(out + 1, brain.to(tl.float64))
    tl.store(out + 2, double)
    tl.store(out + 3, byte.to(tl.float64))
    tl.store(out + 4, short.to(tl.float64))


def test_scalars_of_annotated_types_are_converted_as_c_does():
    out = torch.zeros(5, dtype=torch.float64)
    annotated[(1,)](0.1, 3.14159, 1e300, -1, 40000, out)
    want = [torch.tensor(0.1).half().item(), 3.140625, 1e300, 255.0, 40000.0 - 65536]
    assert out.tolist() == want
    annotated[(1,)](1e30, 1.0, 1.0, 300, -3, out)
    assert out.tolist() == [float("inf"), 1.0, 1.0, 44.0, -3.0]


@triton.jit
def takes_tuples(pointers, pair, out, SIZE: tl.constexpr):
    at = tl.arange(0, SIZE)
    first, second = pointers
    tl.store(out + at, tl.load(first + at) * pair[0] + tl.load(second[0] + at) * pair[1])


def test_tuples_inside_tuples():
    x, y, out = torch.randn(16), torch.randn(16), torch.empty(16)
    takes_tuples[(1,)]((x, (y,)), (2, 0.5), out, SIZE=16)
    assert torch.equal(out, x * 2 + y * 0.5)


@triton.jit
def maybe(x, out, SIZE: tl.constexpr):
    at = tl.arange(0, SIZE)
    if x is None:
        tl.store(out + at, tl.zeros((SIZE,), tl.float32))
    else:
        tl.store(out + at, tl.load(x + at))


def test_none_and_addresses_as_pointers():
    x, out = torch.randn(16), torch.ones(16)
    maybe[(1,)](None, out, SIZE=16)
    assert torch.equal(out, torch.zeros(16))
    maybe[(1,)](x, out, SIZE=16)
    assert torch.equal(out, x)


@triton.jit
def through_descriptors(source, target, BLOCK: tl.constexpr):
    row = tl.program_id(0) * BLOCK
    target.store([row, 0], source.load([row, 0]) + 1)


@pytest.mark.representative
def test_tensor_descriptors():
    x, out = torch.randn(48, 32), torch.empty(48, 32)
    source, target = (TensorDescriptor.from_tensor(each, [16, 32]) for each in (x, out))
    through_descriptors[(3,)](source, target, BLOCK=16)
    assert torch.equal(out, x + 1)


def test_descriptors_made_in_the_kernel_take_no_scratch_of_the_host():
    x, out = torch.randn(40, 24), torch.full((40, 24), -1.0)
    clipped[(3, 2)](x, out, 40, 24, BLOCK=16)
    assert torch.equal(out, x)


@triton.jit
def clipped(x, out, rows, columns, BLOCK: tl.constexpr):
    source = tl.make_tensor_descriptor(x, shape=[rows, columns], strides=[columns, 1], block_shape=[BLOCK, BLOCK])
    target = tl.make_tensor_descriptor(out, shape=[rows, columns], strides=[columns, 1], block_shape=[BLOCK, BLOCK])
    at = [tl.program_id(0) * BLOCK, tl.program_id(1) * BLOCK]
    target.store(at, source.load(at))


@triton.jit
def program_ids(out):
    x, y, z = tl.program_id(0), tl.program_id(1), tl.program_id(2)
    tl.store(out + (z * tl.num_programs(1) + y) * tl.num_programs(0) + x, z * 100 + y * 10 + x)


def test_grids_of_three_dimensions_and_of_nothing():
    out = torch.zeros(4, 3, 2, dtype=torch.int32)
    program_ids[(2, 3, 4)](out)
    z, y, x = torch.meshgrid(torch.arange(4), torch.arange(3), torch.arange(2), indexing="ij")
    assert torch.equal(out, (z * 100 + y * 10 + x).int())
    program_ids[(0,)](out)


def test_something_that_is_no_pointer_is_refused():
    from wavesmith.triton.launcher import address

    with pytest.raises(TypeError, match="data_ptr"):
        address("text")


def test_hooks_see_each_launch():
    seen = []
    triton.knobs.runtime.launch_enter_hook.add(lambda metadata: seen.append(metadata.get()["name"]))
    try:
        program_ids[(1,)](torch.zeros(1, dtype=torch.int32))
    finally:
        triton.knobs.runtime.launch_enter_hook.calls.clear()
    assert seen == ["program_ids"]
