// Checks that several rules share.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/rule.h"

namespace wavesmith::analysis {

/// Adds a finding if occupancy is limited by `limiter`, with the next step and its gain.
void check_occupancy(const Subject& subject, gpus::Limiter limiter, std::vector<Finding>& findings);

/// Adjacent loads or stores of a loop that one wider instruction could do.
struct Neighbours {
  std::vector<uint32_t> instructions;  ///< in the order of their offsets
  uint32_t bytes = 0;                  ///< of each, a lane
};
/// Groups of accesses of `space` in the loop's own blocks, each block by itself: the same address registers
/// (not written between), offsets that follow each other, at most 16 bytes together.
std::vector<Neighbours> neighbours(const Subject& subject, uint32_t loop, isa::Space space,
                                   isa::Direction direction);

/// Adds findings for a loop's loads from these spaces that fewer, wider ones could do. `what` names the
/// loads, `instruction` the wider one.
void check_narrow_loads(const Subject& subject, std::initializer_list<isa::Space> spaces,
                        std::string_view what, std::string_view instruction, std::vector<Finding>& findings);

}  // namespace wavesmith::analysis
