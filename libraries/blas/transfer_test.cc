// Copies of vectors and matrices to the GPU and back, by hipBLAS and rocBLAS. Random sizes; the seed is
// printed.
#include <string>
#include <vector>

#include "libraries/blas/blas_test.h"

namespace {

using namespace wavesmith::libraries;
using Transfers = BlasTest;

TEST_F(Transfers, MatricesGoToTheGpuAndBackWithTheirOwnDistances) {
  for (int round = 0; round < 40; ++round) {
    const int m = below(9), n = below(9), width = below(2) ? 4 : 16, there = m + 1 + below(4),
              back = m + 1 + below(4), here = m + 1 + below(4);
    std::vector<char> from(static_cast<size_t>(here * (n + 1) * width)),
        to(static_cast<size_t>(back * (n + 1) * width), 7);
    for (char& byte : from) byte = static_cast<char>(below(256));
    void* gpu = nullptr;
    ASSERT_EQ(call(hip_, "hipMalloc", &gpu, static_cast<size_t>(there * (n + 1) * width)), 0);
    const bool roc = below(2) != 0, in_stream = below(2) != 0;
    void* const library = roc ? rocblas_ : hipblas_;
    const auto move = [&](const std::string& name, const void* source, int source_ld, void* target,
                          int target_ld) {
      if (!in_stream) return call(library, name, m, n, width, source, source_ld, target, target_ld);
      return call(library, name + (roc ? "_async" : "Async"), m, n, width, source, source_ld, target,
                  target_ld, static_cast<void*>(nullptr));
    };
    ASSERT_EQ(move(roc ? "rocblas_set_matrix" : "hipblasSetMatrix", from.data(), here, gpu, there), 0);
    ASSERT_EQ(move(roc ? "rocblas_get_matrix" : "hipblasGetMatrix", gpu, there, to.data(), back), 0);
    synchronize();
    for (int j = 0; j <= n; ++j)
      for (int i = 0; i < back * width; ++i) {
        const int source = j * here * width + i;
        const char want = i < m * width && j < n ? from[static_cast<size_t>(source)] : 7;
        ASSERT_EQ(to[static_cast<size_t>(j * back * width + i)], want) << round << ": " << i << ", " << j;
      }
    ASSERT_EQ(call(hip_, "hipFree", gpu), 0);
  }
}

TEST_F(Transfers, VectorsGoByTheirSteps) {
  std::vector<float> from(30), to(30, -1);
  for (size_t i = 0; i < from.size(); ++i) from[i] = static_cast<float>(i);
  void* gpu = nullptr;
  ASSERT_EQ(call(hip_, "hipMalloc", &gpu, size_t{200}), 0);
  ASSERT_EQ(call(rocblas_, "rocblas_set_vector", 10, 4, from.data(), 3, gpu, 5), 0);
  ASSERT_EQ(call(hipblas_, "hipblasGetVector", 10, 4, gpu, 5, to.data(), 2), 0);
  for (size_t i = 0; i < 10; ++i) {
    EXPECT_EQ(to[2 * i], from[3 * i]) << i;
    EXPECT_EQ(to[2 * i + 1], -1) << i;
  }
  EXPECT_EQ(call(rocblas_, "rocblas_set_vector", 10, 4, from.data(), 0, gpu, 1), 4);
  EXPECT_EQ(call(rocblas_, "rocblas_set_vector", -1, 4, from.data(), 1, gpu, 1), 4);
  EXPECT_EQ(call(rocblas_, "rocblas_set_vector", 10, 4, static_cast<void*>(nullptr), 1, gpu, 1), 3);
  EXPECT_EQ(call(hipblas_, "hipblasSetMatrix", 5, 2, 4, from.data(), 4, gpu, 5), 3);
  EXPECT_EQ(call(hip_, "hipFree", gpu), 0);
}

}  // namespace
