// Products of the kernel library on a GPU of each target, against sums in double precision.
#include <algorithm>
#include <array>
#include <limits>

#include "kernels/gemm/testing.h"

namespace wavesmith::kernels {
namespace {

class Gemm : public GemmOnGpu {};

TEST_P(Gemm, SmallOnesOfAllKindsEqualSumsInDoublePrecision) {
  for (int round = 0; round < 60; ++round) {
    check(random_case(between(1, 70), between(1, 70), between(0, 100)));
    if (HasFatalFailure()) return;
  }
}

TEST_P(Gemm, BatchesMayBeArraysOfPointers) {
  for (int round = 0; round < 12; ++round) {
    Case one = random_case(between(1, 70), between(1, 70), between(0, 60));
    one.batches = between(1, 5), one.arrays = true;
    check(one);
    if (HasFatalFailure()) return;
  }
}

TEST_P(Gemm, SizesAroundTheTilesEqualSumsInDoublePrecision) {
  for (int round = 0; round < 6; ++round) {
    check(random_case(one_of<int64_t>({1, 64, 127, 128, 129, 255, 257}),
                      one_of<int64_t>({1, 2, 128, 131, 256, 300}),
                      one_of<int64_t>({1, 31, 32, 33, 64, 96, 130})));
    if (HasFatalFailure()) return;
  }
}

TEST_P(Gemm, EveryKernelEqualsSumsInDoublePrecision) {
  for (const auto& types : pairs()) {
    const int64_t even = 4 / std::min<int64_t>(4, size_of(types.first));  // elements of a dword
    for (size_t index = 0;; ++index) {
      const char* const tile = wavesmith_kernels_gemm_tile(types.first, types.second, index);
      if (!tile) break;
      const GemmConfiguration& configuration = this->configuration(tile, types.first, types.second);
      for (const bool a_by_rows : {true, false})
        for (const bool b_by_rows : {true, false}) {
          if (!configuration.has_layout(a_by_rows, !b_by_rows)) continue;
          const int64_t deep = configuration.pieces ? 16 / size_of(types.first) : even;
          const int64_t depth = std::max(320, 5 * configuration.depth / 2);
          Case one = random_case(configuration.rows + between(-1, 1) * even,
                                 configuration.columns + between(-1, 2) * even,
                                 between(2, depth / deep) * deep, types);
          one.a_by_rows = a_by_rows, one.b_by_rows = b_by_rows, one.d_by_rows = true, one.tile = tile;
          one.padding = one.padding / even * even, one.offset = one.offset / even * even, one.batches = 1;
          check(one);
          // Small tiles have epilogues for those.
          if (configuration.pieces) check(plain(one));
          if (size_of(one.type) == 2) check(only_sums(one));
          if (configuration.elements) {
            one.offset = 1;  // element by element
            check(one);
          }
          if (HasFatalFailure()) return;
        }
    }
  }
  EXPECT_GE(pairs().size(), 3U);
}

TEST_P(Gemm, SumsOfIntegersAreExact) {
  Case one{.m = 65,
           .n = 63,
           .k = 1000,
           .type = WAVESMITH_KERNELS_I8,
           .type_b = WAVESMITH_KERNELS_I8,
           .type_d = WAVESMITH_KERNELS_I32};
  HostMatrix a = random_matrix(one.m, one.k, 1, true, 0, one.type),
             b = random_matrix(one.k, one.n, 1, false, 0, one.type);
  HostMatrix d = matrix(one.m, one.n, 1, true, 0, one.type_d);
  for (int64_t p = 0; p < one.k; ++p)  // 1000 * 2^14, which a float sum of odd products would round
    a.elements.set(a.at(0, 7, p), -128), b.elements.set(b.at(0, p, 5), p == 0 ? -127 : -128);
  check(one, a, b, matrix(1, 1, 1, true, 0, one.type_c), d, matrix(1, 1, 1, true, 0, one.bias_type));
}

TEST_P(Gemm, NanAndInfinityPropagateToTheirRowsAndColumnsOnly) {
  // D of floats, and of sums alone.
  for (const auto& [n, type_d] :
       {std::pair<int64_t, Type>{90, WAVESMITH_KERNELS_F32}, {96, WAVESMITH_KERNELS_BF16}}) {
    Case one{.m = 70, .n = n, .k = 50, .type_d = type_d};
    HostMatrix a = random_matrix(one.m, one.k, 1, true, 0, one.type),
               b = random_matrix(one.k, one.n, 1, false, 0, one.type);
    const HostMatrix c = matrix(one.m, one.n, 1, true, 0, one.type_c),
                     bias = matrix(1, one.n, 1, true, 0, one.bias_type);
    HostMatrix d = matrix(one.m, one.n, 1, true, 0, one.type_d);
    a.elements.set(a.at(0, 3, 49), std::numeric_limits<double>::quiet_NaN());
    a.elements.set(a.at(0, 69, 0), std::numeric_limits<double>::infinity());
    b.elements.set(b.at(0, 49, 89), -std::numeric_limits<double>::infinity());
    check(one, a, b, c, d, bias);
    one.activation = WAVESMITH_KERNELS_RELU;  // NaN becomes 0
    check(one, a, b, c, d, bias);
  }
}

TEST_P(Gemm, WithoutProductsDIsTheScaledC) {
  for (const auto& [k, alpha] : {std::pair<int64_t, float>{0, 1.0F}, {17, 0.0F}}) {
    check({.m = 33, .n = 20, .k = k, .alpha = alpha, .beta = 2});
    check({.m = 33, .n = 20, .k = k, .alpha = alpha, .beta = 0});
    if (HasFatalFailure()) return;
  }
}

TEST_P(Gemm, TwoRunsGiveTheSameBits) {
  const HostMatrix a = random_matrix(130, 200, 1, true, 0, WAVESMITH_KERNELS_F16);
  const HostMatrix b = random_matrix(200, 90, 1, true, 0, WAVESMITH_KERNELS_F16);
  std::array<Elements, 2> results;
  for (Elements& result : results) {
    HostMatrix d = matrix(130, 90, 1, true, 0, WAVESMITH_KERNELS_F32);
    const OnGpu on_a(a.elements), on_b(b.elements), on_d(d.elements);
    const wavesmith_kernels_gemm_description gemm{.m = 130,
                                                  .n = 90,
                                                  .k = 200,
                                                  .batches = 1,
                                                  .alpha = 1,
                                                  .a = a.on(on_a),
                                                  .b = b.on(on_b),
                                                  .d = d.on(on_d)};
    ASSERT_EQ(wavesmith_kernels_gemm(&gemm, nullptr), WAVESMITH_KERNELS_SUCCESS)
        << wavesmith_kernels_message();
    ASSERT_EQ(hipDeviceSynchronize(), 0);
    on_d.copy_to(d.elements);
    result = d.elements;
  }
  EXPECT_EQ(results[0].bytes, results[1].bytes);
}

INSTANTIATE_TEST_SUITE_P(On, Gemm, testing::Range(0, kGpuCount), gpu_name);

}  // namespace
}  // namespace wavesmith::kernels
