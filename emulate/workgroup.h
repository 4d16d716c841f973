// One workgroup under execution: its waves, its LDS, and how they take turns.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/result.h"
#include "emulate/wave.h"

namespace wavesmith::emulate {

class Program;
struct Dispatch;

/// Why and where a kernel was stopped.
struct Fault {
  Error error;
  const Uop* uop = nullptr;
};

struct Workgroup {
  Program* program = nullptr;
  const Dispatch* dispatch = nullptr;
  uint32_t id[3] = {};
  std::vector<Wave*> waves;
  uint8_t* lds = nullptr;
  std::optional<Fault> fault;

  /// Stops `wave` with an error at `uop`; the first one of a workgroup is kept.
  void fail(Wave& wave, const Uop* uop, Error error) {
    wave.status = Status::Fault;
    wave.resume = uop;
    if (!fault) fault = Fault{std::move(error), uop};
  }
};

}  // namespace wavesmith::emulate
