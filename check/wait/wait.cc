#include "check/wait/wait.h"

namespace wavesmith::check {
namespace {

class Wait final : public Checker {
 public:
  using Checker::Checker;
  std::unique_ptr<emulate::Listener> begin(const Launch&) override { return nullptr; }
};

}  // namespace

CheckerKind wait_checker() {
  return {.topic = Topic::Wait,
          .finds = "registers and LDS used before a load has arrived: missing or too weak waits",
          .does_not_see = "waits on paths that this run did not take",
          .make = [](Findings& findings) -> std::unique_ptr<Checker> { return std::make_unique<Wait>(findings); }};
}

}  // namespace wavesmith::check
