// Moves: between VGPRs and accumulation registers, and of 64 bits.
#pragma once

#include "isa/row.h"

namespace wavesmith::isa {

template <class Visitor>
void move_instructions(Visitor& v) {
  // clang-format off
  v(lane<u32(u32)>, "v_accvgpr_read_b32 v_accvgpr_write_b32 v_accvgpr_mov_b32", [](auto a) { return a; }, {.generations = kCdna, .copies = true});
  v(lane<u64(u64)>, "v_mov_b64", [](auto a) { return a; }, {.generations = kCdna3 | kCdna4, .copies = true});
  // clang-format on
}

}  // namespace wavesmith::isa
