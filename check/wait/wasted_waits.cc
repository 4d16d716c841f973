#include "check/wait/wasted_waits.h"

#include <utility>

namespace wavesmith::check::wait {

void WastedWaits::add(const Launch& launch, const SiteFacts& wait, std::shared_ptr<const void> owner) {
  if (wait.tally->listed.exchange(true)) return;
  const auto& instruction = wait.site->instruction;
  Party its = party(launch, "waits", instruction, {0, 0, 0}, 0, 0);
  const std::scoped_lock lock(mutex_);
  waits_.push_back({std::move(its), launch.program, instruction.pc, wait.tally.get(), std::move(owner)});
}

void WastedWaits::tell(Findings& findings) const {
  const std::scoped_lock lock(mutex_);
  for (const Wait& wait : waits_) {
    if (wait.tally->needed.load()) continue;
    findings.add({.rule = "redundant", .first = wait.pc, .about = wait.program}, {}, [&] {
      return Finding{.topic = Topic::Wait,
                     .rule = "redundant",
                     .severity = Severity::Hint,
                     .what = "there was never anything to wait for",
                     .parties = {wait.party},
                     .fix = "remove it if no other path needs it: it costs an issue slot",
                     .count = wait.tally->executed.load()};
    });
  }
}

}  // namespace wavesmith::check::wait
