"""A convolutional network and a transformer of experts learn: every product is a kernel, results are the CPU's."""

from __future__ import annotations

from pathlib import Path

import learning_testing
import pytest

pytest.importorskip("cupy")
pytestmark = pytest.mark.representative

# A step's products. Of the convolutions one forward, and two back; the classifier's three. Of each layer of the
# transformer: attention's four forward and eight back, experts' five and nine, and of the words' three.
PRODUCTS = {"cnn": 3 * 4 + 3, "experts": 2 * (4 + 8 + 5 + 9) + 3 + 1}


@pytest.mark.parametrize("gpu", ["mi300x", "rx9070xt"])
@pytest.mark.parametrize("network", PRODUCTS)
def test_every_product_is_a_kernel(gpu: str, network: str, tmp_path: Path) -> None:
    _, report = learning_testing.learns(gpu, network, "cupy", tmp_path)
    assert learning_testing.products(report) == 3 * PRODUCTS[network]
