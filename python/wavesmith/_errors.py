"""What can go wrong, as exceptions. Every one is a `wavesmith.Error`."""

from __future__ import annotations


class Error(Exception):
    """Something that Wavesmith could not do. The text says what, where, and what to do about it.

    Attributes:
        what: one sentence.
        where: the file, kernel, pc or line; empty when there is none.
        hint: the next step; empty when there is none.
        hip_error: the code that the HIP call returned (700 is hipErrorIllegalAddress), or None.
        report: what the emulator said about a kernel's end: kernel, pc, instruction, lane, address, the nearest
            allocation; empty when no kernel ran.
    """

    def __init__(
        self, what: str, where: str = "", hint: str = "", hip_error: int | None = None, report: str = ""
    ) -> None:
        """An error of these parts; its text is all of them."""
        self.what, self.where, self.hint, self.hip_error, self.report = what, where, hint, hip_error, report
        text = what + (f" ({where})" if where else "") + (f"; {hint}" if hint else "")
        super().__init__(text + (f"\n{report}" if report and report not in text else ""))

    def __str__(self) -> str:
        """The text, also where the error is a KeyError, which would quote it."""
        return str(self.args[0])


class InstallationError(Error):
    """A part of Wavesmith itself is missing."""


class UseError(Error):
    """`wavesmith.use` came too late, or asks for another GPU than this process already has."""


class ClientError(Error, ImportError):
    """A client is not installed, or too old."""


class ArgumentError(Error, TypeError):
    """The arguments of a launch do not fit what the kernel's metadata asks for."""


class CompileError(Error):
    """The compiler refused a source; the text is what it said."""


class BadInputError(Error, ValueError):
    """A malformed file, argument or text."""


class NotFoundError(Error, KeyError):
    """No such file, kernel, GPU or symbol."""


class WrongTargetError(Error):
    """Code for another GPU than the emulated one."""


class UnsupportedError(Error, NotImplementedError):
    """A known instruction or call that is not served."""


class OutOfMemoryError(Error, MemoryError):
    """The GPU's memory or the host's is exhausted."""


class OutOfResourcesError(Error):
    """More LDS, registers or threads than the GPU has."""


class MemoryFaultError(Error):
    """A kernel touched memory that is not its own."""


class TrapError(Error):
    """A kernel ended itself: a trap, an assertion, an illegal instruction."""


class BudgetError(Error, TimeoutError):
    """A kernel ran longer than it was allowed to."""


class InternalError(Error):
    """A defect in Wavesmith; please report it."""


#: By the exit code of the command (`cli/exit_code.h`).
_BY_EXIT_CODE: dict[int, type[Error]] = {
    2: BadInputError,
    3: BadInputError,
    4: NotFoundError,
    5: WrongTargetError,
    6: UnsupportedError,
    7: OutOfResourcesError,
    8: MemoryFaultError,
    9: BudgetError,
}


def from_command(code: int, said: str) -> Error:
    """The exception of what the command said on stderr before it ended with that exit code."""
    kind = _BY_EXIT_CODE.get(code, InternalError)
    if kind is MemoryFaultError and "memory fault" not in said:
        kind = TrapError
    what, _, rest = said.partition("wavesmith: ")[2].partition("\n")
    report = said.strip() if kind in (MemoryFaultError, TrapError, BudgetError) else ""
    return kind(what or f"the command ended with code {code}", hint=rest.partition("\n")[0].strip(), report=report)


def from_native(kind: str, what: str, where: str, hint: str, hip_error: int | None, report: str) -> Error:
    """The exception of that kind (called by wavesmith._native)."""
    made: Error = globals()[kind](what, where, hint, hip_error, report)
    return made
