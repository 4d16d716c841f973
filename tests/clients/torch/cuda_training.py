"""A training script as people write it, for CUDA: it imports nothing of Wavesmith's (test_cuda_scripts.py runs it)."""

import copy
import sys

import torch
import torch.nn.functional as F  # noqa: N812  as people write it
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.first, self.second = nn.Linear(28 * 28, 64), nn.Linear(64, 10)
        self.dropout = nn.Dropout(0.1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.second(self.dropout(F.relu(self.first(x.flatten(1)))))


def main(checkpoint: str) -> None:
    assert torch.cuda.is_available(), "this script needs a GPU"
    torch.manual_seed(1)
    torch.cuda.manual_seed_all(1)
    torch.backends.cudnn.benchmark = True
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    print(f"training on {torch.cuda.get_device_name(device)} ({torch.cuda.device_count()} GPUs)")
    torch.cuda.reset_peak_memory_stats()

    images, labels = torch.rand(96, 1, 28, 28), torch.randint(0, 10, (96,))
    images[torch.arange(96), 0, labels] += 2
    loader = DataLoader(TensorDataset(images, labels), batch_size=32, shuffle=True, pin_memory=True)
    model = Net().cuda()
    assert next(model.parameters()).is_cuda and model.first.weight.device == torch.device("cuda", 0)
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 2, gamma=0.9)
    scaler = torch.amp.GradScaler("cuda")
    start, stop = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    losses = []
    start.record()
    for _ in range(3):
        model.train()
        total = torch.zeros((), device="cuda")
        for x, y in loader:
            x, y = x.to(device, non_blocking=True), y.cuda(non_blocking=True)
            optimizer.zero_grad(set_to_none=True)
            with torch.autocast(device_type="cuda", dtype=torch.float16):
                output = model(x)
                loss = F.cross_entropy(output, y)
            assert output.dtype == torch.float16 and loss.dtype == torch.float32
            scaler.scale(loss).backward()
            scaler.unscale_(optimizer)
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            scaler.step(optimizer)
            scaler.update()
            total += loss.detach()
        scheduler.step()
        losses.append(total.item() / len(loader))
    stop.record()
    torch.cuda.synchronize()
    assert start.elapsed_time(stop) > 0
    assert losses[-1] < losses[0], losses
    assert 0 < torch.cuda.memory_allocated() <= torch.cuda.max_memory_allocated() <= torch.cuda.memory_reserved()

    torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict()}, checkpoint)
    other = Net().to(device)
    other.load_state_dict(torch.load(checkpoint, map_location=device, weights_only=True)["model"])
    model.eval(), other.eval()
    with torch.no_grad(), torch.cuda.stream(torch.cuda.Stream()):
        x = images[:8].to("cuda:0")
        assert torch.equal(model(x), other(x)) and torch.equal(copy.deepcopy(model)(x), other(x))
    torch.cuda.current_stream().synchronize()
    torch.cuda.empty_cache()
    print(f"losses {losses[0]:.3f} {losses[-1]:.3f}, {torch.cuda.max_memory_allocated() >> 10} KiB")


if __name__ == "__main__":
    main(sys.argv[1])
