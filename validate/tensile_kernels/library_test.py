"""Which kernel a row of the tuned GEMMs names: what has to be equal, what is left open, what is ambiguous."""

import csv
import gzip
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import library
import measure

# A row's short name, and the kernel's whole one, as rocBLAS 5.2 has it.
SHORT = (
    "Cijk_Alik_Bljk_HHS_BH_MT128x64x64_MI32x32x8x1_SE_1LDSB1_AF0EM8_EPS0_GRVW8_GSU1_GSUAMB_LBSPP128_LPA8_LPB8_LRVW8_"
    "PGR2_PLR9_SU32_SUS128_SRVW4_TT2_32_VAW2_WSGRA1_WSGRB1_WG64_4_1_WGM15"
)
WHOLE = (
    "Cijk_Alik_Bljk_HHS_BH_MT128x64x64_MI32x32x8x1_SE_1LDSB1_APM1_ABV0_AF0EM8_EPS0_GLVWA8_GLVWB8_GRVW8_GSU1_GSUASB_"
    "GLS0_ISA90a_LBSPPA128_LBSPPB128_LPA8_LPB8_LRVW8_LWPMn1_PGR2_PLR9_SU32_SUS128_SRVW4_TT2_32_VAW2_WSGRA1_WSGRB1_"
    "WS64_WG64_4_1_WGM15"
)


def row(**cells: str) -> dict[str, str]:
    return {
        "gpu": "MI250X GCD (110CU)",
        "repo": "ROCm+rocBLAS",
        "M": "5056",
        "N": "1408",
        "B": "1",
        "K": "3328",
        "value": "84.149",
        "solname": SHORT,
    } | cells


def filled(*records: library.Record) -> library.Library:
    found = library.Library(Path(tempfile.mkdtemp()), "gfx90a", set())
    for record in records:
        found.by_sizes[library.problem_of(record.kernel), *record.sizes].append(record)
    return found


RECORD = library.Record("TensileLibrary_Type_HH.dat", WHOLE, (5056, 1408, 3328), None, 84.149, 7, WHOLE)


class Names(unittest.TestCase):
    def test_a_name_is_read_parameter_by_parameter(self):
        found = library.parameters(SHORT)
        for name, value in {
            "MT": "128x64x64",
            "MI": "32x32x8x1",
            "1LDSB": "1",
            "GRVW": "8",
            "TT": "2_32",
            "WG": "64_4_1",
            "WGM": "15",
            "SE": "",
            "GSUAMB": "",
        }.items():
            self.assertEqual(found[name], value, name)

    def test_a_short_name_agrees_with_the_whole_one(self):
        self.assertTrue(library.agree(SHORT, WHOLE))

    def test_every_parameter_that_a_row_states_counts(self):
        for old, new in (
            ("MT128x64x64", "MT128x64x32"),
            ("MI32x32x8x1", "MI16x16x16x1"),
            ("WGM15", "WGM1"),
            ("PGR2", "PGR1"),
            ("GSU1_", "GSU2_"),
            ("1LDSB1", "1LDSB0"),
            ("HHS_BH", "BBS_BH"),
            ("Alik", "Ailk"),
            ("SU32", "SU0"),
            ("TT2_32", "TT4_32"),
            ("LPA8", "LPA0"),
            ("_SE_", "_SN_"),
        ):
            self.assertIn(old, SHORT)
            self.assertFalse(library.agree(SHORT.replace(old, new), WHOLE), old)

    def test_what_was_split_holds_for_one_operand_at_least(self):
        self.assertTrue(library.agree(SHORT, WHOLE.replace("LBSPPB128", "LBSPPB0")))
        self.assertFalse(library.agree(SHORT, WHOLE.replace("LBSPPA128", "LBSPPA64").replace("LBSPPB128", "LBSPPB0")))

    def test_the_shift_of_a_stagger_that_there_is_not_does_not_count(self):
        without = SHORT.replace("SU32_SUS128", "SU0_SUS256"), WHOLE.replace("SU32_SUS128", "SU0_SUS0")
        self.assertTrue(library.agree(*without))
        self.assertFalse(library.agree(SHORT.replace("SUS128", "SUS256"), WHOLE))

    def test_versions_of_hipblaslt_write_types_and_names_differently(self):
        old = "Cijk_Alik_Bljk_HHS_BH_Bias_AuxH_HAS_SAV_UserArgs_MT64x16x32_MI16x16x16x1_SN_1LDSB0_GRVW8_WG64_2_1"
        new = "Cijk_Alik_Bljk_HHS_BH_Bias_AuxH_HA_S_SAV_UserArgs_MT64x16x32_MI16x16x1_SN_LDSB0_GRVWA8_GRVWB1_WG64_2_1"
        self.assertTrue(library.agree(old, new))
        self.assertFalse(library.agree(old.replace("_AuxH", ""), new))
        self.assertFalse(library.agree(old.replace("1LDSB0", "1LDSB1"), new))
        self.assertFalse(library.agree(old.replace("HHS", "HSS"), new))
        for one, other in (
            ("SB_Bias_HA_SAV", "S_B_Bias_HA_S_SAV_UserArgs"),
            ("I8BH_HAI_SAV_UserArgs", "I8_BH_HA_I_SAV_UserArgs"),
        ):
            problems = {library.problem_of(f"Cijk_Ailk_Bljk_{each}_MT16x16x16") for each in (one, other)}
            self.assertEqual(len(problems), 1, problems)


class Matches(unittest.TestCase):
    def test_a_record_of_the_same_sizes_and_parameters_is_the_row(self):
        [match] = filled(RECORD).match(row())
        self.assertEqual(match.record, RECORD)
        self.assertTrue(match.speed_equal)
        self.assertIn("GLS", match.open)
        self.assertNotIn("PGR", match.open)

    def test_other_sizes_batches_or_parameters_are_not(self):
        self.assertEqual(filled(RECORD).match(row(K="3329")), [])
        self.assertEqual(filled(RECORD).match(row(solname=SHORT.replace("WGM15", "WGM1"))), [])
        batched = library.Record(RECORD.file, WHOLE, RECORD.sizes, 4, None)
        self.assertEqual(filled(batched).match(row()), [])
        self.assertEqual(len(filled(batched).match(row(B="4"))), 1)

    def test_a_measured_value_does_not_choose_but_is_told(self):
        other = library.Record(RECORD.file, WHOLE, RECORD.sizes, None, 20.0)
        [match] = filled(other).match(row())
        self.assertFalse(match.speed_equal)

    def test_two_kernels_that_a_row_can_mean_are_both_found(self):
        other = library.Record(RECORD.file, WHOLE.replace("GLS0", "GLS1"), RECORD.sizes, None, 84.149)
        self.assertEqual(len(filled(RECORD, other).match(row())), 2)

    def test_a_library_file_is_read(self):
        try:
            import msgpack
        except ImportError:
            self.skipTest("python3-msgpack is not there")
        properties = [
            {"type": "FreeSizeA", "index": 0},
            {"type": "FreeSizeB", "index": 0},
            {"type": "BoundSize", "index": 0},
        ]
        table = {
            "type": "Matching",
            "properties": properties,
            "table": [{"key": list(RECORD.sizes), "index": 7, "speed": 84.149}, {"key": [1, 1, 1], "index": 8}],
        }
        whole = {
            "solutions": [{"index": 7, "name": WHOLE}],
            "library": {"type": "Problem", "rows": [{"predicate": {"type": "TruePred"}, "library": table}]},
        }
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "TensileLibrary_Type_HH_gfx90a.dat"
            path.write_bytes(msgpack.packb(whole))
            [record] = library.records(path)
            self.assertEqual(
                record,
                library.Record(
                    path.name,
                    *(getattr(RECORD, each) for each in ("kernel", "sizes", "batch", "speed", "solution", "launched")),
                ),
            )
            self.assertEqual(len(library.Library(Path(folder), "gfx90a", {RECORD.sizes}).match(row())), 1)


class Choice(unittest.TestCase):
    def rows(self, count: int) -> list:
        cells = {"typestr": "HHS_BH", "layout": "TN"}
        return [(row(M=str(64 * i), **cells), library.Match(RECORD, (), True)) for i in range(1, count + 1)]

    def test_each_part_of_the_work_has_one(self):
        chosen = measure.choose(self.rows(40), 4)
        self.assertEqual(sorted((int(each["M"]) // 64 - 1) // 10 for each, _ in chosen), [0, 1, 2, 3])

    def test_it_does_not_depend_on_order_or_on_what_was_measured(self):
        rows = self.rows(40)
        faster = [(each | {"value": "1"}, match) for each, match in reversed(rows)]
        self.assertEqual(
            [each["M"] for each, _ in measure.choose(rows, 5)], [each["M"] for each, _ in measure.choose(faster, 5)]
        )

    def test_few_rows_are_all_taken(self):
        self.assertEqual(len(measure.choose(self.rows(3), 8)), 3)


class Written(unittest.TestCase):
    """The table that `wavesmith validate tensile_kernels` judges."""

    def test_every_row_names_the_kernel_that_it_stands_beside(self):
        with gzip.open(measure.HERE.parent / "data/tensile_kernels.csv.gz", "rt") as file:
            lines = list(csv.DictReader(file))
        self.assertGreater(len(lines), 100)
        for line in lines:
            self.assertTrue(library.agree(line["solname"], line["kernel"]), line["kernel"])
            self.assertIn(line["chip"], measure.gpus_of(line)[1])
        labels = [(measure.label_of(line), line["chip"]) for line in lines]
        self.assertEqual(len(labels), len(set(labels)))


if __name__ == "__main__":
    unittest.main()
