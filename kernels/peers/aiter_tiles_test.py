"""What is expected was printed by AITER's own get_heuristic_kernel, compiled with its tables as they are here."""

import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from aiter_tiles import Tile, choose_bf16, choose_i8, likely


def tiles(*sizes: tuple[int, int]) -> list[Tile]:
    return [Tile(rows, columns, "", Path()) for rows, columns in sizes]


BF16 = tiles((96, 64), (64, 64), (48, 64), (32, 64))
I8 = tiles((192, 128), (128, 128))


class TileOfBf16Test(unittest.TestCase):
    def test_few_tiles_share_k(self) -> None:
        for m, n, units, rows, split in BF16_EXPECTED:
            with self.subTest(m=m, n=n, units=units):
                tile, got = choose_bf16(BF16, m, n, units)
                self.assertEqual((tile.rows, got), (rows, split))

    def test_columns_that_are_no_whole_tiles_are_refused(self) -> None:
        with self.assertRaises(SystemExit):
            choose_bf16(BF16, 64, 100, 304)


class TileOfI8Test(unittest.TestCase):
    def test_fewest_rounds_win(self) -> None:
        for m, n, units, rows in I8_EXPECTED:
            with self.subTest(m=m, n=n, units=units):
                self.assertEqual(choose_i8(I8, m, n, units).rows, rows)


class LikelyTilesTest(unittest.TestCase):
    def test_those_with_the_least_work_per_unit_come_first(self) -> None:
        some = tiles((256, 256), (32, 128), (64, 512), (128, 128))
        sizes = lambda m, n: [(tile.rows, tile.columns) for tile in likely(some, m, n, 256, 2)]  # noqa: E731
        self.assertEqual(sizes(16, 4096), [(32, 128), (128, 128)])
        self.assertEqual(sizes(4096, 4096), [(256, 256), (64, 512)])


# Rows, columns, compute units; the tile's rows, and how many workgroups share K.
BF16_EXPECTED = [
    (16, 4096, 304, 32, 4),
    (64, 4096, 256, 64, 4),
    (100, 192, 304, 64, 50),
    (250, 5120, 304, 96, 1),
    (1000, 1024, 80, 96, 1),
    (4096, 4096, 304, 96, 1),
    (4096, 4096, 256, 96, 1),
    (2048, 14336, 304, 96, 1),
    (7, 64, 304, 32, 64),
]
I8_EXPECTED = [
    (16, 4096, 304, 128),
    (2048, 2048, 304, 128),
    (2048, 14336, 304, 192),
    (4096, 4096, 304, 192),
    (300, 8192, 304, 128),
    (1000, 1024, 80, 128),
    (640, 25600, 304, 192),
]

if __name__ == "__main__":
    unittest.main()
