// Live registers: those that hold, before an instruction, a value that will be read later.
//
// Backward data flow over the graph, with these assumptions:
// - A write to a VGPR ends a value's life only if every later read is known to happen for no other lanes than
//   those written (exec.h); otherwise it writes part of a register that stays live.
// - A register counts from where it may have been written: reading an unwritten register needs none.
// - A call keeps everything that its caller reads later; nothing else is known of an unknown callee.
// - Values that an M0-relative instruction may touch are not followed (Unknown).
#pragma once

#include <vector>

#include "analysis/code.h"
#include "analysis/graph.h"
#include "analysis/values/exec.h"

namespace wavesmith::analysis {

/// A set of registers by their numbers (reg::).
class RegisterSet {
 public:
  void add(uint16_t r) { words_[r / 64] |= uint64_t{1} << r % 64; }
  [[nodiscard]] bool has(uint16_t r) const { return words_[r / 64] >> r % 64 & 1; }
  RegisterSet& operator|=(const RegisterSet& other) {
    for (size_t i = 0; i < kWords; ++i) words_[i] |= other.words_[i];
    return *this;
  }
  bool operator==(const RegisterSet&) const = default;
  static RegisterSet all() {
    RegisterSet set;
    for (uint64_t& word : set.words_) word = ~uint64_t{0};
    return set;
  }
  [[nodiscard]] Registers count() const;

 private:
  static constexpr size_t kWords = (reg::kCount + 63) / 64;
  uint64_t words_[kWords] = {};
};

struct Liveness {
  std::vector<RegisterSet> before;  ///< by block: live at its beginning
  std::vector<RegisterSet> after;   ///< by block: live at its end
  std::vector<Registers> occupied;  ///< by instruction: the most before it, or after it with what it writes
};

/// Finds live registers. `entry` has the registers that are set before the kernel begins.
Liveness find_live(const Code& code, const Graph& graph, const ExecSets& exec, const RegisterSet& entry);

/// The registers live before each instruction of a block.
std::vector<RegisterSet> live_in_block(const Code& code, const Graph& graph, const ExecSets& exec,
                                       const RegisterSet& entry, uint32_t block);

}  // namespace wavesmith::analysis
