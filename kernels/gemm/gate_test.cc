// Products that gate, on a GPU of each target against sums in double precision; what is refused.
#include <limits>

#include "kernels/gemm/testing.h"
#include "kernels/refusal_testing.h"

namespace wavesmith::kernels {
namespace {

class GatedGemm : public GemmOnGpu {
 protected:
  /// A pair of types, and what the tiles that gate have of it.
  struct Kernels {
    std::pair<Type, Type> types;
    std::vector<const GemmConfiguration*> tiles;
  };
  static std::vector<Kernels> kernels() {
    std::vector<Kernels> all;
    for (const auto& types : pairs()) {
      Kernels of{types, {}};
      for (const GemmConfiguration& row : gemm_configurations())
        if (row.target == kTargets[GetParam()] && row.has(types_word(types.first, types.second) + "gated"))
          of.tiles.push_back(&row);
      if (!of.tiles.empty()) all.push_back(of);
    }
    return all;
  }
  Case gated_case(int64_t m, int64_t n, int64_t k, std::pair<Type, Type> types) {
    Case one = random_case(m, n, k, types);
    one.gated = true, one.d_by_rows = true, one.beta = 0, one.bias_per_row = false;
    if (one.type_d == WAVESMITH_KERNELS_I32) one.type_d = WAVESMITH_KERNELS_BF16, one.alpha = 0x1p-12F;
    one.alpha /= 16;  // products of two sums stay within f16
    return one;
  }
  Case gated_case(int64_t m, int64_t n, int64_t k) {
    const auto all = kernels();
    return gated_case(m, n, k, all[static_cast<size_t>(between(0, std::ssize(all) - 1))].types);
  }
};

TEST_P(GatedGemm, SmallOnesOfAllKindsEqualSumsInDoublePrecision) {
  for (int round = 0; round < 40; ++round) {
    check(gated_case(between(1, 70), between(1, 70), between(0, 100)));
    if (HasFatalFailure()) return;
  }
}

TEST_P(GatedGemm, SizesAroundTheTilesEqualSumsInDoublePrecision) {
  for (int round = 0; round < 4; ++round) {
    check(gated_case(one_of<int64_t>({1, 64, 127, 129, 257}), one_of<int64_t>({1, 63, 64, 97, 129, 200}),
                     one_of<int64_t>({1, 31, 32, 64, 130})));
    if (HasFatalFailure()) return;
  }
}

TEST_P(GatedGemm, EveryKernelEqualsSumsInDoublePrecision) {
  for (const auto& [types, tiles] : kernels()) {
    const int64_t even = 4 / size_of(types.first);  // elements of a dword
    for (const GemmConfiguration* const tile : tiles)
      for (const bool a_by_rows : {true, false})
        for (const bool b_by_rows : {true, false}) {
          if (!tile->has_layout(a_by_rows, !b_by_rows)) continue;
          const int64_t deep = tile->pieces ? 16 / size_of(types.first) : even;
          const int64_t depth = std::max(320, 5 * tile->depth / 2);
          // A tile's rows, and as many columns of D as are half of its own.
          Case one = gated_case(tile->rows + between(-1, 1) * even, tile->columns / 2 + between(-1, 2) * even,
                                between(2, depth / deep) * deep, types);
          one.a_by_rows = a_by_rows, one.b_by_rows = b_by_rows, one.tile = tile->name;
          one.padding = one.padding / even * even, one.offset = one.offset / even * even, one.batches = 1;
          check(one);
          if (tile->elements) {
            one.offset = 1;  // element by element
            check(one);
          }
          if (HasFatalFailure()) return;
        }
  }
  EXPECT_GE(kernels().size(), 2U);
}

TEST_P(GatedGemm, PartsOfKAreGatedWhereTheyAreAddedUp) {
  for (const auto& [types, tiles] : kernels()) {
    const char* const tile = wavesmith_kernels_gemm_tile(types.first, types.second, 0);
    const int64_t depth = configuration(tile, types.first, types.second).depth;
    for (const int64_t n : {int64_t{1}, between(2, 60)}) {
      const int parts = static_cast<int>(between(2, 5));
      Case one = gated_case(between(1, 40), n, 2 * depth * parts, types);
      one.a_by_rows = true, one.b_by_rows = false, one.batches = 1;
      one.padding = one.padding / 8 * 8, one.offset = one.offset / 8 * 8;
      one.tile = tile, one.parts = parts;
      check(one);
      if (HasFatalFailure()) return;
    }
  }
}

TEST_P(GatedGemm, NanAndInfinityPropagateToTheirRowsAndColumnsOnly) {
  for (const auto activation : {WAVESMITH_KERNELS_SILU, WAVESMITH_KERNELS_RELU}) {
    Case one{.m = 70, .n = 45, .k = 50, .type_d = WAVESMITH_KERNELS_F32, .activation = activation};
    one.gated = true;
    HostMatrix a = random_matrix(one.m, one.k, 1, true, 0, one.type),
               b = random_matrix(one.k, 2 * one.n, 1, false, 0, one.type);
    const HostMatrix c = matrix(one.m, one.n, 1, true, 0, one.type_c),
                     bias = matrix(1, one.n, 1, true, 0, one.bias_type);
    HostMatrix d = matrix(one.m, one.n, 1, true, 0, one.type_d);
    a.elements.set(a.at(0, 3, 49), std::numeric_limits<double>::quiet_NaN());
    b.elements.set(b.at(0, 49, 44), std::numeric_limits<double>::infinity());   // of the gate's half
    b.elements.set(b.at(0, 49, 60), -std::numeric_limits<double>::infinity());  // of the other
    check(one, a, b, c, d, bias);
    if (HasFatalFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(On, GatedGemm, testing::Range(0, kGpuCount), gpu_name);

TEST(GatedGemmRefuses, WhatHasNoKernelAndSaysWhich) {
  ASSERT_EQ(hipSetDevice(1), 0);
  const OnGpu memory(Elements(WAVESMITH_KERNELS_F32, 1 << 14));
  char* const at = static_cast<char*>(memory.data());
  const auto type = WAVESMITH_KERNELS_BF16;
  const wavesmith_kernels_gemm_description right{
      .m = 8,
      .n = 8,
      .k = 64,
      .batches = 1,
      .alpha = 1,
      .a = {at, type, 64, 1, 0},
      .b = {at + 4096, type, 1, 64, 0},
      .d = {at + 8192, type, 8, 1, 0},
      .activation = WAVESMITH_KERNELS_SILU,
      .gated = 1,
  };
  ASSERT_EQ(wavesmith_kernels_gemm(&right, nullptr), WAVESMITH_KERNELS_SUCCESS)
      << wavesmith_kernels_message();
  ASSERT_EQ(hipDeviceSynchronize(), 0);
  constexpr auto kNot = WAVESMITH_KERNELS_NOT_SUPPORTED, kInvalid = WAVESMITH_KERNELS_INVALID_ARGUMENT;
  using G = wavesmith_kernels_gemm_description;
  const Refusal<G> all[] = {
      {[](G& g) { g.d.row_stride = 1, g.d.column_stride = 8; }, kNot, "d of a gated product lies by columns"},
      {[](G& g) { g.c = g.d, g.beta = 2; }, kNot, "beta is 2.000000, and a gated product has no c"},
      {[](G& g) { g.bias = g.a.data, g.bias_per_row = 1; }, kNot, "bias_per_row"},
      {[](G& g) {
         g.a.type = g.b.type = WAVESMITH_KERNELS_E4M3_FNUZ;
         g.block_scales_a = {WAVESMITH_KERNELS_SCALE_PER_BLOCK, g.a.data, 128, 1, 1, 0};
         g.block_scales_b = {WAVESMITH_KERNELS_SCALE_PER_SQUARE, g.a.data, 128, 1, 1, 0};
       },
       kNot, "gated kernels have scales of blocks in groups of rows of floats of 8 bits alone"},
      {[](G& g) { g.a.type = g.b.type = WAVESMITH_KERNELS_I8, g.d.type = WAVESMITH_KERNELS_I32; }, kNot,
       "d of i32 is the sums themselves"},
      {[](G& g) { g.a.type = g.b.type = WAVESMITH_KERNELS_F32; }, kNot,
       "no kernel for a and b of f32 that gate for gfx942"},
      {[](G& g) { g.n = int64_t{1} << 30; }, kNot, "n of a gated product is too large"},
      {[](G& g) {
         g.n = int64_t{1} << 20, g.k = 1 << 10, g.d.row_stride = g.n,
         g.a.row_stride = g.b.column_stride = g.k;
         g.m = 1, g.d.data = reinterpret_cast<void*>(uintptr_t{1} << 50);
       },
       kNot, "b of a gated product has 4294967296 bytes, more than 4294967295"},
      {[](G& g) { g.b.row_stride = 15, g.b.column_stride = 1; }, kInvalid,
       "b.row_stride is 15, less than the 16"},
      {[](G& g) { g.d.data = static_cast<char*>(g.b.data) + 2000; }, kInvalid, "d overlaps b"},
  };
  expect_refusals(wavesmith_kernels_gemm, right, all);
}

}  // namespace
}  // namespace wavesmith::kernels
