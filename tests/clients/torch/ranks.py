"""What each rank of test_distributed.py does: `python ranks.py TASK`, with torchrun's variables in the environment."""

from __future__ import annotations

import copy
import datetime
import os
import sys

import torch
import torch.distributed as dist
from models import Decoder
from torch.nn import functional
from torch.nn.parallel import DistributedDataParallel

import wavesmith.torch  # noqa: F401  the device
from wavesmith.torch._name import DEVICE

RANK, RANKS = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
LOCAL = int(os.environ.get("LOCAL_RANK", RANK))
SEED = int(os.environ.get("WAVESMITH_TEST_SEED", "0"))

#: The types that RCCL reduces, with how far a sum of the ranks' numbers, each below 4, may be from gloo's, whose order
#: may differ and which rounds halves at each rank: one unit in the last place of 16, for products of 256.
REDUCED = {
    torch.float32: 2**-18,
    torch.float64: 2**-47,
    torch.float16: 2**-5,
    torch.bfloat16: 2**-2,
    torch.int8: 0,
    torch.uint8: 0,
    torch.int32: 0,
    torch.int64: 0,
}
#: And types that are moved only.
MOVED = (torch.int16, torch.bool, torch.complex64, torch.float8_e4m3fn)

OPERATIONS = (dist.ReduceOp.SUM, dist.ReduceOp.PRODUCT, dist.ReduceOp.MIN, dist.ReduceOp.MAX)


def device() -> torch.device:
    """This rank's device: its number among the machine's GPUs, or the only one that its process has."""
    return torch.device(DEVICE, LOCAL % torch.accelerator.device_count())


def numbers(count: int, dtype: torch.dtype, rank: int = RANK) -> torch.Tensor:
    """A rank's numbers, small enough that products over four ranks stay in every type's range."""
    generator = torch.Generator().manual_seed(SEED + rank)
    if dtype.is_complex:
        return torch.view_as_complex(torch.randn(count, 2, generator=generator)).to(dtype)
    if dtype.is_floating_point:
        return (torch.rand(count, generator=generator) * 4 - 2).to(dtype)
    return torch.randint(0, 3, (count,), generator=generator).to(dtype)


def same(ours: torch.Tensor, theirs: torch.Tensor, bound: float, what: str) -> None:
    ours = ours.cpu()
    if bound == 0:
        assert torch.equal(ours.view(torch.uint8), theirs.view(torch.uint8)), (what, ours, theirs)
    else:
        torch.testing.assert_close(ours, theirs, rtol=0, atol=bound, msg=lambda text: f"{what}: {text}")


def reductions() -> None:
    """Reductions of each type by each operation, in sizes that do not divide evenly, as gloo computes them."""
    for dtype, bound in REDUCED.items():
        for op in OPERATIONS:
            for count in (1, 37):
                here = numbers(count * RANKS, dtype)
                there = here.to(device())
                dist.all_reduce(there, op)
                expected = here.clone()
                dist.all_reduce(expected, op)
                same(there, expected, bound, f"all_reduce {dtype} {op}")
                part = torch.full((count,), 1, dtype=dtype, device=device())
                dist.reduce_scatter_single(part, here.to(device()), op)
                same(part, expected[RANK * count : (RANK + 1) * count], bound, f"reduce_scatter {dtype} {op}")
                there = here.to(device())
                dist.reduce(there, RANKS - 1, op)
                same(there, expected if RANK == RANKS - 1 else here, bound, f"reduce {dtype} {op}")
        if dtype.is_floating_point:
            there = numbers(5, dtype).to(device())
            dist.all_reduce(there, dist.ReduceOp.AVG)
            mean = sum(numbers(5, dtype, rank).double() for rank in range(RANKS)) / RANKS
            same(there, mean.to(dtype), max(bound, 2**-24), f"average {dtype}")
    truth = torch.tensor([True, RANK == 0, False], device=device())
    dist.all_reduce(truth)
    assert truth.tolist() == [True, True, False]
    turned = numbers(6, torch.complex64).to(device())
    dist.all_reduce(turned)
    same(turned, sum(numbers(6, torch.complex64, rank) for rank in range(RANKS)), 2**-18, "complex")
    transposed = numbers(6, torch.float32).to(device()).view(2, 3).t()
    dist.all_reduce(transposed)
    same(transposed.t().reshape(6), sum(numbers(6, torch.float32, rank) for rank in range(RANKS)), 2**-18, "dense")


def movements() -> None:
    """What is moved arrives as it was, in every type."""
    for dtype in (*REDUCED, *MOVED):
        all_of_them = [numbers(7, dtype, rank) for rank in range(RANKS)]
        mine = all_of_them[RANK].to(device())
        spread = mine.clone()
        dist.broadcast(spread, RANKS - 1)
        same(spread, all_of_them[-1], 0, f"broadcast {dtype}")
        parts = [torch.empty_like(mine) for _ in range(RANKS)]
        dist.all_gather(parts, mine)
        same(torch.cat(parts), torch.cat(all_of_them), 0, f"all_gather {dtype}")
        whole = mine.new_empty(7 * RANKS)
        dist.all_gather_single(whole, mine)
        same(whole, torch.cat(all_of_them), 0, f"all_gather_into_tensor {dtype}")
        turned = mine.new_empty(2 * RANKS)
        dist.all_to_all_single(turned, mine[: 2 * RANKS] if 2 * RANKS <= 7 else mine.repeat(2)[: 2 * RANKS])
        sent = [each if 2 * RANKS <= 7 else each.repeat(2) for each in all_of_them]
        same(turned, torch.cat([each[2 * RANK : 2 * RANK + 2] for each in sent]), 0, f"all_to_all {dtype}")
        to = [torch.empty_like(mine) for _ in range(RANKS)] if RANK == 1 else None
        dist.gather(mine, to, 1)
        if to is not None:
            same(torch.cat(to), torch.cat(all_of_them), 0, f"gather {dtype}")
        part = torch.empty_like(mine)
        dist.scatter(part, [each.to(device()) for each in all_of_them] if RANK == 0 else None, 0)
        same(part, all_of_them[RANK], 0, f"scatter {dtype}")


def messages() -> None:
    """Messages, in whatever order; lists of uneven parts; objects; groups of some ranks; what is done later."""
    after, before = (RANK + 1) % RANKS, (RANK - 1) % RANKS
    big = 1 << 18
    got = torch.empty(big, device=device())
    works = [dist.isend(torch.full((big,), float(RANK), device=device()), after), dist.irecv(got, before)]
    for work in works:
        work.wait()
    assert got.eq(before).all()
    batch = [
        dist.P2POp(dist.irecv, got, after),
        dist.P2POp(dist.isend, torch.full((big,), 10.0 + RANK, device=device()), before),
    ]
    for work in dist.batch_isend_irecv(batch):
        work.wait()
    assert got.eq(10.0 + after).all()
    uneven = [torch.empty(rank + 1, device=device()) for rank in range(RANKS)]
    dist.all_gather(uneven, torch.full((RANK + 1,), float(RANK), device=device()))
    assert all(part.eq(rank).all() for rank, part in enumerate(uneven))
    sizes = [RANK + 1] * RANKS
    to = torch.empty(sum(range(1, RANKS + 1)), device=device())
    dist.all_to_all_single(
        to, torch.full((sum(sizes),), float(RANK), device=device()), list(range(1, RANKS + 1)), sizes
    )
    assert to.tolist() == [float(rank) for rank in range(RANKS) for _ in range(rank + 1)]
    objects: list[object] = [None] * RANKS
    dist.all_gather_object(objects, {"rank": RANK})
    assert objects == [{"rank": rank} for rank in range(RANKS)]
    pair = dist.new_group([0, RANKS - 1])
    total = torch.tensor([RANK + 1.0], device=device())
    if RANK in (0, RANKS - 1):
        dist.all_reduce(total, group=pair)
        assert total.item() == RANKS + 1.0
    work = dist.all_reduce(total.fill_(1.0), async_op=True)
    doubled = work.get_future().then(lambda future: future.value()[0] * 2)
    assert doubled.wait().item() == 2.0 * RANKS
    assert work.is_completed()
    for dtype in (torch.float32, torch.bfloat16):
        scaled = torch.full((3,), 2.0, dtype=dtype, device=device())
        dist.all_reduce(scaled, dist.ReduceOp.PREMUL_SUM(0.5))
        assert scaled.tolist() == [float(RANKS)] * 3
    dist.barrier()


def collectives() -> None:
    dist.init_process_group(f"cpu:gloo,{DEVICE}:{backend()}")
    reductions()
    movements()
    messages()


def backend() -> str:
    return "nccl" if DEVICE == "cuda" else "wavesmith"


def whole_batch() -> torch.Tensor:
    return torch.randint(0, 97, (2 * RANKS, 17), generator=torch.Generator().manual_seed(SEED))


def loss_of(model: torch.nn.Module, tokens: torch.Tensor) -> torch.Tensor:
    return functional.cross_entropy(model(tokens[:, :-1]).flatten(0, 1), tokens[:, 1:].flatten())


def alone(steps: int) -> tuple[torch.nn.Module, torch.nn.Module]:
    """A model, and what it becomes in that many steps with the whole batch on one device."""
    torch.manual_seed(SEED)
    model = Decoder().to(device())
    trained = copy.deepcopy(model)
    if steps:
        train(trained, whole_batch().to(device()), steps)
    return model, trained


def train(model: torch.nn.Module, tokens: torch.Tensor, steps: int) -> None:
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    for _ in range(steps):
        optimizer.zero_grad()
        loss_of(model, tokens).backward()
        optimizer.step()


def share() -> torch.Tensor:
    return whole_batch()[2 * RANK : 2 * RANK + 2].to(device())


def gradients() -> DistributedDataParallel:
    """Gradients are those of the whole batch on one device."""
    dist.init_process_group("nccl" if DEVICE == "cuda" else None)
    assert dist.get_backend() == backend()
    model, _ = alone(0)
    parallel = DistributedDataParallel(copy.deepcopy(model), device_ids=[device().index], bucket_cap_mb=0.05)
    loss_of(parallel, share()).backward()
    loss_of(model, whole_batch().to(device())).backward()
    for (name, mine), its in zip(parallel.module.named_parameters(), model.parameters(), strict=True):
        torch.testing.assert_close(mine.grad, its.grad, rtol=1e-4, atol=1e-6, msg=lambda text, n=name: f"{n}: {text}")
    return parallel


def ddp() -> None:
    """Gradients, and three steps later the weights, are those of the whole batch on one device."""
    parallel = gradients()
    _, expected = alone(3)
    train(parallel, share(), 3)
    compare(dict(parallel.module.named_parameters()), expected)


def compare(mine: dict[str, torch.Tensor], expected: torch.nn.Module) -> None:
    for name, its in expected.named_parameters():
        torch.testing.assert_close(
            mine[name].detach().cpu(), its.detach().cpu(), rtol=1e-4, atol=1e-5, msg=lambda text, n=name: f"{n}: {text}"
        )


def fsdp() -> None:
    """Three steps of fully_shard and of FullyShardedDataParallel are those of one device."""
    from torch.distributed.device_mesh import init_device_mesh
    from torch.distributed.fsdp import FullyShardedDataParallel, fully_shard

    mesh = init_device_mesh(DEVICE, (RANKS,))
    model, expected = alone(3)
    sharded = copy.deepcopy(model)
    for layer in sharded.layers:
        fully_shard(layer["attention"], mesh=mesh)
        fully_shard(layer["mlp"], mesh=mesh)
    fully_shard(sharded, mesh=mesh)
    train(sharded, share(), 3)
    compare({name: each.full_tensor() for name, each in sharded.named_parameters()}, expected)
    older = FullyShardedDataParallel(copy.deepcopy(model), device_id=device(), use_orig_params=True)
    train(older, share(), 3)
    with FullyShardedDataParallel.summon_full_params(older):
        compare({name.replace("_fsdp_wrapped_module.", ""): each for name, each in older.named_parameters()}, expected)


def mismatch() -> None:
    dist.init_process_group()
    dist.all_reduce(torch.ones(3 + RANK, device=device()))


def dies() -> None:
    dist.init_process_group()
    total = torch.ones(3, device=device())
    dist.all_reduce(total)
    if RANK == 1:
        os._exit(3)
    dist.all_reduce(total)


def late() -> None:
    """Rank 1 never comes to the second collective, and lives on until rank 0 has said so."""
    dist.init_process_group()
    total = torch.ones(3, device=device())
    dist.all_reduce(total)
    group = dist.new_group(timeout=datetime.timedelta(seconds=10))
    dist.all_reduce(total, group=group)
    store = dist.distributed_c10d._get_default_store()
    if RANK == 1:
        store.wait(["told"], datetime.timedelta(seconds=60))
        return
    try:
        dist.all_reduce(total, group=group)
    finally:
        store.set("told", "")


if __name__ == "__main__":
    torch.accelerator.set_device_index(device().index)
    globals()[sys.argv[1]]()
    if dist.is_initialized():
        dist.destroy_process_group()
    print(f"rank {RANK} is done", flush=True)
