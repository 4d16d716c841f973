// One wave's last instructions on CDNA, and what is too close to them.
//
// Time counts in wait states: an instruction takes one, s_nop as many as it says. A matrix instruction keeps
// its unit busy for its passes, and the next one issues no earlier: the wave waits as if there were s_nop in
// between. The SALU waits for the VALU where it reads
// what that has written, and then all scalar registers are there. Stalls that nothing promises (a cache that
// misses, other waves) count as none.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "check/hazard/facts.h"
#include "check/hazard/rules.h"

namespace wavesmith::check::hazard {

class Window {
 public:
  explicit Window(const isa::Target& target);

  /// The wave issues an instruction. `found` is called with each hazard: found(Happened).
  template <class Found>
  void step(const emulate::Site& site, const Facts& facts, Found found) {
    const Parts& parts = facts.parts;
    uint64_t issued = next_;
    if (site.instruction.pc != expected_) issued += branch_taken_;
    expected_ = site.instruction.pc + site.instruction.size;
    if (parts.matrix && unit_free_ > issued) issued = unit_free_;
    if (parts.salu && issued < watched_ && reads_valu_scalars(parts)) drained_ = count_;
    if (parts.waits_for_memory) stored_ = count_;
    if (facts.second && issued < watched_) look_back(site, facts, issued, found);
    next_ = issued + static_cast<uint64_t>(parts.states);
    if (parts.matrix) unit_free_ = issued + static_cast<uint64_t>(parts.passes);
    if (facts.first) watched_ = std::max(watched_, issued + 1 + facts.window);
    if (parts.matrix) matrix_watched_ = watched_;
    past_[count_++ % kKept] = {&facts, &site, issued};
  }

 private:
  struct Past {
    const Facts* facts;
    const emulate::Site* site;
    uint64_t issued;
  };
  static constexpr size_t kKept = 32;

  template <class Found>
  void look_back(const emulate::Site& site, const Facts& facts, uint64_t issued, Found found) {
    const auto most = static_cast<uint64_t>(issued < matrix_watched_ ? kLongest : kShort);
    const uint64_t oldest = count_ < kKept ? 0 : count_ - kKept;
    for (uint64_t i = count_; i > oldest; --i) {
      const Past& past = past_[(i - 1) % kKept];
      const uint64_t between = issued - past.issued - 1;
      if (between >= most) break;
      if ((past.facts->first & facts.second) == 0 || between >= past.facts->window) continue;
      Happened happened;
      if (judge(i - 1, site, facts, between, happened)) found(happened);
    }
  }
  /// Whether the SALU has to wait for what the VALU has written: then all of that has been written.
  [[nodiscard]] bool reads_valu_scalars(const Parts& parts) const;
  bool judge(uint64_t number, const emulate::Site& site, const Facts& facts, uint64_t between,
             Happened& happened) const;
  bool overwritten(uint64_t number, isa::RegisterRange registers) const;
  /// Whether a branch was taken between a past instruction and the one that follows the last.
  [[nodiscard]] bool branched_since(uint64_t number, const emulate::Site& site) const;

  const isa::Target& target_;
  std::array<Past, kKept> past_{};
  uint64_t branch_taken_;  ///< wait states that a branch takes beside its own
  uint64_t expected_ = 0;  ///< pc of the next instruction where there is no branch
  uint64_t count_ = 0, drained_ = 0;
  uint64_t stored_ = 0;  ///< stores before it have been done: they have read their data
  uint64_t next_ = 1, unit_free_ = 0, watched_ = 0, matrix_watched_ = 0;
};

}  // namespace wavesmith::check::hazard
