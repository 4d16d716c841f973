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

bool UnusedReads::uses(const Executed& one, const std::vector<isa::RegisterRange>& registers,
                       uint64_t lanes) {
  const isa::Effects& all = effects(*one.site);
  if (all.unknown) return true;
  if (!all.all_lanes && !(one.exec & lanes)) return false;
  return std::ranges::any_of(all.reads, [&](isa::RegisterRange read) {
    return std::ranges::any_of(registers, [&](isa::RegisterRange own) { return read.overlaps(own); });
  });
}

uint64_t UnusedReads::left_by(const Executed& one, const std::vector<isa::RegisterRange>& registers,
                              uint64_t lanes) {
  const isa::Effects& all = effects(*one.site);
  const auto covers = [](isa::RegisterRange written, isa::RegisterRange own) {
    return written.first <= own.first && written.first + written.count >= own.first + own.count;
  };
  const bool overwrites = std::ranges::all_of(registers, [&](isa::RegisterRange own) {
    return std::ranges::any_of(all.writes, [&](isa::RegisterRange written) { return covers(written, own); });
  });
  return overwrites ? lanes & ~(all.masked ? one.exec : ~uint64_t{0}) : lanes;
}

std::optional<uint64_t> UnusedReads::unused_lanes(uint32_t wave, const emulate::Site& read) {
  const Wave& state = waves_[wave];
  const isa::Effects& own = effects(read);
  if (own.unknown || own.writes.empty() || state.asked.size() >= kMostAsked ||
      state.executed - state.met > kRecent)
    return std::nullopt;
  // Nothing tells which of several turns it was: none may have used what it read.
  bool made = false;
  uint64_t lanes = 0;
  for (uint64_t at = state.met; at < state.executed; ++at) {
    const Executed& one = recent_[size_t{wave} * kRecent + at % kRecent];
    if (lanes && uses(one, own.writes, lanes)) return std::nullopt;
    if (one.site == &read) {
      made = true;
      lanes |= one.exec;
    } else if (lanes) {
      lanes = left_by(one, own.writes, lanes);
    }
  }
  if (!made) return std::nullopt;
  return lanes;
}

void UnusedReads::follow(Wave& wave, const Executed& one) {
  std::vector<std::pair<Told, bool>> over;
  std::erase_if(wave.asked, [&](Asked& asked) {
    const bool used = uses(one, asked.registers, asked.lanes);
    if (!used) asked.lanes = left_by(one, asked.registers, asked.lanes);
    if (!used && asked.lanes) return false;
    over.emplace_back(std::move(asked.told), used);
    return true;
  });
  for (const auto& [told, used] : over) told(used);
}

void UnusedReads::ask(uint32_t wave, const emulate::Site& read, uint64_t lanes, const Told& told) {
  Wave& state = waves_[wave];
  if (state.ended || !lanes) return told(false);
  state.asked.push_back({effects(read).writes, lanes, told});
}

void UnusedReads::ends(uint32_t wave) {
  waves_[wave].ended = true;
  for (const Asked& one : std::exchange(waves_[wave].asked, {})) one.told(false);
}

}  // namespace wavesmith::check
