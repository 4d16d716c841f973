#include "validate/roofline.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace wavesmith::validate {
namespace {

TEST(Roofline, IsTheSlowerOfArithmeticAndMemoryPlusAFixedTime) {
  const Roofline roofline{0.5, 0.8, 1};
  EXPECT_DOUBLE_EQ(roofline.seconds(10, 4), 21);
  EXPECT_DOUBLE_EQ(roofline.seconds(1, 8), 11);
}

TEST(Roofline, FindsTheConstantsThatMadeThePoints) {
  const uint32_t seed = 20;
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> exponent(-7, -3);
  const Roofline truth{0.71, 0.63, 4e-6};
  std::vector<RooflinePoint> points;
  for (int i = 0; i < 500; ++i) {
    const double a = std::pow(10, exponent(random)), m = std::pow(10, exponent(random));
    points.push_back({a, m, truth.seconds(a, m)});
  }
  const Roofline found = fit_roofline(points);
  EXPECT_NEAR(found.arithmetic_share, truth.arithmetic_share, 0.02) << "seed " << seed;
  EXPECT_NEAR(found.memory_share, truth.memory_share, 0.02);
  EXPECT_NEAR(found.fixed_seconds, truth.fixed_seconds, 2e-7);
}

TEST(Roofline, NoPointsGiveTheDataSheet) { EXPECT_EQ(fit_roofline({}).arithmetic_share, 1); }

}  // namespace
}  // namespace wavesmith::validate
