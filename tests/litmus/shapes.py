"""The litmus tests: what each process does, and the outcome that the memory model forbids.

A shape is written as in the literature (Alglave, Maranget and Tautschnig, "Herding Cats", ACM TOPLAS 36, 2014, has the
names): processes are separated by `|`, operations by `;`. Variables are x, y, z, w, all 0 at the beginning.

    W x 1 rel      store 1 to x                 R r0 x acq     load x to the process's r0
    X r0 x 1 sc    exchange x for 1             A r0 x 1 rlx   add 1 to x; r0 is what was there
    C r0 x 0 1 sc  compare x with 0, store 1    F sc           fence
    D              wait until all loads have come: a dependency, which compilers can't remove
    G r0 1         the next operation only if r0 is 1

Orders: na (not atomic), rlx, acq, rel, ar (acquire and release), sc. The forbidden outcome is a C expression of 0:r0
(r0 of process 0) and of the variables' values at the end. It is forbidden by C++20's memory model, which
LLVM's for AMDGPU has within one scope (LLVM, "User Guide for AMDGPU Backend", Memory Model).
"""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True)
class Shape:
    name: str
    text: str
    forbidden: str

    @property
    def processes(self) -> list[list[list[str]]]:
        return [[operation.split() for operation in process.split(";")] for process in self.text.split("|")]

    @property
    def variables(self) -> list[str]:
        words = re.findall(r"\b[xyzw]\b", self.text)
        return sorted(set(words))

    def plain(self) -> Shape:
        """Without fences, and with plain accesses for atomic ones: what shows that a test can fail."""
        processes = []
        for process in self.processes:
            kept = []
            for operation in process:
                if operation[0] == "F":
                    continue
                order = {"W": "na", "R": "na"}.get(operation[0], "rlx")
                kept.append(" ".join(operation if operation[0] in "DG" else [*operation[:-1], order]))
            processes.append("; ".join(kept))
        return Shape(self.name, " | ".join(processes), self.forbidden)


def _each(name: str, text: str, forbidden: str, *ways: str) -> list[Shape]:
    """The shape in several ways: fences between relaxed accesses ("F=sc"), or accesses of orders ("acq/rel")."""
    made = []
    for way in ways:
        changed = text
        if way.startswith("F="):
            order = way[2:]
            changed = (
                changed.replace("_", f"; F {order}; ").replace("$W", "rlx").replace("$R", "rlx").replace("$D", "rlx")
            )
        else:
            load, store = way.split("/")
            changed = changed.replace("_", "; ").replace("$W", store).replace("$R", load).replace("$D", "rlx")
        made.append(Shape(f"{name}+{way}", changed, forbidden))
    return made


# `_` stands between accesses that the test orders; $W and $R are the orders of those that do it, $D of data.
SHAPES: list[Shape] = [
    *_each(
        "MP",
        "W x 1 $D _ W y 1 $W | R r0 y $R _ R r1 x $D",
        "1:r0 == 1 && 1:r1 == 0",
        "acq/rel",
        "sc/sc",
        "F=sc",
        "F=ar",
    ),
    Shape("MP+na", "W x 1 na; W y 1 rel | R r0 y acq; G r0 1; R r1 x na", "1:r0 == 1 && 1:r1 == 0"),
    Shape("MP+F=rel+F=acq", "W x 1 rlx; F rel; W y 1 rlx | R r0 y rlx; F acq; R r1 x rlx", "1:r0 == 1 && 1:r1 == 0"),
    Shape("MP+rmw+acq", "W x 1 rlx; X r0 y 1 rel | R r0 y acq; R r1 x rlx", "1:r0 == 1 && 1:r1 == 0"),
    Shape("MP+rel+rmw", "W x 1 rlx; W y 1 rel | A r0 y 0 acq; R r1 x rlx", "1:r0 == 1 && 1:r1 == 0"),
    Shape("MP+rmw+rmw", "W x 1 rlx; A r0 y 1 ar | A r0 y 1 ar; R r1 x rlx", "1:r0 == 1 && 1:r1 == 0"),
    Shape(
        "MP+sequence",
        "W x 1 rlx; W y 1 rel | A r0 y 1 rlx | R r0 y acq; R r1 x rlx",
        "1:r0 == 1 && 2:r0 == 2 && 2:r1 == 0",
    ),
    *_each("SB", "W x 1 $W _ R r0 y $R | W y 1 $W _ R r0 x $R", "0:r0 == 0 && 1:r0 == 0", "F=sc", "sc/sc"),
    Shape("SB+mixed", "W x 1 rlx; F sc; R r0 y rlx | W y 1 sc; R r0 x sc", "0:r0 == 0 && 1:r0 == 0"),
    Shape("SB+rmw", "X r0 x 1 sc; R r1 y sc | X r0 y 1 sc; R r1 x sc", "0:r1 == 0 && 1:r1 == 0"),
    Shape("SB+F+rmw", "W x 1 rlx; F sc; R r0 y rlx | A r1 y 1 sc; F sc; R r0 x rlx", "0:r0 == 0 && 1:r0 == 0"),
    *_each(
        "SB3",
        "W x 1 $W _ R r0 y $R | W y 1 $W _ R r0 z $R | W z 1 $W _ R r0 x $R",
        "0:r0 == 0 && 1:r0 == 0 && 2:r0 == 0",
        "F=sc",
        "sc/sc",
    ),
    *_each(
        "LB",
        "R r0 x $R _ W y 1 $W | R r0 y $R _ W x 1 $W",
        "0:r0 == 1 && 1:r0 == 1",
        "acq/rel",
        "sc/sc",
        "F=sc",
        "F=ar",
    ),
    *_each(
        "LB3",
        "R r0 x $R _ W y 1 $W | R r0 y $R _ W z 1 $W | R r0 z $R _ W x 1 $W",
        "0:r0 == 1 && 1:r0 == 1 && 2:r0 == 1",
        "acq/rel",
        "F=sc",
    ),
    *_each(
        "IRIW",
        "W x 1 $W | W y 1 $W | R r0 x $R _ R r1 y $R | R r0 y $R _ R r1 x $R",
        "2:r0 == 1 && 2:r1 == 0 && 3:r0 == 1 && 3:r1 == 0",
        "sc/sc",
        "F=sc",
    ),
    *_each(
        "WRC",
        "W x 1 $D | R r0 x $R _ W y 1 $W | R r0 y $R _ R r1 x $D",
        "1:r0 == 1 && 2:r0 == 1 && 2:r1 == 0",
        "acq/rel",
        "F=sc",
    ),
    Shape(
        "WRC+rmw",
        "A r0 x 1 rel | R r0 x acq; X r1 y 1 rel | A r0 y 0 acq; R r1 x rlx",
        "1:r0 == 1 && 2:r0 == 1 && 2:r1 == 0",
    ),
    *_each(
        "ISA2",
        "W x 1 $D _ W y 1 $W | R r0 y $R _ W z 1 $W | R r0 z $R _ R r1 x $D",
        "1:r0 == 1 && 2:r0 == 1 && 2:r1 == 0",
        "acq/rel",
        "F=ar",
    ),
    *_each("2+2W", "W x 2 $W _ W y 1 $W | W y 2 $W _ W x 1 $W", "x == 2 && y == 2", "F=sc", "sc/sc"),
    *_each("R", "W x 1 $W _ W y 1 $W | W y 2 $W _ R r0 x $R", "y == 2 && 1:r0 == 0", "F=sc", "sc/sc"),
    *_each("S", "W x 2 $D _ W y 1 $W | R r0 y $R _ W x 1 $D", "1:r0 == 1 && x == 2", "acq/rel", "F=sc", "F=ar"),
    *_each(
        "RWC",
        "W x 1 $W | R r0 x $R _ R r1 y $R | W y 1 $W _ R r0 x $R",
        "1:r0 == 1 && 1:r1 == 0 && 2:r0 == 0",
        "F=sc",
        "sc/sc",
    ),
    *_each(
        "W+RWC",
        "W x 1 $W _ W y 1 $W | R r0 y $R _ R r1 z $R | W z 1 $W _ R r0 x $R",
        "1:r0 == 1 && 1:r1 == 0 && 2:r0 == 0",
        "F=sc",
        "sc/sc",
    ),
    *_each(
        "Z6.0",
        "W x 1 $W _ W y 1 $W | R r0 y $R _ W z 1 $W | W z 2 $W _ R r0 x $R",
        "1:r0 == 1 && z == 2 && 2:r0 == 0",
        "F=sc",
        "sc/sc",
    ),
    *_each(
        "3.2W",
        "W x 2 $W _ W y 1 $W | W y 2 $W _ W z 1 $W | W z 2 $W _ W x 1 $W",
        "x == 2 && y == 2 && z == 2",
        "F=sc",
        "sc/sc",
    ),
    Shape("CoRR", "W x 1 rlx | R r0 x rlx; D; R r1 x rlx", "1:r0 == 1 && 1:r1 == 0"),
    Shape(
        "CoRR2",
        "W x 1 rlx | W x 2 rlx | R r0 x rlx; D; R r1 x rlx | R r0 x rlx; D; R r1 x rlx",
        "2:r0 == 1 && 2:r1 == 2 && 3:r0 == 2 && 3:r1 == 1",
    ),
    Shape("CoWW", "W x 1 rlx; W x 2 rlx | R r0 x rlx; D; R r1 x rlx", "x == 1 || (1:r0 == 2 && 1:r1 == 1)"),
    Shape("CoWR", "W x 1 rlx; R r0 x rlx | W x 2 rlx", "0:r0 == 0 || (0:r0 == 2 && x == 1)"),
    Shape("CoRW1", "R r0 x rlx; W x 1 rlx", "0:r0 == 1"),
    Shape("CoRW2", "R r0 x rlx; D; W x 1 rlx | W x 2 rlx", "0:r0 == 2 && x == 2"),
    Shape("Add", "A r0 x 1 rlx | A r0 x 1 rlx", "x != 2 || 0:r0 == 1:r0"),
    Shape("Exchange", "X r0 x 1 rlx | X r0 x 2 rlx", "0:r0 == 0 && 1:r0 == 0"),
    Shape("Compare", "C r0 x 0 1 rlx | C r0 x 0 2 rlx", "(0:r0 == 0) == (1:r0 == 0)"),
    Shape("Add+MP", "A r0 x 1 rlx; A r1 y 1 rel | A r0 y 1 acq; A r1 x 1 rlx", "1:r0 == 1 && 1:r1 == 0"),
]
