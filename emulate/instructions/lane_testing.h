// For tests of vector instructions: compares every lane with a scalar function, on every target that has the
// mnemonic.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include "isa/target.h"

namespace wavesmith::emulate {

/// What a lane computes: the registers of the three sources (64 bits each, of which it takes what it needs)
/// and the destination's former value.
using LaneReference = std::function<uint64_t(uint64_t a, uint64_t b, uint64_t c, uint64_t old)>;

/// How the result is compared, and what random sources look like.
struct LaneOptions {
  isa::Generations generations = isa::kEvery;
  uint64_t mask = 0xffffffffu;  ///< bits of the result that count
  int float_bits = 0;           ///< 16, 32, 64: sources are special floats among random ones; NaN equals NaN
  bool integer_result = false;  ///< of floats: NaN is no special result
  int result_bits = 0;          ///< the result's width as a float, when it is not that of the sources
  uint64_t exec = ~uint64_t{0};
};

/// Runs `text` with sources in v[2:3], v[4:5], v[6:7] and the destination v[0:1], on random and special
/// values, and compares with `reference`. In the text "%" after a register stands for ".l" where LLVM prints
/// halves of registers, and VCC for vcc_lo in a wave32. Lanes that are not in EXEC must keep the destination.
void expect_lanes(std::string_view text, const LaneReference& reference, const LaneOptions& options = {});

}  // namespace wavesmith::emulate
