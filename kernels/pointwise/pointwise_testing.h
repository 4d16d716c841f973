// For tests of pointwise operations: functions, and what they are in a higher precision.
#pragma once

#include <functional>
#include <limits>

#include "kernels/pointwise/strided_testing.h"

namespace wavesmith::kernels {

using Description = wavesmith_pointwise_description;

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();
inline constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

inline constexpr double kP = 0.75, kQ = 2.5, kR = -1.25;

/// A function of floats: what it is in double precision, and the error that the C API states, in units of the
/// last place of the result, or of `terms` where the result is a sum of larger ones.
struct Function {
  Pointwise operation;
  std::function<double(double, double, double)> exact;
  double ulps = 4;
  std::function<double(double, double, double)> terms = nullptr;
  double wide_ulps = 4 * ulps;                               ///< of what F64 computes
  std::function<void(double& x, double& z)> take = nullptr;  ///< changes random numbers to arguments
  double p = kP;
};

/// A GPU that computes functions.
class OnPointwise : public OnStrides {
 protected:
  static void call(const Description& one) {
    ASSERT_EQ(wavesmith_kernels_pointwise(&one, nullptr), WAVESMITH_KERNELS_SUCCESS)
        << wavesmith_kernels_message();
    ASSERT_EQ(hipDeviceSynchronize(), 0);
  }

  Description description(Pointwise operation, Number computed_in, const std::vector<int64_t>& sizes) {
    Description one{};
    one.operation = operation, one.computed_in = computed_in, one.dimensions = static_cast<int>(sizes.size());
    for (size_t d = 0; d < sizes.size(); ++d) one.sizes[d] = sizes[d];
    one.numbers[0] = {kP, 0, 3}, one.numbers[1] = {kQ, 0, 7}, one.numbers[2] = {kR, 0, -2};
    return one;
  }

  /// A function of vectors; `count` decides whether threads take several elements each.
  void check(const Function& function, Number type, int64_t count) {
    SCOPED_TRACE("operation " + std::to_string(function.operation) + " of " + std::string(word_of(type)));
    const int64_t bytes = size_of(type);
    Strided y(type, {count}, {bytes}), x = y, z = y, w = y;
    for (int64_t i = 0; i < count; ++i) {
      const double size = std::ldexp(1, static_cast<int>(between(-9, 3)));
      double of_x = normal() * size, of_z = normal() * 2;
      if (function.take) function.take(of_x, of_z);
      x.set(i, of_x), z.set(i, of_z), w.set(i, normal());
    }
    Description one = description(function.operation, type, y.sizes);
    one.numbers[0].real = function.p;
    const StridedOnGpu on_y(y), on_x(x), on_z(z), on_w(w);
    one.y = on_y.operand(), one.inputs[0] = on_x.operand(), one.inputs[1] = on_z.operand(),
    one.inputs[2] = on_w.operand();
    call(one);
    on_y.read();
    const double unit =
        type == WAVESMITH_POINTWISE_F64 ? 0x1p-52 * function.wide_ulps : 0x1p-23 * function.ulps;
    ErrorNote note;
    for (int64_t i = 0; i < count; ++i) {
      const double exact = function.exact(x.get(i), z.get(i), w.get(i));
      if (std::isnan(exact)) {
        ASSERT_TRUE(std::isnan(y.get(i))) << x.get(i) << " " << z.get(i);
        continue;
      }
      const double size = function.terms ? function.terms(x.get(i), z.get(i), w.get(i)) : std::abs(exact);
      const double allowed = unit * size + 0x1p-126 * std::max(1.0, std::abs(x.get(i)));
      note.add(std::abs(y.get(i) - exact), allowed);
      ASSERT_NEAR(y.get(i), exact, allowed) << "of " << x.get(i) << ", " << z.get(i) << ", " << w.get(i);
    }
  }
};

}  // namespace wavesmith::kernels
