// A fixture for tests of MIOpen's layers: descriptors, factors, results against formulas.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "libraries/convolution/MIOpen_testing.h"

namespace wavesmith::libraries::testing_miopen {

using At = std::vector<int>;

class Layers : public MiopenTest {
 protected:
  void* made(const char* function) {
    void* descriptor = nullptr;
    EXPECT_EQ(call(library_, function, &descriptor), 0);
    return descriptor;
  }
  /// Every element of the result is what `want` says of it, but for its rounding and `error` of the numbers
  /// that were added.
  static void expect(const Tensor& result, const std::function<double(const At&)>& want, double error = 0) {
    each(result.sizes, [&](const At& at) {
      if (testing::Test::HasFailure()) return;
      const double expected = want(at);
      EXPECT_NEAR(result[at], expected,
                  1.01 * epsilon_of(result.type) * std::abs(expected) + error + 1e-12 +
                      (result.type == kHalf ? 0x1p-25 : 0));
    });
  }
  std::vector<int> sizes(int dimensions) {
    std::vector<int> all{1 + below(3), 1 + below(5)};
    for (int i = 0; i < dimensions; ++i) all.push_back(3 + below(5));
    return all;
  }
  int type() {
    static constexpr int kTypes[] = {kFloat, kHalf, kBrain, kDouble};
    return kTypes[below(4)];
  }
  /// The arguments for a factor: a double for doubles, else a float.
  struct Factor {
    double wide;
    float narrow;
    int type;
    [[nodiscard]] const void* place() const {
      return type == kDouble ? static_cast<const void*>(&wide) : &narrow;
    }
  };
  static Factor factor(double value, int type) { return {value, static_cast<float>(value), type}; }
  static const void* in(const Tensor& t) { return t.bytes.data(); }
  static void* out(Tensor& t) { return t.bytes.data(); }
};

inline double activation(int mode, double x, double alpha, double beta, double gamma) {
  switch (mode) {
    case 1:
      return 1 / (1 + std::exp(-x));
    case 2:
      return beta * std::tanh(alpha * x);
    case 3:
      return std::max(x, 0.0);
    case 4:
      return std::log(1 + std::exp(x));
    case 5:
      return std::fabs(x);
    case 6:
      return std::pow(alpha + beta * x, gamma);
    case 7:
      return std::min(alpha, std::max(x, 0.0));
    case 8:
      return x <= 0 ? alpha * x : x;
    case 9:
      return x <= 0 ? alpha * (std::exp(x) - 1) : x;
    default:
      return x;
  }
}

}  // namespace wavesmith::libraries::testing_miopen
