// Follows what nobody wrote through the registers and the memory of a launch, and tells where it decides
// something.
#pragma once

#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "check/findings.h"
#include "check/init/global_shadow.h"
#include "check/init/handed_over.h"
#include "check/init/plan.h"
#include "check/init/shadow.h"
#include "check/launch.h"
#include "check/per_site.h"

namespace wavesmith::check::init {

/// What workgroups need again and again.
class ShadowPool {
 public:
  std::unique_ptr<WaveShadow> take_wave();
  void put(std::unique_ptr<WaveShadow> wave);
  std::unique_ptr<LdsShadow> take_lds();
  void put(std::unique_ptr<LdsShadow> lds);

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<WaveShadow>> waves_;
  std::vector<std::unique_ptr<LdsShadow>> lds_;
};

class LaunchListener final : public emulate::Listener {
 public:
  LaunchListener(const Launch& launch, Findings& findings, GlobalShadow& global, HandedOver& handed_over,
                 ShadowPool& pool, std::shared_ptr<PerSite<Plan>> plans)
      : launch(launch),
        findings(findings),
        global(global),
        handed_over(handed_over),
        pool(pool),
        plans_(std::move(plans)) {}
  std::unique_ptr<emulate::WorkgroupListener> workgroup(const emulate::WorkgroupView& view) override;
  const Plan& plan(const emulate::Site& site) {
    return plans_->of(site, [&] { return plan_of(site, launch.target, launch.wave_lanes); });
  }

  const Launch& launch;
  Findings& findings;
  GlobalShadow& global;
  HandedOver& handed_over;
  ShadowPool& pool;

 private:
  const std::shared_ptr<PerSite<Plan>> plans_;  ///< of the program
};

}  // namespace wavesmith::check::init
