// The lanes for which an instruction runs: EXEC as a symbolic set of lanes, and which set is a subset of
// which.
//
// A write to a VGPR replaces its value in the lanes of EXEC only, so it ends the life of the former value
// just if all later readers run for those lanes or fewer. Masks are followed symbolically: s_and_saveexec
// gives a new set within the current one, its complement is known by s_xor or s_andn2, and a saved mask that
// comes back to EXEC is the set that it was. What is not understood is a new set within the smallest one that
// is known to hold it.
//
// One thing is assumed: a mask from which a loop takes lanes (s_andn2 EXEC, EXEC, s) and that is added again
// behind the loop (s_or EXEC, EXEC, s) gives back the lanes that entered the loop, as it does where compilers
// make it.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/code.h"
#include "analysis/graph.h"

namespace wavesmith::analysis {

/// Sets of lanes by number; 0 is all lanes that the wave began with.
class LaneSets {
 public:
  static constexpr uint32_t kAll = 0;
  LaneSets() : parent_{kAll}, complement_{kNone} {}
  uint32_t add(uint32_t parent) {
    parent_.push_back(parent);
    complement_.push_back(kNone);
    return static_cast<uint32_t>(parent_.size() - 1);
  }
  [[nodiscard]] size_t size() const { return parent_.size(); }
  [[nodiscard]] uint32_t parent(uint32_t set) const { return parent_[set]; }
  /// Makes `set` a subset of `parent`. False if it would contain itself: it then becomes a subset of all
  /// lanes.
  bool put_within(uint32_t set, uint32_t parent);
  /// The lanes of the set's parent that are not in the set.
  uint32_t complement(uint32_t set);
  /// kNone if complement() has not made it.
  [[nodiscard]] uint32_t known_complement(uint32_t set) const { return complement_[set]; }
  [[nodiscard]] bool complementary(uint32_t a, uint32_t b) const { return complement_[a] == b; }
  [[nodiscard]] bool within(uint32_t set, uint32_t other) const;
  /// The smallest known set that holds both.
  [[nodiscard]] uint32_t around(uint32_t a, uint32_t b) const;

 private:
  [[nodiscard]] uint32_t depth(uint32_t set) const;
  std::vector<uint32_t> parent_, complement_;
};

/// The sets of a kernel. A set has one number but holds other lanes each time it is made, so following it
/// backwards past the instruction that makes it continues with an earlier set (without()).
struct ExecSets {
  LaneSets sets;
  std::vector<uint32_t> of;      ///< by instruction: the lanes that it runs for
  std::vector<uint32_t> made;    ///< by instruction: the set that it makes; kNone
  std::vector<uint32_t> joined;  ///< by block: the set that its predecessors' sets become there; kNone
  std::vector<uint32_t> at_end;  ///< by block: the lanes with which it is left
  bool followed = true;  ///< false: too entangled; no two instructions are known to run for the same lanes

  /// The set that `set` was before the instruction that makes `made` out of `before`.
  [[nodiscard]] uint32_t without(uint32_t set, uint32_t made, uint32_t before) const {
    if (sets.within(set, made)) return before;
    const uint32_t rest = sets.known_complement(made);
    return rest != kNone && sets.within(set, rest) ? sets.parent(made) : set;
  }
};

ExecSets follow_exec(const Code& code, const Graph& graph);

}  // namespace wavesmith::analysis
