"""Wait states that compilers and assembly put where the hardware needs none, or fewer: those mutants are right.

By AMD's CDNA3 and RDNA4 ISA references ("Manually Inserted Wait States", "Dependency Resolution") and LLVM 22's
AMDGPUWaitSGPRHazards.cpp, from the instructions around the place alone: how far the checkers know this plays no part.
"""

from __future__ import annotations

import re

from kernel_code import Instruction, KernelCode
from operators import Mutant, registers

MASKED = re.compile(r"v_(cndmask|addc|subb|subbrev|add_co_ci|sub_co_ci|subrev_co_ci)")
#: Whose results come late, or by another way: a reader may need states, of the others' one.
MATRIX = re.compile(r"v_(mfma|smfmac|dot)")
SLOW = re.compile(r"v_(exp|log|rcp|rsq|sqrt|sin|cos|accvgpr)|.*(_sdwa|op_sel)")
#: Instructions before the place that may matter: the longest matrix instructions take 18 states and more.
BEFORE, FEW = 24, 1


def harmless(code: KernelCode, mutant: Mutant) -> str:
    """Why the states, or this one of them, are not needed; "": they may be."""
    i = next(i for i, one in enumerate(code.instructions) if one.offset == mutant.at.offset)
    before, behind = code.instructions[max(0, i - BEFORE) : i], code.instructions[i + 1]
    if not code.is_cdna:
        return waited_for_by_scalar(before, mutant.at)
    if behind.text.startswith("s_") and not re.match(r"s_(setreg|getreg|movrel|sendmsg)", behind.text):
        return "the hardware waits where a scalar instruction reads what the VALU wrote"
    late = late_of(before)
    if MASKED.match(behind.mnemonic) and not late & read(behind):
        return "the manual asks for no states before a mask of lanes is read"
    if re.match(r"(ds_read|buffer_load|global_load)", behind.mnemonic) and not late & read(behind):
        return "the manual asks for states before the VALU overwrites what a matrix instruction reads, not a load"
    packed = {name for one in before[-2:] if one.text.startswith("v_pk_") for name in written(one)}
    if behind.text.startswith("v_") and packed & read(behind) and not late & read(behind):
        return "LLVM waits for halves of packed floats, which the manual does not name"
    matrix = [one for one in before if MATRIX.match(one.text)][-1:]
    if matrix and (matrix[0].mnemonic, written(matrix[0])) == (behind.mnemonic, written(behind)):
        return "a matrix instruction may read as C what the one before it writes"
    left = mutant.at.word & 0xFFFF  # of states, where one is gone
    if mutant.what != "removed" and occupied(before, behind, left):
        return "the matrix instructions in between keep the unit busy for longer, which LLVM does not count"
    by_matrix = {name for one in before if MATRIX.match(one.text) for name in written(one)}
    if re.match(r"(buffer|global)_store|ds_write", behind.mnemonic) and not by_matrix & read(behind):
        return "the hardware waits where a store reads what the VALU wrote"
    states = mutant.at.word & 0xFFFF
    if mutant.what != "removed" and late & read(behind) and not by_matrix & read(behind):
        return "one state is enough behind a transcendental or moved result"
    last = [one for one in before if one.mnemonic != "s_nop"][-2:]
    just_written = {name for one in last[-1:] for name in written(one)}
    if (
        "permlane" in behind.mnemonic
        and mutant.what != "removed"
        and not (read(behind) | written(behind)) & just_written
    ):
        return "another instruction stands in between"
    if re.match(r"v_readfirstlane|v_readlane", behind.mnemonic) and states > 1 and mutant.what != "removed":
        return "one state is enough before a lane is read"
    return ""


#: States after which the VALU may overwrite C of a matrix instruction of four passes: three.
OF_FOUR_PASSES, AFTER_C = re.compile(r"v_mfma_\w+_16x16x16_"), 3


def occupied(before: list[Instruction], behind: Instruction, left: int) -> bool:
    """Whether another matrix instruction stands behind the last one that writes what `behind` uses."""
    used = read(behind) | written(behind)
    matrix = [one for one in before if MATRIX.match(one.text)]
    writers = [i for i, one in enumerate(matrix) if used & written(one)]
    if not writers or writers[-1] == len(matrix) - 1:
        return False
    last = matrix[-1]
    return not written(behind) & read(last) or bool(OF_FOUR_PASSES.match(last.text) and left >= AFTER_C)


def waited_for_by_scalar(before: list[Instruction], at: Instruction) -> str:
    """A scalar instruction that reads a register has waited for all that the VALU wrote."""
    if "va_sdst" not in at.text:
        return ""
    for one in before[::-1]:
        if one.text.startswith("v_") and re.match(r"s\d|s\[", one.operands[0]):
            return ""
        if re.match(r"s_(?!wait|delay|clause|nop)", one.text) and any(
            re.match(r"s\d|s\[", o) for o in one.operands[1:]
        ):
            return "a scalar instruction in between has waited for the VALU"
    return ""


def not_reread(code: KernelCode, executed: set[tuple[int, str]], mutant: Mutant) -> str:
    """RDNA4: in this run the VALU has read none of the registers, nor others of their pairs, or nobody has written one
    since the last such wait."""
    if mutant.at.mnemonic != "s_wait_alu":
        return ""
    i = next(i for i, one in enumerate(code.instructions) if one.offset == mutant.at.offset)
    used = {name for name in read(code.instructions[i + 1]) if re.match(r"s\d+|vcc", name)}
    run = [one for one in code.instructions if (one.offset, one.text) in executed]
    pairs = {f"s{int(name[1:]) ^ 1}" for name in used if name[1:].isdigit()} | used
    if not any(pairs & read(one) for one in run if one.text.startswith("v_")):
        return "the VALU reads none of these registers in this run"
    since = []
    for one in code.instructions[:i][::-1]:
        if one.mnemonic == "s_wait_alu":
            break
        since.append(one)
    if not any(used & written(one) for one in since if (one.offset, one.text) in executed):
        return "nobody writes these registers before it in this run"
    return ""


def late_of(before: list[Instruction]) -> set[str]:
    """Registers whose readers may need states."""
    late: set[str] = set()
    for distance, one in zip(range(len(before), 0, -1), before, strict=True):
        if MATRIX.match(one.text) or (SLOW.match(one.text) and distance <= FEW):
            late |= written(one)
        elif one.text.startswith("v_"):
            late -= written(one)
    return late


def written(instruction: Instruction) -> set[str]:
    return set(registers(instruction.operands[0]))


def read(instruction: Instruction) -> set[str]:
    return {name for word in instruction.operands[1:] for name in registers(word.split(" ")[0])}
