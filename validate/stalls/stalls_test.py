"""Traced kernels put together again, and the figures of a comparison."""

import json
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import issue_cycles
import stalls
import traces

KERNEL = traces.Kernel("add", "a sum", "4,2", ((0x0, "f32[4]=0"), (0x14, "i32=4")), lds=512)
# As the viewer's files have them: ISA, _, LineNumber, Source, Codeobj, Vaddr, Hit, Latency, Stall, Idle.
ROWS = [
    ["; add_0", 0, 0, "", 3, 5632, 0, 0, 0, 0],
    ["s_load_dwordx2 s[4:5], s[0:1], 0x0", 0, 1, "add.py:1", 3, 5632, 8, 64, 32, 5],
    ["v_mfma_f32_16x16x16_f16 a[0:3], v[2:3], v[8:9], a[0:3]", 0, 2, "add.py:2", 3, 5640, 8, 96, 64, 0],
    ["s_waitcnt vmcnt(0)", 0, 3, "add.py:3", 3, 5648, 8, 512, 512, 0],
    ["s_endpgm", 0, 4, "add.py:3", 3, 5652, 8, 32, 0, 0],
]


def library(folder: str) -> Path:
    place = Path(folder) / "examples/add/att_viewer/big/ui_output_agent_1_dispatch_2"
    place.mkdir(parents=True)
    (place / "code.json").write_text(json.dumps({"code": ROWS}))
    return Path(folder)


class Traces(unittest.TestCase):
    def test_reads_addresses_from_the_first_instruction(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            lines = traces.read(library(folder), KERNEL)
        self.assertEqual([line.address for line in lines], [0, 8, 16, 20])
        self.assertEqual(lines[2], traces.Line(16, "s_waitcnt vmcnt(0)", 8, 512, 512, 0))

    def test_tells_which_kernel_has_no_trace(self) -> None:
        with tempfile.TemporaryDirectory() as folder, self.assertRaisesRegex(FileNotFoundError, "'add'"):
            traces.read(Path(folder), KERNEL)

    def test_text_has_what_a_launch_needs(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            lines = traces.read(library(folder), KERNEL)
        self.assertEqual(traces.registers(lines), (10, 4))
        text = traces.assembly(KERNEL, lines)
        for wanted in (
            "v_mfma_f32_16x16x16_f16 a[0:3], v[2:3], v[8:9], a[0:3]\n",
            ".amdhsa_accum_offset 12\n",
            ".amdhsa_next_free_vgpr 16\n",
            ".amdhsa_kernarg_size 32\n",
            ".amdhsa_system_sgpr_workgroup_id_y 1\n",
            "{.offset: 0, .size: 8, .value_kind: global_buffer, .address_space: global}\n",
            "{.offset: 20, .size: 4, .value_kind: by_value}\n",
        ):
            self.assertIn(wanted, text)


class Figures(unittest.TestCase):
    def test_ranks_and_shares(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            lines = traces.read(library(folder), KERNEL)
        # 608 cycles were measured, 304 are modelled for half as many waves; a quarter of them stands elsewhere.
        judged = stalls.Judged(KERNEL, lines, {0: (4, 16), 8: (4, 108), 16: (4, 180), 20: (4, 0)}, 4)
        self.assertEqual(judged.per_wave(), (76.0, 76.0))
        figures = judged.figures()
        self.assertEqual((figures["worst"], figures["in_ten"], figures["per_wave"]), (1, 4, 1.0))
        self.assertAlmostEqual(figures["elsewhere"], (108 - 32) / 304)
        self.assertIn("| a sum | 4 | 76 | 76 | 1 | 4 | 25% |", stalls.page([judged]))

    def test_the_first_of_equal_lines_is_the_worst(self) -> None:
        self.assertEqual(stalls.order([0.25, 0.5, 0.25, 0.0]), [1, 0, 2, 3])

    def test_every_kernel_is_complete(self) -> None:
        for kernel in stalls.kernels():
            with self.subTest(kernel.folder):
                self.assertTrue(kernel.arguments)
                self.assertTrue(all(at % 4 == 0 for at, _ in kernel.arguments))


class IssueCycles(unittest.TestCase):
    def test_an_instruction_issues_when_its_stall_ends(self) -> None:
        wave = [[100, 1, 0, 4, 1], [104, 6, 8, 12, 2], [120, 9, 40, 40, 3], [160, 2, 0, 4, 4]]
        rows = issue_cycles.rows_of("add", ROWS, {"se1_sm2_sl3_wv4.json": wave})
        self.assertEqual([row[7] for row in rows], [100, 112, 160])
        self.assertEqual(rows[1][:7], ("add", 1, 1, 2, 3004, hex(5640), ROWS[2][0]))

    def test_waves_with_lines_that_are_not_known_are_passed_over(self) -> None:
        rows = issue_cycles.rows_of("add", ROWS, {"se0_sm0_sl0_wv0.json": [[100, 1, 0, 4, 9]]})
        self.assertEqual(rows, [])


if __name__ == "__main__":
    unittest.main()
