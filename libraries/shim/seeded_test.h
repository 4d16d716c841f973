// A fixture for tests of AMD's libraries with random numbers; it prints the seed and loads HIP's runtime.
#pragma once

#include <gtest/gtest.h>

#include <complex>
#include <cstdio>
#include <random>
#include <type_traits>
#include <vector>

#include "libraries/shim/testing.h"

namespace wavesmith::libraries {

class SeededTest : public testing::Test {
 protected:
  void SetUp() override {
    std::printf("seed %u\n", seed_);
    ASSERT_TRUE(hip_);
  }
  void synchronize() { ASSERT_EQ(call(hip_, "hipDeviceSynchronize"), 0); }
  /// A number of 0 to `limit` - 1.
  template <class Integer>
  Integer below(Integer limit) {
    return static_cast<Integer>(random_() % static_cast<unsigned>(limit));
  }
  /// A number in [-1, 1).
  double number() { return std::uniform_real_distribution<double>(-1, 1)(random_); }
  /// The same of a type, each part of a complex one.
  template <class T>
  T number_of() {
    using Part = decltype(std::real(T{}));
    if constexpr (std::is_same_v<T, std::complex<Part>>) {
      const auto real = static_cast<Part>(number());
      return T(real, static_cast<Part>(number()));
    } else {
      return static_cast<T>(number());
    }
  }
  template <class T>
  std::vector<T> numbers_of(int count) {
    std::vector<T> all(static_cast<size_t>(count));
    for (T& each : all) each = number_of<T>();
    return all;
  }

  const unsigned seed_ = std::random_device{}();
  std::mt19937 random_{seed_};
  void* const hip_ = open_library("libamdhip64.so");
};

}  // namespace wavesmith::libraries
