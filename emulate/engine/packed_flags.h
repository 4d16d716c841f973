// How the modifiers of packed instructions stand in a micro-operation's `e`.
#pragma once

#include <cstdint>

namespace wavesmith::emulate {

/// Of a pair of registers, source i (shift by i): which register the low and the high result take, and signs.
inline constexpr uint32_t kPairLowFromSecond = 1, kPairHighFromSecond = 8, kPairNegateLow = 64,
                          kPairNegateHigh = 512;

/// Of a mixed operand i (shift by kMixedBits * i).
inline constexpr uint32_t kMixedBits = 4, kMixedF16 = 1, kMixedHigh = 2, kMixedNegate = 4, kMixedAbsolute = 8;

/// Of Micro::SelectHalves: the low half comes from the source's high half, the high half from the source's
/// high half.
inline constexpr uint32_t kSelectLowFromHigh = 1, kSelectHighFromHigh = 2;

/// Of scalar floats: V_S_EXP_F32 and its like.
inline constexpr uint32_t kScalarNegate = 4, kScalarAbsolute = 8, kScalarClamp = 16, kScalarTwice = 32,
                          kScalarFourfold = 64, kScalarHalf = 128;

}  // namespace wavesmith::emulate
