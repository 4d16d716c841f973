#include "check/wait/wait.h"

#include "check/wait/wasted_waits.h"
#include "check/wait/workgroup.h"

namespace wavesmith::check {
namespace {

class LaunchListener final : public emulate::Listener {
 public:
  LaunchListener(const Launch& launch, Findings& findings) : shared{.launch = launch, .findings = findings} {}
  std::unique_ptr<emulate::WorkgroupListener> workgroup(const emulate::WorkgroupView& view) override {
    return std::make_unique<wait::Workgroup>(shared, view);
  }
  wait::Shared shared;
};

class Wait final : public Checker {
 public:
  using Checker::Checker;
  std::unique_ptr<emulate::Listener> begin(const Launch& launch) override {
    return std::make_unique<LaunchListener>(launch, findings_);
  }
  void finished(const Launch& launch, emulate::Listener& listener, const Error*) override {
    wasted_.add(launch, dynamic_cast<LaunchListener&>(listener).shared.waits);
  }
  void ends() override { wasted_.tell(findings_); }

 private:
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
