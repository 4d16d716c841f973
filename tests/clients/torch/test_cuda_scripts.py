"""Programs that say "cuda", unmodified: each in a process of its own, where that is what the device is called."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.representative

SCRIPT = Path(__file__).parent / "cuda_training.py"


def run(*command: object, **environment: str) -> subprocess.CompletedProcess[str]:
    """Runs a program of Python's, which has to succeed."""
    done = subprocess.run(
        [sys.executable, *map(str, command)],
        env=os.environ | environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done


def test_a_training_script(tmp_path: Path) -> None:
    done = run(SCRIPT, tmp_path / "checkpoint.pt", WAVESMITH_TORCH="cuda")
    assert done.stdout.startswith("training on ") and "losses" in done.stdout


def test_what_programs_ask_of_cuda() -> None:
    done = run("-c", PARTS, str(Path(__file__).parent))
    assert done.stdout.splitlines()[-1] == "all of it"


def test_without_being_asked_for_it_pytorch_stays_as_it_is() -> None:
    done = run("-c", "import sys, torch; print(torch.cuda.is_available(), 'wavesmith.torch' in sys.modules)")
    assert done.stdout == "False False\n"


def test_the_device_has_one_name() -> None:
    program = "import wavesmith, wavesmith.torch; wavesmith.use(torch_cuda=True)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode and "it has one name only" in done.stderr and "before wavesmith.torch" in done.stderr


PARTS = """
import wavesmith

wavesmith.use(torch_cuda=True)
import torch

cuda = torch.cuda
x = torch.randn(4, 6, device="cuda", requires_grad=True)
assert x.is_cuda and x.device.type == "cuda" and x.get_device() == 0 and str(x.device) == "cuda:0"
assert torch.version.hip and torch.version.cuda is None and cuda.is_initialized() and torch.backends.cuda.is_built()
assert cuda.get_device_properties(0).gcnArchName.startswith("gfx") and len(cuda.get_device_capability()) == 2
assert torch.accelerator.current_accelerator().type == "cuda" and torch.get_device_module("cuda") is cuda
assert cuda.mem_get_info()[1] == cuda.get_device_properties(0).total_memory and "Allocated" in cuda.memory_summary()
assert cuda.is_bf16_supported() and cuda.get_arch_list() and torch.wavesmith.device_count() == cuda.device_count()

(x.sigmoid() * torch.ones(4, 6).cuda()).sum().backward()
assert torch.allclose(x.grad.cpu(), torch.sigmoid(x.cpu()) * (1 - torch.sigmoid(x.cpu())), atol=1e-6)
with cuda.device(0), cuda.stream(cuda.Stream()) as _, torch.device("cuda"):
    assert torch.zeros(2).is_cuda and cuda.current_device() == 0
stream = cuda.Stream()
torch._C._cuda_setStream(stream_id=stream.stream_id, device_index=stream.device_index, device_type=stream.device_type)
assert cuda.current_stream() == stream
cuda.set_stream(cuda.default_stream())
state = cuda.get_rng_state()
first = torch.rand(5, device="cuda")
cuda.set_rng_state(state)
assert torch.equal(first, torch.rand(5, device="cuda"))
assert torch.equal(torch.randn(3, generator=torch.Generator("cuda").manual_seed(4), device="cuda"),
                   torch.randn(3, generator=torch.Generator("cuda").manual_seed(4), device="cuda"))
assert torch.ones(3).pin_memory().is_pinned() and torch.ones(3, device="cuda").to("cpu", non_blocking=True).is_pinned()
assert isinstance(x.detach(), cuda.FloatTensor) and cuda.LongTensor([3]).tolist() == [3]
storage = torch.UntypedStorage(8, device="cuda")
assert storage.is_cuda and storage.resize_(16).nbytes() == 16 and storage.cpu().device.type == "cpu"
kind, index = x.detach().__dlpack_device__()
assert (int(kind), index) == (10, 0) and torch.from_dlpack(x.detach()).data_ptr() == x.data_ptr()
assert x.detach().__cuda_array_interface__["data"][0] == x.data_ptr()

graph, y = cuda.CUDAGraph(), torch.zeros(6, device="cuda")
with cuda.graph(graph):
    y.copy_(x.detach()[0])
x.data.fill_(5)
graph.replay()
cuda.synchronize()
assert y.tolist() == [5] * 6
with cuda.amp.autocast(), cuda.nvtx.range("products"):
    assert (x @ x.t()).dtype == torch.float16
assert torch.equal(torch.compile(lambda value: value + 1, backend="eager")(y).cpu(), torch.full((6,), 6.0))
layer = torch.nn.TransformerEncoderLayer(16, 2, 32, batch_first=True).cuda()
layer(torch.randn(2, 5, 16, device="cuda")).sum().backward()
convolution = torch.nn.Sequential(torch.nn.Conv2d(3, 4, 3), torch.nn.BatchNorm2d(4)).cuda()
assert convolution(torch.randn(2, 3, 8, 8, device="cuda")).shape == (2, 4, 6, 6)
probabilities, labels = torch.randn(6, 2, 4, device="cuda").log_softmax(2), torch.tensor([[1, 2], [3, 1]]).cuda()
assert torch.nn.functional.ctc_loss(probabilities, labels, torch.tensor([6, 6]), torch.tensor([2, 2])).isfinite()
if cuda.device_count() > 1:
    several, one = torch.nn.DataParallel(torch.nn.Linear(3, 2).cuda()), torch.randn(5, 3)
    several(one.cuda()).sum().backward()
    assert torch.allclose(several.module.weight.grad.cpu(), one.sum(0).expand(2, 3), atol=1e-5)
try:
    torch.ones(1, device="cuda:9")
except RuntimeError as error:
    assert "cuda:9 is not there" in str(error), error
print("all of it")
"""
