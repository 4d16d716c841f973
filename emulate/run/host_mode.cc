#include "emulate/run/host_mode.h"

#include <algorithm>
#include <span>

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

#include "emulate/run/fault.h"
#include "emulate/run/wave.h"
#include "emulate/run/workgroup.h"
#include "isa/effects.h"

namespace wavesmith::emulate {
namespace {

/// MODE's fields of a class: rounding (nearest even, up, down, toward zero); whether denormal sources and
/// results count.
struct Fields {
  uint32_t rounding;
  bool sources, results;
};

Fields fields_of(uint32_t mode, HostMode which) {
  Fields fields{0, true, true};
  if (which.rounding != HostMode::Fields::None)
    fields.rounding = mode >> (which.rounding == HostMode::Fields::Wide ? 2 : 0) & 3;
  if (which.denormals != HostMode::Fields::None) {
    const uint32_t denormals = mode >> (which.denormals == HostMode::Fields::Wide ? 6 : 4);
    fields.sources = (denormals & 1) != 0;
    fields.results = (denormals & 2) != 0;
  }
  return fields;
}

#if defined(__x86_64__)
constexpr uint32_t kDenormalsAreZero = 1u << 6, kFlushToZero = 1u << 15;

void follow(const Fields& fields) {
  static constexpr uint32_t kRounding[] = {0, 2u << 13, 1u << 13, 3u << 13};
  const uint32_t all = 3u << 13 | kDenormalsAreZero | kFlushToZero;
  _mm_setcsr((_mm_getcsr() & ~all) | kRounding[fields.rounding] | (fields.sources ? 0 : kDenormalsAreZero) |
             (fields.results ? 0 : kFlushToZero));
}
#elif defined(__aarch64__)
void follow(const Fields& fields) {
  // FPCR has one bit for sources and results.
  const uint64_t flush = fields.sources && fields.results ? 0 : uint64_t{1} << 24;
  uint64_t control;
  asm volatile("mrs %0, fpcr" : "=r"(control));
  control = (control & ~(uint64_t{7} << 22)) | uint64_t{fields.rounding} << 22 | flush;
  asm volatile("msr fpcr, %0" : : "r"(control));
}
#endif

bool is_half_float(isa::Type type) { return type == isa::Type::F16 || type == isa::Type::V2F16; }

HostMode of_lanes(const isa::Row& row, std::string_view mnemonic) {
  using Fields = HostMode::Fields;
  const std::span roles(row.roles, static_cast<size_t>(row.count));
  const auto reads = [&](isa::Type type) {
    return std::any_of(roles.begin(), roles.end(), [&](const isa::Role& role) {
      return role.use == isa::Role::Use::Read && role.type == type;
    });
  };
  const auto result = std::find_if(roles.begin(), roles.end(),
                                   [](const isa::Role& role) { return role.use == isa::Role::Use::Write; });
  const isa::Type type = result == roles.end() ? isa::Type::U32 : result->type;
  // v_fma_mixlo_f16 and its like insert an f16.
  const bool half = is_half_float(type) || (type == isa::Type::B16 && mnemonic.find("mix") != mnemonic.npos);
  HostMode mode;
  if (half)
    mode.rounding = Fields::Wide;  // no f32 denormals arise from f16, so the other field may stay
  else if (type == isa::Type::F64)
    mode = {Fields::Wide, reads(isa::Type::F32) ? Fields::Single : Fields::Wide};
  else if (type != isa::Type::F32 && reads(isa::Type::F64))
    mode = {Fields::Wide, Fields::Wide};
  if (row.facts.nearest) mode.rounding = Fields::None;
  if (row.facts.issue == isa::Issue::Transcendental) {
    mode.rounding = Fields::None;
    if (type == isa::Type::F32) mode.denormals = Fields::None;  // the bodies flush, whatever MODE says
  }
  return mode;
}

}  // namespace

void set_host_mode(uint32_t mode, HostMode which) { follow(fields_of(mode, which)); }

void run_in_mode(Wave& wave) {
  const uint32_t mode = wave.s[scalar_index::kMode];
  if (!is_default_mode(mode)) set_host_mode(mode, HostMode{});
  run_slice(wave);
  if (!is_default_mode(mode) || !is_default_mode(wave.group->running->s[scalar_index::kMode]))
    set_host_mode(0, kHostDefault);
}

std::optional<HostMode> host_mode_of(const isa::Row& row, std::string_view mnemonic) {
  const auto has = [&](std::string_view part) { return mnemonic.find(part) != mnemonic.npos; };
  HostMode mode;
  switch (row.shape) {
    case isa::Shape::Matrix:
      return kHostDefault;
    case isa::Shape::Memory:
      // Float atomics round to the nearest; those of LDS heed the denormal fields, those of the caches do not
      // (LLVM, SIISelLowering.cpp on atomicrmw fadd).
      if (row.access.direction != isa::Direction::Atomic || (!has("_f") && !has("bf16"))) return std::nullopt;
      mode = kHostDefault;
      if (isa::space_of(mnemonic) == isa::Space::Lds)
        mode.denormals = has("f32")   ? HostMode::Fields::Single
                         : has("f64") ? HostMode::Fields::Wide
                                      : HostMode::Fields::None;
      return mode;
    case isa::Shape::Wave:
      return row.facts.issue == isa::Issue::Transcendental ? std::optional(kHostDefault) : std::nullopt;
    case isa::Shape::Lane:
    case isa::Shape::Packed:
      mode = of_lanes(row, mnemonic);
      return mode == HostMode{} ? std::nullopt : std::optional(mode);
    default:
      return std::nullopt;
  }
}

bool control::follow_mode(const Uop* uop, Wave* wave) {
  set_host_mode(wave->s[scalar_index::kMode], HostMode::of_word(uop->d));
  return true;
}

}  // namespace wavesmith::emulate
