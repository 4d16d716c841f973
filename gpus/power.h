// The engine clock that a GPU's power limit leaves.
#pragma once

#include "gpus/gpu.h"

namespace wavesmith::gpus {

/// What the whole GPU does in one engine clock, on average, by what costs power.
struct Activity {
  double matrix_f16 = 0;    ///< FLOP a clock of f16 matrix instructions
  double matrix_bf16 = 0;   ///< bf16, xf32
  double matrix_f8 = 0;     ///< f8, i8, f6, f4
  double memory_bytes = 0;  ///< bytes per clock from and to the memory; not in the model so far
};

struct Clock {
  double mhz = 0;
  bool limited = false;    ///< below the peak because of the power
  Kind kind = Kind::Read;  ///< Read: the peak clock, as nothing is known of its power; Modelled otherwise
};

/// Power is `static_watts` + energy a clock x clock x (voltage / peak voltage)^2, voltage a line from
/// `voltage_floor` at 0 to 1 at the peak clock; the clock is the highest whose power is within `watts`.
/// Random operands are assumed: zeros take far less. Shorter than some 100 ms, the limit is not reached: a
/// benchmark's loop is meant.
Clock clock_under_power(const Gpu& gpu, const Activity& activity);

/// The same of a GPU whose energies nobody has published, but the clock at which its matrix pipes run when
/// they are all busy: what they draw goes with the share of them that works; the voltage at low clocks is an
/// MI300X's (0.4 of the peak's at none). Read where that clock, or the pipes' rate, is not known.
Clock clock_of_full_pipes(const Gpu& gpu, const Activity& activity);

}  // namespace wavesmith::gpus
