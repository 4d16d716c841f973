#include "check/race/race.h"

#include <cstdlib>
#include <string_view>

#include "check/per_program.h"
#include "check/race/race_launch.h"

namespace wavesmith::check {
namespace {

/// WAVESMITH_CHECK_RACE=equal-writes asks for writes that no order of changes what they leave.
bool wants_equal_writes() {
  const char* const wanted = std::getenv("WAVESMITH_CHECK_RACE");
  return wanted && std::string_view(wanted).find("equal-writes") != std::string_view::npos;
}

class Race final : public Checker {
 public:
  using Checker::Checker;
  std::unique_ptr<emulate::Listener> begin(const Launch& launch) override {
    return std::make_unique<RaceLaunch>(launch, findings_, facts_.of(launch), equal_writes_);
  }
  void finished(const Launch&, emulate::Listener& listener, const Error*) override {
    static_cast<RaceLaunch&>(listener).finish();
  }

 private:
  bool equal_writes_ = wants_equal_writes();
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
