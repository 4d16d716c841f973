"""What is made wrong in a kernel: one wait, barrier, wait state, fence, bound or initialisation less, or a weaker one.

Each operator yields mutants of a kernel: what was done to which instruction, and the bytes that do it. An instruction
that goes is `s_nop 0`, as often as it has dwords.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from kernel_code import FIXED, Instruction, KernelCode

NOP = struct.pack("<I", 0xBF800000)
EXEC, ALL_ONES = 126, 193  # as scalar operands; the last is -1


@dataclass(frozen=True)
class Mutant:
    kind: str
    at: Instruction
    what: str  # "removed", "vmcnt(1)"
    patches: tuple[tuple[int, bytes], ...]  # offsets from the kernel's first instruction
    counts: tuple[tuple[str, int], ...] = ()  # of a wait: what it counted to, of each counter that is weaker

    def __str__(self) -> str:
        return f"{self.kind:14} {self.at.offset:#8x}  {self.at.text}  [{self.what}]"


def nops(instruction: Instruction) -> bytes:
    return NOP * (len(instruction.data) // 4)


def instead(kind: str, at: Instruction, what: str, data: bytes) -> Mutant:
    """An instruction gives way to others, which are no longer than it."""
    return Mutant(kind, at, what, ((at.offset, data + NOP * ((len(at.data) - len(data)) // 4)),))


def removed(kind: str, at: Instruction, what: str = "removed") -> Mutant:
    return instead(kind, at, what, b"")


@dataclass(frozen=True)
class Field:
    """A counter's bits in the immediate of a wait."""

    name: str
    low: int
    bits: int
    high: int = 0  # where its further two bits lie; 0: it has none

    @property
    def most(self) -> int:
        return (1 << self.bits + (2 if self.high else 0)) - 1

    def get(self, immediate: int) -> int:
        value = immediate >> self.low & ((1 << self.bits) - 1)
        return value | (immediate >> self.high & 3) << self.bits if self.high else value

    def put(self, immediate: int, value: int) -> int:
        mask = (1 << self.bits) - 1
        immediate = immediate & ~(mask << self.low) | (value & mask) << self.low
        return immediate & ~(3 << self.high) | value >> self.bits << self.high if self.high else immediate


CDNA_WAIT = [Field("vmcnt", 0, 4, 14), Field("expcnt", 4, 3), Field("lgkmcnt", 8, 4)]
RDNA3_WAIT = [Field("vmcnt", 10, 6), Field("lgkmcnt", 4, 6), Field("expcnt", 0, 3)]
#: By mnemonic, where a target has an instruction for each counter.
OWN_WAITS = {
    "s_waitcnt_vscnt": [Field("vscnt", 0, 6)],
    "s_wait_loadcnt": [Field("loadcnt", 0, 6)],
    "s_wait_storecnt": [Field("storecnt", 0, 6)],
    "s_wait_samplecnt": [Field("samplecnt", 0, 6)],
    "s_wait_bvhcnt": [Field("bvhcnt", 0, 3)],
    "s_wait_expcnt": [Field("expcnt", 0, 3)],
    "s_wait_dscnt": [Field("dscnt", 0, 6)],
    "s_wait_kmcnt": [Field("kmcnt", 0, 5)],
    "s_wait_loadcnt_dscnt": [Field("loadcnt", 8, 6), Field("dscnt", 0, 6)],
    "s_wait_storecnt_dscnt": [Field("storecnt", 8, 6), Field("dscnt", 0, 6)],
}


def is_wait(at: Instruction) -> bool:
    return at.mnemonic == "s_waitcnt" or at.mnemonic in OWN_WAITS


def counters_of(code: KernelCode, at: Instruction) -> list[Field]:
    """The counters that a wait waits for."""
    fields = OWN_WAITS.get(at.mnemonic, CDNA_WAIT if code.is_cdna else RDNA3_WAIT)
    return [field for field in fields if field.get(at.word & 0xFFFF) < field.most and field.name != "expcnt"]


def waited_for_behind(code: KernelCode, mutant: Mutant) -> bool:
    """Whether what a wait does not wait for any more is waited for by those that follow, nothing in between."""
    missing = dict(mutant.counts)
    for at in (one for one in code.instructions if one.offset > mutant.at.offset):
        if not is_wait(at):
            break
        for field in counters_of(code, at):
            if field.get(at.word & 0xFFFF) <= missing.get(field.name, -1):
                del missing[field.name]
    return not missing


def waits(code: KernelCode) -> Iterator[Mutant]:
    """A wait is gone, or one of its counters is, or counts to one more. Nothing of kernels raises expcnt."""
    for at in code.instructions:
        if not is_wait(at):
            continue
        named, immediate = counters_of(code, at), at.word & 0xFFFF
        yield replace(removed("wait", at), counts=tuple((field.name, field.get(immediate)) for field in named))
        for field in named:
            for value in {field.get(immediate) + 1} | ({field.most} if len(named) > 1 else set()):
                changed = field.put(immediate, value)
                data = struct.pack("<I", at.word & ~0xFFFF | changed) + at.data[4:]
                what = f"without {field.name}" if value == field.most else f"{field.name}({value})"
                weaker = ((field.name, field.get(immediate)),)
                yield replace(instead("wait weakened", at, what, data), counts=weaker)


#: What raises a counter, among what stands before a wait.
RAISES = {
    "vmcnt": r"(buffer|global|flat|scratch)_(load|store|atomic)",
    "lgkmcnt": r"ds_|s_load|s_buffer_load",
    "vscnt": r"(buffer|global|flat|scratch)_store",
    "loadcnt": r"(buffer|global|flat|scratch)_(load|atomic)",
    "storecnt": r"(buffer|global|flat|scratch)_store",
    "dscnt": r"ds_",
    "kmcnt": r"s_load|s_buffer_load",
}


def awaited(code: KernelCode, mutant: Mutant) -> Instruction | None:
    """The instruction before a wait, without a branch in between, that it alone waits for: not the weaker one."""
    if len(mutant.counts) != 1 or "(" not in mutant.what:
        return None
    ((name, count),) = mutant.counts
    at = next(i for i, one in enumerate(code.instructions) if one.offset == mutant.at.offset)
    for one in code.instructions[:at][::-1]:
        if one.target is not None or one.offset in code.targets:
            return None
        if re.match(RAISES.get(name, "$"), one.mnemonic):
            if count == 0:
                return one
            count -= 1
    return None


def barriers(code: KernelCode) -> Iterator[Mutant]:
    """A barrier is gone, or one half of a split one, or both."""
    for i, at in enumerate(code.instructions):
        if at.mnemonic in ("s_barrier", "s_barrier_signal", "s_barrier_wait"):
            half = at.mnemonic != "s_barrier"
            yield removed("barrier", at, "this half removed" if half else "removed")
        if at.mnemonic != "s_barrier_signal":
            continue
        for wait in code.instructions[i + 1 :]:
            if wait.mnemonic == "s_barrier_signal":
                break
            if wait.mnemonic == "s_barrier_wait":
                yield Mutant("barrier", at, "removed", ((at.offset, nops(at)), (wait.offset, nops(wait))))
                break


STATES = ("s_nop", "v_nop")


def states(code: KernelCode) -> Iterator[Mutant]:
    """Wait states are gone, or one of them; waits of RDNA for its own ALUs are gone.

    `s_nop 0` is a wait state itself, so the instruction behind an `s_nop` comes before it instead.
    """
    for at, behind in zip(code.instructions, code.instructions[1:], strict=False):
        state = at.mnemonic == "s_nop" or (at.mnemonic == "v_nop" and code.is_cdna)
        if at.mnemonic in ("s_waitcnt_depctr", "s_wait_alu", "v_nop") and not state:
            yield removed("s_nop", at)
        if not state:
            continue
        if behind.offset not in code.targets and not FIXED.match(behind.text) and behind.mnemonic not in STATES:
            yield Mutant("s_nop", at, "removed", ((at.offset, behind.data + NOP),))
        if at.mnemonic == "v_nop":
            continue
        if at.word & 0xFFFF:
            yield instead("s_nop", at, "one state less", struct.pack("<I", at.word - 1))


FENCE = re.compile(r"buffer_(wbl2|inv|wbinv\w+|gl[01]_inv)|global_(inv|wb|wbinv)\b")


def fences(code: KernelCode) -> Iterator[Mutant]:
    """A write back or an invalidation of caches is gone."""
    for at in code.instructions:
        if FENCE.match(at.mnemonic):
            yield removed("fence", at)


def scalar_move(to: int, what: int, wide: bool) -> bytes:
    """s_mov_b32 or s_mov_b64."""
    return struct.pack("<I", 0xBE800000 | to << 16 | int(wide) << 8 | what)


MEMORY = re.compile(r"(global|flat|buffer|ds|scratch)_(load|store|read|write|atomic|add|min|max|and|or)")
#: Instructions that a check of bounds skips, at most.
REGION = 100


def skips_memory(code: KernelCode, index: int) -> bool:
    """Whether a branch leads forward past accesses to device memory, without loops, barriers or matrices."""
    branch = code.instructions[index]
    if branch.target is None or branch.target <= branch.offset:
        return False
    skipped = [one for one in code.instructions[index + 1 : index + REGION] if one.offset < branch.target]
    if len(skipped) == REGION - 1 or any(OTHER.match(one.text) for one in skipped):
        return False
    if any(one.target is not None and one.target <= one.offset for one in skipped):
        return False
    return any(re.match(r"(global|flat|buffer)_(load|store|atomic)", one.mnemonic) for one in skipped)


OTHER = re.compile(r"s_barrier|v_mfma|v_smfmac|v_wmma|v_swmmac|s_branch")


def guards_memory(code: KernelCode, index: int) -> bool:
    """Whether lanes are left out of accesses soon behind an instruction."""
    return any(MEMORY.match(one.mnemonic) for one in code.instructions[index + 1 : index + 40])


def bounds(code: KernelCode) -> Iterator[Mutant]:
    """Lanes or waves that are out of range go on as the others, and a buffer resource has no bound."""
    for i, at in enumerate(code.instructions):
        if at.mnemonic in ("s_and_saveexec_b64", "s_and_saveexec_b32") and guards_memory(code, i):
            mask = scalar_move(at.word >> 16 & 0x7F, EXEC, at.mnemonic.endswith("64"))
            yield instead("bound", at, "all lanes", mask)
        elif at.mnemonic.startswith("v_cmpx") and guards_memory(code, i):
            yield removed("bound", at, "all lanes")
        elif re.match(r"s_cbranch_(scc|vcc)", at.mnemonic) and skips_memory(code, i):
            yield removed("bound", at, "no branch")
        elif at.mnemonic.startswith("v_cndmask_b32"):
            into, *parts = at.operands[:3]
            offset = next((part for part in parts if part != "-1"), "")
            if "-1" in parts and re.fullmatch(r"v\d+", offset) and re.fullmatch(r"v\d+", into):
                move = 0x7E000200 | int(into[1:]) << 17 | 256 + int(offset[1:])
                yield instead("bound", at, "all lanes", struct.pack("<I", move))
    yield from records(code)


RESOURCE = re.compile(r"^(?:s_)?buffer_(?:load|store|atomic)\w* .*?s\[(\d+):(\d+)\]")
#: Instructions before an access in which its resource's size is looked for.
REACH = 300


def records(code: KernelCode) -> Iterator[Mutant]:
    """What writes the size of a buffer resource writes the largest number."""
    told = set()
    for i, access in enumerate(code.instructions):
        found = RESOURCE.match(access.text)
        if not found or int(found[2]) != int(found[1]) + 3:
            continue
        size = int(found[1]) + 2
        writer = next((one for one in code.instructions[max(0, i - REACH) : i][::-1] if size in written(one)), None)
        if writer and writer.text.startswith("s_") and writer.operands[0] == f"s{size}" and writer not in told:
            told.add(writer)
            yield instead("bound", writer, "num_records of all memory", scalar_move(size, ALL_ONES, False))


def written(instruction: Instruction) -> range:
    """The SGPRs that an instruction writes, by its first operand."""
    if re.match(r"s_(cmp|bitcmp|waitcnt|cbranch|barrier|store|nop)", instruction.text):
        return range(0)
    found = re.match(r"s(?:(\d+)|\[(\d+):(\d+)\])$", instruction.operands[0])
    if not found:
        return range(0)
    return range(int(found[1]), int(found[1]) + 1) if found[1] else range(int(found[2]), int(found[3]) + 1)


NUMBER = r"-?(?:0x[0-9a-f]+|\d+(?:\.\d+)?(?:e[-+]?\d+)?)"
MOVED = re.compile(rf"(?:v_mov_b(?:32|64)(?:_e\d+)?|v_accvgpr_write_b32|s_mov_b(?:32|64)|s_movk_i32) [^,]+, {NUMBER}$")


#: Numbers, as a source, that are as good as what a register holds that nobody wrote: 37 and -4.0.
GARBAGE = (165, 247)


def initialisations(code: KernelCode) -> Iterator[Mutant]:
    """A constant is not written to a register that nothing before it writes, nor one to LDS."""
    constants: set[str] = set()
    before = {f"{kind}{number}" for kind, count in (("s", 20), ("v", 3)) for number in range(count)}
    for at in code.instructions:
        if at.offset in code.targets:
            constants.clear()
        into = set(registers(at.operands[0]))
        if MOVED.match(at.text):
            constants.add(at.operands[0])
            if into and not into & before:
                yield removed("initialisation", at)
        elif re.match(r"ds_(write|store)_b", at.mnemonic) and len(at.operands) > 1:
            if at.operands[1].split(" ")[0] in constants:
                yield removed("initialisation", at)
        elif at.text.startswith("v_"):
            constants.discard(at.operands[0])
        before |= into
        if "::" in at.text:
            before |= set(registers(at.text.partition(":: ")[2].split(" ", 1)[1].split(",")[0]))


def registers(operand: str) -> Iterator[str]:
    """ "v3" and "v4" of "v[3:4]"."""
    if found := re.match(r"([sva])(?:(\d+)|\[(\d+):(\d+)\])$", operand.strip()):
        first, last = (found[2], found[2]) if found[2] else (found[3], found[4])
        for number in range(int(first), int(last) + 1):
            yield f"{found[1]}{number}"


def with_garbage(mutant: Mutant) -> Iterator[Mutant]:
    """An initialisation that is missing, where its register holds one number or another."""
    at = mutant.at
    for number in GARBAGE:
        word = at.word
        if re.match(r"v_mov_b(32|64)(_e32)? ", at.text):
            word = word & ~0x1FF | number
        elif re.match(r"s_mov_b(32|64) ", at.text):
            word = word & ~0xFF | number
        elif at.text.startswith("s_movk_i32"):
            word = word & ~0xFFFF | number
        elif at.text.startswith("v_accvgpr_write"):
            yield Mutant(
                mutant.kind, at, "garbage", ((at.offset, at.data[:4] + struct.pack("<I", data_with(at, number))),)
            )
            continue
        else:
            return
        yield instead(mutant.kind, at, "garbage", struct.pack("<I", word))


def data_with(at: Instruction, source: int) -> int:
    """The second dword of an instruction in VOP3P's form, with another first source."""
    return int(struct.unpack_from("<I", at.data, 4)[0]) & ~0x1FF | source


OPERATORS: dict[str, Callable[[KernelCode], Iterator[Mutant]]] = {
    "wait": waits,
    "barrier": barriers,
    "s_nop": states,
    "fence": fences,
    "bound": bounds,
    "initialisation": initialisations,
}
