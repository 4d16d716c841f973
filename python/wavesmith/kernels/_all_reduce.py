"""Sums over the GPUs of a process, and the norm that follows them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from wavesmith._errors import BadInputError
from wavesmith._module import _hip
from wavesmith.kernels._arrays import Copies, Operand, current_device, new_result, operand, taken_over, word_of
from wavesmith.kernels._kernel_library import ArrayT, library


class AllReduce:
    """Ranks, each a GPU of this process, that add up their arrays.

    >>> with wavesmith.kernels.AllReduce(range(8), rows=64, columns=8192, dtype="bf16") as ranks:
    ...     ys, sums = ranks.rms_norm(xs, weights, residuals=residuals)

    Each GPU gets a buffer for what the others send, kept until `close`. Arrays come in lists of one for each rank, in
    that GPU's memory or all in the host's; every rank gets the same bits, in each run.
    """

    def __init__(self, devices: Sequence[int], *, rows: int, columns: int, dtype: object) -> None:
        """Makes the buffers.

        Args:
            devices: the ranks' GPUs, 2 to 8.
            rows: the most that an array has.
            columns: the most that a row has.
            dtype: float16 or bfloat16.
        """
        self._hip = _hip()
        self._devices = list(devices)
        self._type = word_of(dtype)
        self._buffers: list[int] = []
        self._bytes = 0
        for device in self._devices:
            with current_device(self._hip, device):
                for other in self._devices:
                    if other != device:
                        self._hip.reach(other)
                if not self._bytes:
                    self._bytes = library().all_reduce_buffer((rows, columns), len(self._devices), self._type)
                self._buffers.append(self._hip.allocate_shared(self._bytes))

    def __enter__(self) -> AllReduce:
        return self

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        self.close()

    def close(self) -> None:
        """Frees the buffers, when their GPUs have done what they were given."""
        for device, buffer in zip(self._devices, self._buffers, strict=False):
            with current_device(self._hip, device):
                self._hip.synchronize()
                self._hip.free(buffer)
        self._buffers = []

    def sum(self, xs: Sequence[ArrayT]) -> list[ArrayT]:
        """The sum of all ranks' arrays, for each rank: of float32, in the order of ranks, rounded once."""
        return self._run(xs, None, None, 0.0, 0.0, normed=False)[1]

    def rms_norm(
        self,
        xs: Sequence[ArrayT],
        weights: Sequence[ArrayT] | None = None,
        *,
        residuals: Sequence[ArrayT] | None = None,
        eps: float = 1e-5,
        weight_offset: float = 0.0,
    ) -> tuple[list[ArrayT], list[ArrayT]]:
        """The norm of the sum, as `rms_norm` makes it, and the sum.

        Args:
            xs: of the ranks' type, alike in shape, without gaps; a row has a multiple of 8 elements, at most 16,384.
            weights: one element per column, the same on all ranks. None: 1.
            residuals: shaped as xs, the same on all ranks; added last.
            eps: what is added to the mean square.
            weight_offset: 1 for models that keep weight - 1, such as Gemma.
        """
        return self._run(xs, weights, residuals, eps, weight_offset, normed=True)

    def _operands(self, name: str, arrays: Sequence[Any] | None, shape: tuple[int, ...] | None) -> list[Operand]:
        if arrays is None:
            return []
        if len(arrays) != len(self._devices):
            raise BadInputError(f"{name} has {len(arrays)} arrays, and there are {len(self._devices)} ranks")
        made = [operand(f"{name}[{rank}]", array, None) for rank, array in enumerate(arrays)]
        for one, device in zip(made, self._devices, strict=True):
            if one.device not in (None, device) or (one.device is None) != (made[0].device is None):
                raise BadInputError(f"{one.name} lies in {one.place()}, and its rank is GPU {device}")
            if one.shape != (shape or made[0].shape):
                raise BadInputError(f"{one.name} has shape {one.shape}, not {shape or made[0].shape}")
            if one.type != self._type:
                raise BadInputError(f"{one.name} is of {one.type}, and the ranks' buffers are for {self._type}")
            rows, columns, stride = one.rows()
            if rows > 1 and stride != columns:
                raise BadInputError(f"{one.name} has gaps between its rows")
        return made

    def _run(
        self,
        xs: Sequence[Any],
        weights: Sequence[Any] | None,
        residuals: Sequence[Any] | None,
        eps: float,
        weight_offset: float,
        *,
        normed: bool,
    ) -> tuple[list[Any], list[Any]]:
        if not self._buffers:
            raise BadInputError("the ranks are closed")
        on_xs = self._operands("xs", xs, None)
        rows, columns, _ = on_xs[0].rows()
        on_weights = self._operands("weights", weights, (columns,))
        on_residuals = self._operands("residuals", residuals, on_xs[0].shape)
        results = [
            [new_result(self._hip, x, on, on.shape, on.type) for x, on in zip(xs, on_xs, strict=True)]
            for _ in range(1 + normed)
        ]
        on_host = on_xs[0].device is None
        with Copies(self._hip) as copies:
            placed: list[list[Operand]] = []
            for rank, device in enumerate(self._devices):
                with current_device(self._hip, device):

                    def place(one: Operand, *, empty: bool = False) -> Operand:
                        return copies.of(one, empty=empty) if on_host else one

                    outs = [place(made[rank][1], empty=True) for made in results]
                    placed.append(outs)
                    library().all_reduce(
                        (rows, columns),
                        rank,
                        self._type,
                        place(on_xs[rank]).address,
                        place(on_residuals[rank]).address if on_residuals else 0,
                        outs[0].address,
                        outs[1].address if normed else 0,
                        place(on_weights[rank]).address if on_weights else 0,
                        weight_offset,
                        eps,
                        self._buffers,
                        self._bytes,
                        0,
                    )
            if on_host:
                for rank, device in enumerate(self._devices):
                    with current_device(self._hip, device):
                        self._hip.synchronize()
                        for made, out in zip(results, placed[rank], strict=True):
                            copies.bring_back(out, made[rank][1])
        arrays = [
            [taken_over(self._hip, x, made, on.device, 0) for x, (made, on) in zip(xs, one, strict=True)]
            for one in results
        ]
        return (arrays[1] if normed else []), arrays[0]
