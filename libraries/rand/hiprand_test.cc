// hipRAND's numbers: the generator against its authors' known answers, the distributions against their
// moments and their distribution functions. Seeds are fixed, so the bounds are met or missed for good; they
// are wide enough (5 standard errors) that another seed would hardly miss them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "kernels/random/philox.h"
#include "libraries/shim/testing.h"

using wavesmith::philox, wavesmith::PhiloxBlock;

namespace {

using namespace wavesmith::libraries;

// "kat_vectors" of Random123 1.0.
TEST(Philox, KnownAnswers) {
  const auto is = [](const PhiloxBlock& block, uint32_t a, uint32_t b, uint32_t c, uint32_t d) {
    const uint32_t expected[] = {a, b, c, d};
    return std::equal(expected, expected + 4, block.words);
  };
  EXPECT_TRUE(is(philox(0, 0, 0), 0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8));
  EXPECT_TRUE(is(philox(~0ULL, ~0ULL, ~0ULL), 0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd));
  EXPECT_TRUE(is(philox(0x299f31d0a4093822, 0x85a308d3243f6a88, 0x0370734413198a2e), 0xd16cfe09, 0x94fdcceb,
                 0x5001e420, 0x24126ea1));
}

class Hiprand : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(library_ && hip_);
    ASSERT_EQ(hiprand("CreateGenerator", &generator_, 401), 0);
    ASSERT_EQ(seed(17), 0);
  }
  void TearDown() override {
    if (generator_) EXPECT_EQ(hiprand("DestroyGenerator", generator_), 0);
  }
  int hiprand(const std::string& name, auto... args) { return call(library_, "hiprand" + name, args...); }
  int seed(unsigned long long value) { return hiprand("SetPseudoRandomGeneratorSeed", generator_, value); }
  /// The numbers of a call without further arguments.
  template <typename T>
  std::vector<T> numbers(const char* name, size_t count) {
    std::vector<T> values(count + 1, T(77));
    EXPECT_EQ(hiprand(name, generator_, values.data(), count), 0);
    synchronize();
    EXPECT_EQ(values.back(), T(77)) << "wrote past the end";
    values.pop_back();
    return values;
  }
  template <typename T, typename... Args>
  std::vector<T> numbers_of(const char* name, size_t count, Args... args) {
    std::vector<T> values(count);
    EXPECT_EQ(hiprand(name, generator_, values.data(), count, args...), 0);
    synchronize();
    return values;
  }
  void synchronize() { EXPECT_EQ(call(hip_, "hipDeviceSynchronize"), 0); }

  void* const library_ = open_library("libhiprand.so.1");
  void* const hip_ = open_library("libamdhip64.so");
  void* generator_ = nullptr;
};

/// Greatest distance between the numbers' distribution and `expected` (Kolmogorov and Smirnov), in units of
/// 1/sqrt(n).
template <typename T>
double distance(std::vector<T> values, const std::function<double(double)>& expected) {
  std::sort(values.begin(), values.end());
  const auto n = static_cast<double>(values.size());
  double most = 0;
  for (size_t i = 0; i < values.size(); ++i) {
    const double at = expected(static_cast<double>(values[i]));
    most = std::max({most, at - static_cast<double>(i) / n, static_cast<double>(i + 1) / n - at});
  }
  return most * std::sqrt(n);
}
constexpr double kFar = 2.0;  // exceeded once in 1500 seeds

double normal_distribution(double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); }

TEST_F(Hiprand, UniformNumbersFillTheUnitInterval) {
  const auto single = numbers<float>("GenerateUniform", 100'001);
  const auto wide = numbers<double>("GenerateUniformDouble", 100'001);
  for (float x : single) ASSERT_TRUE(x > 0 && x <= 1) << x;
  for (double x : wide) ASSERT_TRUE(x > 0 && x <= 1) << x;
  EXPECT_LT(distance(single, [](double x) { return x; }), kFar);
  EXPECT_LT(distance(wide, [](double x) { return x; }), kFar);
}

TEST_F(Hiprand, NormalNumbersHaveMeanAndDeviation) {
  const auto expected = [](double x) { return normal_distribution((x - 3) / 2); };
  EXPECT_LT(distance(numbers_of<float>("GenerateNormal", 100'002, 3.0F, 2.0F), expected), kFar);
  EXPECT_LT(distance(numbers_of<double>("GenerateNormalDouble", 100'002, 3.0, 2.0), expected), kFar);
  const auto logarithmic = [](double x) { return normal_distribution((std::log(x) - 0.5) / 0.25); };
  EXPECT_LT(distance(numbers_of<float>("GenerateLogNormal", 100'002, 0.5F, 0.25F), logarithmic), kFar);
  EXPECT_LT(distance(numbers_of<double>("GenerateLogNormalDouble", 100'002, 0.5, 0.25), logarithmic), kFar);
}

TEST_F(Hiprand, PoissonNumbersHaveTheirProbabilities) {
  for (const double mean : {0.3, 4.0, 9.99, 10.0, 37.5, 1000.0}) {
    constexpr size_t kCount = 100'000;
    const auto values = numbers_of<unsigned>("GeneratePoisson", kCount, mean);
    double sum = 0;
    double squares = 0;
    for (unsigned x : values) sum += x, squares += (x - mean) * (x - mean);
    EXPECT_NEAR(sum / kCount, mean, 5 * std::sqrt(mean / kCount)) << mean;
    // The fourth central moment is mean + 3 mean^2.
    EXPECT_NEAR(squares / kCount, mean, 5 * std::sqrt((mean + 2 * mean * mean) / kCount)) << mean;
    for (const unsigned k : {static_cast<unsigned>(mean), static_cast<unsigned>(mean + std::sqrt(mean))}) {
      const double p = std::exp(k * std::log(mean) - mean - std::lgamma(k + 1.0));
      const auto found = static_cast<double>(std::count(values.begin(), values.end(), k));
      EXPECT_NEAR(found / kCount, p, 5 * std::sqrt(p / kCount)) << mean << ' ' << k;
    }
  }
}

TEST_F(Hiprand, ASeedAndAnOffsetGiveOneSequence) {
  const auto first = numbers<unsigned>("Generate", 1000), second = numbers<unsigned>("Generate", 1000);
  EXPECT_NE(first, second);
  seed(17);
  EXPECT_EQ(numbers<unsigned>("Generate", 1000), first);
  EXPECT_EQ(numbers<unsigned>("Generate", 1000), second);
  EXPECT_EQ(hiprand("SetGeneratorOffset", generator_, 1000ULL), 0);
  EXPECT_EQ(numbers<unsigned>("Generate", 1000), second);
  seed(18);
  EXPECT_NE(numbers<unsigned>("Generate", 1000), first);
  const auto bits = numbers<unsigned>("Generate", 100'000);
  for (int bit = 0; bit < 32; ++bit) {
    double set = 0;
    for (unsigned x : bits) set += x >> bit & 1;
    EXPECT_NEAR(set, 50'000, 5 * std::sqrt(25'000)) << bit;
  }
}

TEST_F(Hiprand, AnOrderingBeginsTheSequenceAgain) {
  const auto first = numbers<unsigned>("Generate", 1000);
  EXPECT_EQ(hiprand("SetGeneratorOrdering", generator_, 103), 0);  // legacy
  EXPECT_EQ(numbers<unsigned>("Generate", 1000), first);
  EXPECT_EQ(hiprand("SetGeneratorOrdering", generator_, 201), 103);  // of quasi-random numbers
  EXPECT_EQ(hiprand("SetGeneratorOrdering", generator_, 105), 104);
}

TEST_F(Hiprand, WrongArgumentsAreErrors) {
  void* other = nullptr;
  float value = 0;
  EXPECT_EQ(hiprand("CreateGenerator", &other, 406), 103);  // of no type
  EXPECT_EQ(hiprand("CreateGenerator", static_cast<void**>(nullptr), 401), 104);
  EXPECT_EQ(hiprand("GenerateUniform", static_cast<void*>(nullptr), &value, size_t{1}), 101);
  EXPECT_EQ(hiprand("GenerateUniform", generator_, static_cast<float*>(nullptr), size_t{1}), 104);
  EXPECT_EQ(hiprand("GenerateUniform", generator_, static_cast<float*>(nullptr), size_t{0}), 0);
  EXPECT_EQ(hiprand("GenerateNormal", generator_, &value, size_t{1}, 0.0F, 1.0F), 105);
  unsigned count = 0;
  EXPECT_EQ(hiprand("GeneratePoisson", generator_, &count, size_t{1}, -1.0), 104);
}

}  // namespace
