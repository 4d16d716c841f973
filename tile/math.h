// Functions of floats, as the target's instructions compute them.
#pragma once

#include "tile/vector.h"

namespace tile {

/// 2 to the power of x, within 1 ulp where the result is normal (AMD's ISA manuals, V_EXP_F32); subnormal
/// results are 0.
TILE_DEVICE float exp2(float x) { return __builtin_amdgcn_exp2f(x); }
/// The logarithm to the base 2 within 1 ulp (V_LOG_F32); of 0 minus infinity.
TILE_DEVICE float log2(float x) { return __builtin_amdgcn_logf(x); }
/// 1 / x within 1 ulp (V_RCP_F32).
TILE_DEVICE float reciprocal(float x) { return __builtin_amdgcn_rcpf(x); }
/// 1 / sqrt(x) within 1 ulp (V_RSQ_F32).
TILE_DEVICE float reciprocal_root(float x) { return __builtin_amdgcn_rsqf(x); }

inline constexpr float kLog2OfE = 1.44269504f, kLogOf2 = 0.693147181f;
inline constexpr float kInfinity = __builtin_inff();

/// The greater; of a NaN and a number the number.
TILE_DEVICE float greater(float a, float b) { return __builtin_fmaxf(a, b); }
/// tanh within 2^-22.
TILE_DEVICE float tanh(float x) { return 1 - 2 * reciprocal(1 + exp2(2 * kLog2OfE * x)); }

/// max(x, 0), of NaN 0: V_MAX_F32 with 0, which is what AMD's hipBLASLt applies.
TILE_DEVICE float relu(float x) { return x > 0 ? x : 0; }
/// x / (1 + e^-x)
TILE_DEVICE float silu(float x) { return x * reciprocal(1 + exp2(-kLog2OfE * x)); }
/// x / 2 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 x^3))), which is x / (1 + e^-2y) with the tanh's argument
/// y.
TILE_DEVICE float gelu(float x) {
  const float y = 0.797884561f * (x + 0.044715f * x * x * x);
  return x * reciprocal(1 + exp2(-2 * kLog2OfE * y));
}

}  // namespace tile
