// The engine clock that a launch is taken to run at, and why.
#pragma once

#include <string>
#include <string_view>

#include "gpus/gpu.h"
#include "gpus/power.h"

namespace wavesmith::timing {

/// Adds a matrix instruction's FLOPs to what costs power, by the type of its operands. Others cost none in
/// this model.
void add_matrix_work(gpus::Activity& activity, std::string_view mnemonic, double flops);

struct EngineClock {
  double mhz = 0;
  bool limited = false;  ///< below the peak, because of the power
  gpus::Kind kind = gpus::Kind::Read;
  std::string why;  ///< for people: "power-limited: 750 W at ...", "the peak: ..."
};

/// `work`: FLOPs of the whole launch; `clocks`: that it takes.
EngineClock engine_clock(const gpus::Gpu& gpu, const gpus::Activity& work, double clocks);

}  // namespace wavesmith::timing
