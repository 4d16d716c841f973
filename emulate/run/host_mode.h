// The MODE register's rounding and denormal fields, honoured by the host's own floating-point control.
//
// Handlers compute with the host's arithmetic, which rounds to the nearest even and keeps denormals unless
// its control register (MXCSR, FPCR) says otherwise. That is also the default of AMD's kernels, so MODE costs
// nothing there. Where a wave's MODE differs, the host's register follows it while the wave runs. MODE has
// fields of their own for f32 and for f64 and f16, the host has not: the host follows the f32 fields, and in
// programs whose MODE may vary (Program::mode_varies) instructions that want other fields are put between two
// micro-operations that switch it. The host's f16 conversions never flush, so there f16 sources and results
// pass through a micro-operation that does (Micro::FlushF16).
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "isa/row.h"

namespace wavesmith::emulate {

struct Uop;
struct Wave;

/// Which of MODE's fields the host follows, for rounding and for denormals.
struct HostMode {
  enum class Fields : uint32_t {
    Single,  ///< those for f32
    Wide,    ///< those for f64 and f16
    None,    ///< none: to the nearest even, or denormals kept
  };
  Fields rounding = Fields::Single, denormals = Fields::Single;

  bool operator==(const HostMode&) const = default;
  // As a dword of a micro-operation.
  [[nodiscard]] constexpr uint32_t word() const {
    return static_cast<uint32_t>(rounding) | static_cast<uint32_t>(denormals) << 8;
  }
  static constexpr HostMode of_word(uint32_t word) {
    return {static_cast<Fields>(word & 0xff), static_cast<Fields>(word >> 8)};
  }
};
/// The host's own arithmetic.
inline constexpr HostMode kHostDefault{HostMode::Fields::None, HostMode::Fields::None};

/// Round to nearest even, denormals kept, for all types.
constexpr bool is_default_mode(uint32_t mode) { return (mode & 0xff) == 0xf0; }

void set_host_mode(uint32_t mode, HostMode which);

/// run_slice, with the host following the wave's MODE.
void run_in_mode(Wave& wave);

/// What an instruction of a row needs of the host when it is not the f32 fields.
std::optional<HostMode> host_mode_of(const isa::Row& row, std::string_view mnemonic);

namespace control {
/// Follows the fields that the HostMode's word in d says.
bool follow_mode(const Uop* uop, Wave* wave);
}  // namespace control

}  // namespace wavesmith::emulate
