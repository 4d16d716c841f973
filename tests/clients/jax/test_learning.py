"""A convolutional network and a transformer of experts learn: results are the CPU's.

XLA gives every product to hipBLASLt and every convolution to MIOpen, and these launch kernels of ours.
"""

from __future__ import annotations

from pathlib import Path

import learning_testing
import pytest

pytestmark = pytest.mark.representative


@pytest.mark.parametrize("gpu", ["mi300x", "rx9070xt"])
@pytest.mark.parametrize("network", ["cnn", "experts"])
def test_every_product_and_convolution_is_a_kernel(gpu: str, network: str, tmp_path: Path) -> None:
    got, report = learning_testing.learns(gpu, network, "jax", tmp_path)
    assert got["kept"] == 0, "XLA computes a product or a convolution itself"
    assert (got["convolutions"] > 0) == (network == "cnn")
    assert learning_testing.products(report) >= got["products"] + got["convolutions"]
