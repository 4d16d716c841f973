// The operations that have kernels of their own, so that those of the others stay short: which kernel, and
// how many inputs. Shared by the host and the device.
#pragma once

#include "kernels/pointwise/operations.h"

namespace wavesmith::kernels {

constexpr bool is_special(Pointwise operation) { return operation > WAVESMITH_POINTWISE_INTERPOLATE_BETWEEN; }
inline constexpr Pointwise kLastOperation = WAVESMITH_POINTWISE_BINARY_CROSS_ENTROPY_BACKWARD;

/// Inputs of any operation.
constexpr int operands_of(Pointwise operation) {
  if (!is_special(operation)) return inputs_of(operation);
  if (is_within(operation, WAVESMITH_POINTWISE_IS_CLOSE, WAVESMITH_POINTWISE_BINARY_CROSS_ENTROPY)) return 2;
  return operation >= WAVESMITH_POINTWISE_PRELU_BACKWARD ? 3
         : is_within(operation, WAVESMITH_POINTWISE_ZETA, WAVESMITH_POINTWISE_LEGENDRE) ||
                 operation >= WAVESMITH_POINTWISE_HEAVISIDE
             ? 2
             : 1;
}

constexpr bool has_integers(Pointwise operation) {
  return is_of_integers(operation) || operation == WAVESMITH_POINTWISE_HEAVISIDE ||
         is_within(operation, WAVESMITH_POINTWISE_GCD, WAVESMITH_POINTWISE_LCM);
}
/// Also some that have other kernels for real numbers.
constexpr bool is_special_of_complex(Pointwise operation) {
  return is_within(operation, WAVESMITH_POINTWISE_ANGLE, WAVESMITH_POINTWISE_CONJUGATE) ||
         is_within(operation, WAVESMITH_POINTWISE_COMPLEX, WAVESMITH_POINTWISE_POLAR) ||
         operation == WAVESMITH_POINTWISE_SIGN || operation == WAVESMITH_POINTWISE_SILU ||
         operation == WAVESMITH_POINTWISE_SILU_BACKWARD;
}
constexpr bool has_complex(Pointwise operation) {
  return is_complex_too(operation) || is_special_of_complex(operation);
}
constexpr bool has_floats(Pointwise operation) {
  return !is_of_integers_only(operation) && operation != WAVESMITH_POINTWISE_CONJUGATE &&
         !is_within(operation, WAVESMITH_POINTWISE_GCD, WAVESMITH_POINTWISE_POLAR);
}

/// A kernel and the type in which it computes; that of floats is double where a function is long.
struct SpecialKernel {
  const char* name;  ///< null: the operation has no kernel of its own
  Number computed_in;
};
constexpr SpecialKernel special_kernel(Pointwise operation, Number computed_in) {
  if (computed_in >= WAVESMITH_POINTWISE_C64 && is_special_of_complex(operation))
    return {"pointwise_rare_complex", WAVESMITH_POINTWISE_C128};
  if (!is_special(operation)) return {nullptr, computed_in};
  if (operation <= WAVESMITH_POINTWISE_AIRY) return {"pointwise_bessel", WAVESMITH_POINTWISE_F64};
  if (operation == WAVESMITH_POINTWISE_POLYGAMMA || operation == WAVESMITH_POINTWISE_ZETA)
    return {"pointwise_zeta", WAVESMITH_POINTWISE_F64};
  if (operation < WAVESMITH_POINTWISE_ZETA) return {"pointwise_gamma", WAVESMITH_POINTWISE_F64};
  if (operation <= WAVESMITH_POINTWISE_UPPER_INCOMPLETE_GAMMA)
    return {"pointwise_incomplete", WAVESMITH_POINTWISE_F64};
  if (operation <= WAVESMITH_POINTWISE_LEGENDRE) return {"pointwise_polynomial", WAVESMITH_POINTWISE_F64};
  return {computed_in == WAVESMITH_POINTWISE_I64   ? "pointwise_rare_i64"
          : computed_in == WAVESMITH_POINTWISE_F32 ? "pointwise_rare_f32"
                                                   : "pointwise_rare_f64",
          computed_in};
}

}  // namespace wavesmith::kernels
