// LDS instructions that move data between lanes, or whose address is not a lane's own.
#pragma once

#include "isa/row.h"

namespace wavesmith::isa {

template <class Visitor>
void lds_lanes(Visitor& v) {
  constexpr Facts lds{.issue = Issue::Lds, .counter = Counter::Lgkm};
  // clang-format off
  v(lds_lane<LdsLane::Swizzle>,     "ds_swizzle_b32", lds);
  v(lds_lane<LdsLane::Permute>,     "ds_permute_b32", lds);
  v(lds_lane<LdsLane::BackPermute>, "ds_bpermute_b32", lds);
  v(lds_lane<LdsLane::BackPermuteInvalid>, "ds_bpermute_fi_b32", lds);
  v(lds_lane<LdsLane::Append>,      "ds_append", lds);
  v(lds_lane<LdsLane::Consume>,     "ds_consume", lds);
  v(lds_lane<LdsLane::Transpose16>, "ds_read_b64_tr_b16", lds);
  v(lds_lane<LdsLane::Transpose8>,  "ds_read_b64_tr_b8", lds);
  v(lds_lane<LdsLane::Transpose4>,  "ds_read_b64_tr_b4", lds);
  v(lds_lane<LdsLane::Transpose6>,  "ds_read_b96_tr_b6", lds);
  v(lds_lane<LdsLane::None>,        "ds_nop", lds);
  // clang-format on
}

}  // namespace wavesmith::isa
