// Typed buffer memory: loads and stores that convert between registers and a format (isa/memory/format.h),
// which the buffer's resource names, or for tbuffer_* the instruction.
#pragma once

#include "isa/row.h"

namespace wavesmith::isa {

template <class Visitor>
void formatted_memory(Visitor& v) {
  constexpr std::string_view kBound =
      "conversions to the nearest; components that a store lacks are 0; AMD publishes neither";
  constexpr Facts kFacts{.fidelity = Fidelity::Approximate, .bound = kBound};
  using D = Direction;
  // clang-format off
  v(FormattedSignature{D::Load, 1, Part::Whole}, "buffer_load_format_x tbuffer_load_format_x", kFacts);
  v(FormattedSignature{D::Load, 2, Part::Whole}, "buffer_load_format_xy tbuffer_load_format_xy", kFacts);
  v(FormattedSignature{D::Load, 3, Part::Whole}, "buffer_load_format_xyz tbuffer_load_format_xyz", kFacts);
  v(FormattedSignature{D::Load, 4, Part::Whole}, "buffer_load_format_xyzw tbuffer_load_format_xyzw", kFacts);
  v(FormattedSignature{D::Load, 1, Part::Low},   "buffer_load_format_d16_x buffer_load_d16_format_x tbuffer_load_format_d16_x tbuffer_load_d16_format_x", kFacts);
  v(FormattedSignature{D::Load, 2, Part::Low},   "buffer_load_format_d16_xy buffer_load_d16_format_xy tbuffer_load_format_d16_xy tbuffer_load_d16_format_xy", kFacts);
  v(FormattedSignature{D::Load, 3, Part::Low},   "buffer_load_format_d16_xyz buffer_load_d16_format_xyz tbuffer_load_format_d16_xyz tbuffer_load_d16_format_xyz", kFacts);
  v(FormattedSignature{D::Load, 4, Part::Low},   "buffer_load_format_d16_xyzw buffer_load_d16_format_xyzw tbuffer_load_format_d16_xyzw tbuffer_load_d16_format_xyzw", kFacts);
  v(FormattedSignature{D::Load, 1, Part::High},  "buffer_load_format_d16_hi_x buffer_load_d16_hi_format_x", kFacts);
  v(FormattedSignature{D::Store, 1, Part::Whole}, "buffer_store_format_x tbuffer_store_format_x", kFacts);
  v(FormattedSignature{D::Store, 2, Part::Whole}, "buffer_store_format_xy tbuffer_store_format_xy", kFacts);
  v(FormattedSignature{D::Store, 3, Part::Whole}, "buffer_store_format_xyz tbuffer_store_format_xyz", kFacts);
  v(FormattedSignature{D::Store, 4, Part::Whole}, "buffer_store_format_xyzw tbuffer_store_format_xyzw", kFacts);
  v(FormattedSignature{D::Store, 1, Part::Low},   "buffer_store_format_d16_x buffer_store_d16_format_x tbuffer_store_format_d16_x tbuffer_store_d16_format_x", kFacts);
  v(FormattedSignature{D::Store, 2, Part::Low},   "buffer_store_format_d16_xy buffer_store_d16_format_xy tbuffer_store_format_d16_xy tbuffer_store_d16_format_xy", kFacts);
  v(FormattedSignature{D::Store, 3, Part::Low},   "buffer_store_format_d16_xyz buffer_store_d16_format_xyz tbuffer_store_format_d16_xyz tbuffer_store_d16_format_xyz", kFacts);
  v(FormattedSignature{D::Store, 4, Part::Low},   "buffer_store_format_d16_xyzw buffer_store_d16_format_xyzw tbuffer_store_format_d16_xyzw tbuffer_store_d16_format_xyzw", kFacts);
  v(FormattedSignature{D::Store, 1, Part::High},  "buffer_store_format_d16_hi_x buffer_store_d16_hi_format_x", kFacts);
  // clang-format on
}

}  // namespace wavesmith::isa
