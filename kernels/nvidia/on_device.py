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
from pathlib import Path

SKIPPED = 77
try:
    import torch
    from device_library import TYPES as TYPE
    from device_library import Library, describe_attention, describe_product
except ImportError as missing:
    print(f"no PyTorch here: {missing}", file=sys.stderr)
    sys.exit(SKIPPED)

NAN = float("nan")
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


def product(library: Library, name: str, m: int, n: int, k: int, batches: int, more: dict[str, str]) -> float:
    """`more`: d, the result's type; padding behind rows; and what becomes of sums."""
    kind = OF_NAME[name.split("_")[0]]
    by_columns = [layout in name for layout in ("_mk", "_mn")], [layout in name for layout in ("_kn", "_mn")]
    padding = int(more.get("padding", "0"))

    def operand(rows: int, columns_first: bool) -> torch.Tensor:
        if columns_first:
            return drawn(batches, k, rows + padding, dtype=kind)[:, :, :rows].transpose(1, 2)
        return drawn(batches, rows, k + padding, dtype=kind)[:, :, :k]

    a, b = operand(m, any(by_columns[0])), operand(n, any(by_columns[1]))
    of_d = OF_NAME.get(more.get("d", ""), torch.float32)
    whole = poisoned(batches, m, n + int(more.get("behind", "8")), dtype=of_d)
    d = whole[:, :, :n]
    expected = a.double() @ b.double().transpose(1, 2)
    sizes = a.double().abs() @ b.double().abs().transpose(1, 2)
    given: dict[str, object] = {"alpha": 2.0}
    expected, sizes = expected * 2, sizes * 2
    if "scales" in more:
        rows, columns = (m, n) if more["scales"] == "each" else (1, 1)
        given["scale_a"], given["scale_b"] = torch.rand(rows, device="cuda") + 0.5, torch.rand(columns, device="cuda") + 0.5
        factors = given["scale_a"].double()[:, None] * given["scale_b"].double()[None, :]
        expected, sizes = expected * factors, sizes * factors
    if "addend" in more:
        given["c"], given["beta"], given["bias"] = drawn(batches, m, n, dtype=torch.bfloat16), 0.5, drawn(n)
        expected = expected + 0.5 * given["c"].double() + given["bias"].double()
        given["activation"] = 1
        expected = expected.relu()
    library.product(name, describe_product(a, b, d, **given))
    torch.cuda.synchronize()
    if not whole[:, :, n:].isnan().all():
        return float("inf")
    # Of floats of 8 bits the matrix unit keeps about 14 bits of a sum: errors of up to 0.4 * 2^-10 of the sum of sizes
    # were measured on an H100, with K up to 1,024.
    sums = 2.0**-10 if kind == torch.float8_e4m3fn else 2.0**-20
    return share(d, expected, expected.abs() * EPSILON[of_d] + sizes * sums + 1e-6)


def products(library: Library) -> Iterator[Check]:
    for name in library.names("product"):
        by_warpgroups = "_128x256_" in name or "_128x128_" in name or "_128x192_" in name
        step = 1 if "elements" in name else 16 if "e4m3" in name else 8
        sizes = [(128, 256, 64, 1), (1, 8, step, 1), (130, 72, 11 * step, 1), (257, 519, 37 * step, 2), (640, 1032, 1024, 1)]
        kinds: list[dict[str, str]] = [{}, {"padding": str(step)}]
        if by_warpgroups:
            sizes += [(2048, 4096, 512, 1), (4100, 4104, 264 * 2, 1)]
            kinds += [{"d": "bf16"}, {"d": "f16", "behind": "3"}, {"addend": "yes", "d": "bf16"}, {"scales": "one", "d": "bf16"}]
        if "e4m3" in name:
            kinds += [{"scales": "each", "d": "bf16"}]
        for (m, n, k, batches), more in itertools.product(sizes, kinds):
            if any(layout in name for layout in ("_mk", "_kn", "_mn")):
                m, n = (m + 7) // 8 * 8, (n + 7) // 8 * 8
            if not by_warpgroups and batches * m * n * k > 1 << 31:
                continue
            text = f"{name} {batches}x {m} by {n} by {k} {more}"
            yield text, lambda name=name, m=m, n=n, k=k, batches=batches, more=more: product(library, name, m, n, k, batches, more)


def attention(
    library: Library, name: str, lengths: tuple[int, int], size: int, heads: tuple[int, int], window: tuple[int, int],
    with_sinks: bool, softcap: float, blocks: int,
) -> float:
    kind = OF_NAME[name.split("_")[0]]
    length_q, length_k = lengths
    batches, (all_heads, of_keys), (left, right) = 2, heads, window
    # Heads lie between the rows, as models have them.
    q = drawn(batches, length_q, all_heads, size, dtype=kind).transpose(1, 2) * 2
    k, v = (drawn(batches, length_k, of_keys, size, dtype=kind).transpose(1, 2) for _ in range(2))
    whole = poisoned(batches, length_q, all_heads, size + 8, dtype=kind)
    o, lse = whole[:, :, :, :size].transpose(1, 2), poisoned(batches, all_heads, length_q)
    sinks = drawn(all_heads) if with_sinks else None
    library.attention(name, describe_attention(q, k, v, o, lse=lse, sinks=sinks, left=left, right=right, softcap=softcap, blocks=blocks))
    torch.cuda.synchronize()
    if not whole[:, :, :, size:].isnan().all():
        return float("inf")
    kd, vd = (one.double().repeat_interleave(all_heads // of_keys, 1) for one in (k, v))
    scores = q.double() @ kd.transpose(2, 3) * size**-0.5
    if softcap:
        scores = softcap * (scores / softcap).tanh()
    rows, keys = torch.arange(length_q, device="cuda")[:, None], torch.arange(length_k, device="cuda")[None, :]
    shift = length_k - length_q
    seen = torch.ones(length_q, length_k, dtype=torch.bool, device="cuda")
    if left >= 0:
        seen &= keys >= rows + shift - left
    if right >= 0:
        seen &= keys <= rows + shift + right
    scores = scores.masked_fill(~seen, -float("inf"))
    total = scores.logsumexp(3) if sinks is None else torch.cat([scores, sinks.double()[None, :, None, None].expand(batches, -1, length_q, 1)], 3).logsumexp(3)
    weights = (scores - total[..., None]).exp().nan_to_num(0)
    none = total == -float("inf")
    if not (lse[none] == -float("inf")).all():
        return float("inf")
    expected = weights @ vd
    # A weight, a result and its elements are rounded.
    error = share(o, expected, 3 * EPSILON[kind] * (weights @ vd.abs()) + 1e-6)
    return max(error, share(lse[~none], total[~none], 1e-3) if (~none).any() else 0)


def attentions(library: Library) -> Iterator[Check]:
    for name in library.names("attention"):
        parts = name.split("_")
        size, by_warpgroups, shaped = int(parts[1]), len(parts) == 5, "shaped" in name
        cases = [
            ((128, 128), size, (2, 2), (-1, -1), False), ((1, 1), size, (1, 1), (-1, -1), False),
            ((130, 131), size, (4, 2), (-1, 0), False), ((257, 700), size - 8, (4, 1), (-1, 0), True),
            ((700, 257), size, (2, 2), (-1, 0), False), ((300, 513), size, (2, 2), (100, 20), False),
            ((1000, 1000), size, (3, 1), (-1, 0), False), ((64, 2048), size, (2, 2), (-1, -1), True),
        ]  # fmt: skip
        for lengths, head, heads, window, sinks in cases:
            for blocks in (0, 3) if by_warpgroups else (0,):
                text = f"{name} {lengths} heads {heads} of {head}, window {window}, sinks {sinks}, blocks {blocks}"
                yield text, lambda name=name, lengths=lengths, head=head, heads=heads, window=window, sinks=sinks, blocks=blocks: attention(
                    library, name, lengths, head, heads, window, sinks, 3.0 if shaped else 0.0, blocks)


def norm(library: Library, rows: int, columns: int, kind: torch.dtype, centred: bool) -> float:
    x, weight = drawn(rows, columns, dtype=kind), drawn(columns, dtype=kind)
    y = poisoned(rows, columns, dtype=kind)
    library.rows("norm", x, weight, y, rows, columns, columns, TYPE[kind], 1e-5, int(centred))
    torch.cuda.synchronize()
    xd = x.double()
    if centred:
        xd = xd - xd.mean(1, keepdim=True)
    expected = xd * (xd.square().mean(1, keepdim=True) + 1e-5).rsqrt() * weight.double()
    return share(y, expected, expected.abs() * EPSILON[kind] + 1e-5)


def softmax(library: Library, rows: int, columns: int, kind: torch.dtype, logarithm: bool) -> float:
    x, y = drawn(rows, columns, dtype=kind), poisoned(rows, columns, dtype=kind)
    library.rows("softmax", x, y, rows, columns, columns, TYPE[kind], 3.0, int(logarithm))
    torch.cuda.synchronize()
    expected = (3 * x.double()).log_softmax(1) if logarithm else (3 * x.double()).softmax(1)
    return share(y, expected, expected.abs() * (EPSILON[kind] + 1e-5) + 1e-6)


def rope(library: Library, tokens: int, heads: int, size: int, rotated: int, kind: torch.dtype, interleaved: bool) -> float:
    x, y = drawn(tokens, heads, size, dtype=kind), poisoned(tokens, heads, size, dtype=kind)
    positions = torch.randint(0, 1000, (tokens,), device="cuda", dtype=torch.int32)
    angles = torch.arange(1000, device="cuda").double()[:, None] * 10000.0 ** (-torch.arange(rotated // 2, device="cuda").double() / (rotated // 2))
    cosines, sines = angles.cos().float(), angles.sin().float()
    library.rows("rope", x, y, positions, cosines, sines, tokens, heads, size, rotated, TYPE[kind], int(interleaved))
    torch.cuda.synchronize()
    cosine, sine = (table[positions.long()].double()[:, None, :] for table in (cosines, sines))
    xd = x.double()
    expected = xd.clone()
    first, second = (slice(0, rotated, 2), slice(1, rotated, 2)) if interleaved else (slice(0, rotated // 2), slice(rotated // 2, rotated))
    expected[..., first] = xd[..., first] * cosine - xd[..., second] * sine
    expected[..., second] = xd[..., second] * cosine + xd[..., first] * sine
    return share(y, expected, 2 * EPSILON[kind] + 1e-6)


def cache(library: Library, tokens: int, heads: int, size: int, page: int, kind: torch.dtype, to: torch.dtype) -> float:
    pages = (tokens + page - 1) // page + 2
    k, v = (drawn(tokens, heads, size, dtype=kind) for _ in range(2))
    caches = [poisoned(pages * page, heads, size, dtype=to) for _ in range(2)]
    slots = torch.randperm(pages * page, device="cuda")[:tokens]
    slots[0] = -1
    scale = torch.full((1,), 0.5, device="cuda")
    library.rows("cache", k, v, *caches, scale, slots, tokens, heads, size, pages, page, TYPE[kind], TYPE[to])
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
    kinds = (torch.bfloat16, torch.float16, torch.float32)
    sizes = [(35, 120), (9, 504), (7, 1040), (5, 4088), (3, 8192), (3, 16384), (2, 20000), (17, 133), (4, 3001), (4096, 4096)]
    for (rows, columns), kind, flag in itertools.product(sizes, kinds, (False, True)):
        given = (library, rows, columns, kind, flag)
        yield f"norm {rows} by {columns} {kind} centred {flag}", lambda given=given: norm(*given)
        yield f"softmax {rows} by {columns} {kind} logarithm {flag}", lambda given=given: softmax(*given)
    for (tokens, heads, size, rotated), kind, flag in itertools.product([(33, 3, 128, 128), (7, 5, 80, 32), (1, 1, 64, 64)], kinds, (False, True)):
        of_rope = (library, tokens, heads, size, rotated, kind, flag)
        yield f"rope {of_rope[1:]}", lambda of_rope=of_rope: rope(*of_rope)
    for (tokens, heads, size), kind, to in itertools.product([(33, 3, 128), (100, 8, 80)], kinds[:2], (*kinds, torch.float8_e4m3fn)):
        of_cache = (library, tokens, heads, size, 16, kind, to)
        yield f"cache {of_cache[1:]}", lambda of_cache=of_cache: cache(*of_cache)


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
