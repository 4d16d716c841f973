"""A small transformer's inference and a dense network's training, on one GPU and sharded over eight.

XLA gives every product to AMD's libraries: it is a kernel of ours, and results are the CPU's.
"""

from __future__ import annotations

from pathlib import Path

import network
import network_testing
import pytest

pytestmark = pytest.mark.representative


@pytest.mark.parametrize("gpu", ["mi300x", "mi210", "rx9070xt"])
def test_every_product_is_a_kernel(gpu: str, tmp_path: Path) -> None:
    got, report = network_testing.reported(gpu, "jax", tmp_path)
    assert report["library_calls"] == []
    assert (got["products"], got["kept"]) == (network.PRODUCTS, 0)
    assert network_testing.products(report["kernels"]) == network.PRODUCTS


def test_eight_gpus(tmp_path: Path) -> None:
    got, report = network_testing.reported("mi300x:8", "jax", tmp_path)
    assert len(report["gpus"]) == 8
    assert {call["library"] for call in report["library_calls"]} == {"rccl"}
    assert got["kept"] == 0
    assert network_testing.products(report["kernels"]) == 8 * got["products"] > 0


def test_profile_has_the_time_of_each_kernel(tmp_path: Path) -> None:
    network_testing.profiled("mi300x", "jax", tmp_path)
