#include "check/race/race_workgroup.h"

#include <algorithm>
#include <bit>
#include <set>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "check/race/race_findings.h"
#include "check/race/stored_changes.h"
#include "check/runs.h"

namespace wavesmith::check {
namespace {

using emulate::AddressSpace;
using emulate::MemoryAccess;
using isa::Direction;

/// Flags, locks and counters are no wider.
constexpr uint32_t kWidestFlag = 8;

/// Whether all lanes access the same address.
bool of_one_address(const MemoryAccess& access) {
  if (access.side_by_side) return std::has_single_bit(access.lanes);
  const uint64_t first = access.address[std::countr_zero(access.lanes)];
  for (uint64_t left = access.lanes & (access.lanes - 1); left; left &= left - 1)
    if (access.address[std::countr_zero(left)] != first) return false;
  return true;
}

/// Of a workgroup.
constexpr size_t kMostHandOvers = 1 << 14;

/// Of what waves know, before it is compared.
constexpr size_t kMostSnapshots = 1 << 10;
/// Of a workgroup, SyncEntry::Shown: each is a segment of its own, with its accessors.
constexpr uint32_t kMostShown = 64;

}  // namespace

RaceWorkgroup::RaceWorkgroup(RaceLaunch& launch, const emulate::WorkgroupView& view)
    : launch_(launch),
      id_(view.id),
      number_(static_cast<uint32_t>(launch.launch().number_of(view.id))),
      waves_(
          static_cast<uint32_t>((view.size.count() + static_cast<uint32_t>(launch.launch().wave_lanes) - 1) /
                                static_cast<uint32_t>(launch.launch().wave_lanes))),
      spreads_(launch.spreads_workgroups()) {
  uint32_t generation = 1;
  // A wave alone has nobody to race with.
  if (waves_ > 1 && view.lds_size) shadow_ = launch_.take_lds_shadow(view.lds_size, generation);
  if (shadow_) lds_races_ = std::make_unique<LdsRaces>(launch_, waves_);
  if (waves_ > 1) waves_log_ = launch_.take_wave_log();
  clocks_.begin(generation);
  if (launch_.equal_writes()) lane_writes_.resize(waves_);
}

void RaceWorkgroup::ends() {
  if (waves_log_) {
    compare();
    launch_.give_back(std::move(waves_log_));
  }
  if (shadow_) launch_.give_back(std::move(shadow_), clocks_.generation() + 1);
  launch_.ended(number_, std::move(accessors_), std::move(log_), taken_);
}

void RaceWorkgroup::instruction(const emulate::WaveView& wave, const emulate::Site& site) {
  WaveState& state = states_[wave.index()];
  state.places = 0;
  if (lds_races_) lds_races_->executes(wave.index(), site, wave.exec());
  if (state.acquires || state.leaves) settle(state, wave.index());
  const uint16_t events = launch_.events(site);
  if (events & ~SiteFacts::kTransparent) note(state, wave.index(), launch_.facts(site));
  if (events == 0) state.waited_for_lds = state.waited_for_stores = false;
}

void RaceWorkgroup::settle(WaveState& state, uint32_t wave) {
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

uint16_t RaceWorkgroup::of_all_caches(WaveState& state, uint16_t events) {
  constexpr uint16_t kBoth = SiteFacts::kInvalidates | SiteFacts::kInvalidatesOwn;
  if (!(events & kBoth)) return events;
  state.caches |= events & kBoth;
  if (state.caches != kBoth) return events & ~SiteFacts::kInvalidates;
  state.caches = 0;
  return events | kBoth;
}

void RaceWorkgroup::note(WaveState& state, uint32_t wave, const SiteFacts& facts) {
  const uint16_t events = launch_.invalidates_in_parts() ? of_all_caches(state, facts.events) : facts.events;
  if (!lane_writes_.empty() && (events & SiteFacts::kWaitsForStores)) lane_writes_[wave].forget();
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

bool RaceWorkgroup::acquired_before(uint32_t from, uint32_t wave) const {
  const WaveState& state = states_[from];
  return phase_ > state.acquired_phase || clocks_.ordered(from, state.acquired_clock, wave);
}

void RaceWorkgroup::invalidate(WaveState& state, uint32_t wave, bool agent) {
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

void RaceWorkgroup::stores_arrived(WaveState& state, uint32_t wave) {
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

void RaceWorkgroup::wave_ends(const emulate::WaveView& wave) {
  if (lds_races_) lds_races_->ends(wave.index());
  settle(states_[wave.index()], wave.index());
  states_[wave.index()].loaded = false;
  // Who has ended is not waited for: it counts as having arrived.
  if (launch_.splits_barriers()) clocks_.arrive(wave.index());
}

void RaceWorkgroup::barrier_completes() {
  ++phase_;
  for (LaneWrites& written : lane_writes_) written.forget();
  met_ = !std::exchange(apart_, false);
  if (launch_.splits_barriers()) clocks_.all_arrived();
  if (!met_) return;
  if (lds_races_) lds_races_->meets();
  if (waves_log_) compare();
  clocks_.barrier();
}

void RaceWorkgroup::access(const emulate::WaveView& wave, const emulate::Site& site,
                           const MemoryAccess& access) {
  ++events_;
  if (!access.lanes || access.space == AddressSpace::Private) return;
  const SiteFacts& facts = launch_.facts(site);
  if (access.space == AddressSpace::Lds)
    access_lds(wave, site, facts, access);
  else
    access_global(wave, site, facts, access);
  ++states_[wave.index()].places;
}

void RaceWorkgroup::access_lds(const emulate::WaveView& wave, const emulate::Site& site,
                               const SiteFacts& facts, const MemoryAccess& access) {
  const StoredData& data = facts.data[std::min<uint8_t>(states_[wave.index()].places, 1)];
  if (access.direction == Direction::Store) check_lanes(wave, site, data, access);
  if (!shadow_ || !facts.number) return;
  const bool flag = access.bytes <= kWidestFlag && of_one_address(access);
  const uint64_t place =
      flag ? access.address[std::countr_zero(access.lanes)] & ~uint64_t{3} : WaveClocks::kMany;
  const uint32_t number = wave.index();
  if (access.direction == Direction::Load && access.bytes <= kWidestFlag && launch_.polls(site))
    return acquire_each(number, access);

  const bool atomic = access.direction == Direction::Atomic;
  if (atomic && facts.returns) clocks_.acquire(number, place);
  struct Found {
    LdsConflict conflict;
    uint64_t lanes;
  };
  std::array<Found, 4> all;
  size_t count = 0;
  const WaveAccesses made{.wave = number,
                          .kind = atomic                                 ? AccessKind::Atomic
                                  : access.direction == Direction::Store ? AccessKind::Write
                                                                         : AccessKind::Read,
                          .site = facts.number,
                          .flag = flag,
                          .waited = states_[number].waited_for_lds,
                          .access = access};
  shadow_->access(made, clocks_, [&](const LdsConflict& conflict) {
    for (size_t i = 0; i < count; ++i)
      if (all[i].conflict.other_site == conflict.other_site &&
          all[i].conflict.other_kind == conflict.other_kind) {
        all[i].lanes |= uint64_t{1} << conflict.lane;
        return;
      }
    if (count < all.size()) all[count++] = {conflict, uint64_t{1} << conflict.lane};
  });
  for (size_t i = 0; i < count; ++i)
    lds_races_->tell({.wave = wave,
                      .site = site,
                      .access = access,
                      .data = data,
                      .loaded = facts.to_lds ? &loaded_ : nullptr,
                      .made = made,
                      .conflict = all[i].conflict,
                      .lanes = all[i].lanes,
                      .workgroup = id_,
                      .order = {launch_.launch().id, number_, events_}});
  // Of an instruction of many addresses only the wait before it says that it is meant to tell something.
  if (access.direction != Direction::Load && (flag || (atomic && states_[number].waited_for_lds)))
    clocks_.release(number, place);
}

void RaceWorkgroup::acquire_each(uint32_t wave, const MemoryAccess& access) {
  uint64_t last = WaveClocks::kMany;
  for (uint64_t lanes = access.lanes; lanes; lanes &= lanes - 1) {
    const uint64_t place = access.address[std::countr_zero(lanes)] & ~uint64_t{3};
    if (place != last) clocks_.acquire(wave, place);
    last = place;
  }
}

void RaceWorkgroup::access_global(const emulate::WaveView& wave, const emulate::Site& site,
                                  const SiteFacts& facts, const MemoryAccess& access) {
  if (facts.to_lds) loaded_ = access;
  if (!facts.number) return;
  const uint32_t number = wave.index();
  WaveState& state = states_[number];
  const bool load = access.direction == Direction::Load, store = access.direction == Direction::Store;
  const bool atomic = access.direction == Direction::Atomic;
  const bool plain = !facts.coherent && !atomic;
  const auto kind_of = [&](bool is_plain) {
    return load       ? is_plain ? GlobalKind::Read : GlobalKind::CoherentRead
           : is_plain ? GlobalKind::Write
                      : GlobalKind::Atomic;
  };
  if (load && !state.loaded && !access.scalar)
    state.loaded = !launch_.is_constant(access.address[std::countr_zero(access.lanes)]);
  uint8_t lanes_data[emulate::kRowLanes * kWidestStore];
  const uint8_t* data = nullptr;
  const bool flag = access.bytes <= kWidestFlag && of_one_address(access);
  // Where a store does not show its scope, one that may be of a flag counts as one.
  const bool may_tell = store && plain && !launch_.stores_show_scope() && access.bytes <= kWidestFlag &&
                        (flag || state.waited_for_stores);
  const bool tells = (!plain && !(atomic && facts.narrow)) || may_tell;
  const bool shown = tells && visible(number);  // before what this one stores
  const uint32_t until = spreads_ ? state.unwaited : WaveClocks::kNow;
  if (store && plain) {
    check_lanes(wave, site, facts.data[0], access);
    if (!access.scalar && access.bytes <= kWidestStore &&
        facts.data[0].read_all(wave, access.lanes, access.bytes, lanes_data))
      data = lanes_data;
    show(number);
    state.dirty = true;
    state.waited = false;
    state.flat |= facts.flat;
    state.unwaited = std::min(state.unwaited, clocks_.now(number));
    state.stored_in = phase_;
  }
  const uint64_t place =
      flag ? access.address[std::countr_zero(access.lanes)] & ~uint64_t{3} : SyncLog::kMany;
  const bool polls = flag && load && waves_ > 1 && launch_.polls(site);
  // What comes before it, others may see; itself only who reads it, until it has been waited for.
  if (may_tell) log_.add({.stamp = launch_.order().stamp(), .what = SyncEntry::Release, .visible = shown});
  if (!tells || store || !log_.tries_again(place, !load)) {
    log_.use();
    record({.access = access,
            .kind = kind_of(plain),
            .near_kind = kind_of(plain && !facts.near),
            .wave = number,
            .site = facts.number,
            .flag = flag,
            .polls = polls,
            .data = data});
  }
  if (flag && !load) lock(state, site, access, place);
  if (flag && atomic && facts.narrow)
    if (const uint32_t accessor = accessor_of(facts.number, number); accessor != Accessors::kNone)
      launch_.meets_narrowly(place, accessor);
  const bool acquires = (load && !plain) || (atomic && facts.returns);
  if (waves_ > 1 && (tells || atomic || facts.near || (flag && store) || polls)) {
    if (acquires || (load && facts.near) || polls) clocks_.acquire(number, place);
    if (!load) clocks_.release(number, place, until);
  }
  if (tells)
    synchronise({.wave = number,
                 .place = place,
                 .releases = !load,
                 .acquires = acquires,
                 .visible = shown,
                 .stores = may_tell});
}

void RaceWorkgroup::lock(WaveState& state, const emulate::Site& site, const MemoryAccess& access,
                         uint64_t place) {
  if (access.direction == Direction::Atomic && launch_.polls(site)) {
    state.lock = place;
    state.got = Acquired::Nothing;
  } else if (state.lock == place) {
    state.lock = 0;
  }
}

void RaceWorkgroup::synchronise(const Meeting& meeting) {
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

void RaceWorkgroup::show(uint32_t wave) {
  if (!cleaned_ || !launch_.stores_show_scope() || shown_ == kMostShown || !visible(wave)) return;
  cleaned_ = false;
  ++shown_;
  log_.add({.stamp = launch_.order().stamp(), .what = SyncEntry::Shown});
}

bool RaceWorkgroup::visible(uint32_t wave) const {
  for (uint32_t other = 0; other < waves_; ++other)
    if (states_[other].dirty && (other == wave || states_[other].stored_in < phase_)) return false;
  return true;
}

uint32_t RaceWorkgroup::accessor_of(uint16_t site, uint32_t wave) {
  if (!launch_.tracks_workgroups()) return Accessors::kNone;
  if (known_.size() <= site) known_.resize(site + size_t{16});
  const WaveState& state = states_[wave];
  const Acquired acquired = state.lock ? state.got : Acquired::Nothing;
  auto& [segment, accessor] = known_[site];
  if (segment != log_.segment() + 1 || accessors_[accessor].lock != state.lock ||
      accessors_[accessor].acquired != acquired) {
    const uint32_t most = (uint32_t{1} << launch_.accessor_bits()) - 1;
    if (accessors_.size() >= most) return Accessors::kNone;
    segment = log_.segment() + 1;
    accessor = static_cast<uint32_t>(accessors_.size());
    accessors_.push_back({state.lock, log_.segment(), site, static_cast<uint8_t>(wave), acquired});
  }
  return number_ << launch_.accessor_bits() | accessor;
}

void RaceWorkgroup::record(const Noted& noted) {
  const MemoryAccess& access = noted.access;
  const uint32_t accessor = accessor_of(noted.site, noted.wave);
  const bool near = waves_ > 1 && !noted.polls;
  WaveAccess made{};
  if (near) {
    if (waves_log_->full() || clocks_.snapshots() > kMostSnapshots) compare();
    const WaveState& state = states_[noted.wave];
    made = {
        .context = waves_log_->context(noted.wave, {.lock = state.lock,
                                                    .clock = clocks_.now(noted.wave),
                                                    .snapshot = clocks_.snapshot(noted.wave),
                                                    .acquired = state.lock ? state.got : Acquired::Nothing}),
        .site = noted.site,
        .element = static_cast<uint8_t>(access.bytes),
        .wave = static_cast<uint8_t>(noted.wave),
        .kind = noted.near_kind,
        .flag = noted.flag};
  }
  GlobalShadow::Adder shadow(launch_.shadow());
  const bool takes_over = noted.kind == GlobalKind::Read && log_.acquired();
  const auto add = [&](uint64_t begin, uint32_t bytes, uint32_t first) {
    if (launch_.is_runtimes(begin)) return;
    const uint8_t* const data = noted.data ? noted.data + first * size_t{access.bytes} : nullptr;
    if (accessor != Accessors::kNone) {
      shadow.add(begin, bytes, noted.kind, accessor, data);
      if (takes_over) take_over(shadow, begin, bytes, accessor, states_[noted.wave].invalidated);
    }
    if (!near) return;
    if (!made.writes()) return waves_log_->add_read(made, {.begin = begin, .bytes = bytes});
    waves_log_->add_write(made, begin, bytes,
                          data ? changes_of(begin, bytes, access.bytes, data) : ~uint64_t{0});
  };
  for_each_runs(access, noted.kind != GlobalKind::Write, [&](const Runs& runs) {
    if (noted.kind == GlobalKind::Read && !launch_.has_runtimes(runs.begin, runs.end())) {
      if (accessor != Accessors::kNone) {
        if (is_new_read(runs, accessor)) shadow.add_reads(runs, accessor);
        for (uint32_t i = 0; takes_over && i < runs.count; ++i)
          take_over(shadow, runs.begin + uint64_t{i} * runs.stride, runs.bytes, accessor,
                    states_[noted.wave].invalidated);
      }
      if (near) waves_log_->add_read(made, runs);
      return;
    }
    for (uint32_t i = 0; i < runs.count; ++i)
      add(runs.begin + uint64_t{i} * runs.stride, runs.bytes, runs.first + i);
  });
}

bool RaceWorkgroup::is_new_read(const Runs& runs, uint32_t accessor) {
  const uint64_t hash = (runs.begin ^ uint64_t{accessor} << 32) * 0x9e3779b97f4a7c15u;
  LastRead& last = last_reads_[hash >> 58];
  const LastRead read{.begin = runs.begin,
                      .bytes = runs.bytes,
                      .stride = runs.stride,
                      .count = runs.count,
                      .accessor = accessor};
  return std::exchange(last, read) != read;
}

void RaceWorkgroup::take_over(GlobalShadow::Adder& shadow, uint64_t address, uint64_t bytes, uint32_t reader,
                              uint32_t invalidated) {
  if (taken_.size() >= kMostHandOvers) return;
  uint32_t last = Accessors::kNone;
  shadow.for_each_writer(address, bytes, launch_.accessor_bits(), [&](uint32_t writer, uint64_t at) {
    if (writer == last || writer >> launch_.accessor_bits() == number_) return;
    last = writer;
    const auto [taken, is_new] =
        taken_.emplace(uint64_t{writer} << 32 | reader, HandOver{.address = at, .invalidated = invalidated});
    // Of several waves the one that does least for it counts.
    if (!is_new && invalidated < taken->second.invalidated) taken->second = {at, invalidated};
  });
}

void RaceWorkgroup::compare() {
  std::set<std::tuple<WaveRace::Rule, uint16_t, uint16_t>> told;
  waves_log_->settle(clocks_, [&](const WaveConflict& conflict) {
    Severity severity = Severity::Error;
    const WaveRace::Rule rule = rule_of(launch_, conflict, severity);
    if (rule == WaveRace::Rule::None || !told.emplace(rule, conflict.first.site, conflict.second.site).second)
      return;
    tell_wave_conflict(launch_, {.rule = rule,
                                 .severity = severity,
                                 .conflict = conflict,
                                 .workgroup = id_,
                                 .order = {launch_.launch().id, number_, ++events_}});
  });
  clocks_.forget_snapshots();
}

void RaceWorkgroup::check_lanes(const emulate::WaveView& wave, const emulate::Site& site,
                                const StoredData& data, const MemoryAccess& access) {
  const auto tell = [&](const LaneConflict& conflict) {
    tell_lane_conflict(launch_, {.wave = wave,
                                 .site = site,
                                 .access = access,
                                 .conflict = conflict,
                                 .workgroup = id_,
                                 .order = {launch_.launch().id, number_, events_}});
  };
  if (const auto differing = lanes_that_differ(wave, data, access)) return tell(*differing);
  if (lane_writes_.empty()) return;
  LaneWrites& written = lane_writes_[wave.index()];
  if (const auto equal = written.add(wave, site, data, access)) tell(*equal);
}

}  // namespace wavesmith::check
