"""`wavesmith.predict`: one function for each operation that the models know, and a table of many predictions."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from wavesmith._errors import BadInputError, Error, NotFoundError
from wavesmith._predict import _attention, _libraries, _matrix, _memory
from wavesmith._predict._prediction import Conditions, DType, Prediction, Size, ask, operations
from wavesmith._predict._table import Refusal, Table

if TYPE_CHECKING:
    from wavesmith._predict._prediction import Timing


class Predict:
    """How long an operation takes on a GPU, and what bounds it; nothing is run, and no GPU is emulated.

    >>> got = wavesmith.predict.gemm(4096, 4096, 4096, dtype="bf16", gpu="mi355x")
    >>> got.bound, got.confidence, got.judged.architecture
    ('matrix', 'medium', 'CDNA4')

    Each operation is a function; all of them take `gpu` and the keywords of `Conditions`. `wavesmith.predict("gemm",
    m=4096, ...)` is the same by name, and `table` predicts many shapes on several GPUs.
    """

    gemm = staticmethod(_matrix.gemm)
    conv = staticmethod(_matrix.conv)
    moe = staticmethod(_matrix.moe)
    attention = staticmethod(_attention.attention)
    decode = staticmethod(_attention.decode)
    paged = staticmethod(_attention.paged)
    mla = staticmethod(_attention.mla)
    delta_rule = staticmethod(_attention.delta_rule)
    norm = staticmethod(_memory.norm)
    softmax = staticmethod(_memory.softmax)
    elementwise = staticmethod(_memory.elementwise)
    copy = staticmethod(_memory.copy)
    transpose = staticmethod(_memory.transpose)
    reduce = staticmethod(_memory.reduce)
    stream = staticmethod(_memory.stream)
    allreduce = staticmethod(_libraries.allreduce)
    fft = staticmethod(_libraries.fft)
    factor = staticmethod(_libraries.factor)

    def __call__(
        self,
        operation: str,
        /,
        *,
        gpu: str = "mi300x",
        set: Mapping[str, object] | None = None,
        clock: float | None = None,
        timing: Timing = "profiler",
        warm: bool = False,
        **parameters: Size | bool | Sequence[int] | DType | None,
    ) -> Prediction:
        """Predicts an operation by its name.

        >>> wavesmith.predict("decode", batch=64, context=8192, set={"memory.bandwidth": "8TB/s"}).bound
        'HBM'

        Args:
            operation: one of `operations()`: "gemm", "attention", "norm", "copy", ...
            gpu: its id or a data file, also with changes: "mi355x", "./my.toml", "mi300x+l2.bytes=8388608".
            set: numbers of the GPU to change: {"memory.bandwidth": "8TB/s"}.
            clock: the engine clock held there, in MHz; otherwise what the power limit leaves.
            timing: how the time would be taken.
            warm: the operands were touched just before: they stand in the caches that hold them.
            parameters: the operation's, by the command line's names with _ for -: m=4096, dtype="bf16", causal=True,
                bytes="64MiB", groups=[128, 7, 512].

        Raises:
            NotFoundError: there is no such operation or GPU; the text names those that there are.
            BadInputError: a parameter is missing, unknown or does not fit.
            UnsupportedError: the GPU cannot do that: a type that it has no instructions for.
        """
        conditions = Conditions(set=set, clock=clock, timing=timing, warm=warm)
        return ask(operation, gpu, conditions, parameters)

    def table(
        self,
        operation: str,
        shapes: Iterable[Mapping[str, object] | Sequence[object]],
        *,
        gpu: str | Sequence[str] = "mi300x",
        set: Mapping[str, object] | None = None,
        clock: float | None = None,
        timing: Timing = "profiler",
        warm: bool = False,
        keep_refused: bool = False,
        **parameters: Size | bool | Sequence[int] | DType | None,
    ) -> Table:
        """Predicts each shape on each GPU.

        >>> shapes = [(m, 4096, 4096) for m in (1, 64, 4096)]
        >>> table = wavesmith.predict.table("gemm", shapes, gpu=["mi300x", "mi355x"], dtype="f8")
        >>> len(table), table[0].gpu, table[1].gpu
        (6, 'mi300x', 'mi355x')
        >>> table.to_frame().pivot(index="m", columns="gpu", values="seconds").shape     # needs pandas
        (3, 2)

        Args:
            operation: one of `operations()`.
            shapes: for each the parameters that differ, as a dictionary ({"m": 1, "n": 4096, "k": 4096}) or as the
                positional arguments of the operation's function ((1, 4096, 4096)).
            gpu: one or several.
            set: as `wavesmith.predict`, for all, and the next ones.
            clock: MHz.
            timing: how the time would be taken.
            warm: operands stand in the caches that hold them.
            keep_refused: goes on where a GPU cannot do a shape and lists it in `refused`, as long as one of them can;
                otherwise the first refusal is raised.
            parameters: what all shapes have in common.

        Raises:
            BadInputError: a shape has more values than the operation has positions.
            Error: as `wavesmith.predict`.
        """
        conditions = Conditions(set=set, clock=clock, timing=timing, warm=warm)
        gpus = [gpu] if isinstance(gpu, str) else list(gpu)
        found: list[Prediction] = []
        refused: list[Refusal] = []
        for shape in shapes:
            asked = {**parameters, **(shape if isinstance(shape, Mapping) else self._named(operation, shape))}
            for one in gpus:
                try:
                    found.append(ask(operation, one, conditions, asked))
                except Error as error:
                    if not keep_refused:
                        raise
                    refused.append(Refusal(operation, one, asked, error))
        if refused and not found:
            raise refused[0].error
        return Table(tuple(found), tuple(refused))

    def _named(self, operation: str, values: Sequence[object]) -> dict[str, object]:
        """The values of a function's positions by keyword."""
        if operation not in (known := [one.name for one in operations()]):
            raise NotFoundError(f"no operation '{operation}' is modelled", hint=f"modelled are {', '.join(known)}")
        function = getattr(self, operation.replace("-", "_"))
        positions = [
            name
            for name, one in inspect.signature(function).parameters.items()
            if one.kind is one.POSITIONAL_OR_KEYWORD
        ]
        if len(values) > len(positions):
            raise BadInputError(
                f"a shape of {operation} with {len(values)} values", hint=f"its positions are {', '.join(positions)}"
            )
        return dict(zip(positions, values, strict=False))


predict = Predict()
