"""What becomes of a mutant under the checkers, and why.

A mutant is provably wrong unless something shows that a GPU cannot tell it from the program: its place is not
executed, a checker's hint says that the instruction had nothing to do, or what it was there for did not come up in the
run. Each of these is an argument that does not ask the checker which should have caught it.
"""

from __future__ import annotations

import re
import struct
from dataclasses import dataclass
from functools import cached_property

from interlocks import enough_on_all_ways, harmless, not_reread
from operators import Mutant, awaited, nops, waited_for_behind, with_garbage
from runs import ORDERS, Outcome, Patches, Runner
from ways import Run

CHECKS = "memory,race,wait,hazard,init,sync"
#: s_trap 2.
TRAP, TRAP_OF_CDNA = 0xBF900002, 0xBF920002
#: Invalidates the cache next to a wave, and nothing behind it.
NEAR = re.compile(r"buffer_gl0_inv|global_inv scope:SCOPE_SE")
#: Why a fence or a wait for stores is not missed.
KEPT = "in five orders neither a cache nor a store under way keeps from anybody what another one has written"


@dataclass(frozen=True)
class Verdict:
    mutant: Mutant
    word: str  # "caught", "equivalent", "survived"; "other": wrong, but not in this kind
    why: str = ""  # of the caught, the rules


class Judge:
    """Judges the mutants of one kernel."""

    def __init__(self, runner: Runner) -> None:
        self.runner = runner
        self._orders: dict[int, Outcome] = {}

    def judge(self, mutant: Mutant) -> Verdict:
        after = self.runner.run(mutant.patches, CHECKS)
        # Of a rule that the kernel itself breaks, a report of other places counts.
        new = after.rules - self.before.rules or {rule for rule, _ in after.places - self.before.places}
        if new:
            return Verdict(mutant, "caught", ", ".join(sorted(new)))
        wrong = not after.same(self.before)
        if not wrong and not self.executes(mutant):
            return Verdict(mutant, "equivalent", "it is not executed")
        branch = mutant.at.target is not None
        if mutant.kind == "bound" and wrong and (branch or self.runner.strays(mutant.patches) is False):
            return Verdict(
                mutant, "other", "a wrong condition: the results differ, but every access stays in its buffer"
            )
        if mutant.kind == "initialisation" and wrong and self.runner.resets(mutant.at.offset):
            return Verdict(mutant, "other", "a stale value: the results differ, but LDS holds what was written before")
        if mutant.kind == "initialisation" and not wrong:
            wrong = any(not self.runner.run(each.patches).same(self.results) for each in with_garbage(mutant))
        why = "" if wrong else self.equivalent(mutant, after)
        if why:
            return Verdict(mutant, "equivalent", why)
        return Verdict(mutant, "survived", "the results differ" if wrong else "")

    @cached_property
    def before(self) -> Outcome:
        """What the checkers say of the kernel itself."""
        return self.runner.run((), CHECKS)

    @cached_property
    def results(self) -> Outcome:
        return self.runner.run(())

    @cached_property
    def executed(self) -> set[tuple[int, str]]:
        return self.runner.executed()

    def executes(self, mutant: Mutant) -> bool:
        return self.comes_by(mutant.patches[0][0])

    def launched(self) -> bool:
        return self.comes_by(0)

    def comes_by(self, offset: int) -> bool:
        """Whether a trap there is noticed: it ends a kernel with an error."""
        trap = struct.pack("<I", TRAP_OF_CDNA if self.runner.kernel.is_cdna else TRAP)
        return not self.runner.run([(offset, trap)]).same(self.results)

    def equivalent(self, mutant: Mutant, after: Outcome) -> str:
        """Why a mutant that gives the same results is none; "": nothing says so."""
        hinted = {
            rule for rule, offset, text in self.before.hints if (offset, text) == (mutant.at.offset, mutant.at.text)
        }
        if mutant.kind.startswith("wait"):
            if "wait/redundant" in hinted or self.never_reached(mutant):
                return "the wait never waits in this run"
            if waited_for_behind(self.runner.kernel, mutant):
                return "another wait for it stands directly behind"
            unused = awaited(self.runner.kernel, mutant)
            if unused and self.runner.run([(unused.offset, nops(unused))]).same(self.results):
                return "what is not waited for is never used: without it the results are the same"
            behind = next(one for one in self.runner.kernel.instructions if one.offset > mutant.at.offset)
            if behind.text.startswith("s_endpgm"):
                return "nothing but the end comes behind it, which stores may outlast"
            of_lds = all(name in ("lgkmcnt", "dscnt") for name, _ in mutant.counts)
            if of_lds and re.match(r"ds_(read|load)", behind.mnemonic) and self.behind_lds(mutant):
                return "accesses of LDS of one wave come in order"
            if self.runner.one_wave and all(name in ("lgkmcnt", "dscnt") for name, _ in mutant.counts):
                return "the workgroup is one wave, whose accesses of LDS come in order"
            if self.only_loads(mutant) and self.runner.uses_early(mutant.patches) is False:
                return "what is not waited for here is waited for elsewhere before it is used, on the paths of the run"
            settled = bool(mutant.counts) and self.runner.uses_early(mutant.patches) is False
            if settled and self.runner.stores_matter(mutant.at.offset) is False:
                return "behind it the workgroup exchanges nothing with others, nor do its waves what was stored"
            return KEPT if settled and self.runner.stale(mutant.patches) is False else ""
        if mutant.kind == "s_nop":
            practised = sorted({rule for rule, _, _ in after.hints - self.before.hints if rule.startswith("hazard/")})
            if practised:
                return f"AMD's own assembly does with as few states ({', '.join(practised)})"
            code = self.runner.kernel
            run = Run(self.executed, self.runner.jumps(), self.runner.read_before(mutant.at.offset))
            return harmless(code, mutant) or not_reread(code, run, mutant) or enough_on_all_ways(code, run, mutant)
        if mutant.kind == "barrier" and all(
            self.order((), seed).same(self.order(mutant.patches, seed)) for seed in ORDERS
        ):
            return "the results are the same in other orders of waves"
        if mutant.kind == "fence" and NEAR.match(mutant.at.text) and self.runner.hands_over() is False:
            return "no wave reads through the cache next to it what another one writes"
        if mutant.kind == "fence" and self.runner.stale(mutant.patches) is False:
            return KEPT
        if mutant.kind == "bound":
            return "the results are the same, and no access leaves its allocation"
        if mutant.kind == "initialisation":
            return "the results are the same, whatever the register holds"
        return ""

    def behind_lds(self, mutant: Mutant) -> bool:
        """Whether accesses of LDS alone stand before it. What it reads of them has waits of its own, or is told."""
        before = [one for one in self.runner.kernel.instructions if one.offset < mutant.at.offset][::-1]
        memory = [one for one in before[:16] if re.match(r"ds_|s_load|s_buffer", one.mnemonic)]
        return bool(memory) and all(re.match(r"ds_(write|store|read|load)", one.mnemonic) for one in memory[:4])

    def only_loads(self, mutant: Mutant) -> bool:
        """Whether it waits for loads, and for what of LDS and, on RDNA, of device memory `uses_early` follows to the
        next barrier. On CDNA stores count with vector loads: then a barrier is not there."""
        behind = [one for one in self.runner.kernel.instructions if one.offset > mutant.at.offset][:2]
        names = {name for name, _ in mutant.counts}
        if not names <= {"vmcnt", "loadcnt", "lgkmcnt", "dscnt", "kmcnt"}:
            return False
        vector = bool(names & {"vmcnt", "loadcnt"}) and self.runner.kernel.is_cdna
        return not vector or not any(one.text.startswith("s_barrier") for one in behind)

    def never_reached(self, mutant: Mutant) -> bool:
        """Whether no more was ever under way than the counts that are weaker allow."""
        most = self.runner.outstanding().get(mutant.at.offset)
        return most is not None and all(most.get(name, 0) <= count for name, count in mutant.counts)

    def order(self, patches: Patches, seed: int) -> Outcome:
        if patches:
            return self.runner.run(patches, order=seed)
        if seed not in self._orders:
            self._orders[seed] = self.runner.run((), order=seed)
        return self._orders[seed]
