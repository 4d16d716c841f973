// For tests of hipBLAS and rocBLAS: both libraries with a handle each, and random numbers whose seed is
// printed.
#pragma once

#include <cstdio>
#include <random>

#include "libraries/testing.h"

namespace wavesmith::libraries {

class BlasTest : public testing::Test {
 protected:
  void SetUp() override {
    hipblas_ = open_library("libhipblas.so.3");
    rocblas_ = open_library("librocblas.so.5");
    hip_ = open_library("libamdhip64.so");
    ASSERT_TRUE(hipblas_ && rocblas_ && hip_);
    ASSERT_EQ(call(hipblas_, "hipblasCreate", &handle_), 0);
    ASSERT_EQ(call(rocblas_, "rocblas_create_handle", &rocblas_handle_), 0);
    std::printf("seed %u\n", seed_);
  }
  void TearDown() override {
    EXPECT_EQ(call(hipblas_, "hipblasDestroy", handle_), 0);
    EXPECT_EQ(call(rocblas_, "rocblas_destroy_handle", rocblas_handle_), 0);
  }
  void synchronize() { ASSERT_EQ(call(hip_, "hipDeviceSynchronize"), 0); }
  int below(int limit) { return static_cast<int>(random_() % static_cast<unsigned>(limit)); }
  double number() { return std::uniform_real_distribution<double>(-1, 1)(random_); }

  const unsigned seed_ = std::random_device{}();
  std::mt19937 random_{seed_};
  void *hipblas_ = nullptr, *rocblas_ = nullptr, *hip_ = nullptr, *handle_ = nullptr,
       *rocblas_handle_ = nullptr;
};

}  // namespace wavesmith::libraries
