// LDS instructions that move data between lanes, or whose address is not a lane's own.
#pragma once

#include "isa/row.h"

namespace wavesmith::isa {

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
