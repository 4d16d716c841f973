// Products of numbers of 4 bits with scales of blocks, against sums in double precision.
#include <array>

#include "kernels/gemm/choice/choice.h"
#include "kernels/refusal_testing.h"

namespace wavesmith::kernels {
namespace {

constexpr int kWithMx = 2;  ///< in kGpus: MI355X
constexpr int64_t kBlock = 32;
constexpr auto kType = WAVESMITH_KERNELS_E2M1X2;

double number_of(unsigned bits) {
  constexpr std::array kMagnitudes = {0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0};
  return bits & 8 ? -kMagnitudes[bits & 7] : kMagnitudes[bits & 7];
}
/// e8m0: a power of two; all bits set is NaN.
double scale_of(uint8_t bits) {
  return bits == 0xff ? std::numeric_limits<double>::quiet_NaN() : std::ldexp(1.0, bits - 127);
}

/// Rows along K: numbers, two per byte, and scales, block by block for all rows.
struct MxMatrix {
  int64_t rows, k, stride, together;
  Elements numbers, scales;

  MxMatrix(int64_t rows_, int64_t k_, int64_t padding)
      : rows(rows_),
        k(k_),
        stride(k_ / 2 + padding),
        together((rows_ + 3) / 4 * 4 + padding / 4 * 4),
        numbers(kType, static_cast<size_t>((rows_ - 1) * stride + k_ / 2)),
        scales(kType, static_cast<size_t>(k_ / kBlock * together)) {}
  uint8_t& byte(int64_t row, int64_t pair) { return numbers.bytes[static_cast<size_t>(row * stride + pair)]; }
  uint8_t& scale(int64_t row, int64_t block) {
    return scales.bytes[static_cast<size_t>(block * together + row)];
  }
  double get(int64_t row, int64_t column) {
    return number_of(byte(row, column / 2) >> (column % 2 * 4) & 15U) * scale_of(scale(row, column / kBlock));
  }
};

struct MxCase {
  int64_t m, n, k;
  Type type_d = WAVESMITH_KERNELS_F32;
  const char* tile = nullptr;
  bool bias = false, d_by_rows = true;
  float alpha = 1, beta = 0;
};

class MxGemm : public OnEachGpu {
 protected:
  MxMatrix random_matrix(int64_t rows, int64_t k) {
    MxMatrix made(rows, k, 16 * between(0, 2));
    for (int64_t i = 0; i < rows; ++i) {
      for (int64_t j = 0; j < k / 2; ++j) made.byte(i, j) = static_cast<uint8_t>(between(0, 255));
      for (int64_t j = 0; j < k / kBlock; ++j) made.scale(i, j) = static_cast<uint8_t>(between(124, 130));
    }
    return made;
  }

  static wavesmith_kernels_gemm_description describe(const MxCase& one, const MxMatrix& a, const MxMatrix& b,
                                                     const OnGpu& on_a, const OnGpu& on_b,
                                                     const OnGpu& scales_a, const OnGpu& scales_b, void* d,
                                                     int64_t stride_d) {
    constexpr auto kMx = WAVESMITH_KERNELS_SCALE_MX;
    return {.m = one.m,
            .n = one.n,
            .k = one.k,
            .batches = 1,
            .alpha = one.alpha,
            .beta = one.beta,
            .a = {on_a.data(), kType, a.stride, 1, 0},
            .b = {on_b.data(), kType, 1, b.stride, 0},
            .d = {d, one.type_d, one.d_by_rows ? stride_d : 1, one.d_by_rows ? 1 : stride_d, 0},
            .block_scales_a = {kMx, scales_a.data(), 0, 1, a.together},
            .block_scales_b = {kMx, scales_b.data(), 0, 1, b.together}};
  }

  void check(const MxCase& one) {
    MxMatrix a = random_matrix(one.m, one.k), b = random_matrix(one.n, one.k);
    check(one, a, b);
  }
  /// Runs a case and compares all of D's memory.
  void check(const MxCase& one, MxMatrix& a, MxMatrix& b) {
    SCOPED_TRACE(testing::Message() << one.m << " x " << one.n << " x " << one.k << " d of " << one.type_d
                                    << (one.tile ? one.tile : ""));
    const int64_t stride = (one.d_by_rows ? one.n : one.m) + 3, others = one.d_by_rows ? one.m : one.n;
    Elements d(one.type_d, static_cast<size_t>(others * stride)),
        bias(WAVESMITH_KERNELS_F32, static_cast<size_t>(one.n));
    for (size_t i = 0; i < d.count(); ++i) d.set(i, normal());
    for (size_t i = 0; i < bias.count(); ++i) bias.set(i, normal());
    const Elements before = d;
    const OnGpu on_a(a.numbers), on_b(b.numbers), scales_a(a.scales), scales_b(b.scales), on_d(d),
        on_bias(bias);
    auto gemm = describe(one, a, b, on_a, on_b, scales_a, scales_b, on_d.data(), stride);
    if (one.beta != 0) gemm.c = gemm.d;
    if (one.bias) gemm.bias = on_bias.data(), gemm.bias_type = WAVESMITH_KERNELS_F32;
    size_t bytes = 0;
    ASSERT_EQ(wavesmith_kernels_gemm_workspace(&gemm, one.tile, &bytes), WAVESMITH_KERNELS_SUCCESS)
        << wavesmith_kernels_message();
    const OnGpu workspace(Elements(WAVESMITH_KERNELS_F32, bytes / 4));
    if (bytes > 0) gemm.workspace = workspace.data(), gemm.workspace_bytes = bytes;
    ASSERT_EQ(one.tile ? wavesmith_kernels_gemm_with(&gemm, one.tile, nullptr)
                       : wavesmith_kernels_gemm(&gemm, nullptr),
              WAVESMITH_KERNELS_SUCCESS)
        << wavesmith_kernels_message();
    ASSERT_EQ(hipDeviceSynchronize(), 0);
    on_d.copy_to(d);
    ErrorNote note;
    for (int64_t i = 0; i < others; ++i)
      for (int64_t j = 0; j < stride; ++j) {
        const auto at = static_cast<size_t>(i * stride + j);
        const double got = d.get(at);
        if (j >= stride - 3) {
          ASSERT_EQ(got, before.get(at)) << "wrote between rows";
          continue;
        }
        const int64_t row = one.d_by_rows ? i : j, column = one.d_by_rows ? j : i;
        double sum = 0, size = 0;
        for (int64_t p = 0; p < one.k; ++p) {
          const double product = a.get(row, p) * b.get(column, p);
          sum += product, size += std::abs(product);
        }
        double value = one.alpha * sum;
        if (one.beta != 0) value += one.beta * before.get(at);
        if (one.bias) value += bias.get(static_cast<size_t>(column));
        const double error = (static_cast<double>(one.k) + 4) * 0x1p-24 * size * std::abs(one.alpha) +
                             0x1p-22 * std::abs(value);
        const double allowed = rounded_error(one.type_d, value, error);
        note.add(std::abs(got - value), allowed);
        if (std::isnan(value))
          ASSERT_TRUE(std::isnan(got)) << row << ", " << column;
        else
          ASSERT_LE(std::abs(got - value), allowed)
              << row << ", " << column << ": " << got << " instead of " << value;
      }
  }
};

TEST_P(MxGemm, EqualsSumsInDoublePrecision) {
  const char* const tiles[] = {nullptr, "256x256x128", "128x256x128", "128x128x128", "64x64x256"};
  for (size_t round = 0; round < 15; ++round) {
    check({.m = between(1, 300),
           .n = between(1, 300),
           .k = kBlock * between(1, 30),
           .type_d = one_of({WAVESMITH_KERNELS_F32, WAVESMITH_KERNELS_F16, WAVESMITH_KERNELS_BF16}),
           .tile = tiles[round % std::size(tiles)],
           .bias = between(0, 1) == 1,
           .d_by_rows = between(0, 3) != 0,
           .alpha = one_of({1.0F, -0.25F}) / 64,
           .beta = one_of({0.0F, 2.0F})});
    if (HasFatalFailure()) return;
  }
}

TEST_P(MxGemm, PartsOfKTakeTheirOwnScales) {
  for (const char* tile : {"256x256x128/2", "128x128x128/3", "128x128x128/6"}) {
    check({.m = 70, .n = 133, .k = 3072, .tile = tile});
    if (HasFatalFailure()) return;
  }
}

TEST_P(MxGemm, AScaleThatIsNanSpoilsItsRowAndNoOther) {
  const MxCase one{.m = 130, .n = 90, .k = 416};
  MxMatrix a = random_matrix(one.m, one.k), b = random_matrix(one.n, one.k);
  a.scale(3, 12) = 0xff, a.scale(129, 0) = 0xff, b.scale(89, 5) = 0xff;
  a.scale(7, 1) = 1, b.scale(8, 1) = 1;  // powers whose product is less than any float
  check(one, a, b);
}

TEST_P(MxGemm, BatchesHaveTheBitsOfTheirProducts) {
  const MxCase one{.m = 50, .n = 130, .k = 192, .tile = "128x128x128"};
  constexpr int64_t kBatches = 3;
  const MxMatrix shape(one.m, one.k, 0);
  MxMatrix all = random_matrix(kBatches * one.m, one.k), b = random_matrix(one.n, one.k);
  Elements numbers(kType, 0), scales(kType, 0);
  for (int64_t batch = 0; batch < kBatches; ++batch) {
    MxMatrix a(one.m, one.k, 0);
    for (int64_t i = 0; i < one.m; ++i) {
      for (int64_t j = 0; j < one.k / 2; ++j) a.byte(i, j) = all.byte(batch * one.m + i, j);
      for (int64_t j = 0; j < one.k / kBlock; ++j) a.scale(i, j) = all.scale(batch * one.m + i, j);
    }
    numbers.bytes.insert(numbers.bytes.end(), a.numbers.bytes.begin(), a.numbers.bytes.end());
    scales.bytes.insert(scales.bytes.end(), a.scales.bytes.begin(), a.scales.bytes.end());
  }
  const OnGpu on_all(all.numbers), scales_all(all.scales), on_a(numbers), scales_a(scales), on_b(b.numbers),
      scales_b(b.scales);
  Elements whole(WAVESMITH_KERNELS_F32, static_cast<size_t>(kBatches * one.m * one.n)), batched = whole;
  const OnGpu on_whole(whole), on_batched(batched);
  MxCase rows = one;
  rows.m = kBatches * one.m;
  const auto together = describe(rows, all, b, on_all, on_b, scales_all, scales_b, on_whole.data(), one.n);
  auto batch = describe(one, shape, b, on_a, on_b, scales_a, scales_b, on_batched.data(), one.n);
  batch.batches = kBatches, batch.a.batch_stride = one.m * one.k / 2, batch.d.batch_stride = one.m * one.n;
  batch.block_scales_a.batch_stride = one.k / kBlock * shape.together;
  for (const auto& gemm : {together, batch})
    ASSERT_EQ(wavesmith_kernels_gemm_with(&gemm, one.tile, nullptr), WAVESMITH_KERNELS_SUCCESS)
        << wavesmith_kernels_message();
  ASSERT_EQ(hipDeviceSynchronize(), 0);
  on_whole.copy_to(whole), on_batched.copy_to(batched);
  EXPECT_EQ(whole.bytes, batched.bytes);
}

class MxGemmRefuses : public MxGemm {};

TEST_P(MxGemmRefuses, WhatHasNoKernelAndSaysWhich) {
  MxCase one{.m = 8, .n = 8, .k = 64};
  MxMatrix a = random_matrix(one.m, one.k), b = random_matrix(one.n, one.k);
  const OnGpu on_a(a.numbers), on_b(b.numbers), scales_a(a.scales), scales_b(b.scales),
      on_d(Elements(WAVESMITH_KERNELS_F32, 64));
  const auto right = describe(one, a, b, on_a, on_b, scales_a, scales_b, on_d.data(), 8);
  if (GetParam() != kWithMx) {
    expect_refused(wavesmith_kernels_gemm(&right, nullptr), WAVESMITH_KERNELS_NOT_SUPPORTED,
                   "no kernel for a and b of e2m1x2");
    return;
  }
  ASSERT_EQ(wavesmith_kernels_gemm(&right, nullptr), WAVESMITH_KERNELS_SUCCESS)
      << wavesmith_kernels_message();
  ASSERT_EQ(hipDeviceSynchronize(), 0);
  constexpr auto kNot = WAVESMITH_KERNELS_NOT_SUPPORTED, kInvalid = WAVESMITH_KERNELS_INVALID_ARGUMENT;
  using G = wavesmith_kernels_gemm_description;
  const Refusal<G> all[] = {
      {[](G& g) { g.block_scales_a.scaling = WAVESMITH_KERNELS_UNSCALED; }, kNot,
       "block_scales_a.scaling is 0"},
      {[](G& g) { g.block_scales_b.data = nullptr; }, kInvalid, "block_scales_b.data is null"},
      {[](G& g) { g.block_scales_b.row_stride = 2; }, kNot, "block_scales_b.row_stride is 2"},
      {[](G& g) { g.block_scales_a.column_stride = 4; }, kInvalid, "block_scales_a.column_stride is 4, less"},
      {[](G& g) { g.block_scales_a.column_stride = 9; }, kNot,
       "block_scales_a.column_stride is 9, no multiple"},
      {[](G& g) { g.block_scales_a.data = static_cast<char*>(g.block_scales_a.data) + 1; }, kNot,
       "block_scales_a.data is not aligned"},
      {[](G& g) { g.d.data = g.block_scales_b.data; }, kInvalid, "d overlaps block_scales_b"},
      {[](G& g) { g.workspace = g.block_scales_a.data, g.workspace_bytes = 16; }, kInvalid,
       "workspace overlaps block_scales_a"},
      {[](G& g) { g.k = 48; }, kNot, "k is 48"},
      {[](G& g) { g.block_scales_b.batch_stride = -4; }, kInvalid, "block_scales_b.batch_stride is negative"},
      {[](G& g) { g.block_scales_a.batch_stride = 2; }, kNot, "block_scales_a.batch_stride is 2"},
      {[](G& g) { g.d.type = WAVESMITH_KERNELS_E4M3; }, kNot, "d of e4m3"},
      {[](G& g) { g.a.type = g.b.type = WAVESMITH_KERNELS_BF16, g.k = 32; }, kNot,
       "block scales are for a and b of e2m1x2"},
      {[](G& g) { g.a.row_stride = 1, g.a.column_stride = 64; }, kNot, "want K together"},
  };
  expect_refusals(wavesmith_kernels_gemm, right, all);
}

INSTANTIATE_TEST_SUITE_P(On, MxGemm, testing::Values(kWithMx), gpu_name);
INSTANTIATE_TEST_SUITE_P(On, MxGemmRefuses, testing::Range(0, kGpuCount), gpu_name);

}  // namespace
}  // namespace wavesmith::kernels
