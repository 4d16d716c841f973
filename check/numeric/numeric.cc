#include "check/numeric/numeric.h"

#include <cstdlib>
#include <string_view>

#include "check/numeric/listener.h"
#include "check/per_program.h"

namespace wavesmith::check {
namespace {

/// WAVESMITH_CHECK_NUMERIC=cancellation asks for what is told on request only.
bool wants_cancellation() {
  const char* const wanted = std::getenv("WAVESMITH_CHECK_NUMERIC");
  return wanted && std::string_view(wanted).find("cancellation") != std::string_view::npos;
}

class Numeric final : public Checker {
 public:
  using Checker::Checker;
  std::unique_ptr<emulate::Listener> begin(const Launch& launch) override {
    return std::make_unique<numeric::LaunchListener>(launch, findings_, cancellation_, plans_.of(launch));
  }

 private:
  bool cancellation_ = wants_cancellation();
  PerProgram<PerSite<numeric::Plan>> plans_;
};

}  // namespace

CheckerKind numeric_checker() {
  return {
      .topic = Topic::Numeric,
      .finds =
          "the instruction that first makes a NaN or an infinity out of finite numbers, where that is stored; "
          "numbers that a conversion cannot hold; with WAVESMITH_CHECK_NUMERIC=cancellation, differences of "
          "nearly equal numbers",
      .does_not_see =
          "rounding errors, conversions to fewer than 8 bits or with a scale, infinities that no store to "
          "device memory takes up",
      .make = [](Findings& findings) -> std::unique_ptr<Checker> {
        return std::make_unique<Numeric>(findings);
      }};
}

}  // namespace wavesmith::check
