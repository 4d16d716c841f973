"""A small convolutional network: its loss and slopes, for the arrays of NumPy, CuPy or JAX.

Windows of three by three, of two pixels' steps, of each channel alone, and of single pixels.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from types import ModuleType
from typing import Any

import numpy as np
from arrays import Arrays, contiguous, cross_entropy, silu, silu_slope

IMAGES, CHANNELS, SIDE, CLASSES = 6, 3, 13, 5


@dataclass(frozen=True)
class Layer:
    """A convolution; `groups` of channels are convolved by themselves."""

    inputs: int
    outputs: int
    window: int
    step: int = 1
    padding: int = 0
    groups: int = 1


LAYERS = {
    "plain": Layer(CHANNELS, 8, 3, padding=1),
    "steps": Layer(8, 12, 3, step=2, padding=1),
    "channels": Layer(12, 12, 3, padding=1, groups=12),
    "pixels": Layer(12, 16, 1),
}


def parameters(random: np.random.Generator) -> Arrays:
    """Weights of the usual sizes: normal, divided by the square root of the number of inputs."""
    made = {}
    for name, layer in LAYERS.items():
        shape = (layer.outputs, layer.inputs // layer.groups, layer.window, layer.window)
        made[name] = random.standard_normal(shape) / np.sqrt(np.prod(shape[1:]))
    return made | {"classifier": random.standard_normal((LAYERS["pixels"].outputs, CLASSES)) / 4}


def inputs(random: np.random.Generator) -> Arrays:
    images = random.standard_normal((IMAGES, CHANNELS, SIDE, SIDE))
    return {"images": images, "classes": random.integers(0, CLASSES, IMAGES)}


def padded(xp: ModuleType, x: Any, padding: int) -> Any:
    return xp.pad(x, ((0, 0), (0, 0), (padding, padding), (padding, padding)))


def columns(xp: ModuleType, x: Any, layer: Layer) -> Any:
    """What each place of the window sees: groups by taps by places."""
    x = padded(xp, x, layer.padding)
    images, channels, height, width = x.shape
    of_image, of_channel, of_row, of_pixel = x.strides
    places = (height - layer.window) // layer.step + 1, (width - layer.window) // layer.step + 1
    seen = xp.lib.stride_tricks.as_strided(
        x,
        (channels, layer.window, layer.window, images, *places),
        (of_channel, of_row, of_pixel, of_image, layer.step * of_row, layer.step * of_pixel),
    )
    return contiguous(xp, seen).reshape(layer.groups, -1, images * places[0] * places[1])


def convolved(xp: ModuleType, x: Any, weight: Any, layer: Layer) -> Any:
    """As one product per group."""
    side = (x.shape[2] + 2 * layer.padding - layer.window) // layer.step + 1
    factors = weight.reshape(layer.groups, layer.outputs // layer.groups, -1)
    made = (factors @ columns(xp, x, layer)).reshape(layer.outputs, x.shape[0], side, side)
    return contiguous(xp, made.transpose(1, 0, 2, 3))


def convolution_slopes(xp: ModuleType, x: Any, weight: Any, slope: Any, layer: Layer) -> tuple[Any, Any]:
    """Of the input and of the weight."""
    upstream = contiguous(xp, slope.transpose(1, 0, 2, 3)).reshape(layer.groups, layer.outputs // layer.groups, -1)
    of_weight = upstream @ contiguous(xp, columns(xp, x, layer).transpose(0, 2, 1))
    factors = weight.reshape(layer.groups, layer.outputs // layer.groups, -1)
    images, _, height, width = slope.shape
    taps = (contiguous(xp, factors.transpose(0, 2, 1)) @ upstream).reshape(
        layer.inputs, layer.window, layer.window, images, height, width
    )
    of_input = padded(xp, xp.zeros_like(x), layer.padding)
    for i in range(layer.window):
        for j in range(layer.window):
            rows = slice(i, i + layer.step * (height - 1) + 1, layer.step)
            pixels = slice(j, j + layer.step * (width - 1) + 1, layer.step)
            of_input[:, :, rows, pixels] += taps[:, i, j].transpose(1, 0, 2, 3)
    inside = slice(layer.padding, layer.padding + x.shape[2])
    return of_input[:, :, inside, inside], of_weight.reshape(weight.shape)


def logits(xp: ModuleType, p: Arrays, images: Any, convolve: Any) -> tuple[Any, list[tuple[Any, Any]]]:
    """Of each class; and each layer's input and output."""
    x, seen = images, []
    for name, layer in LAYERS.items():
        y = convolve(x, p[name], layer)
        seen.append((x, y))
        x = silu(xp, y)
    return x.mean(axis=(2, 3)) @ p["classifier"], seen


def loss(xp: ModuleType, p: Arrays, given: Arrays, convolve: Any) -> Any:
    return cross_entropy(xp, logits(xp, p, given["images"], convolve)[0], given["classes"])[0]


def slopes(xp: ModuleType, p: Arrays, given: Arrays) -> tuple[Any, Arrays]:
    """The loss, and its slopes for all parameters."""
    chosen, seen = logits(xp, p, given["images"], partial(convolved, xp))
    value, slope = cross_entropy(xp, chosen, given["classes"])
    last = silu(xp, seen[-1][1])
    made = {"classifier": last.mean(axis=(2, 3)).T @ slope}
    of_pixels = (slope @ contiguous(xp, p["classifier"].T)) / (last.shape[2] * last.shape[3])
    upstream = of_pixels[:, :, None, None] + xp.zeros_like(last)
    for (name, layer), (x, y) in reversed(list(zip(LAYERS.items(), seen, strict=True))):
        upstream, made[name] = convolution_slopes(xp, x, p[name], upstream * silu_slope(xp, y), layer)
    return value, made


def margin(p: Arrays, given: Arrays) -> float:
    """Nothing is chosen here that a rounding error could change."""
    return np.inf
