// Functions of floats, as the target's instructions compute them; their errors stand in arch/.
#pragma once

#include "tile/arch/numbers.h"

namespace tile {

/// 2 to the power of x; subnormal results are 0.
using arch::exp2;
/// The logarithm to the base 2; of 0 minus infinity.
using arch::log2;
using arch::reciprocal;
/// 1 / sqrt(x).
using arch::reciprocal_root;
/// The greater; of a NaN and a number the number.
using arch::greater;

inline constexpr float kLog2OfE = 1.44269504f, kLogOf2 = 0.693147181f;
inline constexpr float kInfinity = __builtin_inff();

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
