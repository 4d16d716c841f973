"""A small transformer's inference and a dense network's training: every product is a kernel, results are the CPU's."""

from __future__ import annotations

from pathlib import Path

import network
import network_testing
import pytest

pytest.importorskip("cupy")
pytestmark = pytest.mark.representative


@pytest.mark.parametrize("gpu", ["mi300x", "mi210", "rx9070xt"])
def test_every_product_is_a_kernel(gpu: str, tmp_path: Path) -> None:
    _, report = network_testing.reported(gpu, "cupy", tmp_path)
    assert report["library_calls"] == []
    assert network_testing.products(report["kernels"]) == network.PRODUCTS


def test_profile_has_the_time_of_each_kernel(tmp_path: Path) -> None:
    network_testing.profiled("mi300x", "cupy", tmp_path)
