"""What a kernel of Composable Kernel is, by a name of ONNX Runtime's wheel, and which products it takes."""

import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from ck_objects import symbols_of
from ck_tiles import Tile, likely, tiles_of

NAME = (
    "_ZN2ck27kernel_gemm_xdl_cshuffle_v1INS_43GridwiseGemm_k0mk1_k0nk1_mn_xdl_cshuffle_v1INS_13tensor_layout4gemm"
    "8RowMajorENS3_11ColumnMajorES4_ttfttNS_16tensor_operation12element_wise11PassThroughES8_S8_LNS6_6device"
    "18GemmSpecializationE{padded}ELNS_25InMemoryDataOperationEnumE0ELi1ELi256ELi64ELi128ELi32ELi8ELi8ELi32ELi32ELi1ELi2"
    "ENS_8SequenceIJLi4ELi64ELi1EEEENSC_IJLi1ELi0ELi2EEEESE_Li2ELi8ELi8ELb0ELi1ESD_SE_SE_Li2ELi8ELi8ELb0ELi1ELi1ELi1ENSC_"
    "IJLi1ELi32ELi1ELi8EEEELi8ELNS_13LoopSchedulerE0ELNS_15PipelineVersionE{version}EttEELb{loops}EEEvNT_8ArgumentE"
)


def code_of(padded: int = 0, version: int = 0, loops: int = 1) -> bytes:
    """A string table of the kernel's function and its descriptor."""
    name = NAME.format(padded=padded, version=version, loops=loops).encode()
    return b"\0" + name + b"\0" + name + b".kd\0"


class TilesTest(unittest.TestCase):
    def test_a_name_tells_the_tile(self) -> None:
        (tile,) = tiles_of([code_of(), code_of()], "bf16", "kk")
        self.assertEqual((tile.rows, tile.columns, tile.depth, tile.threads), (64, 128, 32, 256))
        self.assertEqual((tile.together, tile.pipeline), ((8, 8), (0, 0)))
        self.assertEqual(tile.grid(65, 256), (2, 2))

    def test_other_types_and_layouts_are_left_out(self) -> None:
        self.assertEqual(tiles_of([code_of()], "f16", "kk"), [])
        self.assertEqual(tiles_of([code_of()], "bf16", "kn"), [])

    def test_sizes_that_are_no_whole_tiles_want_padding(self) -> None:
        ((whole,), (padded,)) = (tiles_of([code_of(padded)], "bf16", "kk") for padded in (0, 4))
        self.assertTrue(whole.takes(64, 128, 64) and not padded.takes(64, 128, 64))
        self.assertTrue(padded.takes(16, 128, 64) and not whole.takes(16, 128, 64))
        self.assertFalse(whole.takes(64, 128, 40))

    def test_a_main_loop_wants_pieces_of_k_for_a_second_turn(self) -> None:
        one, two = (tiles_of([code_of(version=version)], "bf16", "kk")[0] for version in (0, 1))
        self.assertEqual([one.takes(64, 128, k) for k in (32, 64, 96, 128)], [False, True, True, True])
        self.assertEqual([two.takes(64, 128, k) for k in (32, 64, 96, 128)], [False, False, False, True])
        (without,) = tiles_of([code_of(loops=0)], "bf16", "kk")
        self.assertEqual([without.takes(64, 128, k) for k in (32, 64)], [True, False])


class LikelyTilesTest(unittest.TestCase):
    def test_the_fastest_of_the_cycle_model_are_among_them(self) -> None:
        sizes = [(32, 64), (64, 32), (64, 64), (64, 128), (128, 64), (128, 128), (128, 256), (256, 128)]
        tiles = [Tile(*size, 32, 256, (8, 8), 0, (0, 0), True, "", b"") for size in sizes]
        for m, n, fastest in ((4096, 4096, (128, 256)), (2048, 4096, (128, 128))):  # of 304 compute units
            self.assertIn(fastest, likely(tiles, m, n, 304, 3))


class SymbolsTest(unittest.TestCase):
    def test_descriptors_are_no_kernels(self) -> None:
        self.assertEqual(symbols_of(code_of(), "_ZN2ck"), {NAME.format(padded=0, version=0, loops=1)})


if __name__ == "__main__":
    unittest.main()
