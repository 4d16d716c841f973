#include "check/race/unused_reads.h"

#include <algorithm>
#include <utility>

namespace wavesmith::check {

UnusedReads::~UnusedReads() {
  for (Wave& wave : waves_)
    for (const Asked& one : wave.asked) one.told(true);
}

const isa::Effects& UnusedReads::effects(const emulate::Site& site) {
  const auto [found, is_new] = effects_.try_emplace(&site);
  if (is_new) found->second = isa::effects_of(site.instruction, site.row, target_, wave_lanes_);
  return found->second;
}

bool UnusedReads::uses(const emulate::Site& site, const std::vector<isa::RegisterRange>& registers) {
  const isa::Effects& all = effects(site);
  return all.unknown || std::ranges::any_of(all.reads, [&](isa::RegisterRange one) {
           return std::ranges::any_of(registers,
                                      [&](isa::RegisterRange other) { return one.overlaps(other); });
         });
}

bool UnusedReads::is_unused(uint32_t wave, const emulate::Site& read) {
  const Wave& state = waves_[wave];
  const isa::Effects& own = effects(read);
  if (own.unknown || own.writes.empty() || state.asked.size() >= kMostAsked ||
      state.executed - state.met > kRecent)
    return false;
  // Nothing tells which of several turns it was: none may have used what it read.
  bool made = false;
  for (uint64_t at = state.met; at < state.executed; ++at) {
    const emulate::Site& site = *recent_[size_t{wave} * kRecent + at % kRecent];
    if (made && uses(site, own.writes)) return false;
    made |= &site == &read;
  }
  return made;
}

void UnusedReads::follow(Wave& wave, const emulate::Site& site) {
  std::vector<Told> used;
  std::erase_if(wave.asked, [&](Asked& one) {
    if (!uses(site, one.registers)) return false;
    used.push_back(std::move(one.told));
    return true;
  });
  for (const Told& told : used) told(true);
}

void UnusedReads::ask(uint32_t wave, const emulate::Site& read, const Told& told) {
  Wave& state = waves_[wave];
  if (state.ended) return told(false);
  state.asked.push_back({effects(read).writes, told});
}

void UnusedReads::ends(uint32_t wave) {
  waves_[wave].ended = true;
  for (const Asked& one : std::exchange(waves_[wave].asked, {})) one.told(false);
}

}  // namespace wavesmith::check
