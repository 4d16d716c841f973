#include "emulate/host_mode.h"

#include <algorithm>

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

#include "emulate/fault.h"
#include "emulate/wave.h"

namespace wavesmith::emulate {
namespace {

/// MODE's fields of a class: rounding (nearest even, up, down, toward zero); whether denormal sources and
/// results count.
struct Fields {
  uint32_t rounding;
  bool sources, results;
};

Fields fields_of(uint32_t mode, HostMode which) {
  if (which == HostMode::Default) return {0, true, true};
  const uint32_t shift = which == HostMode::Wide ? 2 : 0;
  const uint32_t denormals = mode >> (4 + shift) & 3;
  return {mode >> shift & 3, (denormals & 1) != 0, (denormals & 2) != 0};
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

bool is_float_of_wide_fields(isa::Type type) {
  return type == isa::Type::F64 || type == isa::Type::F16 || type == isa::Type::V2F16;
}

}  // namespace

void set_host_mode(uint32_t mode, HostMode which) { follow(fields_of(mode, which)); }

void run_in_mode(Wave& wave) {
  const uint32_t& mode = wave.s[scalar_index::kMode];
  const bool was_default = is_default_mode(mode);
  if (!was_default) set_host_mode(mode, HostMode::Single);
  run_slice(wave);
  if (!was_default || !is_default_mode(mode)) set_host_mode(0, HostMode::Default);
}

std::optional<HostMode> host_mode_of(const isa::Row& row) {
  const isa::Role* const end = row.roles + row.count;
  switch (row.shape) {
    case isa::Shape::Matrix:
      return HostMode::Default;
    case isa::Shape::Memory:
      return row.mnemonics.find("_f") != std::string_view::npos ||
                     row.mnemonics.find("bf16") != std::string_view::npos
                 ? std::optional(HostMode::Default)
                 : std::nullopt;
    case isa::Shape::Lane:
    case isa::Shape::Packed: {
      // The result's type decides; a comparison has none but the sources'.
      const auto result = std::find_if(
          row.roles, end, [](const isa::Role& role) { return role.use == isa::Role::Use::Write; });
      const bool of_result = result != end && is_float_of_wide_fields(result->type);
      const bool float_result = of_result || (result != end && result->type == isa::Type::F32);
      const bool of_source = std::any_of(
          row.roles, end, [](const isa::Role& role) { return is_float_of_wide_fields(role.type); });
      if (of_result || (!float_result && of_source)) return HostMode::Wide;
      return std::nullopt;
    }
    default:
      return std::nullopt;
  }
}

bool control::follow_mode(const Uop* uop, Wave* wave) {
  set_host_mode(wave->s[scalar_index::kMode], static_cast<HostMode>(uop->d));
  return true;
}

}  // namespace wavesmith::emulate
