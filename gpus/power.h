// The engine clock that a GPU's power limit allows.
#pragma once

#include "gpus/gpu.h"

namespace wavesmith::gpus {

/// The average work of the whole GPU per engine clock, by kinds that cost power.
struct Activity {
  double matrix_f16 = 0;    ///< FLOP per clock of f16 matrix instructions
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
/// Random operands are assumed; zeros take far less. The limit is reached after some 100 ms, so this applies
/// to a benchmark's loop.
Clock clock_under_power(const Gpu& gpu, const Activity& activity);

/// The same for a GPU with unpublished energies but a known clock with all matrix pipes busy: power is
/// proportional to the share of busy pipes; the voltage at low clocks is an MI300X's (0.4 of the peak's at
/// none). Read where that clock, or the pipes' rate, is not known.
Clock clock_of_full_pipes(const Gpu& gpu, const Activity& activity);

}  // namespace wavesmith::gpus
