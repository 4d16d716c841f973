#include "check/wait/wasted_waits.h"

namespace wavesmith::check::wait {

void WastedWaits::add(const Launch& launch, const std::vector<const SiteFacts*>& waits) {
  if (waits.empty()) return;
  const std::scoped_lock lock(mutex_);
  auto& kernel = kernels_[{launch.kernel.name, launch.entry}];
  for (const SiteFacts* const facts : waits) {
    const auto& instruction = facts->site->instruction;
    const auto [found, added] = kernel.try_emplace(instruction.pc);
    Wait& wait = found->second;
    wait.needed |= facts->tally->needed.load();
    wait.executed += facts->tally->executed.load();
    if (wait.needed)
      wait.party = {};
    else if (wait.party.role.empty())
      wait.party = party(launch, "waits", instruction, {0, 0, 0}, 0, 0);
  }
}

void WastedWaits::tell(Findings& findings) const {
  const std::scoped_lock lock(mutex_);
  for (const auto& [name, waits] : kernels_)
    for (const auto& [pc, wait] : waits) {
      if (wait.needed) continue;
      findings.add({.rule = "redundant", .first = pc}, {}, [&] {
        return Finding{.topic = Topic::Wait,
                       .rule = "redundant",
                       .severity = Severity::Hint,
                       .what = "there was never anything to wait for",
                       .parties = {wait.party},
                       .fix = "remove it if no other path needs it: it costs an issue slot",
                       .count = wait.executed};
      });
    }
}

}  // namespace wavesmith::check::wait
