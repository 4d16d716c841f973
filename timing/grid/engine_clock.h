// The engine clock that a launch is taken to run at, and why.
#pragma once

#include <string>
#include <string_view>

#include "gpus/gpu.h"
#include "gpus/power.h"

namespace wavesmith::timing {

/// Adds a matrix instruction's FLOPs to what costs power, by the type of its operands. Others cost none in
/// this model.
/// `cycles`: that its pipe takes for them. Formats of fewer than 8 bits, at twice the rate, draw as much a
/// cycle and so half as much a FLOP.
void add_matrix_work(gpus::Activity& activity, std::string_view mnemonic, double flops, double cycles = 0);

struct EngineClock {
  double mhz = 0;
  bool limited = false;  ///< below the peak, because of the power
  gpus::Kind kind = gpus::Kind::Read;
  std::string why;  ///< for people: "power-limited: 750 W at ...", "the peak: ..."
};

/// `work`: FLOPs of the whole launch; `clocks`: that it takes.
EngineClock engine_clock(const gpus::Gpu& gpu, const gpus::Activity& work, double clocks);

}  // namespace wavesmith::timing
