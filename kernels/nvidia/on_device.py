"""The kernels on an NVIDIA GPU, against references in double precision.

    kernels/nvidia/on_device.py --library FILE [--only PART] [--seed N]

Without such a GPU, PyTorch or the library it is skipped (77). Inputs are random, outputs are poisoned with NaN, and
what lies behind rows must stay so.
"""

import argparse
import itertools
import random
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

SKIPPED = 77
try:
    import torch
    from device_library import TYPES, Library, describe_attention, describe_product
except ImportError as missing:
    print(f"no PyTorch here: {missing}", file=sys.stderr)
    sys.exit(SKIPPED)

NAN = float("nan")
RELU = 1  # Activation
OF_NAME = {"bf16": torch.bfloat16, "f16": torch.float16, "e4m3": torch.float8_e4m3fn}
EPSILON = {torch.float32: 2.0**-23, torch.float16: 2.0**-11, torch.bfloat16: 2.0**-8, torch.float8_e4m3fn: 2.0**-4}
Check = tuple[str, Callable[[], float]]


def drawn(*shape: int, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    """Numbers in [-1, 1]."""
    return (torch.rand(*shape, device="cuda") * 2 - 1).to(dtype)


def poisoned(*shape: int, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    return torch.full(shape, NAN, device="cuda").to(dtype)


def share(result: torch.Tensor, expected: torch.Tensor, bound: torch.Tensor | float) -> float:
    """The largest error as a share of its bound; of a NaN infinity."""
    shares = (result.double() - expected).abs() / bound
    return float("inf") if shares.isnan().any() else shares.max().item()


@dataclass(frozen=True)
class Product:
    """A product, and what becomes of its sums."""

    m: int
    n: int
    k: int
    batches: int
    d: torch.dtype = torch.float32
    padding: int = 0  # elements behind the rows of A and B
    behind: int = 8  # and of D
    scales: str = ""  # of A and B: "one", or "each" row and column
    addend: bool = False  # and a bias and an activation


def product(library: Library, name: str, p: Product) -> float:
    kind = OF_NAME[name.split("_")[0]]

    def operand(rows: int, layouts: tuple[str, str]) -> torch.Tensor:
        if name.endswith(layouts):
            return drawn(p.batches, p.k, rows + p.padding, dtype=kind)[:, :, :rows].transpose(1, 2)
        return drawn(p.batches, rows, p.k + p.padding, dtype=kind)[:, :, : p.k]

    a, b = operand(p.m, ("_mk", "_mn")), operand(p.n, ("_kn", "_mn"))
    whole = poisoned(p.batches, p.m, p.n + p.behind, dtype=p.d)
    d = whole[:, :, : p.n]
    expected = 2 * a.double() @ b.double().transpose(1, 2)
    sizes = 2 * a.double().abs() @ b.double().abs().transpose(1, 2)
    given: dict[str, Any] = {"alpha": 2.0}
    if p.scales:
        rows, columns = (p.m, p.n) if p.scales == "each" else (1, 1)
        given |= {"scale_a": drawn(rows).abs() + 0.5, "scale_b": drawn(columns).abs() + 0.5}
        factors = given["scale_a"].double()[:, None] * given["scale_b"].double()[None, :]
        expected, sizes = expected * factors, sizes * factors
    if p.addend:
        given |= {"c": drawn(*d.shape, dtype=torch.bfloat16), "beta": 0.5, "bias": drawn(p.n), "activation": RELU}
        expected = (expected + 0.5 * given["c"].double() + given["bias"].double()).relu()
    library.product(name, describe_product(a, b, d, **given))
    torch.cuda.synchronize()
    if not whole[:, :, p.n :].isnan().all():
        return float("inf")
    # Of floats of 8 bits a product by warpgroups keeps about 14 bits of a sum: an error of 0.7 * 2^-10 of the sum of
    # sizes was measured on an H100, with K up to 16,384.
    sums = 2.0**-10 if kind == torch.float8_e4m3fn else 2.0**-20
    return share(d, expected, expected.abs() * EPSILON[p.d] + sizes * sums + 1e-6)


def products(library: Library) -> Iterator[Check]:
    for name in library.names("product"):
        by_warpgroups = name.endswith(("x256x64_kk", "x128_kk"))
        step = 1 if "elements" in name else 16 if "e4m3" in name else 8
        sizes = [(128, 256, 64, 1), (1, 8, step, 1), (130, 72, 11 * step, 1), (257, 519, 37 * step, 2)]
        sizes += [(640, 1032, 1024, 1)]
        kinds: list[dict[str, Any]] = [{}, {"padding": step}]
        if by_warpgroups:
            sizes += [(2048, 4096, 512, 1), (4100, 4104, 528, 1)]
            kinds += [{"d": torch.bfloat16}, {"d": torch.float16, "behind": 3}]
            kinds += [{"d": torch.bfloat16, "addend": True}, {"d": torch.bfloat16, "scales": "one"}]
        if "e4m3" in name:
            kinds += [{"d": torch.bfloat16, "scales": "each"}]
        for (m, n, k, batches), more in itertools.product(sizes, kinds):
            if name.endswith(("_mk", "_kn", "_mn")):
                m, n = (m + 7) // 8 * 8, (n + 7) // 8 * 8
            p = Product(m, n, k, batches, **more)
            yield f"{name} {p}", partial(product, library, name, p)


@dataclass(frozen=True)
class Attention:
    """Queries and keys, of heads of q that share those of k and v."""

    length_q: int
    length_k: int
    size: int
    heads: int
    heads_of_keys: int
    left: int = -1
    right: int = -1
    sinks: bool = False
    softcap: float = 0
    blocks: int = 0


def expected_attention(
    p: Attention, q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, sinks: torch.Tensor | None
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Results, the sizes of what they are sums of, and the logarithms of the sums of weights."""
    qd, kd, vd = q.double(), *(one.double().repeat_interleave(p.heads // p.heads_of_keys, 1) for one in (k, v))
    scores = qd @ kd.transpose(2, 3) * p.size**-0.5
    if p.softcap:
        scores = p.softcap * (scores / p.softcap).tanh()
    away = torch.arange(p.length_k, device="cuda")[None, :] - torch.arange(p.length_q, device="cuda")[:, None]
    away -= p.length_k - p.length_q
    if p.left >= 0:
        scores = scores.masked_fill(away < -p.left, -float("inf"))
    if p.right >= 0:
        scores = scores.masked_fill(away > p.right, -float("inf"))
    lse = scores.logsumexp(3)
    if sinks is not None:
        lse = torch.logaddexp(lse, sinks.double()[None, :, None])
    weights = (scores - lse[..., None]).exp().nan_to_num(0)
    return weights @ vd, weights @ vd.abs(), lse


def attention(library: Library, name: str, p: Attention) -> float:
    kind, batches = OF_NAME[name.split("_")[0]], 2

    def heads(length: int, count: int) -> torch.Tensor:  # between the rows, as models have them
        return drawn(batches, length, count, p.size, dtype=kind).transpose(1, 2)

    q, k, v = heads(p.length_q, p.heads) * 2, heads(p.length_k, p.heads_of_keys), heads(p.length_k, p.heads_of_keys)
    whole = poisoned(batches, p.length_q, p.heads, p.size + 8, dtype=kind)
    o, lse = whole[:, :, :, : p.size].transpose(1, 2), poisoned(batches, p.heads, p.length_q)
    sinks = drawn(p.heads) if p.sinks else None
    more: dict[str, Any] = {"left": p.left, "right": p.right, "softcap": p.softcap, "blocks": p.blocks}
    library.attention(name, describe_attention(q, k, v, o, lse=lse, sinks=sinks, **more))
    torch.cuda.synchronize()
    expected, sizes, total = expected_attention(p, q, k, v, sinks)
    none = total == -float("inf")
    if not whole[:, :, :, p.size :].isnan().all() or not (lse[none] == -float("inf")).all():
        return float("inf")
    # Weights, results and their elements are rounded.
    error = share(o, expected, 3 * EPSILON[kind] * sizes + 1e-6)
    return max(error, share(lse[~none], total[~none], 1e-3) if (~none).any() else 0)


def attentions(library: Library) -> Iterator[Check]:
    for name in library.names("attention"):
        size, softcap = int(name.split("_")[1]), 3.0 if "shaped" in name else 0.0
        cases = [
            Attention(128, 128, size, 2, 2),
            Attention(1, 1, size, 1, 1),
            Attention(130, 131, size, 4, 2, right=0),
            Attention(257, 700, size - 8, 4, 1, right=0, sinks=True),
            Attention(700, 257, size, 2, 2, right=0),
            Attention(300, 513, size, 2, 2, left=100, right=20),
            Attention(1000, 1000, size, 3, 1, right=0),
            Attention(64, 2048, size, 2, 2, sinks=True),
        ]
        for case, blocks in itertools.product(cases, (0, 3, 1000) if "warpgroups" in name else (0,)):
            p = replace(case, softcap=softcap, blocks=blocks)
            yield f"{name} {p}", partial(attention, library, name, p)


def norm(library: Library, rows: int, columns: int, kind: torch.dtype, centred: bool) -> float:
    x, weight = drawn(rows, columns, dtype=kind), drawn(columns, dtype=kind)
    y = poisoned(rows, columns, dtype=kind)
    library.rows("norm", x, weight, y, rows, columns, columns, TYPES[kind], 1e-5, int(centred))
    torch.cuda.synchronize()
    xd = x.double()
    if centred:
        xd = xd - xd.mean(1, keepdim=True)
    expected = xd * (xd.square().mean(1, keepdim=True) + 1e-5).rsqrt() * weight.double()
    return share(y, expected, expected.abs() * EPSILON[kind] + 1e-5)


def softmax(library: Library, rows: int, columns: int, kind: torch.dtype, logarithm: bool) -> float:
    x, y = drawn(rows, columns, dtype=kind), poisoned(rows, columns, dtype=kind)
    library.rows("softmax", x, y, rows, columns, columns, TYPES[kind], 3.0, int(logarithm))
    torch.cuda.synchronize()
    expected = (3 * x.double()).log_softmax(1) if logarithm else (3 * x.double()).softmax(1)
    return share(y, expected, expected.abs() * (EPSILON[kind] + 1e-5) + 1e-6)


def rope(
    library: Library, tokens: int, heads: int, size: int, rotated: int, kind: torch.dtype, interleaved: bool
) -> float:
    x, y, half = drawn(tokens, heads, size, dtype=kind), poisoned(tokens, heads, size, dtype=kind), rotated // 2
    positions = torch.randint(0, 1000, (tokens,), device="cuda", dtype=torch.int32)
    slower = 10000.0 ** (-torch.arange(half, device="cuda").double() / half)
    angles = torch.arange(1000, device="cuda").double()[:, None] * slower
    tables = angles.cos().float(), angles.sin().float()
    library.rows("rope", x, y, positions, *tables, tokens, heads, size, rotated, TYPES[kind], int(interleaved))
    torch.cuda.synchronize()
    cosine, sine = (table[positions.long()].double()[:, None, :] for table in tables)
    first, second = slice(0, half), slice(half, rotated)
    if interleaved:
        first, second = slice(0, rotated, 2), slice(1, rotated, 2)
    a, b, expected = x.double()[..., first], x.double()[..., second], x.double()
    expected[..., first], expected[..., second] = a * cosine - b * sine, b * cosine + a * sine
    return share(y, expected, 2 * EPSILON[kind] + 1e-6)


def cache(library: Library, tokens: int, heads: int, size: int, kind: torch.dtype, to: torch.dtype) -> float:
    page = 16
    pages = (tokens + page - 1) // page + 2
    k, v = (drawn(tokens, heads, size, dtype=kind) for _ in range(2))
    caches = [poisoned(pages * page, heads, size, dtype=to) for _ in range(2)]
    slots = torch.randperm(pages * page, device="cuda")[:tokens]
    slots[0] = -1
    scale = torch.full((1,), 0.5, device="cuda")
    library.rows("cache", k, v, *caches, scale, slots, tokens, heads, size, pages, page, TYPES[kind], TYPES[to])
    torch.cuda.synchronize()
    worst = 0.0
    for given, written in zip((k, v), caches, strict=True):
        untouched = torch.ones(pages * page, dtype=torch.bool, device="cuda")
        untouched[slots[1:]] = False
        if not written.float()[untouched].isnan().all():
            return float("inf")
        expected = given.double()[1:] / 0.5
        worst = max(worst, share(written.float()[slots[1:]], expected, expected.abs() * EPSILON[to] + 2.0**-10))
    return worst


def row_operations(library: Library) -> Iterator[Check]:
    kinds, flags = (torch.bfloat16, torch.float16, torch.float32), (False, True)
    sizes = [(35, 120), (9, 504), (7, 1040), (5, 4088), (3, 8192), (3, 16384), (2, 20000), (17, 133), (4, 3001)]
    for (rows, columns), kind, flag in itertools.product([*sizes, (4096, 4096)], kinds, flags):
        for operation in (norm, softmax):
            text = f"{operation.__name__} {rows} by {columns} {kind} {flag}"
            yield text, partial(operation, library, rows, columns, kind, flag)
    heads = [(33, 3, 128, 128), (7, 5, 80, 32), (1, 1, 64, 64)]
    for shape, kind, flag in itertools.product(heads, kinds, flags):
        yield f"rope {shape} {kind} {flag}", partial(rope, library, *shape, kind, flag)
    for (tokens, count, size), kind, to in itertools.product([(33, 3, 128), (100, 8, 80)], kinds[:2], TYPES):
        yield f"cache {tokens} by {count} by {size} {kind} {to}", partial(cache, library, tokens, count, size, kind, to)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--library", required=True, type=Path)
    parser.add_argument("--only", default="", help="checks whose name has it")
    parser.add_argument("--but", default="none", help="checks whose name doesn't have it")
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 30))
    arguments = parser.parse_args()
    if not torch.cuda.is_available() or torch.cuda.get_device_capability() != (9, 0) or not arguments.library.exists():
        print("no GPU of compute capability 9.0 here, or no library", file=sys.stderr)
        return SKIPPED
    torch.manual_seed(arguments.seed)
    library, failed, worst = Library(arguments.library), 0, dict[str, tuple[int, float]]()
    for text, check in itertools.chain(row_operations(library), products(library), attentions(library)):
        if arguments.only not in text or arguments.but in text:
            continue
        error = check()
        name = text.split()[0]
        count, most = worst.get(name, (0, 0.0))
        worst[name] = count + 1, max(most, error)
        if not error <= 1:
            failed += 1
            if failed <= 40:
                print(f"FAILED {text}: {error:.3g} of its bound", flush=True)
    for name, (count, most) in worst.items():
        print(f"{name:32} {count:4} checks, the largest error {most:.3f} of its bound")
    print(f"{torch.cuda.get_device_name()}, seed {arguments.seed}: {failed} failed", flush=True)
    return 1 if failed or not worst else 0


if __name__ == "__main__":
    sys.exit(main())
