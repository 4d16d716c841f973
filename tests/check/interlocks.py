"""Wait states that compilers and assembly put where the hardware needs none, or fewer: those mutants are right.

By AMD's CDNA3 and RDNA4 ISA references ("Manually Inserted Wait States", "Dependency Resolution") and LLVM 22's
AMDGPUWaitSGPRHazards.cpp, from the instructions around the place alone: how far the checkers know this plays no part.
"""

from __future__ import annotations

import re

from kernel_code import Instruction, KernelCode
from operators import Mutant, registers
from ways import Run, Step, TooManyWaysError, comes_to, reached, ways_to

MASKED = re.compile(r"v_(cndmask|addc|subb|subbrev|add_co_ci|sub_co_ci|subrev_co_ci)")
#: Whose results come late, or by another way: a reader may need states, of the others' one.
MATRIX = re.compile(r"v_(mfma|smfmac|dot)")
SLOW = re.compile(r"v_(exp|log|rcp|rsq|sqrt|sin|cos|accvgpr)|.*(_sdwa|op_sel:)")
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


def enough_on_all_ways(code: KernelCode, run: Run, mutant: Mutant) -> str:
    """Why no way that the run may take to the instruction behind the place needs the states."""
    behind = next(one for one in code.instructions if one.offset > mutant.at.offset)
    try:
        ways = list(ways_to(code, run, mutant))
    except TooManyWaysError:
        return ""
    if not code.is_cdna:
        waits = mutant.at.text == "s_waitcnt_depctr depctr_va_vdst(0)" and code.lanes == 32
        if waits and all(settled(way) for way in ways):
            return "accesses to memory or enough other instructions have come since any transcendental one in this run"
        return ""
    if (
        not behind.text.startswith("v_")
        or MATRIX.match(behind.text)
        or re.match(r"v_(readf|readl|writel|div_fmas)", behind.text)
    ):
        return ""
    if not all(scalars_are_there(way, behind) for way in ways):
        return ""
    if "permlane" in behind.mnemonic:
        enough = all(apart(way, read(behind) | written(behind)) >= PERMLANE for way in ways)
        return "enough instructions stand in between" if enough else ""
    if "_dpp" in behind.mnemonic:
        moved = set(registers(behind.operands[1].split(" ")[0]))
        if all(loaded(way, moved) for way in ways):
            return "the manual asks for states behind the VALU, not behind a load that has been waited for"
        return ""
    if any(step.between < STORED and stores(step.one) & written(behind) for way in ways for step in way):
        return ""
    if all(matrices_are_done(way, behind, code.target) for way in ways):
        return (
            "on all ways of the run there are as many states as the manual asks for: LLVM counts neither those of "
            "taken branches, nor that matrix instructions wait for each other, nor what has been overwritten"
        )
    return ""


#: States before a lane swap reads what the VALU wrote; vector instructions after which RDNA 3 has a transcendental
#: result; states behind the passes of a matrix instruction until D is there; states until a store has read its data.
PERMLANE, SETTLED, TO_REGISTERS, STORED, FAR = 2, 6, 3, 2, 1000
TRANSCENDENTAL = re.compile(r"v_(exp|log|rcp|rsq|sqrt|sin|cos)_")
ACCESS = re.compile(r"(buffer|global|flat|scratch|ds|tbuffer)_(load|store|atomic|read|write|add|bpermute)")


def settled(way: list[Step]) -> bool:
    vectors = 0
    for step in way:
        if ACCESS.match(step.one.text) or "va_vdst(0)" in step.one.text:
            return True
        if TRANSCENDENTAL.match(step.one.text):
            return False
        vectors += step.one.text.startswith("v_")
        if vectors >= SETTLED:
            return True
    return False


def stores(one: Instruction) -> set[str]:
    """The data of a store to device memory."""
    if not re.match(r"(buffer|global|flat|scratch)_store", one.mnemonic):
        return set()
    return {name for word in one.operands[:2] for name in registers(word.split(" ")[0])}


CARRIES = re.compile(r"v_(mad_[iu]64|div_scale|(add|sub|subrev)_co|addc|subb)")


def results(one: Instruction) -> set[str]:
    """What it writes, carries with it."""
    return written(one) | (set(registers(one.operands[1])) if CARRIES.match(one.mnemonic) else set())


def apart(way: list[Step], names: set[str]) -> int:
    """States since a vector instruction last wrote one of the registers."""
    vectors = (step for step in way if step.one.text.startswith("v_"))
    return min((step.between for step in vectors if results(step.one) & names), default=FAR)


def scalars_are_there(way: list[Step], behind: Instruction) -> bool:
    """Whether each scalar register that it reads was last written by a scalar instruction, or two states before."""
    for name in read(behind):
        last = next((step for step in way if name.startswith("s") and name in results(step.one)), None)
        if last and last.one.text.startswith("v_") and last.between < 2:
            return False
    return True


def loaded(way: list[Step], names: set[str]) -> bool:
    last = next((step for step in way if results(step.one) & names), None)
    near = [step.one for step in way if step.between < 5]
    return bool(last and ACCESS.match(last.one.text)) and not any(one.text.startswith("v_cmpx") for one in near)


def passes_of(one: Instruction, target: str) -> int:
    """Of the matrix instructions that are known here; 0: others."""
    found = re.match(r"v_mfma_(?:f32|i32)_(16x16x16|32x32x8)_?(?:f16|bf16|i8)", one.text)
    if not found:
        return 0
    return {"16x16x16": 4, "32x32x8": 8}[found[1]] * (2 if target == "gfx90a" else 1)


def matrices_are_done(way: list[Step], behind: Instruction, target: str) -> bool:
    """Whether what matrix instructions write or read is free again."""
    used, into = read(behind) | written(behind), written(behind)
    distance = 0
    for step in way:
        one = step.one
        if not MATRIX.match(one.text):
            if SLOW.match(one.text) and step.between < FEW and written(one) & used:
                return False
            continue
        passes = passes_of(one, target)
        if not passes:
            if (written(one) & used) or (read(one) & into):
                return False
            continue
        # It began no later than its passes before the next one did.
        distance = max(step.between + 1, distance + passes if distance else 0)
        asked = passes + TO_REGISTERS + (target == "gfx950")
        if written(one) & used and distance - 1 < asked:
            return False
        c = set(registers(one.operands[3])) if len(one.operands) > 3 else set()
        if c & into and distance - 1 < passes - 1:
            return False
    return True


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


def not_reread(code: KernelCode, run: Run, mutant: Mutant) -> str:
    """RDNA4: of what has been written since the last such wait nothing is read before the next one that the VALU had
    read before, nor whose pair's other half it had."""
    fields = re.findall(r"depctr_(\w+)\(0\)", mutant.at.text)
    if mutant.at.mnemonic != "s_wait_alu" or not fields or any(reread(code, run, mutant, field) for field in fields):
        return ""
    return "the VALU has read none of the registers that are written since the last wait and read before the next"


def reread(code: KernelCode, run: Run, mutant: Mutant, field: str) -> bool:
    """Whether that may be so of what one field of a wait waits for."""
    wait = f"depctr_{field}(0)"
    try:
        since = [upto(way, wait) for way in ways_to(code, run, mutant)]
    except TooManyWaysError:
        return True
    kind = "s_" if field == "sa_sdst" else "v_"
    other = {"va_sdst": {"vcc"}, "va_vcc": {f"s{i}" for i in range(106)}}.get(field, set())
    used = {name for one in until(code, run, mutant.at, wait) for name in scalars_read(one)} - other
    if None not in since:  # else anything may have been written
        used &= {n for way in since if way for one in way if one.text.startswith(kind) for n in scalars(one)}
    before = run.read
    if before is None:
        vectors = [one for one in code.instructions if one.text.startswith("v_") and run.executes(one)]
        before = {name for one in vectors if comes_to(code, run, one, mutant.at) for name in scalars_read(one)}
    return bool(used & {one for name in before for one in (name, half(name))})


def upto(way: list[Step], wait: str) -> list[Instruction] | None:
    """Instructions of a way behind the last wait, or the kernel's beginning; None: that is too far away."""
    found: list[Instruction] = []
    for step in way:
        if wait in step.one.text:
            return found
        found.append(step.one)
    return found if way and way[-1].one.offset == 0 else None


def until(code: KernelCode, run: Run, place: Instruction, wait: str) -> list[Instruction]:
    """What the run may execute behind a place before the next such wait."""
    return reached(code, run, place, lambda one: wait in one.text)


def half(name: str) -> str:
    """The other one of a pair."""
    return f"s{int(name[1:]) ^ 1}" if name[1:].isdigit() else name


def scalars(one: Instruction) -> set[str]:
    """Scalar registers that it writes."""
    carry = 2 if CARRIES.match(one.mnemonic) else 1
    vcc = {"vcc"} if any(word.startswith("vcc") for word in one.operands[:carry]) else set()
    return vcc | {name for name in results(one) if name.startswith("s")}


def scalars_read(one: Instruction) -> set[str]:
    words = one.operands[0 if re.match(r"s_cmp|s_bitcmp|v_cmpx", one.mnemonic) else 1 :]
    implied = re.search(r"vcc|v_div_fmas", one.mnemonic) or "v_dual_cndmask" in one.text
    vcc = {"vcc"} if implied or any("vcc" in word for word in words) else set()
    return vcc | {name for word in words for name in registers(word.split(" ")[0]) if name.startswith("s")}


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
