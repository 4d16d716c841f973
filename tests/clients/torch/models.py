"""Small models in plain PyTorch, as Hugging Face and diffusers write them, with random weights."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import torch
import torch.nn.functional as F  # noqa: N812
from torch import Tensor, nn


class RMSNorm(nn.Module):
    """x / rms(x) * weight, computed in float32."""

    def __init__(self, size: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(size))

    def forward(self, x: Tensor) -> Tensor:
        wide = x.float()
        return (wide * torch.rsqrt(wide.pow(2).mean(-1, keepdim=True) + 1e-5)).to(x.dtype) * self.weight


def rotate(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    """Rotary embedding of (batch, heads, length, size), halves together."""
    first, second = x.chunk(2, -1)
    return x * cos + torch.cat((-second, first), -1) * sin


class Attention(nn.Module):
    """Causal attention of grouped queries with rotary embedding."""

    def __init__(self, size: int, heads: int, groups: int) -> None:
        super().__init__()
        self.heads, self.groups, self.head = heads, groups, size // heads
        self.q = nn.Linear(size, size, bias=False)
        self.k, self.v = (nn.Linear(size, groups * self.head, bias=False) for _ in range(2))
        self.out = nn.Linear(size, size, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        batch, length, size = x.shape
        q = self.q(x).view(batch, length, self.heads, self.head).transpose(1, 2)
        k, v = (each(x).view(batch, length, self.groups, self.head).transpose(1, 2) for each in (self.k, self.v))
        steps = torch.arange(0, self.head, 2, device=x.device, dtype=torch.float32) / self.head
        angles = torch.arange(length, device=x.device)[:, None] / 10000.0**steps
        angles = torch.cat((angles, angles), -1)
        cos, sin = angles.cos().to(x.dtype), angles.sin().to(x.dtype)
        y = F.scaled_dot_product_attention(rotate(q, cos, sin), rotate(k, cos, sin), v, is_causal=True, enable_gqa=True)
        return self.out(y.transpose(1, 2).reshape(batch, length, size))


class GatedMlp(nn.Module):
    """down(silu(gate x) * up x)."""

    def __init__(self, size: int, inner: int) -> None:
        super().__init__()
        self.gate, self.up = (nn.Linear(size, inner, bias=False) for _ in range(2))
        self.down = nn.Linear(inner, size, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        return self.down(F.silu(self.gate(x)) * self.up(x))


class Experts(nn.Module):
    """The two best of several gated networks for each token, as Mixtral's."""

    def __init__(self, size: int, inner: int, count: int) -> None:
        super().__init__()
        self.router = nn.Linear(size, count, bias=False)
        self.experts = nn.ModuleList(GatedMlp(size, inner) for _ in range(count))

    def forward(self, x: Tensor) -> Tensor:
        tokens = x.reshape(-1, x.shape[-1])
        weights, chosen = F.softmax(self.router(tokens).float(), -1).topk(2, -1)
        weights = (weights / weights.sum(-1, keepdim=True)).to(x.dtype)
        out = torch.zeros_like(tokens)
        for number, expert in enumerate(self.experts):
            token, place = torch.where(chosen == number)
            out.index_add_(0, token, expert(tokens[token]).to(out.dtype) * weights[token, place, None])
        return out.view_as(x)


class Decoder(nn.Module):
    """A causal language model; with experts, a mixture of them."""

    def __init__(self, words: int = 97, size: int = 64, layers: int = 2, experts: int = 0) -> None:
        super().__init__()
        self.embed = nn.Embedding(words, size)
        self.layers = nn.ModuleList(
            nn.ModuleDict(
                {
                    "norm1": RMSNorm(size),
                    "attention": Attention(size, 4, 2),
                    "norm2": RMSNorm(size),
                    "mlp": Experts(size, 2 * size, experts) if experts else GatedMlp(size, 2 * size),
                }
            )
            for _ in range(layers)
        )
        self.norm = RMSNorm(size)
        self.head = nn.Linear(size, words, bias=False)

    def forward(self, tokens: Tensor) -> Tensor:
        x = self.embed(tokens)
        for layer in self.layers:
            x = x + layer["attention"](layer["norm1"](x))
            x = x + layer["mlp"](layer["norm2"](x))
        return self.head(self.norm(x))


class Bert(nn.Module):
    """An encoder with learned positions, as BERT's, and its head that guesses words."""

    def __init__(self, words: int = 97, size: int = 64, layers: int = 2) -> None:
        super().__init__()
        self.words, self.places = nn.Embedding(words, size), nn.Embedding(32, size)
        self.norm = nn.LayerNorm(size)
        layer = nn.TransformerEncoderLayer(size, 4, 2 * size, 0.0, "gelu", batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, layers, enable_nested_tensor=False)
        self.head = nn.Linear(size, words)

    def forward(self, tokens: Tensor) -> Tensor:
        places = torch.arange(tokens.shape[1], device=tokens.device)
        return self.head(self.encoder(self.norm(self.words(tokens) + self.places(places))))


class Residual(nn.Module):
    """Two convolutions beside a shortcut, as ResNet's."""

    def __init__(self, before: int, after: int, stride: int) -> None:
        super().__init__()
        self.first = nn.Conv2d(before, after, 3, stride, 1, bias=False)
        self.norm1, self.norm2 = nn.BatchNorm2d(after), nn.BatchNorm2d(after)
        self.second = nn.Conv2d(after, after, 3, 1, 1, bias=False)
        self.shortcut = nn.Conv2d(before, after, 1, stride, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        y = self.norm2(self.second(F.relu(self.norm1(self.first(x)))))
        return F.relu(y + self.shortcut(x))


class ResNet(nn.Module):
    """Pictures to classes."""

    def __init__(self, classes: int = 10) -> None:
        super().__init__()
        self.stem = nn.Sequential(
            nn.Conv2d(3, 16, 7, 2, 3, bias=False), nn.BatchNorm2d(16), nn.ReLU(), nn.MaxPool2d(3, 2, 1)
        )
        self.blocks = nn.Sequential(Residual(16, 16, 1), Residual(16, 32, 2))
        self.head = nn.Linear(32, classes)

    def forward(self, x: Tensor) -> Tensor:
        return self.head(F.adaptive_avg_pool2d(self.blocks(self.stem(x)), 1).flatten(1))


class UNetBlock(nn.Module):
    """A diffusion U-Net's block: group norm, convolutions, the time, attention over pixels, down and up again."""

    def __init__(self, size: int = 32) -> None:
        super().__init__()
        self.norm1, self.norm2, self.norm3 = (nn.GroupNorm(8, size) for _ in range(3))
        self.enter = nn.Conv2d(3, size, 3, padding=1)
        self.conv1, self.conv2 = (nn.Conv2d(size, size, 3, padding=1) for _ in range(2))
        self.time = nn.Linear(16, size)
        self.qkv, self.out = nn.Conv2d(size, 3 * size, 1), nn.Conv2d(size, size, 1)
        self.down = nn.Conv2d(size, size, 3, 2, 1)
        self.leave = nn.Conv2d(size, 3, 3, padding=1)

    def forward(self, x: Tensor, time: Tensor) -> Tensor:
        waves = time[:, None] * torch.exp(-torch.arange(8, device=x.device) * 0.9)
        embedded = self.time(torch.cat((waves.sin(), waves.cos()), -1).to(x.dtype))
        x = self.enter(x)
        y = self.conv1(F.silu(self.norm1(x))) + embedded[:, :, None, None]
        x = x + self.conv2(F.silu(self.norm2(y)))
        batch, size, height, width = x.shape
        q, k, v = self.qkv(self.norm3(x)).view(batch, 3, 4, size // 4, height * width).transpose(-1, -2).unbind(1)
        y = F.scaled_dot_product_attention(q, k, v).transpose(-1, -2).reshape(x.shape)
        x = x + self.out(y)
        x = x + F.interpolate(self.down(x), scale_factor=2.0, mode="nearest")
        return self.leave(F.silu(x))


@dataclass(frozen=True)
class Case:
    """A model with a batch for it and a loss."""

    name: str
    model: Callable[[], nn.Module]
    batch: Callable[[], tuple[Tensor, ...]]
    loss: Callable[[Tensor, tuple[Tensor, ...]], Tensor]


def _tokens() -> tuple[Tensor, ...]:
    return (torch.randint(0, 97, (2, 17)),)


def _next_word(out: Tensor, batch: tuple[Tensor, ...]) -> Tensor:
    return F.cross_entropy(out[:, :-1].flatten(0, 1).float(), batch[0][:, 1:].flatten())


def _same_word(out: Tensor, batch: tuple[Tensor, ...]) -> Tensor:
    return F.cross_entropy(out.flatten(0, 1).float(), batch[0].flatten())


CASES = (
    Case("llama", Decoder, _tokens, _next_word),
    Case("mixtral", lambda: Decoder(experts=4), _tokens, _next_word),
    Case("bert", Bert, _tokens, _same_word),
    Case(
        "resnet",
        ResNet,
        lambda: (torch.randn(4, 3, 32, 32),),
        lambda out, batch: F.cross_entropy(out.float(), torch.arange(4, device=out.device) * 2),
    ),
    Case(
        "unet",
        UNetBlock,
        lambda: (torch.randn(2, 3, 16, 16), torch.rand(2) * 100),
        lambda out, batch: F.mse_loss(out.float(), batch[0].float() * 0.5),
    ),
)

#: Wide enough that kernels fill a GPU; for their times, not for comparing.
WIDE = Case("wide", lambda: Decoder(4096, 512), lambda: (torch.randint(0, 4096, (2, 256)),), _next_word)
