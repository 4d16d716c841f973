"""Predictions of many shapes on several GPUs, as a table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, overload

from wavesmith._errors import ClientError, Error

if TYPE_CHECKING:
    from pandas import DataFrame

    from wavesmith._predict._prediction import Prediction


@dataclass(frozen=True)
class Refusal:
    """A shape that cannot be predicted on a GPU, and why."""

    operation: str
    gpu: str
    parameters: dict[str, object]
    """By keyword."""
    error: Error


@dataclass(frozen=True)
class Table(Sequence["Prediction"]):
    """Predictions, the GPUs of each shape beside each other."""

    predictions: tuple[Prediction, ...]
    refused: tuple[Refusal, ...] = ()

    def __len__(self) -> int:
        return len(self.predictions)

    @overload
    def __getitem__(self, index: int) -> Prediction: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Prediction, ...]: ...
    def __getitem__(self, index: int | slice) -> Prediction | tuple[Prediction, ...]:
        return self.predictions[index]

    def __iter__(self) -> Iterator[Prediction]:
        return iter(self.predictions)

    def to_rows(self) -> list[dict[str, Any]]:
        """A row for each prediction: `Prediction.to_row()`."""
        return [one.to_row() for one in self.predictions]

    def to_frame(self) -> DataFrame:
        """The rows as a pandas.DataFrame; an argument that a row was not given is missing there.

        Raises:
            ClientError: pandas is not installed.
        """
        try:
            import pandas
        except ImportError:
            raise ClientError("pandas is not installed", hint="pip install pandas, or use to_rows()") from None
        return pandas.DataFrame(self.to_rows())
