#include "check/wait/workgroup.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace wavesmith::check::wait {

using emulate::BarrierStep;
using emulate::WaveView;
using isa::RegisterRange;
namespace reg = isa::reg;

namespace {

/// Whether an access and one under way share a byte, and not both read it.
bool meets(const LdsPlace& place, const SiteFacts& facts, const InFlight& other) {
  for (const LdsPlace& its : other.places) {
    if (place.direction == isa::Direction::Load && its.direction == isa::Direction::Load) continue;
    if (its.direction == isa::Direction::Load && facts.to_lds) continue;
    if (shared_lanes(place, its)) return true;
  }
  return false;
}

}  // namespace

Workgroup::Workgroup(Shared& shared, const emulate::WorkgroupView& view)
    : shared_(shared), id_(view.id), exposure_(view.lds_size), late_places_(view.lds_size) {}

void Workgroup::wave_begins(const WaveView& view) {
  while (waves_.size() <= view.index())
    waves_.push_back(
        {.board = Scoreboard(shared_.launch.target, static_cast<uint32_t>(waves_.size()), exposure_)});
}

void Workgroup::wave_ends(const WaveView& view) {
  Wave& wave = waves_[view.index()];
  wave.ended = true;
  wave.board.forgive_all();
}

Findings::Order Workgroup::now() const { return {shared_.launch.id, shared_.launch.number_of(id_), event_}; }

void Workgroup::instruction(const WaveView& view, const emulate::Site& site) {
  ++event_;
  const SiteFacts& facts = shared_.of(site);
  Wave& wave = waves_[view.index()];
  if (wave.board.any_in_flight()) {
    if (facts.touched.meet(wave.board.in_flight()) || facts.relative || (wave.indexing && facts.vector))
        [[unlikely]]
      check_registers(view, wave, facts);
  }
  if (wave.reader != kNone) [[unlikely]]
    check_locked(view, wave, facts);
  if (wave.grid_barrier) [[unlikely]]
    check_grid_barrier(view, wave, facts);
  if (!facts.plain) count_and_issue(view, wave, facts);
}

void Workgroup::count_and_issue(const WaveView& view, Wave& wave, const SiteFacts& facts) {
  if (facts.tally) {
    if (!facts.tally->listed.load(std::memory_order_relaxed))
      shared_.wasted.add(shared_.launch, facts, shared_.facts);
    bool needed = false;
    for (size_t c = 0; c < kCounters; ++c)
      if (facts.limits[c] != kNoLimit)
        needed |= wave.board.wait(static_cast<isa::Counter>(c), facts.limits[c]);
    if (needed)
      facts.tally->needed.store(true, std::memory_order_relaxed);
    else if (!facts.tally->needed.load(std::memory_order_relaxed))
      facts.tally->executed.fetch_add(1, std::memory_order_relaxed);
  }
  if (!facts.raises.empty()) {
    wave.current = wave.board.issue(facts, view.exec(), event_);
    wave.board.flight(wave.current).arrivals = wave.arrivals;
    if (facts.locked.count) wave.reader = wave.current;
  }
  if (facts.site->barrier != BarrierStep::None) barrier(view.index(), wave, facts.site->barrier);
  if (facts.site->barrier == BarrierStep::Grid) wave.grid_barrier = facts.site;
  if (facts.index_on) wave.indexing = true;
  if (facts.index_off) wave.indexing = false;
}

void Workgroup::barrier(uint32_t index, Wave& wave, BarrierStep step) {
  if (step == BarrierStep::ArriveAndWait || step == BarrierStep::Arrive) {
    for (size_t n = 0; n < wave.board.size(); ++n) {
      const auto number = static_cast<Number>(n);
      InFlight& flight = wave.board.flight(number);
      if (!flight.pending || flight.places.empty()) continue;
      if (!flight.shown) exposure_.show(index, number, flight);
      late_.push_back({flight, index, wave.arrivals, wave.board.need_of(number)});
      late_places_.show(index, static_cast<Number>(late_.size() - 1), late_.back().flight);
    }
    ++wave.arrivals;
  }
  if (step == BarrierStep::ArriveAndWait || step == BarrierStep::Wait) {
    ++wave.departures;
    if (late_places_.any()) forget_late();
  }
}

void Workgroup::forget_late() {
  uint32_t least = ~uint32_t{0};
  for (const Wave& wave : waves_) least = std::min(least, wave.ended ? ~uint32_t{0} : wave.departures);
  const auto is_over = [&](const Late& one) { return one.barrier + 1 < least; };
  if (!std::ranges::all_of(late_, is_over)) return;
  for (size_t i = 0; i < late_.size(); ++i)
    late_places_.withdraw(late_[i].wave, static_cast<Number>(i), late_[i].flight);
  late_.clear();
}

void Workgroup::access(const WaveView& view, const emulate::Site& site, const emulate::MemoryAccess& access) {
  const bool lds = access.space == emulate::AddressSpace::Lds;
  Wave& wave = waves_[view.index()];
  if (wave.current == kNone) return;
  InFlight& flight = wave.board.flight(wave.current);
  if (flight.facts->site != &site) return;
  const SiteFacts& facts = *flight.facts;
  if (facts.flat) wave.board.comes_from(wave.current, lds);
  if (!lds || access.lanes == 0) return;
  LdsPlace& place = flight.places.emplace_back();
  place.direction = access.direction;
  place.bytes = access.bytes;
  place.lanes = access.lanes;
  for (size_t lane = 0; lane < place.address.size(); ++lane)
    place.address[lane] = static_cast<uint32_t>(access.address[lane]);
  if (exposure_.any()) check_lds(view, facts, place);
  if (late_places_.any()) check_late(view, facts, place);
  if (!facts.to_lds) return;
  if (flight.shown)
    exposure_.extend(flight.places.back());
  else
    exposure_.show(view.index(), wave.current, flight);
}

void Workgroup::check_registers(const WaveView& view, Wave& wave, const SiteFacts& facts) {
  const bool moves = facts.relative || (wave.indexing && facts.vector);
  const std::vector<Use> uses =
      uses_of(view, wave, facts,
              moves ? relative_effects(facts, view.sgpr(emulate::scalar_index::kM0)) : facts.effects);
  for (const Use& use : uses) {
    // One that an earlier report has forgiven.
    if (wave.board.writer_of(use.registers.first) != use.number) continue;
    tell_use(view, wave, facts, use);
    wave.board.forgive(use.number);
  }
}

std::vector<Workgroup::Use> Workgroup::uses_of(const WaveView& view, Wave& wave, const SiteFacts& facts,
                                               const isa::Effects& effects) {
  std::vector<Use> uses;
  const auto look = [&](const std::vector<RegisterRange>& ranges, bool reads) {
    for (const RegisterRange range : ranges)
      for (uint32_t r = range.first; r < uint32_t{range.first} + range.count && r < reg::kCount; ++r) {
        const auto one = static_cast<uint16_t>(r);
        const Number writer = wave.board.writer_of(one);
        if (writer == kNone || (!reads && wave.board.writes_after(facts, writer))) continue;
        uint64_t lanes = 0;
        if (one < reg::kSgpr) {
          // What is loaded for other lanes neither reaches the reader nor what it writes.
          const bool all = reads ? effects.all_lanes : !effects.masked;
          lanes = wave.board.flight(writer).exec & (all ? ~uint64_t{0} : view.exec());
          if (lanes == 0) continue;
          const isa::Operand::Half half = wave.board.flight(writer).facts->half;
          if (half != isa::Operand::Half::Whole && !uses_half(facts, one, half)) continue;
        }
        if (!uses.empty() && uses.back().number == writer && uses.back().reads == reads &&
            uses.back().registers.first + uses.back().registers.count == one)
          ++uses.back().registers.count;
        else
          uses.push_back({writer, {one, 1}, reads, lanes});
      }
  };
  look(effects.reads, true);
  look(effects.writes, false);
  return uses;
}

void Workgroup::check_locked(const WaveView& view, Wave& wave, const SiteFacts& facts) {
  const InFlight& flight = wave.board.flight(wave.reader);
  const RegisterRange locked = flight.facts->locked;
  if (flight.pending == 0 || locked.count == 0) {
    wave.reader = kNone;
    return;
  }
  for (const RegisterRange range : facts.effects.writes) {
    if (!range.overlaps(locked) || (facts.effects.masked && view.exec() == 0)) continue;
    tell_locked(view, wave, facts);
    wave.board.forgive(wave.reader);
    return;
  }
}

void Workgroup::check_grid_barrier(const WaveView& view, Wave& wave, const SiteFacts& facts) {
  const emulate::Site& barrier = *std::exchange(wave.grid_barrier, nullptr);
  if (facts.limits[static_cast<size_t>(isa::Counter::Lgkm)] != 0)
    tell_grid_barrier(view, barrier, *facts.site);
}

void Workgroup::check_lds(const WaveView& view, const SiteFacts& facts, const LdsPlace& place) {
  const auto shown = exposure_.find(place, [&](LdsExposure::Shown one) {
    const InFlight& other = waves_[one.wave].board.flight(one.number);
    const bool own = one.wave == view.index();
    // A load to LDS comes later than what is in LDS's queue; two of one wave come in order.
    if (own && (!other.facts->to_lds || facts.to_lds)) return false;
    if (!own && waves_[view.index()].departures <= other.arrivals) return false;
    return meets(place, facts, other);
  });
  if (!shown) return;
  Scoreboard& board = waves_[shown->wave].board;
  tell_lds(view, facts, place, shown->wave, board.flight(shown->number), board.need_of(shown->number));
  const bool own = shown->wave == view.index();
  board.forgive(shown->number, own ? waves_[shown->wave].current : kNone);
}

void Workgroup::check_late(const WaveView& view, const SiteFacts& facts, const LdsPlace& place) {
  const auto shown = late_places_.find(place, [&](LdsExposure::Shown one) {
    const Late& late = late_[one.number];
    return late.wave != view.index() && waves_[view.index()].departures == late.barrier + 1 &&
           meets(place, facts, late.flight);
  });
  if (!shown) return;
  Late& late = late_[shown->number];
  tell_lds(view, facts, place, late.wave, late.flight, late.need);
  late_places_.withdraw(late.wave, shown->number, late.flight);
}

}  // namespace wavesmith::check::wait
