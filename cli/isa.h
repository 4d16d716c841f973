// How near to the hardware instructions are, in words.
#pragma once

#include <string_view>

#include "isa/row.h"

namespace wavesmith::cli {

constexpr std::string_view fidelity_name(isa::Fidelity fidelity) {
  switch (fidelity) {
    case isa::Fidelity::Exact:
      return "exact";
    case isa::Fidelity::Approximate:
      return "approximate";
    case isa::Fidelity::Unsupported:
      return "unsupported";
  }
  return "unknown";
}

}  // namespace wavesmith::cli
