#include "check/wait/wait.h"

#include <utility>

#include "check/per_program.h"
#include "check/wait/workgroup.h"

namespace wavesmith::check {
namespace {

class LaunchListener final : public emulate::Listener {
 public:
  explicit LaunchListener(wait::Shared shared) : shared_(std::move(shared)) {}
  std::unique_ptr<emulate::WorkgroupListener> workgroup(const emulate::WorkgroupView& view) override {
    return std::make_unique<wait::Workgroup>(shared_, view);
  }

 private:
  wait::Shared shared_;
};

class Wait final : public Checker {
 public:
  using Checker::Checker;
  std::unique_ptr<emulate::Listener> begin(const Launch& launch) override {
    return std::make_unique<LaunchListener>(
        wait::Shared{.launch = launch, .findings = findings_, .wasted = wasted_, .facts = facts_.of(launch)});
  }
  void ends() override { wasted_.tell(findings_); }

 private:
  PerProgram<PerSite<wait::SiteFacts>> facts_;
  wait::WastedWaits wasted_;
};

}  // namespace

CheckerKind wait_checker() {
  return {.topic = Topic::Wait,
          .finds = "registers and LDS used before a load has arrived: missing or too weak waits",
          .does_not_see =
              "waits on paths that this run did not take; what must be visible to other workgroups "
              "(see race)",
          .make = [](Findings& findings) -> std::unique_ptr<Checker> {
            return std::make_unique<Wait>(findings);
          }};
}

}  // namespace wavesmith::check
