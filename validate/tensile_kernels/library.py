"""Which kernel a BLAS library holds for a row of the tuned GEMMs.

rocBLAS and hipBLASLt install what their tuning left behind: `TensileLibrary_*.dat` (MessagePack), solutions with their
whole names, and a table from sizes to solutions. A row of tensile_gemm.csv.gz came from the same record, in the
library's source, and names the solution in short: it holds the parameters that differ within one file.

A row and a record are one when the sizes are equal, types and layout are, and every parameter that the row's name
states stands in the kernel's name with the same value. What the row's name leaves open is told, not guessed. The
measured value takes no part; where the record states one, too, that it is equal is a check afterwards.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

# A parameter of a name: letters, then its value. "MT128x64x32", "GRVW8", "WG64_4_1", "1LDSB1", "SN".
PARAMETER = re.compile(r"(1?[A-Z][A-Za-z]*?(?:0[12]E?M?(?=\d))?)(n?\d[\dx_]*)?$")
# Parameters that later versions of Tensile have for each operand, or under another name: the one value holds for one of
# these at least.
SPLIT = {
    "GRVW": ("GLVWA", "GLVWB", "GRVWA", "GRVWB"),
    "LBSPP": ("LBSPPA", "LBSPPB"),
    "DTL": ("DTLA", "DTLB"),
    "1LDSB": ("1LDSB", "LDSB"),
}
# What is no part of the kernel, or has another name now: how a split K is added up (GSUAMB: many buffers), and
# assertions on sizes, which the record states itself.
NOT_COMPARED = {"GSUAMB", "AF0EM", "AF1EM", "ASEM", "AMAS"}


@dataclass(frozen=True)
class Record:
    """A line of a library's table."""

    file: str  # name of the .dat
    kernel: str  # the solution's whole name
    sizes: tuple[int, int, int]  # M, N, K
    batch: int | None  # None: any
    speed: float | None  # as the library states it
    solution: int = 0  # number of the solution in the library
    launched: str = ""  # the kernel's name, where it is not the solution's: several have one kernel and other arguments


def sizes_of(row: dict[str, str]) -> tuple[int, int, int]:
    """M, N, K of a row of the tuned GEMMs."""
    return int(row["M"]), int(row["N"]), int(row["K"])


@dataclass(frozen=True)
class Match:
    record: Record
    open: tuple[str, ...]  # parameters of the kernel that the row does not name
    speed_equal: bool | None  # None: the library states none


# hipBLASLt's types and what an epilogue can do: once "SB_Bias_HA_SAV", in later versions "S_B_Bias_HA_S_SAV_UserArgs".
TYPES_BEFORE_BATCH = re.compile(r"(.*?)_?B(?=H|_|$|Bias)")
EPILOGUE = ("Bias", "Aux", "GG", "Grad")


def problem_of(name: str) -> str:
    """Contraction, layout and types: what stands before the macro tile, in one spelling for all versions."""
    problem = name.partition("_MT")[0]
    operands = re.match(r"Cijk_A[a-zA-Z]+_B[a-zA-Z]+_", problem)
    types = operands and TYPES_BEFORE_BATCH.match(problem[operands.end() :])
    if not types or not re.search(r"HA|UserArgs|Bias|GG", problem):
        return problem
    epilogue = "".join(f" {each}" for each in EPILOGUE if each in problem[operands.end() + types.end() :])
    return operands[0] + types[1] + epilogue


def parameters(name: str) -> dict[str, str]:
    """The parameters that a solution's name states: {"MT": "128x64x32", "GRVW": "8"}."""
    found: dict[str, str] = {}
    last = ""
    for word in ("MT" + name.partition("_MT")[2]).split("_"):
        if word.isdigit() and last:  # "WG64_4_1", "TT2_32"
            found[last] += "_" + word
            continue
        match = PARAMETER.fullmatch(word)
        if not match:
            continue
        last = match[1]
        found[last] = match[2] or ""
    return found


def agree(row: str, kernel: str) -> bool:
    """Whether the kernel has every parameter that the row's name states, with its value."""
    if problem_of(row) != problem_of(kernel):
        return False
    stated, whole = parameters(row), parameters(kernel)
    for name, value in stated.items():
        if name in NOT_COMPARED:
            continue
        # The shift of a stagger that there is not (SU0) is not used, and normalised.
        if name == "SUS" and whole.get("SU") == stated.get("SU") == "0":
            continue
        # hipBLASLt names a matrix instruction without its depth: MI32x32x1 is MI32x32x8x1.
        if name == "MI" and whole.get("MI", "").count("x") == 2 and value.count("x") == 3:
            m, n, _, blocks = value.split("x")
            value = f"{m}x{n}x{blocks}"
        each = [whole[part] for part in SPLIT.get(name, ()) if part in whole]
        if value not in (each or [whole.get(name)]):
            return False
    return True


def tables(node: object):
    """The tables in a library's tree."""
    if isinstance(node, dict):
        if isinstance(node.get("table"), list):
            yield node
        for child in node.values():
            yield from tables(child)
    elif isinstance(node, list):
        for child in node:
            yield from tables(child)


def records(path: Path) -> list[Record]:
    """What a .dat file's tables hold; none where it has no tables of sizes."""
    import msgpack  # here, as matching alone does not need it

    library = msgpack.unpackb(path.read_bytes(), strict_map_key=False)
    solutions = {solution["index"]: solution for solution in library.get("solutions", [])}
    found = []
    for table in tables(library.get("library")):
        properties = [(each["type"], each.get("index", 0)) for each in table.get("properties", [])]
        for line in table["table"]:
            if "key" not in line or line.get("index") not in solutions:
                continue
            key = dict(zip(properties, line["key"], strict=True))
            sizes = tuple(key.get((name, 0)) for name in ("FreeSizeA", "FreeSizeB", "BoundSize"))
            if None not in sizes:
                batch = key.get(("BatchSize", 0))
                solution = solutions[line["index"]]
                names = solution["name"], solution.get("kernelName", solution["name"])
                found.append(Record(path.name, names[0], sizes, batch, line.get("speed"), line["index"], names[1]))
    return found


class Library:
    """The records of a folder that are of some sizes, (M, N, K), by problem and sizes."""

    def __init__(self, folder: Path, target: str, wanted: set[tuple[int, int, int]]):
        self.by_sizes: dict[tuple, list[Record]] = defaultdict(list)
        for path in sorted(folder.glob(f"TensileLibrary_*_{target}.dat")):
            if "lazy" in path.name:  # which file is of what, no kernels
                continue
            for record in records(path):
                if record.sizes in wanted:
                    self.by_sizes[problem_of(record.kernel), *record.sizes].append(record)

    def match(self, row: dict[str, str]) -> list[Match]:
        """The kernels that a row of tensile_gemm.csv.gz can mean: one, where nothing is wrong."""
        sizes = sizes_of(row)
        found: dict[str, Match] = {}
        for record in self.by_sizes.get((problem_of(row["solname"]), *sizes), []):
            if record.batch is not None and record.batch != int(row["B"]):
                continue
            if not agree(row["solname"], record.kernel):
                continue
            equal = None if record.speed is None else abs(record.speed - float(row["value"])) < 2e-3
            left = tuple(sorted(parameters(record.kernel).keys() - parameters(row["solname"]).keys()))
            known = found.get(record.kernel)
            if known is None or (equal and not known.speed_equal):
                found[record.kernel] = Match(record, left, equal)
        return list(found.values())
