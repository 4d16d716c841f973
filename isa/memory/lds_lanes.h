// LDS instructions that move data between lanes, or whose address is not a lane's own.
#pragma once

#include <bit>
#include <cstdint>

#include "isa/row.h"

namespace wavesmith::isa {

namespace detail {

constexpr uint32_t reversed5(uint32_t value) {
  uint32_t result = 0;
  for (int bit = 0; bit < 5; ++bit) result |= (value >> bit & 1) << (4 - bit);
  return result;
}

}  // namespace detail

/// The lane that ds_swizzle_b32 reads. Source: CDNA3 and RDNA3 ISA manuals, DS_SWIZZLE_B32.
constexpr uint32_t swizzled(uint32_t lane, uint32_t offset) {
  const uint32_t within = lane & 31, group = lane & ~31u;
  if (offset >= 0xe000) {  // FFT
    const uint32_t mask = offset & 31;
    return group | detail::reversed5(within) >> std::popcount(mask) | (within & mask);
  }
  if (offset >= 0xc000) {  // rotate: towards lower lanes, or with bit 10 towards higher
    const uint32_t mask = offset & 31, amount = offset >> 5 & 31;
    const uint32_t moved = offset >> 10 & 1 ? within - amount : within + amount;
    return group | (within & mask) | (moved & 31 & ~mask);
  }
  if (offset & 0x8000) return (lane & ~3u) | (offset >> (2 * (lane & 3)) & 3);
  return group | (((within & (offset & 31)) | (offset >> 5 & 31)) ^ (offset >> 10 & 31));
}

template <class Visitor>
void lds_lanes(Visitor& v) {
  // clang-format off
  v(lds_lane<LdsLane::Swizzle>,     "ds_swizzle_b32");
  v(lds_lane<LdsLane::Permute>,     "ds_permute_b32");
  v(lds_lane<LdsLane::BackPermute>, "ds_bpermute_b32");
  v(lds_lane<LdsLane::BackPermuteInvalid>, "ds_bpermute_fi_b32");
  v(lds_lane<LdsLane::Append>,      "ds_append");
  v(lds_lane<LdsLane::Consume>,     "ds_consume");
  v(lds_lane<LdsLane::Transpose16>, "ds_read_b64_tr_b16");
  v(lds_lane<LdsLane::Transpose8>,  "ds_read_b64_tr_b8");
  v(lds_lane<LdsLane::Transpose4>,  "ds_read_b64_tr_b4");
  v(lds_lane<LdsLane::Transpose6>,  "ds_read_b96_tr_b6");
  v(lds_lane<LdsLane::None>,        "ds_nop");
  // clang-format on
}

}  // namespace wavesmith::isa
