// A fixture for tests of hipBLAS and rocBLAS with a handle of each.
#pragma once

#include "libraries/shim/seeded_test.h"

namespace wavesmith::libraries {

class BlasTest : public SeededTest {
 protected:
  void SetUp() override {
    SeededTest::SetUp();
    hipblas_ = open_library("libhipblas.so.3");
    rocblas_ = open_library("librocblas.so.5");
    ASSERT_TRUE(hipblas_ && rocblas_);
    ASSERT_EQ(call(hipblas_, "hipblasCreate", &handle_), 0);
    ASSERT_EQ(call(rocblas_, "rocblas_create_handle", &rocblas_handle_), 0);
  }
  void TearDown() override {
    EXPECT_EQ(call(hipblas_, "hipblasDestroy", handle_), 0);
    EXPECT_EQ(call(rocblas_, "rocblas_destroy_handle", rocblas_handle_), 0);
  }
  /// A step from one element of a vector to the next, of either sign, and the place of element i of n.
  int step() { return (1 + below(3)) * (below(2) ? 1 : -1); }
  static size_t place(int i, int n, int step) {
    return static_cast<size_t>(step > 0 ? i * step : (n - 1 - i) * -step);
  }

  void *hipblas_ = nullptr, *rocblas_ = nullptr, *handle_ = nullptr, *rocblas_handle_ = nullptr;
};

}  // namespace wavesmith::libraries
