"""The operations whose speed is measured, at which sizes; and what was measured, as docs/kernel_speed.json keeps it."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

DATA = Path(__file__).resolve().parents[2] / "docs/kernel_speed.json"
# The GPUs whose attention and products AITER has kernels for; those where Triton is a peer, and its attention.
AITERS_GPUS = ["mi300x", "mi355x"]
TRITONS_GPUS = ["mi300x", "mi355x", "rx7900xtx"]
TRITONS_ATTENTION_GPUS = [*TRITONS_GPUS, "rx9070xt"]
TRITONS_TRAINING_GPUS = [*TRITONS_ATTENTION_GPUS, "radeon8060s"]
CKS_GPUS = ["mi300x", "mi210"]


@dataclass(frozen=True)
class Product:
    """D by rows. With operands of i8 it has a scale per row and per column and a bias."""

    gpu: str
    m: int
    n: int
    k: int
    type: str = "bf16"
    layout: str = "kk"
    result: str = ""  # D's type, where it differs

    def flops(self) -> float:
        return 2.0 * self.m * self.n * self.k

    def types(self) -> str:
        return self.type + (f" to {self.result}" if self.result else "")


#: Products whose speed AMD published: by hipBLASLt, whose most that is, and in a tutorial on Triton's Gluon.
PUBLISHED = [
    Product("mi300x", 4864, 4096, 32896, "bf16", "kn"),
    Product("mi300x", 4864, 4096, 32896, "f16", "kn"),
    Product("mi355x", 4096, 4096, 8192, "f16"),
    Product("mi355x", 4096, 4096, 32768, "e2m1x2", "kk", "bf16"),
]


def products(gpus: list[str]) -> list[Product]:
    """Squares, and transformers' layers: tokens by the widths of models with 4,096 and 8,192 numbers per token."""
    squares = [(size, size, size) for size in (1024, 2048, 4096, 8192)]
    layers = [(4096, 4096), (14336, 4096), (4096, 14336), (8192, 8192)]
    wide = [(tokens, n, k) for tokens in (256, 2048) for n, k in layers]
    every = squares + [(tokens, n, k) for tokens in (16, 64, 256, 2048, 4096) for n, k in layers]
    made = []
    for gpu in gpus:
        large = gpu.startswith("mi")
        if not large:  # how near they come to the peak
            made += [Product(gpu, *size, type) for size in squares[2:] for type in ("f16", "f32")]
        if gpu == "radeon8060s":
            continue
        sizes = every if gpu in AITERS_GPUS else squares + wide if large else squares[:3] + wide[:3]
        made += [Product(gpu, *size) for size in sizes]
        if large:
            made += [Product(gpu, *squares[2], "f16")]
        made += [one for one in PUBLISHED if one.gpu == gpu]
        made += [Product(gpu, *squares[2], "bf16", layout) for layout in ("mk", "kn", "mn")]
        if gpu in AITERS_GPUS:
            made += [Product(gpu, *size, "bf16", "kk", "f32") for size in every]
            made += [Product(gpu, *size, "i8", "kk", "bf16") for size in every]
            e4m3 = "e4m3fnuz" if gpu == "mi300x" else "e4m3"
            made += [Product(gpu, *size, e4m3, "kk", "bf16") for size in every]
        if gpu == "mi355x":
            made += [Product(gpu, *size, "e2m1x2", "kk", "bf16") for size in every]
    return made


@dataclass(frozen=True)
class OfHeads:
    """Attention of bf16, with heads of 128 elements, or its gradients."""

    gpu: str
    batches: int
    heads: int
    kv_heads: int
    length: int
    causal: bool

    def product_flops(self) -> float:
        """Of a product of all scores' size, as such rates are published: half of it where later keys are masked."""
        return 2 * self.batches * self.heads * self.length**2 * 128 / (2 if self.causal else 1)


class Attention(OfHeads):
    """Two products."""

    def flops(self) -> float:
        return 2 * self.product_flops()


def attentions(gpus: list[str]) -> list[Attention]:
    """Prompts of models with 32 and 64 heads, with and without groups of heads that share keys."""
    shapes = [(1, 64, 8, 8192), (1, 32, 8, 4096), (4, 32, 32, 2048), (4, 32, 8, 2048), (16, 16, 16, 1024)]
    published = [(4, 32, 8, 4096), (16, 64, 8, 2048)]  # of AITER, and on MI355X of others
    some = [(gpu, shapes + published * (gpu in AITERS_GPUS)) for gpu in gpus if gpu != "radeon8060s"]
    return [Attention(gpu, *shape, causal) for gpu, those in some for shape in those for causal in (False, True)]


class AttentionGradients(OfHeads):
    """The five products that have to be computed."""

    def flops(self) -> float:
        return 5 * self.product_flops()


def attention_gradients(gpus: list[str]) -> list[AttentionGradients]:
    """Those that AITER's programs are known for."""
    shapes = [(16, 16, 16, 1024), (4, 32, 8, 2048), (1, 32, 8, 4096)]
    return [
        AttentionGradients(gpu, *shape, causal)
        for gpu in gpus
        if gpu in AITERS_GPUS
        for shape in shapes
        for causal in (False, True)
    ]


@dataclass(frozen=True)
class Decode:
    """A new token of each sequence, of bf16, with heads of 128 elements and pages of 16."""

    gpu: str
    sequences: int
    heads: int
    kv_heads: int
    context: int

    def bytes(self) -> float:
        """Of keys and values."""
        return 2.0 * self.sequences * self.kv_heads * self.context * 128 * 2


def decodes(gpus: list[str]) -> list[Decode]:
    """Models with 64 and 32 heads, and 8 of K and V or their share of one GPU of eight; few sequences and many."""
    shapes = [(1, 64, 8, 8192), (16, 64, 8, 8192), (64, 64, 8, 8192), (64, 32, 4, 2048), (128, 8, 1, 8192)]
    small = [(1, 32, 4, 8192), (8, 64, 8, 8192)]
    some = [gpu for gpu in gpus if gpu != "radeon8060s"]
    return [Decode(gpu, *shape) for gpu in some for shape in (shapes if gpu.startswith("mi") else small)]


@dataclass(frozen=True)
class Latent:
    """A new token of each sequence by latent attention (MLA), of bf16, with latents of 576 elements."""

    gpu: str
    sequences: int
    heads: int
    context: int

    def bytes(self) -> float:
        """Of latents."""
        return 2.0 * self.sequences * self.context * 576


def latents(gpus: list[str]) -> list[Latent]:
    """DeepSeek V3's 128 heads, or their share of one GPU of eight; few sequences and many."""
    shapes = [(1, 128, 8192), (8, 16, 8192), (16, 128, 8192), (64, 16, 8192), (64, 128, 8192), (128, 16, 4096)]
    return [Latent(gpu, *shape) for gpu in gpus if gpu in AITERS_GPUS for shape in [*shapes, (128, 128, 4096)]]


@dataclass(frozen=True)
class OfRows:
    """RMS norm or softmax of each row, of bf16."""

    gpu: str
    operation: str
    rows: int
    columns: int

    def bytes(self) -> float:
        """Of what is read and written."""
        return 4.0 * self.rows * self.columns


def operations_of_rows(gpus: list[str]) -> list[OfRows]:
    """Norms of models with 4,096 and 8,192 numbers per token, for few tokens and many; softmax of scores and of words'
    probabilities."""
    norms = [(rows, columns) for columns in (4096, 8192) for rows in (16, 256, 2048, 8192)]
    softmaxes = [(16, 32000), (256, 32000), (2048, 2048), (8192, 1024), (8192, 4096)]
    return [
        OfRows(gpu, operation, *shape)
        for gpu in gpus
        if gpu in TRITONS_GPUS
        for operation, shapes in (("norm", norms), ("softmax", softmaxes))
        for shape in shapes
    ]


@dataclass(frozen=True)
class Training:
    """A loss of each row, or a gradient of an operation on rows, of bf16."""

    gpu: str
    operation: str
    rows: int
    columns: int

    def bytes(self) -> float:
        """Of the matrices that are read and written: a loss reads one, its gradient takes its place."""
        matrices = {"cross_entropy": 1, "cross_entropy_gradient": 2}.get(self.operation, 3)
        return 2.0 * matrices * self.rows * self.columns


def trainings(gpus: list[str]) -> list[Training]:
    """Words of three vocabularies; norms of models with 1,024, 4,096 and 8,192 numbers per token; scores."""
    losses = [(256, 32000), (2048, 32000), (8192, 32000), (2048, 50304), (2048, 128256)]
    norms = [(8192, 1024), (256, 4096), (2048, 4096), (8192, 4096), (2048, 8192), (8192, 8192)]
    softmaxes = [(256, 32000), (2048, 2048), (16384, 2048), (8192, 1024), (8192, 4096)]
    of_operations = {
        "cross_entropy": losses,
        "cross_entropy_gradient": losses,
        "norm_backward": norms,
        "layernorm_backward": norms,
        "softmax_backward": softmaxes,
    }
    return [
        Training(gpu, operation, *shape)
        for gpu in gpus
        if gpu in TRITONS_TRAINING_GPUS
        for operation, shapes in of_operations.items()
        for shape in shapes
    ]


@dataclass(frozen=True)
class OfExperts:
    """A layer of experts, of bf16, whose choice is known: of each token `top`."""

    gpu: str
    tokens: int
    hidden: int
    intermediate: int
    experts: int
    top: int

    def product_flops(self) -> float:
        """Of one of the products that go over hidden or intermediate."""
        return 2.0 * self.tokens * self.top * self.hidden * self.intermediate


class Experts(OfExperts):
    """SwiGLU: gate, up and down."""

    def flops(self) -> float:
        return 3 * self.product_flops()


class UngatedExperts(OfExperts):
    """SiLU of up, and down."""

    def flops(self) -> float:
        return 2 * self.product_flops()


def mixtures(gpus: list[str]) -> list[Experts | UngatedExperts]:
    """Mixtral 8x7B, Qwen3 30B-A3B, and of DeepSeek V3 the share of one GPU of eight; few tokens and many. Without a
    gate the first, whose width AITER's assembly takes, for so few tokens as AITER takes it."""
    layers = [(4096, 14336, 8, 2), (2048, 768, 128, 8), (7168, 256, 256, 8)]
    those = [gpu for gpu in gpus if gpu in AITERS_GPUS]
    gated = [Experts(gpu, tokens, *layer) for gpu in those for layer in layers for tokens in (16, 64, 256, 2048)]
    return [*gated, *(UngatedExperts(gpu, tokens, *layers[0]) for gpu in those for tokens in (16, 64, 128))]


@dataclass(frozen=True)
class Convolution:
    """Of square images by a square window, channels last, with zeros around that keep the sides."""

    gpu: str
    images: int
    channels: int
    side: int
    outputs: int
    window: int
    step: int
    type: str

    def flops(self) -> float:
        places = (self.side - 1) // self.step + 1
        return 2.0 * self.images * places**2 * self.outputs * self.channels * self.window**2


def convolutions(gpus: list[str]) -> list[Convolution]:
    """Layers of ResNet-50, of 32 images."""
    layers = [(64, 56, 64, 3, 1), (64, 56, 256, 1, 1), (128, 56, 128, 3, 2), (128, 28, 128, 3, 1)]
    layers += [(512, 28, 1024, 1, 2), (256, 14, 256, 3, 1), (1024, 14, 256, 1, 1), (512, 7, 512, 3, 1)]
    types = {"mi300x": "bf16", "rx7900xtx": "f16", "rx9070xt": "bf16", "radeon8060s": "f16"}
    return [Convolution(gpu, 32, *layer, types[gpu]) for gpu in gpus if gpu in types for layer in layers]


Operation = (
    Product
    | Attention
    | AttentionGradients
    | Decode
    | Latent
    | OfRows
    | Training
    | Experts
    | UngatedExperts
    | Convolution
)
KINDS: dict[str, type[Operation]] = {
    "attention": Attention,
    "attention_gradients": AttentionGradients,
    "convolution": Convolution,
    "decode": Decode,
    "experts": Experts,
    "experts_ungated": UngatedExperts,
    "latent": Latent,
    "product": Product,
    "of_rows": OfRows,
    "training": Training,
}


@dataclass
class Timed:
    kernel: str
    microseconds: float
    unit_clocks: float = 0  # cycles at the modelled clock, of all compute units together
    peak_share: float = 0  # of what the pipes can do at the modelled clock; 0: not asked
    beside: float = 0  # of the microseconds, those of kernels beside the one named, where they are told apart

    def described(self) -> dict[str, Any]:
        return {name: value for name, value in asdict(self).items() if name != "beside" or value}


@dataclass
class Row:
    """An operation, and what it takes by our kernel and by its peers'; a text says why there is no time."""

    operation: Operation
    ours: Timed | str
    peers: dict[str, Timed | str] = field(default_factory=dict)

    def ranked(self) -> list[tuple[str, Timed]]:
        """The peers that have a time, the fastest first."""
        timed = [(name, peer) for name, peer in self.peers.items() if isinstance(peer, Timed)]
        return sorted(timed, key=lambda pair: pair[1].microseconds)

    def ratio(self) -> float | None:
        """Our time by the fastest peer's."""
        ranked = self.ranked()
        return self.ours.microseconds / ranked[0][1].microseconds if ranked and isinstance(self.ours, Timed) else None


def read() -> tuple[list[Row], dict[str, str]]:
    """The rows, and the peers' releases."""
    if not DATA.exists():
        return [], {}
    data = json.loads(DATA.read_text())
    timed = lambda given: given if isinstance(given, str) else Timed(**given)  # noqa: E731
    rows = [
        Row(
            next(kind(**row[name]) for name, kind in KINDS.items() if name in row),
            timed(row["ours"]),
            {name: timed(peer) for name, peer in row["peers"].items()},
        )
        for row in data["rows"]
    ]
    return rows, data["peers"]


def write(rows: list[Row], peers: dict[str, str]) -> None:
    plain = lambda timed: timed if isinstance(timed, str) else timed.described()  # noqa: E731
    made = [
        {
            next(name for name, kind in KINDS.items() if isinstance(row.operation, kind)): asdict(row.operation),
            "ours": plain(row.ours),
            "peers": {name: plain(peer) for name, peer in row.peers.items()},
        }
        for row in rows
    ]
    DATA.write_text(json.dumps({"peers": peers, "rows": made}, indent=1) + "\n")
