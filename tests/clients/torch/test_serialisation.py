"""Tensors and modules of the device in files, pickles and copies."""

from __future__ import annotations

import copy
import io
import pickle
from pathlib import Path

import pytest
import torch

pytestmark = pytest.mark.representative


def test_checkpoints_name_the_device_and_load_elsewhere(tmp_path: Path) -> None:
    module = torch.nn.Linear(3, 2).to("wavesmith")
    x = torch.randn(4, 4, device="wavesmith")
    path = tmp_path / "checkpoint.pt"
    torch.save({"module": module.state_dict(), "x": x, "view": x[1:, :2]}, path)
    to_first = lambda storage, _: storage.wavesmith(0)  # noqa: E731
    for place in (None, "cpu", "wavesmith", "wavesmith:0", to_first, {"wavesmith:0": "cpu"}):
        for weights_only in (True, False):
            loaded = torch.load(path, map_location=place, weights_only=weights_only)
            expected = "cpu" if place == "cpu" or isinstance(place, dict) else "wavesmith"
            assert loaded["x"].device.type == loaded["module"]["weight"].device.type == expected
            assert torch.equal(loaded["x"].cpu(), x.cpu()) and torch.equal(loaded["view"].cpu(), x[1:, :2].cpu())
            assert loaded["view"].untyped_storage().data_ptr() == loaded["x"].untyped_storage().data_ptr()
    other = torch.nn.Linear(3, 2)
    other.load_state_dict(torch.load(path, weights_only=True)["module"])
    assert torch.equal(other.weight, module.weight.cpu())


def test_a_device_of_the_file_that_is_not_there_is_said(tmp_path: Path) -> None:
    file = io.BytesIO()
    torch.save(torch.ones(2, device="wavesmith"), file)
    file.seek(0)
    with pytest.raises(RuntimeError):
        torch.load(file, map_location="wavesmith:9")


def test_pickles_and_copies_stay_on_the_device() -> None:
    x = torch.randn(3, 4, device="wavesmith")
    pickled = pickle.loads(pickle.dumps(x))
    assert pickled.device == x.device and torch.equal(pickled.cpu(), x.cpu())
    both = copy.deepcopy([x, x[1]])
    both[0].fill_(7)
    assert both[1].device == x.device and both[1].tolist() == [7] * 4 and not (x == 7).any()
    module = copy.deepcopy(torch.nn.Linear(2, 2).to("wavesmith"))
    assert module.weight.is_wavesmith and isinstance(module.weight, torch.nn.Parameter)


def test_storages_move() -> None:
    storage = torch.UntypedStorage(12, device="wavesmith")
    assert storage.cpu().device.type == "cpu" and torch.ones(3).untyped_storage().wavesmith().is_wavesmith
    assert torch.ones(3).untyped_storage().wavesmith().tolist() == torch.ones(3).untyped_storage().tolist()


def test_the_default_device_is_where_things_are_made() -> None:
    torch.set_default_device("wavesmith")
    try:
        assert torch.ones(2).is_wavesmith and torch.nn.Linear(2, 2).weight.is_wavesmith
        assert torch.tensor([1.0]).is_wavesmith and torch.arange(3).is_wavesmith
    finally:
        torch.set_default_device(None)
    with torch.device("wavesmith"):
        assert torch.zeros(2).is_wavesmith
    assert torch.zeros(2).device.type == "cpu"
