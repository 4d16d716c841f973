// The MODE register's rounding and denormal fields, honoured by the host's own floating-point control.
//
// Handlers compute with the host's arithmetic, which rounds to the nearest even and keeps denormals unless
// its control register (MXCSR, FPCR) says otherwise. That is also the default of AMD's kernels, so MODE costs
// nothing there. Where a wave's MODE differs, the host's register follows it while the wave runs. MODE has
// fields of their own for f32 and for f64 and f16, the host has not: the host follows the f32 fields, and in
// programs whose MODE may vary (Program::mode_varies) instructions of the other types are put between two
// micro-operations that switch it. Known deviation: f16 results and sources are not flushed; no compiler asks
// for that.
#pragma once

#include <cstdint>
#include <optional>

#include "isa/row.h"

namespace wavesmith::emulate {

struct Uop;
struct Wave;

/// Which of MODE's fields the host follows.
enum class HostMode : uint32_t {
  Single,   ///< those for f32
  Wide,     ///< those for f64 and f16
  Default,  ///< none: matrix instructions and atomics do not look at MODE
};

/// Round to nearest even, denormals kept, for all types.
constexpr bool is_default_mode(uint32_t mode) { return (mode & 0xff) == 0xf0; }

void set_host_mode(uint32_t mode, HostMode which);

/// run_slice, with the host following the wave's MODE.
void run_in_mode(Wave& wave);

/// What the instructions of a row need of the host when it is not Single.
std::optional<HostMode> host_mode_of(const isa::Row& row);

namespace control {
/// Follows the fields that the HostMode in d says.
bool follow_mode(const Uop* uop, Wave* wave);
}  // namespace control

}  // namespace wavesmith::emulate
