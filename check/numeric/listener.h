// Hears of a launch's numbers: where infinities and NaNs are made, and which of them reach memory.
#pragma once

#include <memory>
#include <utility>

#include "check/findings.h"
#include "check/init/plan.h"
#include "check/launch.h"
#include "check/numeric/small.h"
#include "check/numeric/values.h"
#include "check/per_site.h"
#include "check/register_words.h"

namespace wavesmith::check::numeric {

/// What there is to know of an instruction.
struct Plan {
  struct Operand {
    init::Place place;
    Exponents exponents;
    isa::Type type;
    bool negate = false, absolute = false;
  };
  bool floats = false;  ///< a result is a float
  bool moves = false;   ///< results may be numbers from other registers, or lanes
  bool across = false;  ///< from other lanes
  bool matrix = false;
  // Of conversions.
  bool converts = false;
  bool sums = false;            ///< adds, which may cancel
  bool scalars = false;         ///< a source or a result is a scalar register
  RegisterWords reads, writes;  ///< VGPRs and AGPRs
  std::vector<Operand> sources, results;
  double least = 0, most = 0;  ///< to an integer: what it can hold; both 0: to a float
  SmallFormat small = {};      ///< to 8 bits: each source a byte of the result
  size_t small_sources = 0;
  // Of memory.
  bool memory = false;
  isa::RegisterRange data, second, result;
};

class LaunchListener final : public emulate::Listener {
 public:
  LaunchListener(const Launch& launch, Findings& findings, bool cancellation,
                 std::shared_ptr<PerSite<Plan>> plans)
      : launch(launch), findings(findings), cancellation(cancellation), plans_(std::move(plans)) {}
  std::unique_ptr<emulate::WorkgroupListener> workgroup(const emulate::WorkgroupView& view) override;
  const Plan& plan(const emulate::Site& site);

  const Launch& launch;
  Findings& findings;
  const bool cancellation;  ///< is told of too

 private:
  const std::shared_ptr<PerSite<Plan>> plans_;  ///< of the program
};

}  // namespace wavesmith::check::numeric
