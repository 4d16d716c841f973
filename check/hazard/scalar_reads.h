// Scalar registers of RDNA whose former value the VALU may still read: it keeps what it has read, or reads it
// late, and does not notice that somebody writes them.
//
// RDNA3, waves of 64 lanes: the VALU reads a register as a mask of lanes, then somebody writes it, then
// somebody reads it. RDNA4: the VALU has once read a register, or the other one of its pair; then somebody
// writes it, then somebody reads it.
#pragma once

#include <array>
#include <bitset>

#include "check/hazard/facts.h"

namespace wavesmith::check::hazard {

class ScalarReads {
 public:
  ScalarReads(const isa::Target& target, int wave_lanes)
      : watches_masks_(target.is(isa::kRdna3) && wave_lanes == 64),
        watches_all_(target.is(isa::kRdna4)),
        nops_(wave_lanes / 8) {}
  [[nodiscard]] bool watches() const { return watches_masks_ || watches_all_; }

  template <class Found>
  void step(const emulate::Site& site, const Parts& parts, Found found) {
    if (parts.valu || parts.salu) {
      Happened happened;
      if (pending_.any() && reads_pending(site, parts, happened)) found(happened);
      note(site, parts);
    } else {
      pass(parts);
    }
  }

 private:
  static constexpr size_t kScalars = 128;
  using Scalars = std::bitset<kScalars>;

  bool reads_pending(const emulate::Site& site, const Parts& parts, Happened& happened);
  void note(const emulate::Site& site, const Parts& parts);
  /// An instruction that neither reads nor writes by an ALU.
  void pass(const Parts& parts);
  void forget(const Scalars& scalars) { pending_ &= ~scalars; }

  bool watches_masks_, watches_all_;
  int nops_;  ///< ds_nop after which the VALU has forgotten what it read
  int nops_seen_ = 0;
  Scalars read_;     ///< by the VALU
  Scalars pending_;  ///< written after that, and not yet waited for
  Scalars by_valu_;  ///< of those
  std::array<const emulate::Site*, kScalars> writers_{};
};

}  // namespace wavesmith::check::hazard
