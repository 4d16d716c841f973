#include "check/race/race.h"

#include "check/per_program.h"
#include "check/race/race_launch.h"

namespace wavesmith::check {
namespace {

class Race final : public Checker {
 public:
  using Checker::Checker;
  std::unique_ptr<emulate::Listener> begin(const Launch& launch) override {
    return std::make_unique<RaceLaunch>(launch, findings_, facts_.of(launch));
  }
  void finished(const Launch&, emulate::Listener& listener, const Error*) override {
    static_cast<RaceLaunch&>(listener).finish();
  }

 private:
  PerProgram<ProgramFacts> facts_;
};

}  // namespace

CheckerKind race_checker() {
  return {
      .topic = Topic::Race,
      .finds =
          "accesses of two waves, or of two workgroups, that nothing orders; too narrow scopes, locks without fences",
      .does_not_see =
          "races on paths that this run did not take, with loads and stores of the host; "
          "volatile accesses and too narrow scopes where the target's code does not show them",
      .make = [](Findings& findings) -> std::unique_ptr<Checker> {
        return std::make_unique<Race>(findings);
      }};
}

}  // namespace wavesmith::check
