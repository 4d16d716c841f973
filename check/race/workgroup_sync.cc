#include "check/race/workgroup_sync.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace wavesmith::check {
namespace {

/// Of a workgroup, SyncEntry::Shown: each is a segment of its own, with its accessors.
constexpr uint32_t kMostShown = 64;

}  // namespace

WorkgroupSync::WorkgroupSync(RaceLaunch& launch, uint32_t waves)
    : launch_(launch), waves_(waves), spreads_(launch.spreads_workgroups()) {}

void WorkgroupSync::complete(uint32_t wave) {
  WaveState& state = states_[wave];
  if (state.leaves && !met_) clocks_.leave(wave);
  if (state.acquires) {
    log_.add({.stamp = launch_.order().stamp(), .place = state.acquired, .what = SyncEntry::Acquire});
    const uint32_t acquire = log_.segment() - 1;
    if (state.holds_nothing) {
      log_.add({.stamp = launch_.order().stamp(), .what = SyncEntry::Invalidate});
      for (WaveState& each : states_) each.invalidated = log_.segment();
    }
    pending_ = state.holds_nothing ? 0 : pending_ | uint32_t{1} << wave;
    state.has_acquired = true;
    state.acquired_clock = clocks_.now(wave);
    state.acquired_phase = phase_;
    state.acquired_segment = acquire;
    for (WaveState& each : states_) each.caches = 0;
  }
  state.leaves = state.acquires = state.holds_nothing = false;
}

uint16_t WorkgroupSync::of_all_caches(WaveState& state, uint16_t events) {
  constexpr uint16_t kBoth = SiteFacts::kInvalidates | SiteFacts::kInvalidatesOwn;
  if (!(events & kBoth)) return events;
  state.caches |= events & kBoth;
  if (state.caches != kBoth) return events & ~SiteFacts::kInvalidates;
  state.caches = 0;
  return events | kBoth;
}

void WorkgroupSync::note(uint32_t wave, const SiteFacts& facts) {
  WaveState& state = states_[wave];
  const uint16_t events = launch_.invalidates_in_parts() ? of_all_caches(state, facts.events) : facts.events;
  if (events & SiteFacts::kWaitsForLds) state.waited_for_lds = true;
  if (events & SiteFacts::kWritesBack) state.wrote_back = true;
  if (events & SiteFacts::kWaitsForLds) state.flat = false;
  if (events & SiteFacts::kWaitsForStores) state.waited = state.waited_for_stores = true;
  if (state.waited && !state.flat) stores_arrived(state, wave);
  if (events & (SiteFacts::kInvalidates | SiteFacts::kInvalidatesOwn)) {
    state.got = std::max(state.got, events & SiteFacts::kInvalidates ? Acquired::Agent : Acquired::Workgroup);
    if (spreads_) clocks_.see(wave);
  }
  if (events & SiteFacts::kInvalidates) state.loaded = false;
  if (events & (SiteFacts::kInvalidates | SiteFacts::kInvalidatesOwn))
    invalidate(state, wave, events & SiteFacts::kInvalidates);
  if (events & SiteFacts::kArrives) {
    clocks_.arrive(wave);
    apart_ |= !facts.meets;
    if (apart_) clocks_.use();
  }
  if (events & SiteFacts::kLeaves) state.leaves = true;
  if (events & SiteFacts::kGrid) {
    const uint64_t meeting = SyncLog::kGrid - meetings_++;
    clocks_.acquire(wave, meeting);
    clocks_.release(wave, meeting);
    synchronise(
        {.wave = wave, .place = meeting, .releases = true, .acquires = true, .visible = visible(wave)});
    // Nobody goes on before all have come: what was invalidated before and not loaded since is as behind it.
    state.holds_nothing = std::ranges::none_of(states_, [](const WaveState& each) { return each.loaded; });
  }
}

bool WorkgroupSync::acquired_before(uint32_t from, uint32_t wave) const {
  const WaveState& state = states_[from];
  return phase_ > state.acquired_phase || clocks_.ordered(from, state.acquired_clock, wave);
}

void WorkgroupSync::invalidate(WaveState& state, uint32_t wave, bool agent) {
  // What another wave acquires without order may come later on a GPU.
  uint32_t covered = 0;
  for (uint32_t left = agent ? pending_ : 0; left; left &= left - 1)
    if (acquired_before(static_cast<uint32_t>(std::countr_zero(left)), wave)) covered |= left & -left;
  pending_ &= ~covered;
  if (covered) log_.add({.stamp = launch_.order().stamp(), .what = SyncEntry::Invalidate});
  state.invalidated = log_.segment();
  for (uint32_t other = 0; other < waves_; ++other)
    if (states_[other].has_acquired && !acquired_before(other, wave))
      state.invalidated = std::min(state.invalidated, states_[other].acquired_segment);
}

void WorkgroupSync::stores_arrived(WaveState& state, uint32_t wave) {
  state.waited = false;
  state.unwaited = WaveClocks::kNow;
  if (!state.wrote_back && launch_.needs_write_back()) return;
  for (uint32_t other = 0; other < waves_; ++other)
    if (other == wave || states_[other].stored_in < phase_) {
      cleaned_ |= states_[other].dirty;
      states_[other].dirty = false;
    }
  state.wrote_back = false;
}

void WorkgroupSync::wave_ends(uint32_t wave) {
  complete(wave);
  states_[wave].loaded = false;
  // Who has ended is not waited for: it counts as having arrived.
  if (launch_.splits_barriers()) clocks_.arrive(wave);
}

bool WorkgroupSync::barrier_completes() {
  ++phase_;
  met_ = !std::exchange(apart_, false);
  if (launch_.splits_barriers()) clocks_.all_arrived();
  return met_;
}

void WorkgroupSync::stores(uint32_t wave, bool flat) {
  show(wave);
  WaveState& state = states_[wave];
  state.dirty = true;
  state.waited = false;
  state.flat |= flat;
  state.unwaited = std::min(state.unwaited, clocks_.now(wave));
  state.stored_in = phase_;
}

void WorkgroupSync::lock(uint32_t wave, uint64_t place, bool takes) {
  WaveState& state = states_[wave];
  if (takes) {
    state.lock = place;
    state.got = Acquired::Nothing;
  } else if (state.lock == place) {
    state.lock = 0;
  }
}

void WorkgroupSync::synchronise(const Meeting& meeting) {
  cleaned_ = false;
  if (meeting.releases)
    log_.add({.stamp = launch_.order().stamp(),
              .place = meeting.place,
              .what = meeting.stores ? SyncEntry::Store : SyncEntry::Release,
              .visible = meeting.visible});
  if (!meeting.acquires) return;
  states_[meeting.wave].acquires = true;
  states_[meeting.wave].acquired = meeting.place;
}

void WorkgroupSync::show(uint32_t wave) {
  if (!cleaned_ || !launch_.stores_show_scope() || shown_ == kMostShown || !visible(wave)) return;
  cleaned_ = false;
  ++shown_;
  log_.add({.stamp = launch_.order().stamp(), .what = SyncEntry::Shown});
}

bool WorkgroupSync::visible(uint32_t wave) const {
  for (uint32_t other = 0; other < waves_; ++other)
    if (states_[other].dirty && (other == wave || states_[other].stored_in < phase_)) return false;
  return true;
}

}  // namespace wavesmith::check
