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

}  // namespace

RaceWorkgroup::RaceWorkgroup(RaceLaunch& launch, const emulate::WorkgroupView& view)
    : launch_(launch),
      id_(view.id),
      number_(static_cast<uint32_t>(launch.launch().number_of(view.id))),
      waves_(
          static_cast<uint32_t>((view.size.count() + static_cast<uint32_t>(launch.launch().wave_lanes) - 1) /
                                static_cast<uint32_t>(launch.launch().wave_lanes))),
      sync_(launch, waves_) {
  uint32_t generation = 1;
  // A wave alone has nobody to race with.
  if (waves_ > 1 && view.lds_size) shadow_ = launch_.take_lds_shadow(view.lds_size, generation);
  if (shadow_) lds_races_ = std::make_unique<LdsRaces>(launch_, waves_);
  if (waves_ > 1) waves_log_ = launch_.take_wave_log();
  sync_.clocks().begin(generation);
  if (launch_.equal_writes()) lane_writes_.resize(waves_);
}

void RaceWorkgroup::ends() {
  if (waves_log_) {
    compare();
    launch_.give_back(std::move(waves_log_));
  }
  if (shadow_) launch_.give_back(std::move(shadow_), sync_.clocks().generation() + 1);
  launch_.ended(number_, std::move(accessors_), std::move(sync_.log()), taken_);
}

void RaceWorkgroup::instruction(const emulate::WaveView& wave, const emulate::Site& site) {
  const uint32_t number = wave.index();
  places_[number] = 0;
  if (lds_races_) lds_races_->executes(number, site, wave.exec());
  sync_.settle(number);
  const uint16_t events = launch_.events(site);
  if (events & ~SiteFacts::kTransparent) sync_.note(number, launch_.facts(site));
  if (!lane_writes_.empty() && (events & SiteFacts::kWaitsForStores)) lane_writes_[number].forget();
  if (events == 0) sync_.passes(number);
}

void RaceWorkgroup::wave_ends(const emulate::WaveView& wave) {
  if (lds_races_) lds_races_->ends(wave.index());
  sync_.wave_ends(wave.index());
}

void RaceWorkgroup::barrier_completes() {
  for (LaneWrites& written : lane_writes_) written.forget();
  if (!sync_.barrier_completes()) return;
  if (lds_races_) lds_races_->meets();
  if (waves_log_) compare();
  sync_.clocks().barrier();
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
  ++places_[wave.index()];
}

void RaceWorkgroup::access_lds(const emulate::WaveView& wave, const emulate::Site& site,
                               const SiteFacts& facts, const MemoryAccess& access) {
  const StoredData& data = facts.data[std::min<uint8_t>(places_[wave.index()], 1)];
  if (access.direction == Direction::Store) check_lanes(wave, site, data, access);
  if (!shadow_ || !facts.number) return;
  const bool flag = access.bytes <= kWidestFlag && of_one_address(access);
  const uint64_t place =
      flag ? access.address[std::countr_zero(access.lanes)] & ~uint64_t{3} : WaveClocks::kMany;
  const uint32_t number = wave.index();
  if (access.direction == Direction::Load && access.bytes <= kWidestFlag && launch_.polls(site))
    return acquire_each(number, access);

  const bool atomic = access.direction == Direction::Atomic;
  if (atomic && facts.returns) sync_.clocks().acquire(number, place);
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
                          .waited = sync_.waited_for_lds(number),
                          .access = access};
  shadow_->access(made, sync_.clocks(), [&](const LdsConflict& conflict) {
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
  if (access.direction != Direction::Load && (flag || (atomic && sync_.waited_for_lds(number))))
    sync_.clocks().release(number, place);
}

void RaceWorkgroup::acquire_each(uint32_t wave, const MemoryAccess& access) {
  uint64_t last = WaveClocks::kMany;
  for (uint64_t lanes = access.lanes; lanes; lanes &= lanes - 1) {
    const uint64_t place = access.address[std::countr_zero(lanes)] & ~uint64_t{3};
    if (place != last) sync_.clocks().acquire(wave, place);
    last = place;
  }
}

void RaceWorkgroup::access_global(const emulate::WaveView& wave, const emulate::Site& site,
                                  const SiteFacts& facts, const MemoryAccess& access) {
  if (facts.to_lds) loaded_ = access;
  if (!facts.number) return;
  const uint32_t number = wave.index();
  const bool load = access.direction == Direction::Load, store = access.direction == Direction::Store;
  const bool atomic = access.direction == Direction::Atomic;
  const bool plain = !facts.coherent && !atomic;
  const auto kind_of = [&](bool is_plain) {
    return load       ? is_plain ? GlobalKind::Read : GlobalKind::CoherentRead
           : is_plain ? GlobalKind::Write
                      : GlobalKind::Atomic;
  };
  if (load && !access.scalar && !sync_.has_loaded(number) &&
      !launch_.is_constant(access.address[std::countr_zero(access.lanes)]))
    sync_.loads(number);
  uint8_t lanes_data[emulate::kRowLanes * kWidestStore];
  const uint8_t* data = nullptr;
  const bool flag = access.bytes <= kWidestFlag && of_one_address(access);
  // Where a store does not show its scope, one that may be of a flag counts as one.
  const bool may_tell = store && plain && !launch_.stores_show_scope() && access.bytes <= kWidestFlag &&
                        (flag || sync_.waited_for_stores(number));
  const bool tells = (!plain && !(atomic && facts.narrow)) || may_tell;
  const bool shown = tells && sync_.visible(number);  // before what this one stores
  const uint32_t until = sync_.told_until(number);
  if (store && plain) {
    check_lanes(wave, site, facts.data[0], access);
    if (!access.scalar && access.bytes <= kWidestStore &&
        facts.data[0].read_all(wave, access.lanes, access.bytes, lanes_data))
      data = lanes_data;
    sync_.stores(number, facts.flat);
  }
  const uint64_t place =
      flag ? access.address[std::countr_zero(access.lanes)] & ~uint64_t{3} : SyncLog::kMany;
  const bool polls = flag && load && waves_ > 1 && launch_.polls(site);
  // What comes before it, others may see; itself only who reads it, until it has been waited for.
  if (may_tell) sync_.may_tell(shown);
  if (!tells || store || !sync_.log().tries_again(place, !load)) {
    sync_.log().use();
    record({.access = access,
            .kind = kind_of(plain),
            .near_kind = kind_of(plain && !facts.near),
            .wave = number,
            .site = facts.number,
            .flag = flag,
            .polls = polls,
            .data = data});
  }
  if (flag && !load) sync_.lock(number, place, atomic && launch_.polls(site));
  if (flag && atomic && facts.narrow)
    if (const uint32_t accessor = accessor_of(facts.number, number); accessor != Accessors::kNone)
      launch_.meets_narrowly(place, accessor);
  const bool acquires = (load && !plain) || (atomic && facts.returns);
  if (waves_ > 1 && (tells || atomic || facts.near || (flag && store) || polls)) {
    if (acquires || (load && facts.near) || polls) sync_.clocks().acquire(number, place);
    if (!load) sync_.clocks().release(number, place, until);
  }
  if (tells)
    sync_.synchronise({.wave = number,
                       .place = place,
                       .releases = !load,
                       .acquires = acquires,
                       .visible = shown,
                       .stores = may_tell});
}

uint32_t RaceWorkgroup::accessor_of(uint16_t site, uint32_t wave) {
  if (!launch_.tracks_workgroups()) return Accessors::kNone;
  if (known_.size() <= site) known_.resize(site + size_t{16});
  const uint32_t now = sync_.log().segment();
  const uint64_t lock = sync_.lock_of(wave);
  const Acquired acquired = sync_.got(wave);
  auto& [segment, accessor] = known_[site];
  if (segment != now + 1 || accessors_[accessor].lock != lock || accessors_[accessor].acquired != acquired) {
    const uint32_t most = (uint32_t{1} << launch_.accessor_bits()) - 1;
    if (accessors_.size() >= most) return Accessors::kNone;
    segment = now + 1;
    accessor = static_cast<uint32_t>(accessors_.size());
    accessors_.push_back({lock, now, site, static_cast<uint8_t>(wave), acquired});
  }
  return number_ << launch_.accessor_bits() | accessor;
}

void RaceWorkgroup::record(const Noted& noted) {
  const MemoryAccess& access = noted.access;
  const uint32_t accessor = accessor_of(noted.site, noted.wave);
  const bool near = waves_ > 1 && !noted.polls;
  WaveAccess made{};
  if (near) {
    if (waves_log_->full() || sync_.clocks().snapshots() > kMostSnapshots) compare();
    made = {.context = waves_log_->context(noted.wave, {.lock = sync_.lock_of(noted.wave),
                                                        .clock = sync_.clocks().now(noted.wave),
                                                        .snapshot = sync_.clocks().snapshot(noted.wave),
                                                        .acquired = sync_.got(noted.wave)}),
            .site = noted.site,
            .element = static_cast<uint8_t>(access.bytes),
            .wave = static_cast<uint8_t>(noted.wave),
            .kind = noted.near_kind,
            .flag = noted.flag};
  }
  GlobalShadow::Adder shadow(launch_.shadow());
  const bool takes_over = noted.kind == GlobalKind::Read && sync_.log().acquired();
  const auto add = [&](uint64_t begin, uint32_t bytes, uint32_t first) {
    if (launch_.is_runtimes(begin)) return;
    const uint8_t* const data = noted.data ? noted.data + first * size_t{access.bytes} : nullptr;
    if (accessor != Accessors::kNone) {
      shadow.add(begin, bytes, noted.kind, accessor, data);
      if (takes_over) take_over(shadow, begin, bytes, accessor, sync_.invalidated(noted.wave));
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
                    sync_.invalidated(noted.wave));
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
  waves_log_->settle(sync_.clocks(), [&](const WaveConflict& conflict) {
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
  sync_.clocks().forget_snapshots();
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
