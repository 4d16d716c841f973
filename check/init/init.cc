#include "check/init/init.h"

namespace wavesmith::check {
namespace {

class Init final : public Checker {
 public:
  using Checker::Checker;
  std::unique_ptr<emulate::Listener> begin(const Launch&) override { return nullptr; }
};

}  // namespace

CheckerKind init_checker() {
  return {.topic = Topic::Init,
          .finds = "values that nobody wrote and that decide a branch, an address or an output",
          .does_not_see = "values that the program wrote by mistake",
          .make = [](Findings& findings) -> std::unique_ptr<Checker> { return std::make_unique<Init>(findings); }};
}

}  // namespace wavesmith::check
