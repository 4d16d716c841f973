"""A linear layer and a convolution with their gradients, by the libraries that the environment names.

Compares with the CPU in double precision, and prints as JSON which libraries computed, how often, the names of the
kernels that ran, and the largest errors relative to the largest number.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable

import torch
import torch.nn.functional as functional

import wavesmith.torch

#: Allowed errors, of the largest number.
ALLOWED = {"float32": 1e-5, "float16": 2**-8, "bfloat16": 2**-5}


def error(call: Callable[..., torch.Tensor], *tensors: torch.Tensor) -> float:
    """The largest of the result and of the gradients of the tensors."""
    ours = [each.to("wavesmith").requires_grad_() for each in tensors]
    exact = [each.double().requires_grad_() for each in tensors]
    got, wanted = call(*ours), call(*exact)
    upstream = torch.randn(wanted.shape).to(got.dtype)
    got.backward(upstream.to("wavesmith"))
    wanted.backward(upstream.double())
    pairs = [(got, wanted), *((our.grad, their.grad) for our, their in zip(ours, exact, strict=True))]
    largest = 0.0
    for our, their in pairs:
        assert our is not None and their is not None
        wrong = (our.detach().cpu().double() - their.detach()).abs().max() / their.detach().abs().max()
        largest = max(largest, float(wrong))
    return largest


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--no-convolution", action="store_true")
    parser.add_argument("--dtype", default="float32", choices=ALLOWED)
    parser.add_argument("--size", type=int, default=64)
    parser.add_argument("--seed", type=int)
    options = parser.parse_args()
    seed = torch.seed() % 2**31 if options.seed is None else options.seed
    torch.manual_seed(seed)
    dtype, size = getattr(torch, options.dtype), options.size
    errors = {}
    with wavesmith.profile() as profile:
        x, w, b = torch.randn(size, size + 32), torch.randn(size * 2, size + 32), torch.randn(size * 2)
        errors["linear"] = error(functional.linear, x.to(dtype), w.to(dtype), b.to(dtype))
        if not options.no_convolution:
            image, kernel, bias = torch.randn(2, 8, 14, 14), torch.randn(16, 8, 3, 3), torch.randn(16)
            errors["conv2d"] = error(
                lambda x, w, b: functional.conv2d(x, w, b, padding=1), image.to(dtype), kernel.to(dtype), bias.to(dtype)
            )
    found = {
        "seed": seed,
        "errors": errors,
        "libraries": wavesmith.torch.libraries(),
        "counts": wavesmith.torch.library_counts(),
        "kernels": {row.key: row.count for row in profile.kernels()},
    }
    print(json.dumps(found, indent=1))
    assert all(each <= ALLOWED[options.dtype] for each in errors.values()), errors


if __name__ == "__main__":
    main()
