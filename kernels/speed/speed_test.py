"""What the page of speeds says of its rows; and that docs/KERNEL_SPEED.md is the page of docs/kernel_speed.json."""

import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from findings import stated
from operations import (
    Attention,
    Convolution,
    Experts,
    Product,
    Row,
    Timed,
    Training,
    UngatedExperts,
    attentions,
    products,
    read,
)
from page import PAGE, page, short
from published import Mark, operation_of
from published import read as published
from speed import Command, Machine, fastest_of, of_convolution, of_experts, of_product, of_training, of_ungated_experts

SQUARE = Product("mi300x", 4096, 4096, 4096)
WIDE = Product("mi300x", 16, 8192, 4096)


def row(operation: Product, ours: float, **peers: float) -> Row:
    return Row(
        operation,
        Timed("gemm_bf16_64x64x64_kk", ours),
        {name: Timed("k_32x64", us) for name, us in peers.items()},
    )


class PageTest(unittest.TestCase):
    def test_is_written_from_its_data(self) -> None:
        self.assertEqual(PAGE.read_text(), page(*read(), published(), stated()), "run kernels/speed/speed.py --page")

    def test_compares_with_the_fastest_peer_and_names_the_worst_row(self) -> None:
        text = page([row(SQUARE, 6, A=3, B=2), row(WIDE, 12, A=1, B=5)], {}, [])
        self.assertIn("**6.00** over 2 products of bf16, from 3.00 to 12.00 (16 x 8,192 x 4,096, kk)", text)
        self.assertIn("| 64x64x64 | 6.0 | 22,906 | B 32x64 | 2.0 | 3.00 | A 3.0 |", text)

    def test_layers_without_a_gate_are_their_own_table(self) -> None:
        sizes = "mi300x", 16, 4096, 14336, 8, 2
        rows = [
            Row(kind(*sizes), Timed("gemm_bf16g_16x64x256_kk", 4), {"A": Timed("k", 2)})
            for kind in (Experts, UngatedExperts)
        ]
        text = page(rows, {}, [])
        self.assertIn("## Mixtures of experts on mi300x, bf16", text)
        self.assertIn("## Mixtures of experts without a gate on mi300x, bf16", text)
        self.assertIn("| bf16g_16x64x256_kk | 4.0 | 2,819 | A | 2.0 | 2.00 |", text)
        self.assertIn("| bf16g_16x64x256_kk | 4.0 | 1,879 | A | 2.0 | 2.00 |", text)

    def test_says_why_a_peer_has_no_time(self) -> None:
        text = page([Row(SQUARE, Timed("gemm_bf16_64x64x64_kk", 6), {"A": "status 6"})], {}, [])
        self.assertIn("| A: status 6 |  |  |", text)
        self.assertNotIn("Geometric mean", text)

    def test_a_star_marks_kernels_without_matrix_instructions(self) -> None:
        self.assertEqual(short("Cijk_Alik_Bljk_BBS_BH_MT64x32x8_SN_1LDSB0"), "MT64x32x8 *")
        self.assertEqual(short("Cijk_Alik_Bljk_BBS_BH_MT64x64x128_MI16x16x16x1_SN"), "MT64x64x128")

    def test_blocks_of_scales_are_no_tile(self) -> None:
        self.assertEqual(short("_ZN5aiter42f4gemm_bf16_per1x32Fp4_BpreShuffle_256x128E"), "256x128")

    def test_composable_kernel_s_tile_stands_among_its_template_s_parameters(self) -> None:
        name = (
            "_ZN2ck27kernel_gemm_xdl_cshuffle_v1INS_43GridwiseGemm_EnumE0ELi1ELi256ELi64ELi128ELi32ELi8ELi8ELi32ELi32E"
        )
        self.assertEqual(short(name), "64x128x32")
        convolution = "_ZN2ck26kernel_grouped_conv_fwd_v3_LNS1_18GemmSpecializationE7ELi256ELi64ELi128ELi32ELi8ELi8E"
        self.assertEqual(short(convolution), "64x128x32")


class PartsTest(unittest.TestCase):
    def test_one_kernel_of_each_role_and_of_one_group_makes_the_whole(self) -> None:
        times = {"rows__w4_p256": 5, "rows__w8_p256": 4, "sums__64x64_p256": 3}
        times |= {"rows__w4_p512": 2, "sums__64x64_p512": 4, "sums__128x32_p512": 3}
        kernels = [{"name": name, "seconds": seconds} for name, seconds in times.items()]
        self.assertEqual([one["name"] for one in fastest_of(kernels)], ["rows__w4_p512", "sums__128x32_p512"])

    def test_of_whole_ones_the_fastest_counts(self) -> None:
        kernels = [{"name": "norm_w4", "seconds": 2}, {"name": "norm_w8.kd", "seconds": 1}]
        self.assertEqual(fastest_of(kernels), kernels[1:])


class OtherPeersTest(unittest.TestCase):
    def test_are_given_the_bench_s_words_and_may_refuse_them(self) -> None:
        class Asked(Machine):
            def profiled(self, gpu: str, command: Command, peer: str = "") -> Timed | str:
                words = "_".join(map(str, command[1:]))
                return Timed(words, 5) if peer in ("", "Mine") else "refused"

        machine = Asked(Path("build"), None, None, None, None, {"Mine": ["mine"], "Other": ["other"]})
        row = machine.measured(SQUARE)
        self.assertEqual(row.peers["Mine"].kernel, "gemm_4096_4096_4096_bf16_kk_-_bf16")
        self.assertNotIn("Other", row.peers)
        self.assertIn("Mine (2.0) ran by a program that is not part", page([row], {"Mine": "2.0", "Other": "1.0"}, []))


class PublishedTest(unittest.TestCase):
    def test_every_mark_is_of_an_operation_of_the_page(self) -> None:
        gpus = ["mi300x", "mi355x", "rx7900xtx", "rx9070xt"]
        rows = [Row(one, "") for one in [*products(gpus), *attentions(gpus)]]
        for mark in published():
            with self.subTest(mark=mark):
                self.assertIsNotNone(mark.row_of(rows))
                self.assertTrue(mark.chip and mark.who and mark.source and mark.teraflops > 0)

    def test_a_line_names_an_operation(self) -> None:
        line = {"gpu": "mi355x", "kind": "product", "sizes": "16 8192 4096", "types": "i8 to bf16", "layout": "kk"}
        self.assertEqual(operation_of(line), Product("mi355x", 16, 8192, 4096, "i8", "kk", "bf16"))
        line |= {"kind": "attention", "sizes": "1 64 8 8192", "types": "causal"}
        self.assertEqual(operation_of(line), Attention("mi355x", 1, 64, 8, 8192, True))

    def test_shows_the_peer_that_was_measured_or_the_fastest(self) -> None:
        rows = [row(SQUARE, 200, A=300, B=100)]
        for who, peer, rate in (("A", "A", 458), ("hipBLASLt", "B", 1374)):
            text = page(rows, {}, [Mark(SQUARE, "MI325X", who, 750, "a paper")])
            self.assertIn(f"bf16, kk | MI325X | {who} | 750 | mi300x | 687 | {peer} | {rate:,} | a paper |", text)

    def test_a_layout_that_is_not_modelled_stands_beside_kk(self) -> None:
        mark = Mark(Product("mi300x", 4096, 4096, 4096, "bf16", "kn"), "MI300X", "C", 1, "a paper")
        self.assertIn("| 4,096 x 4,096 x 4,096, bf16, kn | MI300X | C |", page([row(SQUARE, 200)], {}, [mark]))
        self.assertNotIn("| C |", page([row(WIDE, 200)], {}, [mark]))


class CommandTest(unittest.TestCase):
    machine = Machine(Path("build"), Path("rocblas"), Path("aiter"), Path("python"), Path("ck"))

    def test_rocblas_writes_the_transpose_by_columns(self) -> None:
        a_by_columns = Product("mi300x", 16, 8192, 4096, "bf16", "mk")
        self.assertEqual(
            of_product(a_by_columns, self.machine)[1]["rocBLAS"][2:], ["BBS_BH", "TT", "8192", "16", "1", "4096"]
        )

    def test_products_of_i8_are_scaled_in_both(self) -> None:
        bench, peers = of_product(Product("mi300x", 16, 8192, 4096, "i8", "kk", "bf16"), self.machine)
        self.assertEqual(bench[-2:], ["bf16", "scaled"])
        self.assertEqual(peers["AITER"][-4:], ["i8", "16", "8192", "4096"])

    def test_cross_entropy_s_gradient_is_a_word_of_the_bench_and_an_operation_of_the_peer(self) -> None:
        bench, peers = of_training(Training("mi300x", "cross_entropy_gradient", 2048, 32000), self.machine)
        self.assertEqual(bench, ["cross_entropy", "2048", "32000", "bf16", "gradient"])
        self.assertEqual(peers["Triton"][-3:], ["cross_entropy_gradient", "2048", "32000"])

    def test_layers_of_experts_and_convolutions_are_the_same_for_both(self) -> None:
        bench, peers = of_experts(Experts("mi300x", 16, 4096, 14336, 8, 2), self.machine)
        self.assertEqual(bench, ["experts", "16", "4096", "14336", "8", "2", "bf16"])
        self.assertEqual(peers["Triton"][-5:], bench[1:6])
        bench, peers = of_ungated_experts(UngatedExperts("mi300x", 16, 4096, 14336, 8, 2), self.machine)
        self.assertEqual(bench, ["experts", "16", "4096", "14336", "8", "2", "bf16", "ungated"])
        self.assertEqual(peers["AITER"][-5:], bench[1:6])
        bench, peers = of_convolution(Convolution("mi300x", 32, 128, 56, 256, 3, 2, "f16"), self.machine)
        self.assertEqual(bench, ["convolution", "32", "128", "56", "256", "3", "f16", "nhwc", "output", "2"])
        self.assertEqual(peers["Triton"][-7:], [*bench[1:6], "2", "f16"])

    def test_composable_kernel_is_asked_for_the_layout(self) -> None:
        peers = of_product(Product("mi210", 4096, 4096, 4096, "bf16", "mn"), self.machine)[1]
        self.assertEqual(peers["Composable Kernel"][-5:], ["bf16", "4096", "4096", "4096", "mn"])
        self.assertNotIn("Composable Kernel", of_product(Product("mi355x", 4096, 4096, 4096), self.machine)[1])


if __name__ == "__main__":
    unittest.main()
