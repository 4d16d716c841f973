"""A call whose result is shaped like an array that it is given."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from wavesmith._errors import BadInputError
from wavesmith._module import _hip
from wavesmith.kernels._arrays import Copies, Operand, current_device, new_result, operand, taken_over, word_of


def check_shape(one: Operand, shape: tuple[int, ...], other: str) -> None:
    if one.shape != shape:
        raise BadInputError(f"{one.name} has shape {one.shape}, {other} {shape}")


class Call:
    """A call whose result is shaped like an array that it is given."""

    def __init__(
        self,
        like: object,
        on: Operand,
        out: Any,
        shape: tuple[int, ...],
        dtype: object,
        stream: int | None,
        name: str = "out",
    ) -> None:
        self._like, self._given = like, out
        self._hip = _hip()
        self.stream = stream or 0
        kind = on.type if dtype is None else word_of(dtype)
        self._made: object = None
        if out is not None:
            self.out = operand(name, out, stream, written=True, raw=True)
            if dtype is not None and self.out.type != kind:
                raise BadInputError(f"out is of {self.out.type}, and dtype says {kind}")
            check_shape(self.out, shape, "the result")
        else:
            self._made, self.out = new_result(self._hip, like, on, shape, kind)

    def run(
        self,
        inputs: list[Operand],
        launch: Callable[[Callable[[Operand], Operand]], None],
        more_results: list[Operand] | None = None,
    ) -> None:
        """Calls `launch` with a function that says where an operand is for the GPU."""
        results = [self.out, *(more_results or [])]
        for one in [*inputs, *results]:
            if one.device != inputs[0].device:
                raise BadInputError(f"{inputs[0].name} lies in {inputs[0].place()} and {one.name} in {one.place()}")
        with current_device(self._hip, inputs[0].device):
            if inputs[0].device is not None:
                launch(lambda one: one)
                return
            with Copies(self._hip) as copies:
                placed = {id(one): copies.of(one) for one in inputs}
                placed |= {id(one): copies.of(one, empty=True) for one in results}
                launch(lambda one: placed[id(one)])
                self._hip.synchronize()
                for one in results:
                    copies.bring_back(placed[id(one)], one)

    def result(self) -> Any:
        if self._given is not None:
            return self._given
        return taken_over(self._hip, self._like, self._made, self.out.device, self.stream)
