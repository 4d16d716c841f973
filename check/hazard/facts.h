// What a follower of a wave asks for each instruction: rules that it may be part of, as sets of bits.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "check/hazard/parts.h"
#include "emulate/run/events.h"

namespace wavesmith::check::hazard {

struct Facts {
  uint32_t first = 0, second = 0;  ///< rules of CDNA in which it is the one or the other: a bit each
  uint8_t window = 0;              ///< wait states after which no rule asks for it as a first one
  Parts parts;
  std::vector<Registers> first_registers, second_registers;  ///< of each of these rules, in their order
};

/// Those of one rule, where `registers` are of each of `rules` in their order.
inline const Registers& of_rule(const std::vector<Registers>& registers, uint32_t rules, size_t rule) {
  return registers[static_cast<size_t>(std::popcount(rules & ((1u << rule) - 1)))];
}

Facts facts_of(const emulate::Site& site, const isa::Target& target, int wave_lanes);

/// Where a hazard is an error; elsewhere it is a hint.
enum class Certain : uint8_t {
  Never,
  WhereCompiled,  ///< in compiled code: AMD's own assembly knows nothing of it (compiled.h)
  Always,
};

/// A hazard that happened.
struct Happened {
  std::string_view rule;  ///< a literal
  Certain certain = Certain::Always;
  const emulate::Site* first = nullptr;
  const emulate::Site* second = nullptr;
  std::string did, does;  ///< their roles
  std::string what, fix;
};

/// "v4", "v[4:7]", "s3", "vcc".
std::string name_of(isa::RegisterRange registers);
/// Registers that both have; count 0: none.
isa::RegisterRange common(isa::RegisterRange a, isa::RegisterRange b);

}  // namespace wavesmith::check::hazard
