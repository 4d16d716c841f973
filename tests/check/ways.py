"""The ways that lead to an instruction, and what stands on them, for arguments about wait states."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from kernel_code import Instruction, KernelCode
from operators import Mutant

#: Wait states that are looked back on CDNA, instructions on RDNA; ways at most.
FAR, FAR_ON_RDNA, MOST = 24, 60, 2000
#: A taken branch lasts sixteen cycles on CDNA (isa/cost).
TAKEN = 4
LEAVES = re.compile(r"s_(branch|endpgm|setpc|trap)")


@dataclass(frozen=True)
class Step:
    """An instruction before another one, and the wait states between the two."""

    one: Instruction
    between: int


class TooManyWaysError(Exception):
    """There are more ways than are looked at."""


@dataclass(frozen=True)
class Run:
    """What a run of a kernel comes by."""

    executed: set[tuple[int, str]]  # offsets and texts; empty: that is not known
    jumps: set[tuple[int, int]] | None  # of branches that are taken; None: that is not known
    read: set[str] | None = None  # scalar registers that the VALU has read before an s_wait_alu; None: not known

    def executes(self, one: Instruction) -> bool:
        return not self.executed or (one.offset, one.text) in self.executed

    def takes(self, one: Instruction) -> bool:
        """Whether it is a branch that is taken, or may be."""
        if one.target is None or not self.executes(one):
            return False
        return self.jumps is None or (one.offset, one.target) in self.jumps


def ways_to(code: KernelCode, run: Run, mutant: Mutant) -> Iterator[list[Step]]:
    """The ways to the instruction behind a mutant's place, nearest first, of instructions that the run executes.

    What is left of the mutant's own states counts; a place that is gone is on no way.
    """
    instructions = code.instructions
    place = next(i for i, one in enumerate(instructions) if one.offset == mutant.at.offset)
    branches: dict[int, list[int]] = {}
    for i, one in enumerate(instructions):
        if one.target is not None and run.takes(one):
            branches.setdefault(one.target, []).append(i)
    found, far = 0, FAR if code.is_cdna else FAR_ON_RDNA

    def states_of(i: int, taken: bool) -> int:
        one = instructions[i]
        if i == place:
            return one.word & 0xFFFF if one.mnemonic == "s_nop" and mutant.what != "removed" else 0
        if taken:
            return TAKEN
        return (one.word & 0xFFFF) + 1 if one.mnemonic == "s_nop" else 1

    def back(i: int, states: int, way: list[Step]) -> Iterator[list[Step]]:
        nonlocal found
        before = [(j, True) for j in branches.get(instructions[i].offset, [])]
        if i and run.executes(instructions[i - 1]) and not LEAVES.match(instructions[i - 1].text):
            before.append((i - 1, False))
        if not before or states >= far:
            found += 1
            if found > MOST:
                raise TooManyWaysError
            yield way
            return
        for j, taken in before:
            step = [] if j == place else [Step(instructions[j], states + (TAKEN - 1 if taken else 0))]
            yield from back(j, states + states_of(j, taken), way + step)

    yield from back(place + 1, 0, [])


def reached(
    code: KernelCode, run: Run, begin: Instruction, ends: Callable[[Instruction], bool] = lambda _: False
) -> list[Instruction]:
    """What the run may execute behind an instruction, up to those at which a way ends, which are not among it."""
    at = {one.offset: i for i, one in enumerate(code.instructions)}
    seen: set[int] = set()
    left = [at[begin.offset]]
    while left:
        one = code.instructions[left[-1]]
        after = [] if LEAVES.match(one.text) else [left[-1] + 1]
        after += [at[one.target]] if one.target in at and run.takes(one) else []
        left.pop()
        for j in after:
            if j < len(code.instructions) and j not in seen and run.executes(code.instructions[j]):
                seen.add(j)
                if not ends(code.instructions[j]):
                    left.append(j)
    return [code.instructions[i] for i in sorted(seen) if not ends(code.instructions[i])]


def comes_to(code: KernelCode, run: Run, begin: Instruction, end: Instruction) -> bool:
    """Whether there is a way from behind an instruction to another one."""
    return any(one.offset == end.offset for one in reached(code, run, begin))
