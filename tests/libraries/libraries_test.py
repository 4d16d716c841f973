"""Tests of what runs the libraries' tests; no package is needed for them. Run by ctest, or by python3 -m unittest."""

from __future__ import annotations

import json
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest
import zlib
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import bundles
import checked
import page
import programs
import results
import run_libraries
import selection
import suite
import watched
from debian_root import DebianRoot

GENEROUS = watched.Limits(seconds=60, idle_seconds=60, bytes=1 << 32)


def python(code: str) -> list[str]:
    return [sys.executable, "-c", code]


class GTestOutput(unittest.TestCase):
    def read(self, *lines: str) -> programs.GTest:
        reader = programs.GTest()
        for line in lines:
            reader.line(line)
        return reader

    def test_outcomes_by_test(self) -> None:
        reader = self.read(
            "[ RUN      ] a/B.c/0",
            "[       OK ] a/B.c/0 (3 ms)",
            "[ RUN      ] a/B.c/1",
            "x.cc:3: Failure",
            "[  FAILED  ] a/B.c/1, where GetParam() = 4 (1 ms)",
            "[ RUN      ] a/B.d",
            "[  SKIPPED ] a/B.d (0 ms)",
            "[  FAILED  ] a/B.c/1, where GetParam() = 4",
        )
        self.assertEqual(
            [(each.test, each.outcome) for each in reader.outcomes],
            [("a/B.c/0", "passed"), ("a/B.c/1", "failed"), ("a/B.d", "skipped")],
        )
        self.assertIn("x.cc:3: Failure", reader.outcomes[1].why)
        self.assertIsNone(reader.now)

    def test_a_test_that_did_not_end_is_under_way(self) -> None:
        reader = self.read("[ RUN      ] B.c", "some words")
        self.assertEqual((reader.now, reader.outcomes), ("B.c", []))

    def test_marks_behind_what_a_test_prints(self) -> None:
        reader = self.read("[ RUN      ] B.c", "no newline here[       OK ] B.c (0 ms)")
        self.assertEqual(reader.outcomes[0].outcome, "passed")

    def test_the_list_of_tests(self) -> None:
        text = [
            "Device 0.5 GB",
            "a/B.",
            "  c/0  # GetParam() = 4",
            "  DISABLED_d",
            "E<int>.  # TypeParam = int",
            "  f",
            "",
        ]
        self.assertEqual(list(programs.GTest.listed(text)), ["a/B.c/0", "E<int>.f"])

    def test_no_hyphen_in_a_filter(self) -> None:
        self.assertEqual(programs.GTest.run_arguments(["A.b-1", "A.c"]), ["--gtest_filter=A.b?1:A.c"])

    def test_batches_by_count_and_length(self) -> None:
        self.assertEqual(list(programs.batches(["a", "b", "c"], 2)), [["a", "b"], ["c"]])
        long = ["x" * 60_000, "y" * 60_000]
        self.assertEqual(list(programs.batches(long, 9)), [[long[0]], [long[1]]])


class ThrustOutput(unittest.TestCase):
    def test_outcomes(self) -> None:
        reader = programs.Thrust()
        reader.line("Running TestSortBool...[PASS]      4.047 ms TestSortBool")
        reader.line("Running TestSortKey...")
        reader.line("[FAIL]  1 ms TestSortKey")
        reader.line("Running TestLast...")
        self.assertEqual(
            [(each.test, each.outcome) for each in reader.outcomes],
            [("TestSortBool", "passed"), ("TestSortKey", "failed")],
        )
        self.assertEqual(reader.now, "TestLast")

    def test_the_list_of_tests(self) -> None:
        self.assertEqual(list(programs.Thrust.listed(["There is 1 device", "TestA", "TestB "])), ["TestA", "TestB"])


class RecordFiles(unittest.TestCase):
    """A file as rocBLAS's: name, sample, name with cases swapped, records of the sample's size."""

    def file(self, records: list[bytes]) -> Path:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        path = Path(folder.name) / "tests.data"
        path.write_bytes(b"rocBLAS\0" + bytes(range(16)) + b"ROCblas\0" + b"".join(records))
        return path

    def test_a_part_is_a_file_of_its_records(self) -> None:
        wanted = [bytes([n]) * 16 for n in range(5)]
        records = selection.Records(self.file(wanted))
        self.assertEqual(len(records), 5)
        part = selection.Records(self.file([]))
        self.assertEqual(len(part), 0)
        content = records.part([3, 1])
        self.assertEqual(content, self.file([wanted[3], wanted[1]]).read_bytes())

    def test_the_order_holds_every_record_once_and_depends_on_bytes_alone(self) -> None:
        wanted = [bytes([n]) * 16 for n in range(50)]
        first, second = selection.Records(self.file(wanted)), selection.Records(self.file(wanted[::-1]))
        self.assertEqual(sorted(first.order()), list(range(50)))
        self.assertNotEqual(list(first.order()), list(range(50)))
        self.assertEqual([first.record(i) for i in first.order()], [second.record(i) for i in second.order()])

    def test_damage_is_told(self) -> None:
        whole = self.file([bytes(16)]).read_bytes()
        for damaged in (whole[:-1], b"rocBLAS\0" + bytes(300), bytes(300)):
            path = self.file([])
            path.write_bytes(damaged)
            self.assertRaises(ValueError, selection.Records, path)


class Bundles(unittest.TestCase):
    LIST = (
        b"__CLANG_OFFLOAD_BUNDLE__"
        + bytes(32)
        + b"hipv4-amdgcn-amd-amdhsa--gfx942:sramecc+"
        + b"hipv4-amdgcn-amd-amdhsa--gfx1201"
    )

    def targets(self, content: bytes) -> set[str]:
        with tempfile.NamedTemporaryFile() as file:
            file.write(content)
            file.flush()
            return bundles.targets(Path(file.name))

    def test_plain(self) -> None:
        self.assertEqual(self.targets(bytes(4096) + self.LIST), {"gfx942", "gfx1201"})

    def test_compressed(self) -> None:
        for version, sizes in ((2, "<II"), (3, "<QQ")):
            packed = zlib.compress(self.LIST)
            total = 8 + struct.calcsize(sizes) + 8 + len(packed)
            head = b"CCOB" + struct.pack("<HH", version, 0) + struct.pack(sizes, total, len(self.LIST)) + bytes(8)
            self.assertEqual(self.targets(bytes(64) + b"CCOB is a word" + head + packed), {"gfx942", "gfx1201"})

    def test_none(self) -> None:
        self.assertEqual(self.targets(b"no code"), set())
        self.assertEqual(self.targets(b""), set())

    def test_names_of_files(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            for name in ("Kernels-gfx90a-xnack+.hsaco", "T_gfx942.co", "T_gfx1100.dat", "T_fallback.dat"):
                (Path(folder) / name).touch()
            self.assertEqual(bundles.named(Path(folder)), {"gfx90a", "gfx942"})


class Watched(unittest.TestCase):
    def run_python(self, code: str, limits: watched.Limits, now: str | None = "a") -> tuple[watched.End, list[str]]:
        lines: list[str] = []
        end = watched.run(python(code), lines.append, lambda: now, limits)
        return end, lines

    def test_output_and_exit(self) -> None:
        end, lines = self.run_python("print('one'); print('two', end=''); exit(3)", GENEROUS)
        self.assertEqual((end.returncode, end.stopped, lines), (3, "", ["one", "two"]))

    def test_too_long(self) -> None:
        end, _ = self.run_python("while True: pass", watched.Limits(0.6, 60, 1 << 32))
        self.assertEqual(end.stopped, "long")

    def test_hung(self) -> None:
        end, _ = self.run_python("import time; time.sleep(60)", watched.Limits(60, 1.5, 1 << 32))
        self.assertEqual(end.stopped, "hung")

    def test_too_large(self) -> None:
        end, _ = self.run_python(
            "a = b'x' * (300 << 20); import time; time.sleep(60)", watched.Limits(60, 60, 100 << 20)
        )
        self.assertEqual(end.stopped, "memory")

    def test_shared_memory_counts_once(self) -> None:
        code = (
            "import mmap, os, time; m = mmap.mmap(-1, 100 << 20); m.write(b'x' * len(m)); [os.fork() or "
            "([m[i] for i in range(0, len(m), 4096)], time.sleep(3), os._exit(0)) for _ in range(3)]; time.sleep(3)"
        )
        end, _ = self.run_python(code, watched.Limits(60, 60, 280 << 20))
        self.assertEqual(end.stopped, "")

    def test_enough(self) -> None:
        lines: list[str] = []
        code = "print('a', flush=True); import time; time.sleep(60)"
        end = watched.run(python(code), lines.append, lambda: None, GENEROUS, lambda: bool(lines))
        self.assertEqual(end.stopped, "done")


class Chunks(unittest.TestCase):
    def test_the_next_one_takes_half_a_minute(self) -> None:
        self.assertEqual(run_libraries.next_size(100, used=20, seconds=30), 150)
        self.assertEqual(run_libraries.next_size(100, used=60, seconds=30), 50)

    def test_it_grows_to_twice_at_most_and_never_is_empty(self) -> None:
        self.assertEqual(run_libraries.next_size(100, used=0, seconds=30), 200)
        self.assertEqual(run_libraries.next_size(100, used=20, seconds=-5), 1)


class Results(unittest.TestCase):
    def entries(self) -> dict[str, results.Entry]:
        run = results.Run(rows={"rocblas-test": [400, 20]}, seconds=5, wavesmith="0123abcd45")
        for test in range(18):
            run.add("rocblas-test", (0, 18), f"A.b{test}", "passed", "")
        run.add("rocblas-test", (18, 2), "A.wrong", "failed", "5 is not 4")
        run.add("rocblas-test", (18, 2), "A.large", "memory", "")
        return {"rocblas": results.Entry({"librocblas5": "7.2"}, {"mi210": run}, {"mi300x": "no code for gfx942"})}

    def test_written_and_read(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "libraries.json"
            self.assertEqual(results.read(file), {})
            results.write(self.entries(), file)
            self.assertEqual(results.read(file), self.entries())

    def test_counts(self) -> None:
        run = self.entries()["rocblas"].runs["mi210"]
        self.assertEqual(
            (run.ran, run.passed, run.count(results.FAILURES), run.count(results.LEFT_OUT)), (19, 18, 1, 1)
        )
        self.assertEqual(run.share, 20 / 400)

    def test_the_page_names_what_failed_and_why(self) -> None:
        table = {"rocblas": suite.libraries()["rocblas"]}
        table["rocblas"].explained = [{"tests": "wrong", "why": "The test is wrong."}]
        text = page.text(table, self.entries())
        self.assertIn(
            "| rocBLAS | librocblas5 7.2 | mi210 | 19 | 18 | 1 | 94.74 % | 1 | 0 | 5.00 % | 5 s | 0123abcd |", text
        )
        self.assertIn("**rocBLAS.** The test is wrong.", text)
        self.assertIn("- rocBLAS on mi300x: no code for gfx942", text)
        self.assertNotIn("Not explained", text)

    def test_the_page_names_what_a_package_lacks(self) -> None:
        library = suite.Library(
            "a", "A", ["liba"], ["a-test"], lacks={"said": r"no file \S+", "why": "Debian left it out."}
        )
        run = results.Run(rows={"a-test": [2, 2]})
        for test, outcome, why in (("A.b", "died", "... no file k.s"), ("A.c", "failed", "5 is not 4")):
            run.add("a-test", (0, 2), test, library.verdict(outcome, why), why)
        self.assertEqual(run.count(results.FAILURES), 1)
        text = page.text({"a": library}, {"a": results.Entry({"liba": "1"}, {"mi210": run})})
        self.assertIn("**A.** Debian left it out.\n\n- mi210: `a-test` `A.b` (no file k.s)\n", text)

    def test_the_committed_page_is_that_of_the_committed_numbers(self) -> None:
        self.assertEqual(
            page.FILE.read_text(), page.text(suite.libraries(), results.read()), "run_libraries.py --page writes it"
        )


class Checked(unittest.TestCase):
    """What checkers found, over the processes of a run."""

    def finding(self, severity: str, rule: str, offset: int, count: int) -> dict[str, object]:
        party = {"role": "reads", "kernel": "k", "offset": offset, "instruction": "ds_read_b32 v0, v1"}
        return {"severity": severity, "checker": "race", "rule": rule, "parties": [party], "count": count}

    def test_the_same_fault_of_several_processes_is_one(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            hint = self.finding("hint", "lds-same-value", 4, 7)
            warning = self.finding("warning", "lanes-write-write", 16, 9)
            error = self.finding("error", "lds-read-write", 8, 2)
            for process, findings in enumerate(([hint, warning, error], [error])):
                report = {"checkers": ["race"], "launches": 3, "findings": findings}
                (Path(folder) / f"{process}.json").write_text(json.dumps(report))
            (Path(folder) / "9.json").write_text('{"launches": 1, "find')
            found = checked.found(Path(folder))
        self.assertEqual(str(found), "6 launches, 1 errors, 1 warnings, 1 hints")
        at = "reads ds_read_b32 v0, v1 at k + 0x"
        self.assertEqual(
            found.lines(),
            [f"error race/lds-read-write: {at}8 (4 times)", f"warning race/lanes-write-write: {at}10 (9 times)"],
        )

    def test_a_fault_of_the_host_names_no_instruction(self) -> None:
        party = {"role": "frees", "kernel": "", "offset": 0, "instruction": ""}
        fault = checked.fault({"severity": "error", "checker": "memory", "rule": "double-free", "parties": [party]})
        self.assertEqual(str(fault), "error memory/double-free: frees at the host")

    def test_long_names_are_shortened(self) -> None:
        finding = self.finding("error", "lds-read-write", 8, 1)
        finding["parties"][0]["kernel"] = "rocprim::sort<" + "int, " * 100 + "less<int>>"  # type: ignore[index]
        text = str(checked.fault(finding))
        self.assertLess(len(text), 250)
        self.assertIn("at rocprim::sort<int, ", text)
        self.assertTrue(text.endswith("less<int>> + 0x8"), text)

    def test_checkers_reach_the_program(self) -> None:
        library = suite.Library("a", "A", ["liba"], ["a-test"], setting={"TYPES": "f16"})
        command = run_libraries.launcher("mi300x", library, checked.settings("race,wait", "/out/reports"))
        variables = command[1 : command.index(str(run_libraries.BUILD / "bin/wavesmith"))]
        self.assertEqual(command[0], "env")
        self.assertLessEqual(
            {"TYPES=f16", "WAVESMITH_CHECK=race,wait", "WAVESMITH_CHECK_REPORT=/out/reports"}, set(variables)
        )


class Machines(unittest.TestCase):
    def test_a_library_for_several_gpus_is_run_on_each_count(self) -> None:
        one = suite.Library("a", "A", ["liba"], ["a-test"])
        several = suite.Library("b", "B", ["libb"], ["b-test"], counts=[2, 4])
        self.assertEqual(one.machines("mi300x"), ["mi300x"])
        self.assertEqual(several.machines("mi300x"), ["mi300x:2", "mi300x:4"])
        self.assertEqual(several.machines("mi300x:8"), ["mi300x:8"])
        self.assertEqual([suite.kind_of(machine) for machine in ("mi300x", "mi300x:4")], ["mi300x", "mi300x"])

    def test_a_setting_knows_the_number_of_gpus(self) -> None:
        library = suite.Library("b", "B", ["libb"], ["b-test"], setting={"MIN_GPUS": "{count}", "TYPES": "f16"})
        library.setting_of_count["8"] = {"PROCESSES": "1"}
        self.assertEqual(library.setting_of("mi300x:8"), {"MIN_GPUS": "8", "TYPES": "f16", "PROCESSES": "1"})
        self.assertEqual(library.setting_of("mi300x"), {"MIN_GPUS": "1", "TYPES": "f16"})

    def test_an_explanation_for_a_gpu_holds_for_several(self) -> None:
        library = suite.Library(
            "b", "B", ["libb"], ["b-test"], explained=[{"tests": "wrong", "gpus": ["mi210"], "why": "known"}]
        )
        self.assertEqual(page.explained(library, "mi210:2", "A.wrong"), "known")
        self.assertEqual(page.explained(library, "mi300x:2", "A.wrong"), "")


def copy_programs(root: Path, names: list[str]) -> None:
    """Copies programs, with the shared libraries that they need, below a folder."""
    files = {path for name in names if (path := shutil.which(name))}
    for file in list(files):
        needed = subprocess.run(["ldd", file], capture_output=True, text=True).stdout
        files.update(re.findall(r"(/\S+) \(0x", needed))
    for file in files:
        place = root / ("usr/bin/" + Path(file).name if ".so" not in file else file.lstrip("/"))
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(file, place)


def may_make_machines() -> bool:
    """Whether a namespace of mounts can stand for a machine: not in a chroot, nor where mounting is forbidden."""
    if os.geteuid() != 0 or not shutil.which("unshare"):
        return False
    command = ["unshare", "--mount", "--propagation", "private", "mount", "--make-rshared", "/"]
    return subprocess.run(command, capture_output=True).returncode == 0


@unittest.skipUnless(may_make_machines(), "needs root, and a root folder that is a mount point")
class EnteringTheDebian(unittest.TestCase):
    """From a machine, and from a chroot in it; the machine's mounts are shared, as systemd leaves them."""

    # The machine is this one's in a namespace of its own. What reached it would still be mounted there afterwards.
    MACHINE = """
mount --make-rshared /; mount -t proc proc "$1/proc"; root=$1; shift
before=$(cat /proc/self/mountinfo)
if [ "$root" = / ]; then "$@"; else chroot "$root" /usr/bin/env PATH=/usr/bin "$@"; fi
[ "$before" = "$(cat /proc/self/mountinfo)" ] || echo "a mount reached the machine"
"""

    def entered(self, machine: Path, debian: Path, seen_debian: Path) -> str:
        """What a program prints in the Debian; `seen_debian` is its path in the machine."""
        for folder in ("proc", "dev", "sys", "project", "work"):
            (machine / folder).mkdir(exist_ok=True)
            (debian / folder).mkdir(parents=True, exist_ok=True)
        copy_programs(debian, ["env", "cat"])
        (debian / "instead").write_text("Debian's\n")
        (machine / "project/word").write_text("the project's\n")
        (machine / "work/file").write_text("the test's\n")
        above = seen_debian.parent
        root = DebianRoot(seen_debian, above / "project", above / "work")
        command = root.command(["cat", str(root.project / "word"), "/instead"], seen_debian / "instead", "file")
        own = ["unshare", "--mount", "--propagation", "private", "bash", "-c", self.MACHINE, "machine"]
        chroot = str(machine) if above == Path("/") else "/"
        result = subprocess.run([*own, chroot, *command], capture_output=True, text=True)
        return result.stdout + result.stderr

    def test_from_a_machine(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            machine = Path(folder)
            text = self.entered(machine, machine / "debian", machine / "debian")
        self.assertEqual(text, "the project's\nthe test's\n")

    def test_from_a_chroot(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            machine = Path(folder)
            copy_programs(machine, ["bash", "unshare", "mount", "mkdir", "chroot", "env"])
            text = self.entered(machine, machine / "debian", Path("/debian"))
        self.assertEqual(text, "the project's\nthe test's\n")


class Table(unittest.TestCase):
    def test_every_library_is_whole(self) -> None:
        for library in suite.libraries().values():
            with self.subTest(library.id):
                self.assertTrue(library.packages and library.programs)
                self.assertIn(library.kind, programs.KINDS)


if __name__ == "__main__":
    unittest.main()
