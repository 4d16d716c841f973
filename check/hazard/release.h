// A wave of RDNA that gives back its VGPRs before it ends: s_sendmsg MSG_DEALLOC_VGPRS, for the next wave to
// start while stores are under way. The hardware needs s_nop right before it, and stores to scratch memory,
// which ends with the wave, to be done.
//
// Sources: LLVM 22, GCNSubtarget.h, requiresNopBeforeDeallocVGPRs; SIInsertWaitcnts.cpp, where it looks for
// s_endpgm with stores outstanding.
#pragma once

#include "check/hazard/facts.h"

namespace wavesmith::check::hazard {

class Release {
 public:
  /// The wave issues an instruction. `found` is called with each hazard: found(Happened).
  template <class Found>
  void step(const emulate::Site& site, const Parts& parts, Found found) {
    if (parts.releases_registers) [[unlikely]] {
      if (!behind_nop_) found(too_close(site));
      if (scratch_) found(too_early(site));
    }
    behind_nop_ = parts.operation == isa::Operation::Nop;
    last_ = &site;
    if (parts.stores) note_store(site, parts);
    if (scratch_ && parts.stores_left <= behind_scratch_) scratch_ = nullptr;
  }

 private:
  [[nodiscard]] Happened too_close(const emulate::Site& site) const;
  [[nodiscard]] Happened too_early(const emulate::Site& site) const;
  void note_store(const emulate::Site& site, const Parts& parts) {
    ++behind_scratch_;
    if (parts.stores_to_scratch) scratch_ = &site, behind_scratch_ = 0;
  }

  bool behind_nop_ = false;
  const emulate::Site* last_ = nullptr;
  const emulate::Site* scratch_ = nullptr;  ///< the last store to scratch that may be under way
  int behind_scratch_ = 0;                  ///< stores behind it
};

}  // namespace wavesmith::check::hazard
