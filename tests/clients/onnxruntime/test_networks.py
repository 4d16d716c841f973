"""The networks that learn elsewhere run here: every product and convolution is a kernel, results are the CPU's."""

from __future__ import annotations

from pathlib import Path

import learning_testing
import networks
import pytest


@pytest.mark.parametrize("gpu", ["mi300x", "rx9070xt"])
@pytest.mark.parametrize("network", ["cnn", "experts"])
def test_every_product_and_convolution_is_a_kernel(gpu: str, network: str, tmp_path: Path) -> None:
    seed, _ = learning_testing.expected(network)
    got, report = learning_testing.reported(gpu, networks.__file__, [network], seed, tmp_path)
    learning_testing.agree(got, {"logits": networks.case(network, seed)[2]})
    assert learning_testing.products(report) > 0
    calls = {call["function"] for call in report["library_calls"]}
    assert not {call for call in calls if "gemm" in call.lower() or "conv" in call.lower()}, "the host computed these"
