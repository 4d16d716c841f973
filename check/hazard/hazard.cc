#include "check/hazard/hazard.h"

namespace wavesmith::check {
namespace {

class Hazard final : public Checker {
 public:
  using Checker::Checker;
  std::unique_ptr<emulate::Listener> begin(const Launch&) override { return nullptr; }
};

}  // namespace

CheckerKind hazard_checker() {
  return {.topic = Topic::Hazard,
          .finds = "instructions too close together for hardware that does not wait by itself: missing s_nop",
          .does_not_see = "hazards on paths that this run did not take",
          .make = [](Findings& findings) -> std::unique_ptr<Checker> { return std::make_unique<Hazard>(findings); }};
}

}  // namespace wavesmith::check
