// The library from C++: descriptions that are made from pointers and sizes, calls that throw.
#include "kernels/all_reduce/testing.h"
// Behind it, as its decode would hide that of small floats.
#include "kernels/wavesmith_kernels.hpp"

namespace wavesmith::kernels {
namespace {

/// Floats on a GPU, the small numbers that `value` gives.
struct Floats {
  Elements host;
  OnGpu gpu;

  template <class Value>
  Floats(int64_t count, Value value) : host(made(count, value)), gpu(host) {}
  [[nodiscard]] float* data() const { return static_cast<float*>(gpu.data()); }
  [[nodiscard]] double get(int64_t index) {
    gpu.copy_to(host);
    return host.get(static_cast<size_t>(index));
  }

 private:
  template <class Value>
  static Elements made(int64_t count, Value value) {
    Elements elements(WAVESMITH_KERNELS_F32, static_cast<size_t>(count));
    for (int64_t i = 0; i < count; ++i) elements.set(static_cast<size_t>(i), value(i));
    return elements;
  }
};

class FromCpp : public OnEachGpu {};

double small(int64_t i) { return static_cast<double>(i % 7) - 3; }
double zero(int64_t) { return 0; }

TEST_P(FromCpp, AProductOfMatricesByRowsAndColumns) {
  const Floats a(6 * 8, small), b(8 * 5, small);
  Floats d(6 * 5, zero);
  const auto product =
      gemm_of(matrix(a.data(), 6, 8), matrix_by_columns(b.data(), 8, 5), matrix(d.data(), 6, 5));
  EXPECT_FALSE(kernel_of(product).empty());
  gemm(product);
  ASSERT_EQ(hipDeviceSynchronize(), 0);
  for (int64_t i = 0; i < 6; ++i)
    for (int64_t j = 0; j < 5; ++j) {
      double sum = 0;
      for (int64_t k = 0; k < 8; ++k) sum += small(i * 8 + k) * small(j * 8 + k);
      EXPECT_EQ(d.get(i * 5 + j), sum);
    }
}

TEST_P(FromCpp, AGatedProductOfBothHalves) {
  Elements a(WAVESMITH_KERNELS_BF16, 6 * 8), b(WAVESMITH_KERNELS_BF16, 8 * 10);
  for (size_t i = 0; i < a.count(); ++i) a.set(i, small(static_cast<int64_t>(i)));
  for (size_t i = 0; i < b.count(); ++i) b.set(i, small(static_cast<int64_t>(i)));
  const OnGpu on_a(a), on_b(b);
  Floats d(6 * 5, zero);
  const auto type = WAVESMITH_KERNELS_BF16;
  gemm(gated_gemm_of(matrix({on_a.data(), type}, 6, 8), matrix_by_columns({on_b.data(), type}, 8, 10),
                     matrix(d.data(), 6, 5), WAVESMITH_KERNELS_RELU));
  ASSERT_EQ(hipDeviceSynchronize(), 0);
  for (int64_t i = 0; i < 6; ++i)
    for (int64_t j = 0; j < 5; ++j) {
      double gate = 0, up = 0;
      for (int64_t k = 0; k < 8; ++k) {
        gate += small(i * 8 + k) * small(j * 8 + k);
        up += small(i * 8 + k) * small((j + 5) * 8 + k);
      }
      EXPECT_EQ(d.get(i * 5 + j), gate > 0 ? gate * up : 0);
    }
}

TEST_P(FromCpp, AttentionOfOneKeyIsItsValue) {
  Elements ones(WAVESMITH_KERNELS_F16, 2 * 4 * 64), results = ones;
  for (size_t i = 0; i < ones.count(); ++i) ones.set(i, 1);
  const OnGpu on_q(ones), on_o(results);
  const auto of = [](const OnGpu& gpu, int64_t length) {
    return heads({gpu.data(), WAVESMITH_KERNELS_F16}, 2, length, 1, 64);
  };
  attention(attention_of(of(on_q, 4), of(on_q, 1), of(on_q, 1), of(on_o, 4), 0.125F));
  ASSERT_EQ(hipDeviceSynchronize(), 0);
  on_o.copy_to(results);
  EXPECT_EQ(results.bytes, ones.bytes);
}

TEST_P(FromCpp, ANormWithAWeight) {
  const Floats x(3 * 16, [](int64_t i) { return i < 16 ? 2.0 : -4.0; }),
      weight(16, [](int64_t) { return 3; });
  Floats y(3 * 16, zero);
  norm(norm_of(rows(x.data(), 3, 16), weight.data(), rows(y.data(), 3, 16), 0));
  ASSERT_EQ(hipDeviceSynchronize(), 0);
  for (int64_t i = 0; i < 3 * 16; ++i) EXPECT_NEAR(y.get(i), i < 16 ? 3 : -3, 1e-6);
}

TEST_P(FromCpp, ATransposeAndItsSums) {
  const Floats x(5 * 9, small);
  Floats y(9 * 5, zero), sums(5, zero);
  transpose(transpose_of(matrix(x.data(), 5, 9), matrix(y.data(), 9, 5).transposed()));
  auto sum = reduce_of(WAVESMITH_KERNELS_REDUCE_SUM, rows(y.data(), 9, 5), sums.data(),
                       WAVESMITH_KERNELS_REDUCE_EACH_COLUMN);
  EXPECT_EQ(workspace_of(sum), 0U);
  reduce(sum);
  ASSERT_EQ(hipDeviceSynchronize(), 0);
  for (int64_t i = 0; i < 5; ++i) {
    double want = 0;
    for (int64_t j = 0; j < 9; ++j) want += small(i * 9 + j);
    EXPECT_EQ(sums.get(i), want);
    EXPECT_EQ(y.get(i), small(i * 9));
  }
}

TEST_P(FromCpp, AnAllReduceOfTwoStreams) {
  Elements x(WAVESMITH_KERNELS_BF16, 3 * 16);
  for (size_t i = 0; i < x.count(); ++i) x.set(i, small(static_cast<int64_t>(i)));
  const OnGpu on_x(x), sums[] = {OnGpu(x), OnGpu(x)};
  const auto of_rank = [&](int rank) {
    const auto matrix = [&](const OnGpu& on_gpu) { return rows({on_gpu.data(), x.type}, 3, 16); };
    return all_reduce_of(2, rank, matrix(on_x), matrix(sums[rank]));
  };
  const Ranks ranks({GetParam(), GetParam()}, all_reduce_buffer(of_rank(0)));
  for (int rank = 0; rank < 2; ++rank) {
    auto reduce = of_rank(rank);
    ranks.add_to(reduce);
    all_reduce(reduce, ranks[rank].stream());
  }
  ASSERT_NO_FATAL_FAILURE(ranks.wait());
  for (const OnGpu& sum : sums) {
    Elements got(x.type, x.count());
    sum.copy_to(got);
    for (size_t i = 0; i < x.count(); ++i) EXPECT_EQ(got.get(i), 2 * x.get(i));
  }
}

INSTANTIATE_TEST_SUITE_P(On, FromCpp, testing::Range(0, kGpuCount), gpu_name);

/// The status and message of what `call` throws.
template <class Call>
std::pair<wavesmith_kernels_status, std::string> thrown(Call call) {
  try {
    call();
  } catch (const Error& error) {
    return {error.status(), error.what()};
  }
  return {};
}

TEST(FromCppRefuses, ByExceptionsWithStatusAndMessage) {
  ASSERT_EQ(hipSetDevice(1), 0);
  const Floats memory(64, zero);
  const Rows x = rows(memory.data(), 4, 8);
  EXPECT_EQ(thrown([&] { softmax(softmax_of(x, rows(static_cast<float*>(nullptr), 4, 8))); }),
            std::pair(WAVESMITH_KERNELS_INVALID_ARGUMENT, std::string("softmax: y.data is null")));
  EXPECT_EQ(thrown([&] { softmax_of(x, rows(memory.data(), 4, 7)); }),
            std::pair(WAVESMITH_KERNELS_INVALID_ARGUMENT, std::string("softmax: columns are 8 and 7")));
  const auto a = matrix({memory.data(), WAVESMITH_KERNELS_E2M1X2}, 4, 4);
  EXPECT_EQ(thrown([&] { transpose(transpose_of(a, a)); }).first, WAVESMITH_KERNELS_NOT_SUPPORTED);
}

}  // namespace
}  // namespace wavesmith::kernels
