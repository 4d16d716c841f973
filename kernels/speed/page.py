"""docs/KERNEL_SPEED.md, of what was measured."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from pathlib import Path

from findings import Finding
from operations import (
    Attention,
    AttentionGradients,
    Convolution,
    Decode,
    Experts,
    Latent,
    OfRows,
    Product,
    Row,
    Timed,
    Training,
    UngatedExperts,
)
from published import Mark

PUBLISHED = [
    "Others measured these on real GPUs ([published_speed.tsv](published_speed.tsv)). Beside each stand ours and a",
    "peer's, modelled: the one that was measured where it is a peer here, or else the fastest. The distance between",
    "a peer's two numbers says how far the model is from the chip. What was published does not repeat the model's",
    "conditions: MI325X and MI350X differ from the modelled chips in memory and clocks, AITER's tables tell neither",
    "the chip nor its clock and are of cold caches, and times by events have a launch of 2 to 6 us in them. Layouts",
    "are the published ones for a D by rows; where none was told, or it is not modelled, ours is kk.",
]
PAGE = Path(__file__).resolve().parents[2] / "docs/KERNEL_SPEED.md"


def mean_of(rows: list[Row], what: str, named: Callable[[Row], str] | None = None) -> list[str]:
    """A line on their ratios; with names it says which row is the worst."""
    ratios = {ratio: row for row in rows if (ratio := row.ratio()) is not None}
    if not ratios:
        return []
    count = sum(row.ratio() is not None for row in rows)
    mean = math.exp(sum(math.log(row.ratio() or 1) for row in rows) / count)
    line = (
        f"Geometric mean of the ratios: **{mean:.2f}** over {count} {what}, from {min(ratios):.2f} to {max(ratios):.2f}"
    )
    return [line + (f" ({named(ratios[max(ratios)])})." if named else "."), ""]


def short(kernel: str) -> str:
    """The part of a product's name that tells the tile, "MT256x224x64"; a star where Tensile's has no matrix
    instruction. Composable Kernel's tells it among its template's parameters."""
    before = r"^_ZN2ck\w+?(?:Enum|GemmSpecialization)E\d+(?:ELi1(?=E))?ELi\d+"
    if sizes := re.search(before + r"ELi(\d+)ELi(\d+)ELi(\d+)E", kernel):
        return "x".join(sizes.groups())
    tiles = list(re.finditer(r"MT\d+x\d+x\d+", kernel)) or list(re.finditer(r"\d+x\d+(x\d+)?", kernel))
    star = kernel.startswith("Cijk") and not re.search(r"_MI\d", kernel)
    # AITER's mxfp4 names blocks of scales before the tile: per1x32Fp4_BpreShuffle_256x256.
    of_scales = "_per1x32" in kernel
    return (tiles[1 if of_scales else 0].group() if tiles else kernel) + (" *" if star else "")


def cells_of(row: Row, work: float, name: str, kernels: bool = False) -> list[str]:
    """The cells behind those that name the operation, which does that much work in a microsecond at a rate of 1."""
    ratio, ranked = row.ratio(), row.ranked()
    ours = (
        [name, f"{row.ours.microseconds:.1f}", f"{work / row.ours.microseconds:,.0f}"]
        if isinstance(row.ours, Timed)
        else [row.ours, "", ""]
    )
    why = ", ".join(f"{peer}: {text}" for peer, text in row.peers.items()) or "none"
    theirs = [why, ""]
    if ranked:
        peer, timed = ranked[0]
        theirs = [peer + (f" {short(timed.kernel)}" if kernels else ""), f"{timed.microseconds:.1f}"]
    return [*ours, *theirs, f"{ratio:.2f}" if ratio else ""]


def others_of(row: Row) -> str:
    """The peers behind the fastest."""
    return ", ".join(f"{peer} {timed.microseconds:.1f}" for peer, timed in row.ranked()[1:])


def table(head: str, rows: list[list[str]]) -> list[str]:
    return [head, "|" + "|".join("---" for _ in rows[0]) + "|", *("| " + " | ".join(row) + " |" for row in rows), ""]


def peak_of(of_types: dict[str, list[Row]]) -> list[str]:
    """How near large products come to what the pipes can do."""
    shares = []
    for types, rows in of_types.items():
        large = [row.ours.peak_share for row in rows if isinstance(row.ours, Timed) and row.operation.m >= 4096]
        large = [share for share in large if share > 0]
        if large and types in ("f16", "f32"):
            shares.append(f"{100 * min(large):.0f} to {100 * max(large):.0f} % in {types}")
    what = "Large products reach {} of what the pipes can do at the modelled clock."
    return [what.format(", ".join(shares)), ""] if shares else []


def products_page(rows: list[Row], gpu: str) -> list[str]:
    of_types: dict[str, list[Row]] = {}
    for row in rows:
        assert isinstance(row.operation, Product)
        of_types.setdefault(row.operation.types(), []).append(row)
    lines = [f"## Matrix products on {gpu}", ""]
    for types, those in of_types.items():
        if len(those) > 1:
            lines += mean_of(those, f"products of {types}", sizes_of)
    lines += peak_of(of_types)
    cells = []
    for those in of_types.values():
        for row in those:
            one = row.operation
            assert isinstance(one, Product)
            ours = row.ours.kernel.split("_")[2] if isinstance(row.ours, Timed) else ""
            sizes = [f"{one.m:,}", f"{one.n:,}", f"{one.k:,}", one.types(), one.layout]
            cells.append([*sizes, *cells_of(row, one.flops() * 1e-6, ours, kernels=True), others_of(row)])
    head = "| M | N | K | types | layout | our tile | us | TFLOP/s | fastest peer | us | ratio | other peers, us |"
    return lines + table(head, cells)


def sizes_of(row: Row) -> str:
    one = row.operation
    assert isinstance(one, Product)
    return f"{one.m:,} x {one.n:,} x {one.k:,}, {one.layout}"


def attentions_page(rows: list[Row], gpu: str) -> list[str]:
    """Forward, or the gradients."""
    forward = isinstance(rows[0].operation, Attention)
    lines = [f"## Attention {'forward' if forward else 'backward'} on {gpu}, bf16, heads of 128", ""]
    for what, causal in (("shapes without a mask", False), ("causal shapes, roughly", True)):
        lines += mean_of([row for row in rows if row.operation.causal == causal], what)
    cells = []
    for row in rows:
        one = row.operation
        assert isinstance(one, Attention | AttentionGradients)
        sizes = [str(one.batches), str(one.heads), str(one.kv_heads), f"{one.length:,}", "causal" if one.causal else ""]
        kernel = row.ours.kernel if isinstance(row.ours, Timed) else ""
        ours = kernel.removeprefix("attention_").removeprefix("backward_")
        cells.append([*sizes, *cells_of(row, one.flops() * 1e-6, ours), others_of(row)])
    head = (
        "| batch | heads | K and V heads | length | mask | our kernel | us | TFLOP/s | fastest peer | us | ratio "
        "| other peers, us |"
    )
    return lines + table(head, cells)


def decodes_page(rows: list[Row], gpu: str) -> list[str]:
    lines = [f"## Decoding with a paged cache on {gpu}, bf16, heads of 128", "", *mean_of(rows, "shapes")]
    cells = []
    for row in rows:
        one = row.operation
        assert isinstance(one, Decode)
        sizes = [str(one.sequences), str(one.heads), str(one.kv_heads), f"{one.context:,}"]
        cells.append(sizes + cells_of(row, one.bytes() * 1e-3, "decode"))
    head = "| sequences | heads | K and V heads | context | our kernel | us | GB/s | peer | us | ratio |"
    return lines + table(head, cells)


def latents_page(rows: list[Row], gpu: str) -> list[str]:
    lines = [f"## Latent attention (MLA) of new tokens on {gpu}, bf16", "", *mean_of(rows, "shapes")]
    cells = []
    for row in rows:
        one = row.operation
        assert isinstance(one, Latent)
        ours = row.ours.kernel if isinstance(row.ours, Timed) else ""
        cells.append([str(one.sequences), str(one.heads), f"{one.context:,}", *cells_of(row, one.bytes() * 1e-3, ours)])
    return lines + table("| sequences | heads | context | our kernel | us | GB/s | peer | us | ratio |", cells)


def of_rows_page(rows: list[Row], gpu: str) -> list[str]:
    lines = [f"## Norms and softmax on {gpu}, bf16", ""]
    cells = []
    for operation in ("norm", "softmax"):
        those = [row for row in rows if row.operation.operation == operation]
        lines += mean_of(
            those, f"shapes of {operation}", lambda row: f"{row.operation.rows:,} x {row.operation.columns:,}"
        )
        for row in those:
            one = row.operation
            assert isinstance(one, OfRows)
            sizes = ["RMS norm" if operation == "norm" else operation, f"{one.rows:,}", f"{one.columns:,}"]
            ours = row.ours.kernel.removeprefix(f"{operation}_") if isinstance(row.ours, Timed) else ""
            cells.append(sizes + cells_of(row, one.bytes() * 1e-3, ours, kernels=True))
    return lines + table("| operation | rows | columns | our kernel | us | GB/s | fastest peer | us | ratio |", cells)


def trainings_page(rows: list[Row], gpu: str) -> list[str]:
    lines = [f"## Losses, and gradients of norms and softmax, on {gpu}, bf16", ""]
    cells = []
    for operation in dict.fromkeys(row.operation.operation for row in rows):
        those = [row for row in rows if row.operation.operation == operation]
        name = ("RMS " if operation == "norm_backward" else "") + operation.replace("_", " ")
        lines += mean_of(those, f"shapes of {name}", lambda row: f"{row.operation.rows:,} x {row.operation.columns:,}")
        for row in those:
            one = row.operation
            assert isinstance(one, Training)
            ours = row.ours.kernel if isinstance(row.ours, Timed) else ""
            sizes = [name, f"{one.rows:,}", f"{one.columns:,}"]
            cells.append(sizes + cells_of(row, one.bytes() * 1e-3, ours, kernels=True))
    return lines + table("| operation | rows | columns | our kernel | us | GB/s | fastest peer | us | ratio |", cells)


def experts_page(rows: list[Row], gpu: str) -> list[str]:
    def layer(row: Row) -> str:
        return f"{row.operation.tokens:,} tokens, {row.operation.experts} experts"

    ungated = isinstance(rows[0].operation, UngatedExperts)
    what = "Mixtures of experts without a gate" if ungated else "Mixtures of experts"
    lines = [f"## {what} on {gpu}, bf16", "", *mean_of(rows, "shapes", layer)]
    cells = []
    for row in rows:
        one = row.operation
        assert isinstance(one, Experts | UngatedExperts)
        ours = row.ours.kernel.removeprefix("gemm_") if isinstance(row.ours, Timed) else ""
        sizes = [f"{size:,}" for size in (one.tokens, one.hidden, one.intermediate, one.experts, one.top)]
        cells.append([*sizes, *cells_of(row, one.flops() * 1e-6, ours), others_of(row)])
    head = (
        "| tokens | hidden | intermediate | experts | of a token | our longest kernel | us | TFLOP/s | fastest peer "
        "| us | ratio | other peers, us |"
    )
    return lines + table(head, cells)


def convolutions_page(rows: list[Row], gpu: str) -> list[str]:
    def layer(row: Row) -> str:
        one = row.operation
        return f"{one.window} by {one.window}, {one.channels:,} to {one.outputs:,} channels, {one.side} by {one.side}"

    types = dict.fromkeys(row.operation.type for row in rows)
    lines = [f"## Convolutions on {gpu}, {', '.join(types)}", "", *mean_of(rows, "shapes", layer)]
    cells = []
    for row in rows:
        one = row.operation
        assert isinstance(one, Convolution)
        ours = row.ours.kernel if isinstance(row.ours, Timed) else ""
        sizes = [str(size) for size in (one.images, one.side, one.channels, one.outputs, one.window, one.step)]
        cells.append([*sizes, *cells_of(row, one.flops() * 1e-6, ours, kernels=True), others_of(row)])
    head = (
        "| images | side | channels | outputs | window | step | our kernel | us | TFLOP/s | fastest peer | us | ratio "
        "| other peers, us |"
    )
    return lines + table(head, cells)


def named(one: Product | Attention) -> str:
    if isinstance(one, Product):
        return f"{one.m:,} x {one.n:,} x {one.k:,}, {one.types()}" + (f", {one.layout}" if one.layout else "")
    heads = f"{one.heads} heads, {one.kv_heads} of K and V" if one.kv_heads != one.heads else f"{one.heads} heads"
    return f"attention, batch {one.batches}, {heads}, {one.length:,} tokens" + (", causal" if one.causal else "")


def published_page(rows: list[Row], marks: list[Mark]) -> list[str]:
    """What was measured on GPUs, beside what is modelled of the same operation; marks without a row are left out."""
    cells = []
    for mark in marks:
        row = mark.row_of(rows)
        if not row or not isinstance(row.ours, Timed):
            continue
        rate = lambda timed: f"{mark.operation.flops() / timed.microseconds * 1e-6:,.0f}"  # noqa: B023, E731
        peer = mark.peer_of(row)
        theirs = [peer[0], rate(peer[1])] if peer else ["", ""]
        measured = [mark.chip, mark.who, f"{mark.teraflops:,.0f}"]
        cells.append([named(mark.operation), *measured, row.operation.gpu, rate(row.ours), *theirs, mark.source])
    if not cells:
        return []
    head = "| operation | measured on | by | TFLOP/s | modelled | ours, TFLOP/s | peer | its TFLOP/s | source |"
    return ["## Published measurements beside the model", "", *PUBLISHED, "", *table(head, cells)]


HOT_LOOPS = [
    "Of each kernel of ours on this page `wavesmith explain` looks at the hot loop (`kernels/speed/findings.py`, in",
    "each run of the tests). A finding worth more than 10 % of the loop stands here, with what keeps it there; the",
    "gain is what the finding would be worth at most if nothing else stood in the way. Not counted is what `explain`",
    "cannot weigh: where it depends on how many tiles a mask cuts.",
]


def hot_loops_page(found: Sequence[Finding]) -> list[str]:
    head = "| GPU | kernel | finding | gain at most | why it is there |"
    cells = [[one.gpu, one.kernel, one.rule, f"{one.percent:.0f} %", one.why] for one in found]
    said = table(head, cells) if cells else ["None does."]
    return ["## What `explain` finds in hot loops", "", *HOT_LOOPS, "", *said]


def page(rows: list[Row], peers: dict[str, str], marks: list[Mark], found: Sequence[Finding] = ()) -> str:
    lines = [
        "# How fast the library's kernels are",
        "",
        "Written by `kernels/speed/speed.py`; its numbers are in [kernel_speed.json](kernel_speed.json). Every time of",
        "ours and of a peer is *modelled*: our kernels and their peers' machine code ran under the same cycle model,",
        "which takes the same time for the same code in each run ([PROFILE.md](PROFILE.md) says how far to trust it).",
        "A ratio above 1 means that ours takes longer than the fastest peer. Layouts name what lies together in memory",
        "of A and of B: K, or M and N.",
        "",
        f"Products are compared with AMD's rocBLAS as Debian compiles it ({peers.get('rocblas', 'none')}); a star",
        "marks those of its kernels that use no matrix instructions. It writes D by rows, as ours does: it is asked",
        "for the transpose by columns. Debian's has no kernels for mi355x.",
        "",
        f"AITER's assembly ({peers.get('aiter', 'none')}) multiplies bf16 with a D of f32, by the tile that its own",
        "rule chooses; where tiles are few, workgroups share K and add to D, and clearing D before is not counted. Its",
        "products of i8 (mi300x alone) have a scale per row and per column, a bias, and weights shuffled beforehand;",
        "ours have the same scales and bias, and weights as they are. Those of e2m1x2, mxfp4 (mi355x alone), have a",
        "scale for each 32 numbers, as ours do, and weights and scales shuffled beforehand; of four likely tiles the",
        "fastest counts.",
        "",
        f"Triton's kernels ({peers.get('triton', 'none')}) are the usual ones, compiled by itself: a program computes",
        "a tile, with two stages, or a row, or goes over the keys with a tile of queries. Of several tiles, counts of",
        "waves, and stages of attention, the fastest under the model counts.",
        "",
        f"Composable Kernel's machine code is that in ONNX Runtime's ROCm provider ({peers.get('ck', 'none')}),",
        "for mi300x and mi210: products of bf16 and f16, where one kernel goes over the whole of K, and attention. Of",
        "three likely tiles, each in up to three pipelines, the fastest counts. It cuts bf16 where ours rounds.",
        "",
        "Attention is compared with AITER's, Triton's and Composable Kernel's. Composable Kernel's causal times would",
        "come out at a third of the unmasked ones, less than the half that has to be computed, and are left out.",
        "",
        "These times are of several states of the model, under both ours and peers. What is no product, on an",
        "MI300X, an MI355X and an MI210, is of the present one but for the pace at which a grid's workgroups start,",
        "which has come from measurements since (8.0 clocks of a die on an MI300X, not 6.1; 2.1 on an MI210, not",
        "3.1); attention on an MI355X, and experts, are of the present one throughout. FlyDSL's times, and those of",
        "AITER's Composable Kernel, were measured before. Products are older than CDNA's issue rules from thread",
        "traces, which move them by up to 2 % and e4m3 of 4,096 cubed on an MI355X by 7 %, than 20 cycles for a",
        "taken branch instead of 16, than two VALU instructions at once on CDNA (up to 1.4 % longer), and than",
        "small tiles of 2 bytes had an epilogue of their own for sums alone, by which 6,272 by 256 by 1,024 of bf16",
        "takes 10.0 us on an MI300X instead of 11.5. Rows of RDNA are older than RDNA4's first matrix instruction",
        "behind others, which starts 3 cycles later (bf16 of 4,096 cubed 1.2 % longer on an RX 9070 XT, a",
        "convolution of 256 channels 7 %); products, attention and forward rows there also than what their",
        "instructions weigh in the VALU's queue (up to 2 %), and what a wave has under way (up to 1.3 %).",
        "",
        "Gradients of norms have in them who adds the workgroups' shares of the vectors' gradients, a second kernel of",
        "ours and of Triton's. The gradient of cross entropy is written where the logits were.",
        "",
        "Attention's gradients are compared with AITER's assembly. Both add dQ up by atomic instructions, with five",
        "products and in an order that differs from run to run; ours that have the same result in each run multiply",
        "seven times. AITER's kernel leaves to others what ours do beside theirs: clearing and rounding dQ, the rows'",
        "sums of dO * O, and the sum over heads that share keys. For these its time has what our kernels take.",
        "",
        "Decoding is compared with AITER's assembly for pages of 16, which gives a sequence's head of K and V to one",
        "workgroup, however long the context is; ours splits contexts. GB/s are of the keys and values; what fits into",
        "a GPU's last cache is read from there, by both.",
        "",
        "Latent attention is compared with AITER's assembly for pages of one row. Both split contexts: our time has",
        "the second kernel in it, which makes one of the parts; AITER's, written in Triton, is left out. GB/s are of",
        "latents.",
        "",
        "Mixtures of experts have the layer behind the router: gate, up and SiLU of tokens that both read where they",
        "lie, down times the tokens' weights, and the sum. Triton's are four kernels, with tokens padded to whole",
        "tiles per expert; the fastest of each among those of one padding make the whole. All experts serve as many",
        "tokens, and sorting tokens by them is left out of both.",
        "",
        "AITER has no assembly for experts of bf16 with a gate: there it calls two kernels of Composable Kernel, whose",
        "source is in its wheel. FlyDSL's are two, too, compiled for each shape and timed for a few. Both want weights",
        "shuffled beforehand, and their second kernel adds bf16 to the sum by atomic instructions, in an order that",
        "differs from run to run, after the sum was cleared, which is not counted. Of likely tiles of one padding the",
        "fastest count.",
        "",
        "AITER's assembly of bf16 has no gate and does both products in one kernel, by tiles of 32 tokens; AITER takes",
        "it for fewer than 256 tokens. It has a race that lockstep hides: its waves clear sums in shared memory where",
        "others may still read SiLU's results. It is right where waves take turns at each instruction. Clearing the",
        "sum before is not counted.",
        "",
        "Convolutions have channels last. Triton's is an implicit product, compiled for each shape. Few channels make",
        "products of few steps, most of whose time is in beginnings and ends: ours finds there at run time what",
        "Triton's was compiled for. Composable Kernel's, of AITER's wheel, know the shape at run time, too; of a few",
        "likely tiles of its own lists the fastest counts.",
        "",
    ]
    for name in sorted({name for row in rows for name in row.peers} & set(peers)):
        lines += [f"{name} ({peers[name]}) ran by a program that is not part of this repository.", ""]
    lines += published_page(rows, marks)
    for kind, of_kind in (
        (Product, products_page),
        (OfRows, of_rows_page),
        (Training, trainings_page),
        (Attention, attentions_page),
        (AttentionGradients, attentions_page),
        (Decode, decodes_page),
        (Latent, latents_page),
        (Experts, experts_page),
        (UngatedExperts, experts_page),
        (Convolution, convolutions_page),
    ):
        all_rows = [row for row in rows if isinstance(row.operation, kind)]
        for gpu in dict.fromkeys(row.operation.gpu for row in all_rows):
            lines += of_kind([row for row in all_rows if row.operation.gpu == gpu], gpu)
    lines += hot_loops_page(found)
    return "\n".join(lines)
