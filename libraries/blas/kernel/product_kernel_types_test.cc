// Products of the BLAS libraries that are kernels, of types other than halves: floats, integers and 8-bit
// floats.
#include <cmath>
#include <cstdint>
#include <vector>

#include "base/small_float.h"
#include "libraries/blas/kernel/product_kernel_testing.h"

namespace {

using namespace wavesmith;
using namespace wavesmith::libraries;
using namespace wavesmith::libraries::products;

class TypesOnEachGpu : public OnEachGpu {
 protected:
  /// Random finite codes of a format, as bytes.
  template <FloatFormat F>
  std::vector<uint8_t> codes(int count) {
    std::vector<uint8_t> all(static_cast<size_t>(count));
    for (uint8_t& each : all) do
        each = static_cast<uint8_t>(below(256));
      while (!std::isfinite(decode<F>(each)));
    return all;
  }

  /// D = (scale_a of its row, or of all) * scale_b * A transposed * B in bf16; the host's where the GPU has
  /// no such instructions.
  template <FloatFormat F>
  void check_small_floats(const Matmul& matmul, bool kernels) {
    const int m = matmul.m, n = matmul.n, k = matmul.k;
    const std::vector<uint8_t> a = codes<F>(k * m), b = codes<F>(k * n);
    std::vector<float> scale_a(static_cast<size_t>(matmul.per_row ? m : 1));
    for (float& each : scale_a) each = 0.25f * static_cast<float>(1 + below(7));
    const std::vector<float> scale_b = {0.375f};
    const OnGpu<uint8_t> on_a(hip_, a), on_b(hip_, b);
    const OnGpu<float> on_scale_a(hip_, scale_a), on_scale_b(hip_, scale_b);
    const OnGpu<Brain> on_d(hip_,
                            std::vector<Brain>(static_cast<size_t>(m) * static_cast<size_t>(n), Brain{77}));
    Matmul scaled = matmul;
    scaled.scale_a = static_cast<const float*>(on_scale_a.in());
    scaled.scale_b = static_cast<const float*>(on_scale_b.in());
    const uint64_t so_far = executed();
    ASSERT_EQ(scaled(on_a.in(), on_b.in(), nullptr, on_d.out()), 0);
    EXPECT_EQ(executed() > so_far, kernels);
    const std::vector<Brain> d = on_d.numbers();
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < m; ++i) {
        double sum = 0, size = 0;
        for (int p = 0; p < k; ++p) {
          const double product = 0.5 * scale_a[static_cast<size_t>(matmul.per_row ? i : 0)] * 0.375 *
                                 decode<F>(a[at(p, i, k)]) * decode<F>(b[at(p, j, k)]);
          sum += product;
          size += std::abs(product);
        }
        ASSERT_NEAR(wide(d[at(i, j, m)]).real(), sum, 0x1p-24 * (k + 8) * size + 0x1p-8 * std::abs(sum))
            << "row " << i << ", column " << j;
      }
  }
};

TEST_P(TypesOnEachGpu, ProductsOfFloatsEqualSumsInDoublePrecision) { check_ex<float, float>(); }

TEST_P(TypesOnEachGpu, FloatsByTheirOwnFunctionToo) {
  for (int round = 0; round < 6; ++round) {
    auto one = normal_case<float, float>(130, round % 2 ? 3 : 1);
    const auto alpha = static_cast<float>(one.alpha.real()), beta = static_cast<float>(one.beta.real());
    check(one, [&](const void* a, const void* b, void* c) {
      if (round % 2)
        return call(hipblas_, "hipblasSgemmStridedBatched", handle_, one.op_a, one.op_b, one.m, one.n, one.k,
                    static_cast<const void*>(&alpha), a, one.lda, one.stride_a, b, one.ldb, one.stride_b,
                    static_cast<const void*>(&beta), c, one.ldc, one.stride_c, one.batches);
      return call(hipblas_, "hipblasSgemm", handle_, one.op_a, one.op_b, one.m, one.n, one.k,
                  static_cast<const void*>(&alpha), a, one.lda, b, one.ldb, static_cast<const void*>(&beta),
                  c, one.ldc);
    });
    if (HasFatalFailure()) return;
  }
}

/// K lies together of both operands, as kernels of 8 bits want it; C has no gaps.
TEST_P(TypesOnEachGpu, IntegersAreExact) {
  for (int round = 0; round < 6; ++round) {
    const int m = 1 + below(150), n = 1 + below(90), k = 1 + below(300);
    SCOPED_TRACE(testing::Message() << m << " by " << n << " by " << k);
    const auto random = [&](int count) {
      std::vector<int8_t> all(static_cast<size_t>(count));
      for (int8_t& each : all) each = static_cast<int8_t>(below(256) - 128);
      return all;
    };
    const std::vector<int8_t> a = random(k * m), b = random(k * n);
    const std::vector<int32_t> nothing(static_cast<size_t>(m) * static_cast<size_t>(n), 77);
    const OnGpu<int8_t> on_a(hip_, a), on_b(hip_, b);
    const OnGpu<int32_t> on_c(hip_, nothing);
    const int32_t alpha = 1, beta = 0;
    const uint64_t so_far = executed();
    ASSERT_EQ(call(hipblas_, "hipblasGemmEx", handle_, kTransposed, kAsItIs, m, n, k,
                   static_cast<const void*>(&alpha), on_a.in(), NumberFacts<int8_t>::kHip, k, on_b.in(),
                   NumberFacts<int8_t>::kHip, k, static_cast<const void*>(&beta), on_c.out(),
                   NumberFacts<int32_t>::kHip, m, 9, 160),
              0);
    EXPECT_GT(executed(), so_far) << "no kernel ran";
    const std::vector<int32_t> c = on_c.numbers();
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < m; ++i) {
        int32_t want = 0;
        for (int p = 0; p < k; ++p) want += a[at(p, i, k)] * b[at(p, j, k)];
        ASSERT_EQ(c[at(i, j, m)], want) << "row " << i << ", column " << j;
      }
  }
}

TEST_P(TypesOnEachGpu, SmallFloatsAreScaled) {
  constexpr int kFp8Ocp = 28, kBf8Ocp = 29, kFp8OfMi300 = 1000, kBf8OfMi300 = 1001;
  const bool fnuz = GetParam() == 0, ocp = GetParam() == 2;
  for (const bool per_row : {false, true}) {
    const auto matmul = [&](int type) {
      return Matmul{hipblaslt_,
                    lt_,
                    type,
                    1 + below(150),
                    1 + below(90),
                    4 * (1 + below(60)),
                    1,
                    NumberFacts<Brain>::kHip,
                    nullptr,
                    nullptr,
                    nullptr,
                    per_row};
    };
    check_small_floats<kFp8>(matmul(kFp8Ocp), ocp);
    check_small_floats<kBf8>(matmul(kBf8Ocp), ocp);
    check_small_floats<kFp8Fnuz>(matmul(kFp8OfMi300), fnuz);
    check_small_floats<kBf8Fnuz>(matmul(kBf8OfMi300), fnuz);
  }
}

INSTANTIATE_TEST_SUITE_P(Of, TypesOnEachGpu, testing::Range(0, 3),
                         [](const auto& info) { return std::string(kGpus[info.param]); });

}  // namespace
