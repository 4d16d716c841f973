// A fixture for tests of a library whose functions take a handle: random numbers with a printed seed, and the
// streams' end.
#pragma once

#include <gtest/gtest.h>

#include <cstdio>
#include <random>

#include "libraries/testing.h"

namespace wavesmith::libraries {

class HandleTest : public testing::Test {
 protected:
  /// The library's name, and its functions that make a handle and end it.
  HandleTest(const char* library, const char* create, const char* destroy)
      : library_(open_library(library)), create_(create), destroy_(destroy) {}
  void SetUp() override {
    ASSERT_TRUE(library_ && hip_);
    ASSERT_EQ(call(library_, create_, &handle_), 0);
    std::printf("seed %u\n", seed_);
  }
  void TearDown() override { EXPECT_EQ(call(library_, destroy_, handle_), 0); }
  void synchronize() { ASSERT_EQ(call(hip_, "hipDeviceSynchronize"), 0); }
  /// A number of 0 to `limit` - 1.
  template <class Integer>
  Integer below(Integer limit) {
    return static_cast<Integer>(random_() % static_cast<unsigned>(limit));
  }
  /// A number in [-1, 1).
  double number() { return std::uniform_real_distribution<double>(-1, 1)(random_); }

  const unsigned seed_ = std::random_device{}();
  std::mt19937 random_{seed_};
  void* const library_;
  void* const hip_ = open_library("libamdhip64.so");
  void* handle_ = nullptr;

 private:
  const char *const create_, *const destroy_;
};

}  // namespace wavesmith::libraries
