"""Random numbers of the devices: `torch.wavesmith.manual_seed` and what belongs to it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch

from wavesmith.torch._streams import index_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

__all__ = [
    "default_generators",
    "get_rng_state",
    "get_rng_state_all",
    "initial_seed",
    "manual_seed",
    "manual_seed_all",
    "seed",
    "seed_all",
    "set_rng_state",
    "set_rng_state_all",
]


class _Generators:
    """The default generator of each device, by its number."""

    def __getitem__(self, index: int) -> torch.Generator:
        if not 0 <= index < len(self):
            raise IndexError(f"device {index} of {len(self)}")
        generator: torch.Generator = torch.ops.wavesmith_device.default_generator(index)
        return generator

    def __iter__(self) -> Iterator[torch.Generator]:
        return (self[index] for index in range(len(self)))

    def __len__(self) -> int:
        return int(torch.ops.wavesmith_device.device_count())


default_generators = _Generators()


def manual_seed(seed: int) -> None:
    """Seeds the current device's generator."""
    default_generators[index_of(None)].manual_seed(int(seed))


def manual_seed_all(seed: int) -> None:
    """Seeds the generators of all devices."""
    for generator in default_generators:
        generator.manual_seed(int(seed))


def seed() -> None:
    """Seeds the current device's generator by chance."""
    default_generators[index_of(None)].seed()


def seed_all() -> None:
    """Seeds the generators of all devices by one number of chance."""
    manual_seed_all(torch.Generator().seed())


def initial_seed() -> int:
    """The seed of the current device's generator."""
    return default_generators[index_of(None)].initial_seed()


def get_rng_state(device: Any = None) -> torch.Tensor:
    """The state of a device's generator, a tensor of bytes of the CPU."""
    return default_generators[index_of(device)].get_state()


def set_rng_state(new_state: torch.Tensor, device: Any = None) -> None:
    """Gives a device's generator a state that `get_rng_state` told."""
    default_generators[index_of(device)].set_state(new_state.cpu())


def get_rng_state_all() -> list[torch.Tensor]:
    """The state of each device's generator."""
    return [generator.get_state() for generator in default_generators]


def set_rng_state_all(new_states: Iterable[torch.Tensor]) -> None:
    """Gives each device's generator a state."""
    for index, state in enumerate(new_states):
        set_rng_state(state, index)
