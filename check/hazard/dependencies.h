// One wave's last instructions on RDNA, and what they must wait for: s_waitcnt_depctr and s_wait_alu, or
// other instructions in between.
//
// Sources: LLVM 22, GCNHazardRecognizer.cpp: fixVALUTransUseHazard (RDNA3 without RDNA3.5),
// fixVALUPartialForwardingHazard and fixVALUMaskWriteHazard (RDNA3, waves of 64 lanes), fixWMMAHazards;
// AMDGPUWaitSGPRHazards.cpp (RDNA4). AMD, RDNA3 ISA manual, "Dependency Resolution", of WMMA.
#pragma once

#include <array>
#include <cstdint>

#include "check/hazard/facts.h"
#include "check/hazard/release.h"
#include "check/hazard/scalar_reads.h"

namespace wavesmith::check::hazard {

class Dependencies {
 public:
  Dependencies(const isa::Target& target, int wave_lanes);

  /// The wave issues an instruction. `found` is called with each hazard: found(Happened).
  template <class Found>
  void step(const emulate::Site& site, const Facts& facts, Found found) {
    const Parts& parts = facts.parts;
    if (parts.valu) {
      Happened happened;
      if (valus_ < watched_ && uses_transcendental(site, parts, happened)) found(happened);
      if (valus_ < exec_watched_ && forwards_partially(site, parts, happened)) found(happened);
      if (parts.matrix && feeds_matrix(site, parts, happened)) found(happened);
    }
    if (scalars_.watches()) scalars_.step(site, parts, found);
    release_.step(site, parts, found);
    issue(site, facts);
  }

 private:
  /// A vector instruction, with the number of those before it.
  struct Past {
    const Parts* parts;
    const emulate::Site* site;
    uint64_t number;
    uint64_t transcendentals;  ///< before it
  };
  static constexpr uint64_t kKept = 16;

  [[nodiscard]] bool uses_transcendental(const emulate::Site& site, const Parts& parts,
                                         Happened& happened) const;
  [[nodiscard]] bool forwards_partially(const emulate::Site& site, const Parts& parts,
                                        Happened& happened) const;
  [[nodiscard]] bool feeds_matrix(const emulate::Site& site, const Parts& parts, Happened& happened) const;
  /// The last one since the drain that writes a register; nullptr: none that is kept.
  [[nodiscard]] const Past* writer_of(isa::RegisterRange registers) const;
  void issue(const emulate::Site& site, const Facts& facts);

  bool has_transcendental_hazard_, has_partial_forwarding_;
  std::array<Past, kKept> past_{};
  uint64_t valus_ = 0, transcendentals_ = 0;
  uint64_t drained_ = 0;                     ///< vector instructions before the last drain
  uint64_t watched_ = 0, exec_watched_ = 0;  ///< until so many vector instructions have issued
  uint64_t exec_written_ = 0;                ///< vector instructions before the SALU's last write of EXEC
  ScalarReads scalars_;
  Release release_;
};

}  // namespace wavesmith::check::hazard
