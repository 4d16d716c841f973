#include "check/numeric/numeric.h"

namespace wavesmith::check {
namespace {

class Numeric final : public Checker {
 public:
  using Checker::Checker;
  std::unique_ptr<emulate::Listener> begin(const Launch&) override { return nullptr; }
};

}  // namespace

CheckerKind numeric_checker() {
  return {.topic = Topic::Numeric,
          .finds = "the instruction that first makes a NaN or an infinity out of finite numbers",
          .does_not_see = "rounding errors",
          .make = [](Findings& findings) -> std::unique_ptr<Checker> { return std::make_unique<Numeric>(findings); }};
}

}  // namespace wavesmith::check
