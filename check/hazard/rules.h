// The hazards of CDNA as a table: after a first instruction that uses some registers, a second one that uses
// them has to come some wait states later, and the hardware does not wait by itself.
#pragma once

#include <span>
#include <string_view>

#include "check/hazard/parts.h"
#include "isa/target.h"

namespace wavesmith::check::hazard {

/// What rules give for a pair that is no hazard because of registers, but because the first one was there.
inline constexpr isa::RegisterRange kItself{isa::reg::kCount, 1};

struct Rule {
  std::string_view name;
  isa::Generations generations;
  /// Registers by which the instruction is a first or a second one; none: it is not.
  Registers (*first)(const Parts&);
  Registers (*second)(const Parts&);
  using States = int (*)(const Parts& first, const Parts& second, const isa::Target&);
  /// Wait states that AMD asks for between the two.
  States states;
  /// Wait states with which kernels of AMD's own (AITER 0.1.7, rocBLAS) do: as many and fewer than asked for
  /// are a hint instead of an error. nullptr: there are none.
  States practised;
  bool scalar;                 ///< about a scalar register that the VALU writes
  std::string_view did, does;  ///< what the two do with the registers: "written by a VALU instruction"
};

std::span<const Rule> rules();
/// No rule asks for more wait states; without matrix instructions, for no more than kShort.
inline constexpr int kLongest = 20, kShort = 5;

}  // namespace wavesmith::check::hazard
