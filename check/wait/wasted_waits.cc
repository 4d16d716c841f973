#include "check/wait/wasted_waits.h"

#include <algorithm>

#include <fmt/format.h>

namespace wavesmith::check::wait {
namespace {

/// Instructions that a hint lists.
constexpr size_t kMostParties = 8;

}  // namespace

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
  for (const auto& [name, waits] : kernels_) {
    Finding finding{.topic = Topic::Wait,
                    .rule = "redundant",
                    .severity = Severity::Hint,
                    .fix = "remove what no other path needs: each costs an issue slot"};
    uint64_t places = 0, executed = 0, first = 0;
    for (const auto& [pc, wait] : waits) {
      if (wait.needed) continue;
      if (!first) first = pc;
      ++places;
      executed += wait.executed;
      if (finding.parties.size() < kMostParties) finding.parties.push_back(wait.party);
    }
    if (places == 0) continue;
    finding.what = fmt::format("{} of {} waits never had anything to wait for, in {} executions", places,
                               waits.size(), executed);
    findings.add({.rule = "redundant", .first = first}, {}, [&] { return finding; });
  }
}

}  // namespace wavesmith::check::wait
