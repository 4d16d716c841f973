// Grouped products, against sums in double precision.
#include "kernels/gemm/testing.h"
#include "kernels/refusal_testing.h"

namespace wavesmith::kernels {
namespace {

class GroupedGemm : public GemmOnGpu {
 protected:
  struct GroupedCase {
    std::vector<int32_t> offsets;
    int64_t m, n, k;
    Type type = WAVESMITH_KERNELS_BF16, type_d = WAVESMITH_KERNELS_F32;
    bool block_scales = false, row_scales = false, bias_per_row = false, scale_d = false;
    bool scale_b = false, per_column = false, of_groups = false;  ///< of_groups: each group has its own
    bool gated = false;    ///< B has both halves' columns; there is neither C nor a bias
    bool has_nan = false;  ///< in A's first row
    bool b_by_rows = false;
    wavesmith_kernels_activation activation = WAVESMITH_KERNELS_NO_ACTIVATION;
    [[nodiscard]] int64_t columns_of_b() const { return gated ? 2 * n : n; }
    float beta = 0;
    int64_t padding = 8;
    std::string tile;
    int64_t rows_in_a = 0;  ///< where a list names them; 0: there is none
  };

  /// Groups whose rows begin at `first`, of sizes among which are 0, 1 and a little more or less than tiles.
  std::vector<int32_t> random_offsets(int64_t groups, int64_t first) {
    std::vector<int32_t> all{static_cast<int32_t>(first)};
    for (int64_t i = 0; i < groups; ++i)
      all.push_back(all.back() +
                    static_cast<int32_t>(one_of<int64_t>({0, 0, 1, 3, 17, 64, 65, between(0, 140)})));
    return all;
  }
  GroupedCase random_grouped_case(std::vector<int32_t> offsets) {
    const auto kinds = types();
    GroupedCase one{.offsets = std::move(offsets)};
    one.m = std::max(one.offsets.back(), 1) + between(0, 3), one.n = between(1, 140),
    one.k = 16 * between(1, 30);
    one.type = kinds[static_cast<size_t>(between(0, static_cast<int64_t>(kinds.size()) - 1))];
    one.block_scales = size_of(one.type) == 1 && between(0, 1) == 1;
    one.row_scales = between(0, 1) == 1, one.bias_per_row = between(0, 1) == 1;
    one.scale_b = between(0, 1) == 1, one.per_column = between(0, 1) == 1;
    one.of_groups = between(0, 1) == 1, one.scale_d = between(0, 1) == 1;
    one.type_d = one_of({WAVESMITH_KERNELS_F32, WAVESMITH_KERNELS_F16, WAVESMITH_KERNELS_BF16});
    one.beta = one_of({0.0F, 2.0F});
    if (size_of(one.type) == 1 && between(0, 1) == 1) make_eight_bits(one);
    one.b_by_rows = size_of(one.type) == 2 && between(0, 1) == 1;
    if (gates(one) && between(0, 1) == 1) gate(one);
    if (between(0, 1) == 1) one.rows_in_a = one_of<int64_t>({1, 2, between(1, 100), 2 * one.m});
    return one;
  }
  /// D of A's type, of which C is not.
  static void make_eight_bits(GroupedCase& one) { one.type_d = one.type, one.beta = 0; }
  /// Rows of A for each of the product's, some of them more than once, and some numbers that are none's.
  std::vector<int32_t> random_list(const GroupedCase& one) {
    std::vector<int32_t> all;
    for (int64_t i = 0; one.rows_in_a > 0 && i < one.m; ++i)
      all.push_back(static_cast<int32_t>(
          between(0, 9) == 0 ? one_of<int64_t>({-1, INT32_MIN, INT32_MAX, one.rows_in_a, one.rows_in_a + 1})
                             : between(0, one.rows_in_a - 1)));
    return all;
  }
  /// Whether the target has kernels of the types that gate.
  static bool gates(const GroupedCase& one) {
    return std::ranges::any_of(gemm_configurations(), [&](const GemmConfiguration& row) {
      return row.target == kTargets[GetParam()] &&
             row.has(std::string(word_of(one.type)) + (one.block_scales ? "b128" : "") + "ggated");
    });
  }
  /// Gated, D has whole blocks of columns where they have scales.
  static void make_whole_blocks(GroupedCase& one) {
    if (one.gated && one.block_scales) one.n = kGemmBlock * ((one.n + kGemmBlock - 1) / kGemmBlock);
  }
  void gate(GroupedCase& one) {
    one.gated = true, one.beta = 0, one.bias_per_row = one.b_by_rows = false;
    make_whole_blocks(one);
    one.activation = one_of({WAVESMITH_KERNELS_NO_ACTIVATION, WAVESMITH_KERNELS_RELU, WAVESMITH_KERNELS_GELU,
                             WAVESMITH_KERNELS_SILU});
    if (one.type_d == WAVESMITH_KERNELS_F16) one.type_d = WAVESMITH_KERNELS_F32;  // products of two sums
  }
  [[nodiscard]] std::vector<Type> types() const {
    std::vector<Type> all{WAVESMITH_KERNELS_F16, WAVESMITH_KERNELS_BF16};
    if (GetParam() == 1) all.push_back(WAVESMITH_KERNELS_E4M3_FNUZ);
    if (GetParam() == 2 || GetParam() == 5) all.push_back(WAVESMITH_KERNELS_E4M3);
    return all;
  }

  void check(const GroupedCase& one) {
    std::string said;
    for (const int32_t offset : one.offsets) said += " " + std::to_string(offset);
    SCOPED_TRACE(testing::Message() << one.m << " x " << one.n << " x " << one.k << " type " << one.type
                                    << " d " << one.type_d << " block scales " << one.block_scales
                                    << " gated " << one.gated << " b by rows " << one.b_by_rows
                                    << " activation " << one.activation << " beta " << one.beta << " tile "
                                    << one.tile << " rows in a " << one.rows_in_a << " scales of b, d "
                                    << one.scale_b << one.per_column << one.of_groups << one.scale_d
                                    << " offsets" << said);
    const auto groups = static_cast<int64_t>(one.offsets.size()) - 1;
    const int64_t blocks = (one.k + kGemmBlock - 1) / kGemmBlock,
                  of_half = (one.n + kGemmBlock - 1) / kGemmBlock,  // squares along B's columns
        squares = one.gated ? 2 * of_half : of_half;
    const int64_t of_matrix = one.per_column ? one.columns_of_b() : 1;  // scales of B
    const std::vector<int32_t> list = random_list(one);
    const int64_t rows_in_a = list.empty() ? one.m : one.rows_in_a;
    HostMatrix a = random_matrix(rows_in_a, one.k, 1, true, 2 * one.padding, one.type);
    if (one.has_nan) a.elements.set(a.at(0, 0, one.k - 1), std::numeric_limits<double>::quiet_NaN());
    const HostMatrix b = random_matrix(one.k, one.columns_of_b(), groups, one.b_by_rows, 2 * one.padding,
                                       one.type),
                     of_a = scales(one.m * blocks), of_b = scales(groups * squares * blocks),
                     of_row = scales(one.m), of_column = scales(groups * of_matrix), of_d = scales(1),
                     bias = random_matrix(1, one.m, 1, true, 0, WAVESMITH_KERNELS_F32);
    HostMatrix d = random_matrix(one.m, one.n, 1, true, one.padding, one.type_d);
    Elements offsets(WAVESMITH_KERNELS_I32, one.offsets.size());
    for (size_t i = 0; i < one.offsets.size(); ++i) offsets.set(i, one.offsets[i]);
    Elements listed(WAVESMITH_KERNELS_I32, std::max<size_t>(list.size(), 1));
    for (size_t i = 0; i < list.size(); ++i) listed.set(i, list[i]);
    const OnGpu on_list(listed), on_a(a.elements), on_b(b.elements), on_d(d.elements), on_offsets(offsets),
        on_bias(bias.elements), scales_a(of_a.elements), scales_b(of_b.elements), scale_a(of_row.elements),
        scale_b(of_column.elements), scale_d(of_d.elements);
    wavesmith_kernels_gemm_description gemm{.m = one.m,
                                            .n = one.n,
                                            .k = one.k,
                                            .batches = groups,
                                            .alpha = 1,
                                            .beta = one.beta,
                                            .a = a.on(on_a),
                                            .b = b.on(on_b),
                                            .c = d.on(on_d),
                                            .d = d.on(on_d),
                                            .activation = one.activation,
                                            .bias = one.bias_per_row ? on_bias.data() : nullptr,
                                            .bias_per_row = one.bias_per_row,
                                            .scale_a_per_row = 1,
                                            .group_offsets = static_cast<const int32_t*>(on_offsets.data()),
                                            .gated = one.gated};
    if (!list.empty())
      gemm.a_rows = static_cast<const int32_t*>(on_list.data()), gemm.a_row_count = one.rows_in_a;
    if (one.row_scales) gemm.scale_a = static_cast<const float*>(scale_a.data());
    if (one.scale_d) gemm.scale_d = static_cast<const float*>(scale_d.data());
    if (one.scale_b) {
      gemm.scale_b = static_cast<const float*>(scale_b.data());
      gemm.scale_b_per_column = one.per_column, gemm.scale_b_batch_stride = one.of_groups ? of_matrix : 0;
    }
    if (one.block_scales) {
      gemm.block_scales_a = {WAVESMITH_KERNELS_SCALE_PER_BLOCK, scales_a.data(), kGemmBlock, blocks, 1, 0};
      gemm.block_scales_b = {
          WAVESMITH_KERNELS_SCALE_PER_SQUARE, scales_b.data(), kGemmBlock, blocks, 1, squares * blocks};
    }
    run({.m = one.m, .n = one.n, .tile = one.tile}, gemm);
    if (HasFatalFailure()) return;
    const HostMatrix before = d;
    on_d.copy_to(d.elements);
    struct Value {
      double value, error;
    };
    const auto before_activation = [&](int64_t group, int64_t i, int64_t j) -> Value {
      double sum = 0, size = 0;
      const int64_t square = j < one.n ? j / kGemmBlock : of_half + (j - one.n) / kGemmBlock;
      const int64_t row = list.empty() ? i : list[static_cast<size_t>(i)];
      for (int64_t p = 0; row >= 0 && row < rows_in_a && p < one.k; ++p) {
        double product = as_operand(a.get(0, row, p), one.type) * as_operand(b.get(group, p, j), one.type);
        if (one.block_scales)
          product *= of_a.get(0, 0, i * blocks + p / kGemmBlock) *
                     of_b.get(0, 0, (group * squares + square) * blocks + p / kGemmBlock);
        sum += product, size += std::abs(product);
      }
      double factor = one.row_scales ? of_row.get(0, 0, i) : 1;
      if (one.scale_b)
        factor *= of_column.get(0, 0, (one.of_groups ? group * of_matrix : 0) + (one.per_column ? j : 0));
      double value = sum * factor;
      if (one.beta != 0) value += one.beta * before.get(0, i, j);
      if (one.bias_per_row) value += bias.get(0, 0, i);
      return {value,
              (static_cast<double>(one.k) + 8) * 0x1p-24 * size * factor + 0x1p-21 * (std::abs(value) + 1)};
    };
    ErrorNote note;
    for (int64_t i = 0; i < one.m; ++i) {
      int64_t group = -1;
      for (int64_t g = 0; g < groups; ++g)
        if (i >= one.offsets[static_cast<size_t>(g)] && i < one.offsets[static_cast<size_t>(g) + 1])
          group = g;
      for (int64_t j = 0; j < one.n; ++j) {
        const double got = d.get(0, i, j);
        if (group < 0) {
          ASSERT_EQ(got, before.get(0, i, j)) << "wrote a row of no group: " << i;
          continue;
        }
        auto [value, error] = before_activation(group, i, j);
        if (one.activation != WAVESMITH_KERNELS_NO_ACTIVATION)
          error = 1.2 * error + 0x1p-20 * std::abs(value);
        value = activate(one.activation, value);
        if (one.gated) {
          const auto [other, error_of_other] = before_activation(group, i, j + one.n);
          error = error * (std::abs(other) + error_of_other) + std::abs(value) * error_of_other;
          value *= other, error += 0x1p-23 * std::abs(value);
        }
        if (one.scale_d)
          value *= of_d.get(0, 0, 0), error = 1.0001 * error * of_d.get(0, 0, 0) + 0x1p-24 * std::abs(value);
        if (std::isnan(value)) {
          ASSERT_TRUE(std::isnan(got)) << "group " << group << ", " << i << ", " << j << ": " << got;
          continue;
        }
        value = saturated(one.type_d, value);
        const double allowed = rounded_error(one.type_d, value, error);
        note.add(std::abs(got - value), allowed);
        ASSERT_LE(std::abs(got - value), allowed)
            << "group " << group << ", " << i << ", " << j << ": " << got << " instead of " << value;
      }
    }
    for (int64_t i = 0; i + 1 < one.m; ++i)
      for (int64_t j = one.n; j < d.row_stride; ++j)
        ASSERT_TRUE(std::isnan(d.get(0, i, j))) << "wrote between rows";
  }
};

TEST_P(GroupedGemm, EqualsSumsInDoublePrecision) {
  for (int round = 0; round < 12; ++round) {
    check(random_grouped_case(random_offsets(between(1, 9), between(0, 3))));
    if (HasFatalFailure()) return;
  }
}

TEST_P(GroupedGemm, EveryKernelEqualsSumsInDoublePrecision) {
  int count = 0;
  for (const GemmConfiguration& row : gemm_configurations())
    for (const Type type : types())
      for (const std::string kind : {"g", "b128g", "ggated", "b128ggated"}) {
        if (row.target != kTargets[GetParam()] || !row.has(std::string(word_of(type)) + kind)) continue;
        ++count;
        const auto rows = static_cast<int32_t>(row.rows);
        GroupedCase one = random_grouped_case({0, rows - 1, rows, 2 * rows + 2, 2 * rows + 2, 2 * rows + 9});
        one.type = type, one.block_scales = kind.starts_with("b128"), one.tile = row.name;
        if (size_of(one.type_d) == 1) one.type_d = WAVESMITH_KERNELS_F32;
        if (size_of(type) == 1 && between(0, 1) == 1) make_eight_bits(one);
        one.gated = false, one.activation = WAVESMITH_KERNELS_NO_ACTIVATION;
        one.b_by_rows = row.layouts == "kn";
        if (one.b_by_rows) one.n = (one.n + 1) / 2 * 2;  // whole dwords
        if (kind.ends_with("gated")) gate(one);
        check(one);
        if (row.elements) ++one.n, check(one);
        if (HasFatalFailure()) return;
      }
  EXPECT_GE(count, 4);
}

TEST_P(GroupedGemm, RowsOfAMayLieAnywhere) {
  for (const int64_t rows_in_a : {1, 3, 40, 400}) {
    GroupedCase one = random_grouped_case(random_offsets(between(2, 9), between(0, 3)));
    one.rows_in_a = rows_in_a;
    check(one);
    if (HasFatalFailure()) return;
  }
  std::vector<std::pair<Type, std::string>> kinds;
  for (const Type type : types())
    for (const char* const kind : {"g", "ggated"})
      if (type != WAVESMITH_KERNELS_F16) kinds.emplace_back(type, kind);
  for (const GemmConfiguration& row : gemm_configurations())
    for (const auto& [type, kind] : kinds) {
      const bool gated = kind == "ggated";
      if (row.target != kTargets[GetParam()] || !row.has(std::string(word_of(type)) + kind)) continue;
      const auto rows = static_cast<int32_t>(row.rows);  // empty groups, one of a row, and last tiles of one
      GroupedCase one = random_grouped_case({0, 0, 1, 1, rows + 2, 2 * rows + 2});
      one.type = type, one.gated = one.block_scales = false, one.tile = row.name;
      one.type_d = WAVESMITH_KERNELS_BF16;
      one.activation = WAVESMITH_KERNELS_NO_ACTIVATION, one.rows_in_a = 7;
      one.b_by_rows = row.layouts == "kn";
      if (one.b_by_rows) one.n = (one.n + 1) / 2 * 2;  // whole dwords
      if (gated) gate(one);
      check(one);
      if (HasFatalFailure()) return;
    }
}

TEST_P(GroupedGemm, NanIsInItsRowAloneAndFloatsOfEightBitsSaturate) {
  for (const Type type : types())
    for (const bool gated : {false, true}) {
      GroupedCase one = random_grouped_case({0, 3, 20, 90});
      one.type = type, one.type_d = WAVESMITH_KERNELS_F32;
      if (size_of(type) == 1) make_eight_bits(one);
      one.gated = one.block_scales = one.b_by_rows = false, one.rows_in_a = 0;
      one.activation = WAVESMITH_KERNELS_NO_ACTIVATION;
      if (gated && !gates(one)) continue;
      one.k = 16 * between(30, 60);  // products of two sums of so many exceed what e4m3 holds
      if (gated) gate(one);
      one.has_nan = true;
      check(one);
      if (HasFatalFailure()) return;
    }
}

TEST_P(GroupedGemm, HalvesOfBHaveSquaresOfTheirOwn) {
  const auto type = types().back();
  GroupedCase one = random_grouped_case({0, 5, 80});
  one.type = type, one.block_scales = true, one.rows_in_a = 0;
  if (size_of(type) != 1 || !gates(one)) GTEST_SKIP() << "no floats of 8 bits";
  for (const int64_t n : {128, 256, 384}) {
    one.n = n, one.k = 16 * between(1, 40);
    gate(one);
    check(one);
    if (HasFatalFailure()) return;
  }
}

TEST_P(GroupedGemm, ThereMayBeMoreGroupsThanLanesOfAWaveAndAllMayBeEmpty) {
  GroupedCase one = random_grouped_case(random_offsets(1, 0));
  one.offsets.assign(1, 0);
  for (int i = 0; i < 150; ++i) one.offsets.push_back(one.offsets.back() + (between(0, 3) == 0 ? 1 : 0));
  one.m = one.offsets.back() + 1, one.n = 20, one.k = 32;
  make_whole_blocks(one);
  check(one);
  one.offsets.assign(70, 1);
  check(one);
}

TEST_P(GroupedGemm, GroupsMayBeSoManyThatEachIsADies) {
  GroupedCase one = random_grouped_case({0});
  for (int i = 0; i < 75; ++i)
    one.offsets.push_back(one.offsets.back() + static_cast<int32_t>(one_of<int64_t>({0, 1, 16, 17, 9})));
  while (one.offsets.back() < 560) one.offsets.push_back(one.offsets.back() + 16);
  one.m = one.offsets.back(), one.n = 70, one.k = 32;
  make_whole_blocks(one);
  one.rows_in_a = 80000;  // more than dies keep in any order
  check(one);
}

TEST_P(GroupedGemm, OffsetsOutsideOfTheRowsCountAsTheNearest) {
  GroupedCase one = random_grouped_case({-3, 5, 9, 25});
  one.m = 20;
  check(one);
  one.offsets = {9, 5, 7, 20};  // the first group ends before it begins
  check(one);
}

TEST(GroupedGemmRefuses, WhatHasNoKernelAndSaysWhich) {
  ASSERT_EQ(hipSetDevice(1), 0);
  const OnGpu memory(Elements(WAVESMITH_KERNELS_F32, 1 << 14));
  char* const at = static_cast<char*>(memory.data());
  Elements two(WAVESMITH_KERNELS_I32, 3);
  for (size_t i = 0; i < 3; ++i) two.set(i, 4.0 * static_cast<double>(i));
  const OnGpu offsets(two);
  const auto type = WAVESMITH_KERNELS_BF16;
  const wavesmith_kernels_gemm_description right{
      .m = 8,
      .n = 8,
      .k = 64,
      .batches = 2,
      .alpha = 1,
      .a = {at, type, 64, 1, 0},
      .b = {at + 4096, type, 1, 64, 512},
      .d = {at + 8192, type, 8, 1, 0},
      .group_offsets = static_cast<const int32_t*>(offsets.data()),
  };
  ASSERT_EQ(wavesmith_kernels_gemm(&right, nullptr), WAVESMITH_KERNELS_SUCCESS)
      << wavesmith_kernels_message();
  ASSERT_EQ(hipDeviceSynchronize(), 0);
  constexpr auto kNot = WAVESMITH_KERNELS_NOT_SUPPORTED, kInvalid = WAVESMITH_KERNELS_INVALID_ARGUMENT;
  using G = wavesmith_kernels_gemm_description;
  const Refusal<G> all[] = {
      {[](G& g) { g.pointer_arrays = 1; }, kNot, "groups in pointer_arrays"},
      {[](G& g) { g.d.row_stride = 1, g.d.column_stride = 8; }, kNot, "d lies by columns"},
      {[](G& g) { g.batches = 1 << 21, g.b.batch_stride = 0; }, kNot, "batches is 2097152, more groups than"},
      {[](G& g) {
         g.group_offsets =
             reinterpret_cast<const int32_t*>(reinterpret_cast<const char*>(g.group_offsets) + 2);
       },
       kInvalid, "group_offsets"},
      {[](G& g) { g.d.data = const_cast<int32_t*>(g.group_offsets); }, kInvalid, "d overlaps group_offsets"},
      {[](G& g) { g.workspace = const_cast<int32_t*>(g.group_offsets), g.workspace_bytes = 16; }, kInvalid,
       "workspace overlaps group_offsets"},
      {[](G& g) { g.a.type = g.b.type = WAVESMITH_KERNELS_F32; }, kNot,
       "no kernel for a and b of f32 in groups for gfx942"},
      {[](G& g) { g.a.row_stride = 1, g.a.column_stride = 64; }, kNot, "want K together in memory in a"},
      {[](G& g) {
         g.a.type = g.b.type = WAVESMITH_KERNELS_E4M3_FNUZ, g.b.row_stride = 8, g.b.column_stride = 1;
       },
       kNot, "want K together in memory: columns of a, rows of b"},
      {[](G& g) { g.b.type = WAVESMITH_KERNELS_I4X2; }, kNot, "block_scales_b.scaling is 0"},
      {[](G& g) { g.gated = 1, g.a.type = g.b.type = WAVESMITH_KERNELS_E5M2_FNUZ; }, kNot,
       "no kernel for a and b of e5m2fnuz in groups that gate for gfx942"},
      {[](G& g) {
         g.gated = 1, g.a.type = g.b.type = WAVESMITH_KERNELS_E4M3_FNUZ;
         g.block_scales_a = {WAVESMITH_KERNELS_SCALE_PER_BLOCK, g.a.data, 128, 1, 1, 0};
         g.block_scales_b = {WAVESMITH_KERNELS_SCALE_PER_BLOCK, g.a.data, 128, 1, 1, 0};
         g.n = g.d.row_stride = 128, g.d.data = static_cast<char*>(g.a.data) + 32768;  // behind b
       },
       kNot, "no kernel for a and b of e4m3fnuz with scales of blocks in groups that gate for gfx942"},
      {[](G& g) {
         g.gated = 1, g.a.type = g.b.type = WAVESMITH_KERNELS_E4M3_FNUZ, g.n = 128, g.d.row_stride = 128;
         g.block_scales_a = {WAVESMITH_KERNELS_SCALE_PER_BLOCK, g.a.data, 128, 1, 1, 0};
         // The second half's square begins where d does.
         g.block_scales_b = {
             WAVESMITH_KERNELS_SCALE_PER_SQUARE, static_cast<char*>(g.d.data) - 4, 128, 1, 1, 0};
       },
       kInvalid, "d overlaps block_scales_b"},
      {[](G& g) {
         g.gated = 1, g.a.type = g.b.type = WAVESMITH_KERNELS_E4M3_FNUZ;
         g.block_scales_a = {WAVESMITH_KERNELS_SCALE_PER_BLOCK, g.a.data, 128, 1, 1, 0};
         g.block_scales_b = {WAVESMITH_KERNELS_SCALE_PER_SQUARE, g.a.data, 128, 1, 1, 0};
       },
       kNot, "n is 8: of a gated product with scales of blocks it is a multiple of 128"},
      {[](G& g) { g.scale_b = static_cast<const float*>(g.a.data), g.scale_b_batch_stride = -1; }, kInvalid,
       "scale_b_batch_stride is -1"},
      {[](G& g) {
         g.scale_b = static_cast<const float*>(g.a.data), g.scale_b_batch_stride = 1;
         g.group_offsets = nullptr, g.d.batch_stride = 64;
       },
       kNot, "scale_b_batch_stride is 1, and matrices have a scale_b each in groups of rows alone"},
      {[](G& g) {
         g.scale_b = reinterpret_cast<const float*>(static_cast<char*>(g.d.data) - 4);
         g.scale_b_batch_stride = 1;
       },
       kInvalid, "d overlaps scale_b"},
      {[](G& g) { g.gated = 1, g.c = g.d, g.beta = 2; }, kNot, "a gated product has no c"},
      {[](G& g) { g.a_rows = g.group_offsets; }, kInvalid, "a_row_count is 0"},
      {[](G& g) { g.a_rows = g.group_offsets, g.a_row_count = INT32_MAX; }, kNot, "a_row_count is too large"},
      {[](G& g) { g.a_rows = g.group_offsets, g.a_row_count = 1 << 26; }, kNot,
       "a with a_rows has 8589934720 bytes with another row"},
      {[](G& g) { g.a_rows = g.group_offsets, g.a_row_count = 8, g.group_offsets = nullptr, g.batches = 1; },
       kNot, "a_rows is for groups of rows, and group_offsets is null"},
      {[](G& g) {
         g.a_rows = g.group_offsets, g.a_row_count = 8;
         g.groups_along_k = 1, g.d.batch_stride = 64;
       },
       kNot, "a_rows is for groups of rows, and groups_along_k is set"},
      {[](G& g) {
         g.a_rows = reinterpret_cast<const int32_t*>(reinterpret_cast<const char*>(g.group_offsets) + 2);
         g.a_row_count = 8;
       },
       kInvalid, "a_rows"},
      {[](G& g) { g.a_rows = static_cast<const int32_t*>(g.d.data), g.a_row_count = 8; }, kInvalid,
       "d overlaps a_rows"},
      {[](G& g) { g.a_rows = g.group_offsets, g.a_row_count = 65; }, kInvalid, "d overlaps a"},
  };
  expect_refusals(wavesmith_kernels_gemm, right, all);
}

INSTANTIATE_TEST_SUITE_P(On, GroupedGemm, testing::Range(0, kGpuCount), gpu_name);

}  // namespace
}  // namespace wavesmith::kernels
