// Follows the waves of a workgroup and tells what is used before it has arrived.
#pragma once

#include <memory>
#include <vector>

#include "check/launch.h"
#include "check/per_site.h"
#include "check/wait/lds_exposure.h"
#include "check/wait/scoreboard.h"
#include "check/wait/site_facts.h"
#include "check/wait/wasted_waits.h"

namespace wavesmith::check::wait {

/// What the workgroups of a launch share.
struct Shared {
  const Launch& launch;
  Findings& findings;
  WastedWaits& wasted;
  std::shared_ptr<PerSite<SiteFacts>> facts;

  const SiteFacts& of(const emulate::Site& site) const {
    return facts->of(site, [&] { return facts_of(site, launch.target, launch.wave_lanes); });
  }
};

class Workgroup final : public emulate::WorkgroupListener {
 public:
  Workgroup(Shared& shared, const emulate::WorkgroupView& view);
  void wave_begins(const emulate::WaveView& view) override;
  void wave_ends(const emulate::WaveView& view) override;
  void instruction(const emulate::WaveView& view, const emulate::Site& site) override;
  void access(const emulate::WaveView& view, const emulate::Site& site,
              const emulate::MemoryAccess& access) override;

 private:
  struct Wave {
    Scoreboard board;
    Number current = kNone;                 ///< the memory instruction whose accesses are being told
    uint32_t arrivals = 0, departures = 0;  ///< at barriers
    bool indexing = false, ended = false;
    Number reader = kNone;                        ///< that reads its registers later
    const emulate::Site* grid_barrier = nullptr;  ///< the instruction before, if it is one
  };
  /// A register in flight that an instruction uses.
  struct Use {
    Number number;
    isa::RegisterRange registers;
    bool reads;
    uint64_t lanes;  ///< of VGPRs
  };

  void check_registers(const emulate::WaveView& view, Wave& wave, const SiteFacts& facts);
  [[nodiscard]] std::vector<Use> uses_of(const emulate::WaveView& view, Wave& wave, const SiteFacts& facts,
                                         const isa::Effects& effects);
  void count_and_issue(const emulate::WaveView& view, Wave& wave, const SiteFacts& facts);
  void check_locked(const emulate::WaveView& view, Wave& wave, const SiteFacts& facts);
  void check_grid_barrier(const emulate::WaveView& view, Wave& wave, const SiteFacts& facts);
  void barrier(uint32_t index, Wave& wave, emulate::BarrierStep step);
  void check_lds(const emulate::WaveView& view, const SiteFacts& facts, const LdsPlace& place);
  /// The same of what was under way when its wave arrived at the barrier before, and has come back since.
  void check_late(const emulate::WaveView& view, const SiteFacts& facts, const LdsPlace& place);
  void forget_late();

  void tell_use(const emulate::WaveView& view, Wave& wave, const SiteFacts& facts, const Use& use);
  void tell_locked(const emulate::WaveView& view, Wave& wave, const SiteFacts& facts);
  void tell_grid_barrier(const emulate::WaveView& view, const emulate::Site& barrier,
                         const emulate::Site& next);
  void tell_lds(const emulate::WaveView& view, const SiteFacts& facts, const LdsPlace& place, uint32_t wave,
                const InFlight& flight, Scoreboard::Need need);
  [[nodiscard]] Findings::Order now() const;

  Shared& shared_;
  Extent3 id_;
  uint64_t event_ = 0;
  LdsExposure exposure_;
  std::vector<Wave> waves_;
  /// An LDS instruction that was under way when its wave arrived at a barrier: until the next one nothing
  /// orders it and the other waves, although its own wave may wait for it behind the barrier.
  struct Late {
    InFlight flight;
    uint32_t wave = 0, barrier = 0;
    Scoreboard::Need need;
  };
  std::vector<Late> late_;
  LdsExposure late_places_;
};

}  // namespace wavesmith::check::wait
