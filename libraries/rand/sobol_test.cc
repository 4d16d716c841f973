// hipRAND's quasi-random numbers: the first points as Joe and Kuo print them, the even filling that makes
// them Sobol's, and the normal distribution that they are mapped to.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "libraries/rand/sobol.h"
#include "libraries/shim/seeded_test.h"

namespace {

using namespace wavesmith::libraries;

std::vector<uint32_t> coordinates(unsigned dimension, size_t count, uint32_t first = 0) {
  Sobol points(dimension, first);
  std::vector<uint32_t> values(count);
  for (uint32_t& value : values) value = points.next();
  return values;
}

TEST(Sobol, TheFirstPointsAreTheOnesInTheBooks) {
  const auto is = [](unsigned dimension, std::vector<double> want) {
    std::vector<double> got;
    for (const uint32_t value : coordinates(dimension, want.size()))
      got.push_back(static_cast<double>(value) * 0x1p-32);
    EXPECT_EQ(got, want) << dimension;
  };
  is(0, {0, 0.5, 0.75, 0.25, 0.375, 0.875, 0.625, 0.125, 0.1875, 0.6875});
  is(1, {0, 0.5, 0.25, 0.75, 0.375, 0.875, 0.125, 0.625, 0.3125, 0.8125});
  is(2, {0, 0.5, 0.25, 0.75, 0.625, 0.125, 0.875, 0.375, 0.9375, 0.4375});
}

TEST(Sobol, EachStretchOfAPowerOfTwoHasOneNumberInEachInterval) {
  for (unsigned dimension = 0; dimension < kSobolDimensions; ++dimension)
    for (const unsigned bits : {1u, 4u, 10u})
      for (const uint32_t stretch : {0u, 3u, 1000u}) {
        std::set<uint32_t> intervals;
        for (const uint32_t value : coordinates(dimension, size_t{1} << bits, stretch << bits))
          intervals.insert(value >> (32 - bits));
        EXPECT_EQ(intervals.size(), size_t{1} << bits) << dimension << ", " << bits << ", " << stretch;
      }
}

TEST(Sobol, NoTwoDimensionsAreAlikeAndTheirPairsFillTheSquare) {
  // Joe and Kuo chose the numbers for this: boxes of 1/16 by 1/16 that 2^14 points leave empty.
  constexpr size_t kCount = size_t{1} << 14;
  std::vector<std::vector<uint32_t>> all;
  for (unsigned i = 0; i < kSobolDimensions; ++i) all.push_back(coordinates(i, kCount));
  for (unsigned i = 0; i < kSobolDimensions; ++i)
    for (unsigned j = 0; j < i; ++j) {
      std::vector<int> boxes(256);
      for (size_t k = 0; k < kCount; ++k) ++boxes[(all[i][k] >> 28) * 16 + (all[j][k] >> 28)];
      EXPECT_EQ(*std::min_element(boxes.begin(), boxes.end()), 64) << i << ", " << j;
      EXPECT_EQ(*std::max_element(boxes.begin(), boxes.end()), 64) << i << ", " << j;
    }
}

class QuasiRandom : public SeededTest {
 protected:
  void SetUp() override {
    SeededTest::SetUp();
    ASSERT_EQ(hiprand("CreateGenerator", &generator_, 500), 0);
  }
  void TearDown() override { EXPECT_EQ(hiprand("DestroyGenerator", generator_), 0); }
  int hiprand(const std::string& name, auto... args) { return call(library_, "hiprand" + name, args...); }

  void* const library_ = open_library("libhiprand.so.1");
  void* generator_ = nullptr;
};

TEST_F(QuasiRandom, DimensionsFollowEachOtherAndCallsGoOn) {
  const unsigned dimensions = 1 + below(kSobolDimensions);
  const size_t points = 1 + below(size_t{50}), skipped = below(size_t{1000});
  ASSERT_EQ(hiprand("SetQuasiRandomGeneratorDimensions", generator_, dimensions), 0);
  ASSERT_EQ(hiprand("SetGeneratorOffset", generator_, static_cast<unsigned long long>(skipped)), 0);
  for (size_t call = 0; call < 2; ++call) {
    std::vector<float> values(points * dimensions);
    ASSERT_EQ(hiprand("GenerateUniform", generator_, values.data(), values.size()), 0);
    synchronize();
    for (unsigned dimension = 0; dimension < dimensions; ++dimension) {
      const auto want = coordinates(dimension, points, static_cast<uint32_t>(skipped + call * points));
      for (size_t i = 0; i < points; ++i) {
        const float got = values[dimension * points + i];
        EXPECT_NEAR(static_cast<double>(got), (want[i] + 0.5) * 0x1p-32, 0x1p-23) << dimension << ", " << i;
        EXPECT_GT(got, 0);
        EXPECT_LE(got, 1);
      }
    }
  }
}

TEST_F(QuasiRandom, NormalNumbersAreWhereTheDistributionReachesTheUniformOnes) {
  constexpr size_t kCount = 4096;
  std::vector<double> uniform(kCount), normal(kCount), logarithmic(kCount);
  ASSERT_EQ(hiprand("GenerateUniformDouble", generator_, uniform.data(), kCount), 0);
  synchronize();
  ASSERT_EQ(hiprand("SetGeneratorOffset", generator_, 0ULL), 0);
  ASSERT_EQ(hiprand("GenerateNormalDouble", generator_, normal.data(), kCount, 2.0, 3.0), 0);
  synchronize();
  ASSERT_EQ(hiprand("SetGeneratorOffset", generator_, 0ULL), 0);
  ASSERT_EQ(hiprand("GenerateLogNormalDouble", generator_, logarithmic.data(), kCount, 2.0, 3.0), 0);
  synchronize();
  for (size_t i = 0; i < kCount; ++i) {
    const double x = (normal[i] - 2) / 3;
    EXPECT_NEAR(std::erfc(-x / std::sqrt(2.0)) / 2, uniform[i], 1e-14 + 1e-12 * uniform[i]);
    EXPECT_NEAR(std::log(logarithmic[i]), normal[i], 1e-12);
  }
}

TEST_F(QuasiRandom, WhatTheseGeneratorsCannotIsRefused) {
  std::vector<unsigned> values(8);
  std::vector<unsigned long long> wide(8);
  EXPECT_EQ(hiprand("SetQuasiRandomGeneratorDimensions", generator_, 0u), 104);
  EXPECT_EQ(hiprand("SetQuasiRandomGeneratorDimensions", generator_, 20001u), 104);
  EXPECT_EQ(hiprand("SetQuasiRandomGeneratorDimensions", generator_, kSobolDimensions + 1), 1000);
  ASSERT_EQ(hiprand("SetQuasiRandomGeneratorDimensions", generator_, 3u), 0);
  EXPECT_EQ(hiprand("Generate", generator_, values.data(), size_t{8}), 105);
  EXPECT_EQ(hiprand("Generate", generator_, values.data(), size_t{6}), 0);
  EXPECT_EQ(hiprand("GenerateLongLong", generator_, wide.data(), size_t{6}), 103);
  EXPECT_EQ(hiprand("GeneratePoisson", generator_, values.data(), size_t{6}, 1.0), 103);
  EXPECT_EQ(hiprand("SetPseudoRandomGeneratorSeed", generator_, 1ULL), 103);
  synchronize();
  void* other = nullptr;
  EXPECT_EQ(hiprand("CreateGenerator", &other, 504), 1000);
  EXPECT_EQ(hiprand("CreateGenerator", &other, 505), 103);
  ASSERT_EQ(hiprand("CreateGenerator", &other, 400), 0);
  EXPECT_EQ(hiprand("SetQuasiRandomGeneratorDimensions", other, 2u), 103);
  EXPECT_EQ(hiprand("DestroyGenerator", other), 0);
}

}  // namespace
