// Products whose groups are along K, against sums in double precision.
#include "kernels/gemm/testing.h"
#include "kernels/refusal_testing.h"

namespace wavesmith::kernels {
namespace {

constexpr Type kTypes[] = {WAVESMITH_KERNELS_F16, WAVESMITH_KERNELS_BF16};

class RaggedGemm : public GemmOnGpu {
 protected:
  struct RaggedCase {
    std::vector<int32_t> offsets;
    int64_t m, n, k;  ///< k in all
    Type type = WAVESMITH_KERNELS_BF16, type_d = WAVESMITH_KERNELS_F32;
    bool d_by_rows = true, scale_per_row = false, bias = false;
    float alpha = 1, beta = 0;
    int64_t padding = 8;
    std::string tile;
    [[nodiscard]] int64_t groups() const { return std::ssize(offsets) - 1; }
    /// Whether a place along K is of a group.
    [[nodiscard]] bool has(int64_t group, int64_t place) const {
      const auto g = static_cast<size_t>(group);
      return place >= offsets[g] && place < offsets[g + 1];
    }
  };

  RaggedCase random_ragged_case(std::vector<int32_t> offsets, int64_t m, int64_t n) {
    RaggedCase one{.offsets = std::move(offsets), .m = m, .n = n};
    one.k = std::max(one.offsets.back(), 1) + between(0, 3);
    one.type = one_of({WAVESMITH_KERNELS_F16, WAVESMITH_KERNELS_BF16});
    one.type_d = one_of({WAVESMITH_KERNELS_F32, WAVESMITH_KERNELS_F16, WAVESMITH_KERNELS_BF16});
    one.d_by_rows = between(0, 2) != 0, one.scale_per_row = between(0, 2) == 0, one.bias = between(0, 2) == 0;
    one.alpha = one_of({1.0F, 1.0F, -0.5F}), one.beta = one_of({0.0F, 0.0F, 2.0F});
    one.padding = one_of<int64_t>({0, 2, 3, 8});
    return one;
  }
  /// Groups that begin at `first`, among which are empty ones, of 1, and a little more or less than steps.
  std::vector<int32_t> random_offsets(int64_t groups, int64_t first) {
    std::vector<int32_t> all{static_cast<int32_t>(first)};
    for (int64_t i = 0; i < groups; ++i)
      all.push_back(all.back() + static_cast<int32_t>(
                                     one_of<int64_t>({0, 0, 1, 2, 31, 32, 33, 63, 64, 65, between(0, 200)})));
    return all;
  }

  void check(const RaggedCase& one) {
    std::string said;
    for (const int32_t offset : one.offsets) said += " " + std::to_string(offset);
    SCOPED_TRACE(testing::Message() << one.m << " x " << one.n << " x " << one.k << " type " << one.type
                                    << " d " << one.type_d << " d by rows " << one.d_by_rows << " alpha "
                                    << one.alpha << " beta " << one.beta << " padding " << one.padding
                                    << " tile " << one.tile << " offsets" << said);
    HostMatrix a = random_matrix(one.m, one.k, 1, false, one.padding, one.type),
               b = random_matrix(one.k, one.n, 1, true, one.padding, one.type);
    spoil_what_is_of_no_group(one, a, b);
    const HostMatrix c = random_matrix(one.m, one.n, one.groups(), one.d_by_rows, one.padding, one.type_d),
                     bias = random_matrix(1, one.n, 1, true, 0, WAVESMITH_KERNELS_F32),
                     of_row = scales(one.m);
    HostMatrix d = matrix(one.m, one.n, one.groups(), one.d_by_rows, one.padding, one.type_d);
    Elements offsets(WAVESMITH_KERNELS_I32, one.offsets.size());
    for (size_t i = 0; i < one.offsets.size(); ++i) offsets.set(i, one.offsets[i]);
    const OnGpu on_a(a.elements), on_b(b.elements), on_c(c.elements), on_d(d.elements), on_offsets(offsets),
        on_bias(bias.elements), on_row(of_row.elements);
    wavesmith_kernels_gemm_description gemm{
        .m = one.m,
        .n = one.n,
        .k = one.k,
        .batches = one.groups(),
        .alpha = one.alpha,
        .beta = one.beta,
        .a = a.on(on_a),
        .b = b.on(on_b),
        .c = c.on(on_c),
        .d = d.on(on_d),
        .bias = one.bias ? on_bias.data() : nullptr,
        .scale_a = one.scale_per_row ? static_cast<const float*>(on_row.data()) : nullptr,
        .scale_a_per_row = 1,
        .group_offsets = static_cast<const int32_t*>(on_offsets.data()),
        .groups_along_k = 1};
    gemm.a.batch_stride = gemm.b.batch_stride = int64_t{1} << 40;  // not used
    run({.m = one.m, .n = one.n, .tile = one.tile}, gemm);
    if (HasFatalFailure()) return;
    const Elements before = d.elements;
    on_d.copy_to(d.elements);
    ErrorNote note;
    std::vector<char> written(d.elements.count(), 0);
    for (int64_t group = 0; group < one.groups(); ++group)
      for (int64_t i = 0; i < one.m; ++i)
        for (int64_t j = 0; j < one.n; ++j) {
          double sum = 0, size = 0, count = 0;
          for (int64_t p = 0; p < one.k; ++p) {
            if (!one.has(group, p)) continue;
            const double product =
                as_operand(a.get(0, i, p), one.type) * as_operand(b.get(0, p, j), one.type);
            sum += product, size += std::abs(product), ++count;
          }
          const double factor = one.alpha * (one.scale_per_row ? of_row.get(0, 0, i) : 1);
          double value = factor * sum;
          if (one.beta != 0) value += one.beta * c.get(group, i, j);
          if (one.bias) value += bias.get(0, 0, j);
          const double error = (count + 8) * 0x1p-24 * size * std::abs(factor) + 0x1p-21 * std::abs(value) +
                               (one.beta != 0 ? 0x1p-22 * std::abs(one.beta * c.get(group, i, j)) : 0);
          const double allowed = rounded_error(one.type_d, value, error), got = d.get(group, i, j);
          note.add(std::abs(got - value), allowed);
          ASSERT_LE(std::abs(got - value), allowed)
              << "group " << group << ", " << i << ", " << j << ": " << got << " instead of " << value;
          written[d.at(group, i, j)] = 1;
        }
    expect_untouched({.m = one.m, .n = one.n, .type_d = one.type_d}, before, d.elements, written);
  }

 private:
  /// Makes NaN of it, so that a sum that has any of it shows.
  static void spoil_what_is_of_no_group(const RaggedCase& one, HostMatrix& a, HostMatrix& b) {
    for (int64_t p = 0; p < one.k; ++p) {
      bool is_of_one = false;
      for (int64_t group = 0; group < one.groups(); ++group) is_of_one |= one.has(group, p);
      if (is_of_one) continue;
      for (int64_t i = 0; i < one.m; ++i) a.elements.set(a.at(0, i, p), NAN);
      for (int64_t j = 0; j < one.n; ++j) b.elements.set(b.at(0, p, j), NAN);
    }
  }
};

TEST_P(RaggedGemm, EqualsSumsInDoublePrecision) {
  for (int round = 0; round < 10; ++round) {
    check(random_ragged_case(random_offsets(between(1, 6), between(0, 3)), between(1, 150), between(1, 150)));
    if (HasFatalFailure()) return;
  }
}

TEST_P(RaggedGemm, EveryKernelEqualsSumsInDoublePrecision) {
  int count = 0;
  for (const GemmConfiguration& row : gemm_configurations())
    for (const Type type : kTypes) {
      if (row.target != kTargets[GetParam()] || !row.has(std::string(word_of(type)) + "k")) continue;
      ++count;
      const int32_t deep = row.depth;
      RaggedCase one =
          random_ragged_case({1, deep, deep, deep + 1, 4 * deep + 3}, row.rows + 2, row.columns - 2);
      one.type = type, one.tile = row.name, one.padding = 2, one.d_by_rows = true;
      check(one);
      if (row.elements) one.padding = 3, check(one);
      if (HasFatalFailure()) return;
    }
  EXPECT_GE(count, 2);
}

TEST_P(RaggedGemm, AllGroupsMayBeEmptyAndSidesAndGroupsOne) {
  check(random_ragged_case({0, 0, 0, 0}, 5, 70));
  check(random_ragged_case({0, 1}, 1, 1));
  check(random_ragged_case({0, 1, 1, 2}, 1, 64));
  check(random_ragged_case({0, 3, 9}, 66, 1));
  RaggedCase none = random_ragged_case({0, 40, 64}, 6, 8);
  none.alpha = 0;
  check(none);
}

TEST_P(RaggedGemm, OffsetsOutsideOfKCountAsTheNearest) {
  RaggedCase one = random_ragged_case({-3, 5, 9, 25}, 20, 36);
  one.k = 20;
  check(one);
  one.offsets = {9, 5, 7, 20};  // the first group ends before it begins
  check(one);
}

TEST(RaggedGemmRefuses, WhatHasNoKernelAndSaysWhich) {
  ASSERT_EQ(hipSetDevice(1), 0);
  const OnGpu memory(Elements(WAVESMITH_KERNELS_F32, 1 << 14));
  char* const at = static_cast<char*>(memory.data());
  Elements two(WAVESMITH_KERNELS_I32, 3);
  for (size_t i = 0; i < 3; ++i) two.set(i, 4.0 * static_cast<double>(i));
  const OnGpu offsets(two);
  const auto type = WAVESMITH_KERNELS_BF16;
  const wavesmith_kernels_gemm_description right{
      .m = 8,
      .n = 16,
      .k = 8,
      .batches = 2,
      .alpha = 1,
      .a = {at, type, 1, 8, 0},
      .b = {at + 4096, type, 16, 1, 0},
      .d = {at + 8192, type, 16, 1, 128},
      .group_offsets = static_cast<const int32_t*>(offsets.data()),
      .groups_along_k = 1,
  };
  ASSERT_EQ(wavesmith_kernels_gemm(&right, nullptr), WAVESMITH_KERNELS_SUCCESS)
      << wavesmith_kernels_message();
  ASSERT_EQ(hipDeviceSynchronize(), 0);
  constexpr auto kNot = WAVESMITH_KERNELS_NOT_SUPPORTED, kInvalid = WAVESMITH_KERNELS_INVALID_ARGUMENT;
  using G = wavesmith_kernels_gemm_description;
  const Refusal<G> all[] = {
      {[](G& g) { g.pointer_arrays = 1; }, kNot, "groups in pointer_arrays"},
      {[](G& g) { g.d.batch_stride = 0; }, kInvalid, "d.batch_stride is 0"},
      {[](G& g) { g.d.batch_stride = 127; }, kInvalid, "with which results of the batch overlap"},
      {[](G& g) { g.d.data = g.b.data; }, kInvalid, "d overlaps b"},
      {[](G& g) { g.d.data = const_cast<int32_t*>(g.group_offsets); }, kInvalid, "d overlaps group_offsets"},
      {[](G& g) { g.a.type = g.b.type = WAVESMITH_KERNELS_F32; }, kNot,
       "no kernel for a and b of f32 in groups along K for gfx942"},
      {[](G& g) { g.a.row_stride = 8, g.a.column_stride = 1; }, kNot,
       "want rows of a together in memory, and columns of b"},
      {[](G& g) { g.b.row_stride = 1, g.b.column_stride = 16; }, kNot,
       "want rows of a together in memory, and columns of b"},
      {[](G& g) { g.gated = 1, g.n = 8; }, kNot, "in groups along K that gate for gfx942"},
  };
  expect_refusals(wavesmith_kernels_gemm, right, all);
}

INSTANTIATE_TEST_SUITE_P(On, RaggedGemm, testing::Range(0, kGpuCount), gpu_name);

}  // namespace
}  // namespace wavesmith::kernels
