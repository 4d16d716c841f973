// Products of hipBLASLt by their descriptions, against sums of complex doubles. Random sizes, layouts and
// values; the seed is printed.
#include <complex>
#include <cstdint>
#include <cstring>
#include <vector>

#include "libraries/blas/product_testing.h"

namespace {

using namespace wavesmith::libraries;
using namespace wavesmith::libraries::products;
using MatrixLayouts = ProductTest;

TEST_F(MatrixLayouts, SayHowMatricesLie) {
  void* const library = open_library("libhipblaslt.so.1");
  ASSERT_NE(library, nullptr);
  void *handle = nullptr, *description = nullptr, *preference = nullptr, *layouts[3] = {};
  ASSERT_EQ(call(library, "hipblasLtCreate", &handle), 0);
  for (int round = 0; round < 30; ++round) {
    auto one = random_case<double, double>(40, 1 + below(3));
    const std::vector<double> before = one.c;
    const double alpha = one.alpha.real(), beta = one.beta.real();
    ASSERT_EQ(call(library, "hipblasLtMatmulDescCreate", &description, 7, 1), 0);
    const int32_t operations[] = {one.op_a, one.op_b};
    for (int i = 0; i < 2; ++i)
      ASSERT_EQ(call(library, "hipblasLtMatmulDescSetAttribute", description, i,
                     static_cast<const void*>(operations + i), sizeof(int32_t)),
                0);
    const bool a = one.op_a == kAsItIs, b = one.op_b == kAsItIs;
    const uint64_t sizes[3][2] = {
        {static_cast<uint64_t>(a ? one.m : one.k), static_cast<uint64_t>(a ? one.k : one.m)},
        {static_cast<uint64_t>(b ? one.k : one.n), static_cast<uint64_t>(b ? one.n : one.k)},
        {static_cast<uint64_t>(one.m), static_cast<uint64_t>(one.n)}};
    const int64_t lds[] = {one.lda, one.ldb, one.ldc}, strides[] = {one.stride_a, one.stride_b, one.stride_c};
    for (int i = 0; i < 3; ++i) {
      ASSERT_EQ(
          call(library, "hipblasLtMatrixLayoutCreate", &layouts[i], 1, sizes[i][0], sizes[i][1], lds[i]), 0);
      const int32_t batches = one.batches;
      ASSERT_EQ(call(library, "hipblasLtMatrixLayoutSetAttribute", layouts[i], 0,
                     static_cast<const void*>(&batches), sizeof batches),
                0);
      ASSERT_EQ(call(library, "hipblasLtMatrixLayoutSetAttribute", layouts[i], 1,
                     static_cast<const void*>(strides + i), sizeof(int64_t)),
                0);
    }
    // 24 bytes of algorithm, the workspace's size, the status, a float, four integers.
    uint64_t found[7];
    std::memset(found, 0xff, sizeof found);
    int count = 0;
    ASSERT_EQ(call(library, "hipblasLtMatmulPreferenceCreate", &preference), 0);
    ASSERT_EQ(call(library, "hipblasLtMatmulAlgoGetHeuristic", handle, description, layouts[0], layouts[1],
                   layouts[2], layouts[2], preference, 1, static_cast<void*>(found), &count),
              0);
    EXPECT_EQ(count, 1);
    EXPECT_EQ(found[3], 0);
    EXPECT_EQ(static_cast<uint32_t>(found[4]), 0);
    ASSERT_EQ(call(library, "hipblasLtMatmul", handle, description, static_cast<const void*>(&alpha),
                   static_cast<const void*>(one.a.data()), layouts[0], static_cast<const void*>(one.b.data()),
                   layouts[1], static_cast<const void*>(&beta), static_cast<const void*>(one.c.data()),
                   layouts[2], static_cast<void*>(one.c.data()), layouts[2], static_cast<void*>(found),
                   static_cast<void*>(nullptr), size_t{0}, static_cast<void*>(nullptr)),
              0);
    synchronize();
    one.check(before, NumberFacts<double>::kEpsilon);
    if (HasFatalFailure()) return;
    const uint32_t gradient_of_bias = 256;
    ASSERT_EQ(call(library, "hipblasLtMatmulDescSetAttribute", description, 2,
                   static_cast<const void*>(&gradient_of_bias), sizeof gradient_of_bias),
              0);
    EXPECT_EQ(call(library, "hipblasLtMatmulAlgoGetHeuristic", handle, description, layouts[0], layouts[1],
                   layouts[2], layouts[2], preference, 1, static_cast<void*>(found), &count),
              7);
    EXPECT_EQ(count, 0);
    for (void* layout : layouts) EXPECT_EQ(call(library, "hipblasLtMatrixLayoutDestroy", layout), 0);
    EXPECT_EQ(call(library, "hipblasLtMatmulDescDestroy", description), 0);
    EXPECT_EQ(call(library, "hipblasLtMatmulPreferenceDestroy", preference), 0);
  }
  EXPECT_EQ(call(library, "hipblasLtDestroy", handle), 0);
}

}  // namespace
