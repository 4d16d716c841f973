#include "check/wait/scoreboard.h"

#include <algorithm>

#include "check/wait/lds_exposure.h"

namespace wavesmith::check::wait {

using isa::Counter;

namespace {

constexpr uint16_t bit_of(Counter counter) {
  return static_cast<uint16_t>(1u << static_cast<unsigned>(counter));
}
constexpr bool counts_lds(Counter counter) { return counter == Counter::Lgkm || counter == Counter::Ds; }

/// Entries of a queue of which a wait for 0 was never seen; the oldest leave it.
constexpr size_t kMostEntries = 512;

}  // namespace

Number Scoreboard::take() {
  if (free_.empty()) {
    flights_.emplace_back();
    return static_cast<Number>(flights_.size() - 1);
  }
  const Number number = free_.back();
  free_.pop_back();
  return number;
}

Number Scoreboard::issue(const SiteFacts& facts, uint64_t exec, uint64_t event) {
  for (const Raise& raise : facts.raises) {
    Queue& its = queue(raise.counter);
    const uint16_t most = most_of(raise.counter, *target_);
    if (its.most == most) wait(raise.counter, most - 1);
    if (its.entries.size() == kMostEntries) {
      const Number oldest = its.entries.front().number;
      its.entries.erase(its.entries.begin());
      arrive(raise.counter, oldest);
    }
  }
  const Number number = take();
  InFlight& flight = flights_[number];
  flight.facts = &facts;
  flight.exec = exec;
  flight.event = event;
  flight.pending = 0;
  flight.queues = static_cast<uint8_t>(facts.raises.size());
  flight.overtaken = flight.shown = false;
  flight.places.clear();
  for (const Raise& raise : facts.raises) {
    Queue& its = queue(raise.counter);
    its.entries.push_back({number, raise.order});
    ++its.most;
  }
  // What it loads to LDS is there when the counter of vector memory says so.
  if (!facts.flat) flight.pending = bit_of(facts.locked.count ? Counter::Exp : facts.raises.front().counter);
  if (facts.result.count && flight.pending) mark(number);
  return number;
}

void Scoreboard::comes_from(Number number, bool lds) {
  InFlight& flight = flights_[number];
  const bool first = flight.pending == 0;
  for (const Raise& raise : flight.facts->raises)
    if (counts_lds(raise.counter) == lds) flight.pending |= bit_of(raise.counter);
  if (first && flight.pending && flight.facts->result.count) mark(number);
}

void Scoreboard::mark(Number number) {
  const isa::RegisterRange result = flights_[number].facts->result;
  for (uint32_t r = result.first; r < uint32_t{result.first} + result.count && r < isa::reg::kCount; ++r) {
    registers_ += owner_[r] == kNone;
    owner_[r] = number;
    in_flight_[r / 64] |= uint64_t{1} << r % 64;
  }
}

void Scoreboard::unmark(Number number) {
  const isa::RegisterRange result = flights_[number].facts->result;
  for (uint32_t r = result.first; r < uint32_t{result.first} + result.count && r < isa::reg::kCount; ++r) {
    if (owner_[r] != number) continue;
    --registers_;
    owner_[r] = kNone;
    in_flight_[r / 64] &= ~(uint64_t{1} << r % 64);
  }
}

void Scoreboard::arrive(Counter counter, Number number) {
  InFlight& flight = flights_[number];
  const uint16_t before = flight.pending;
  flight.pending &= static_cast<uint16_t>(~bit_of(counter));
  if (flight.pending == 0 && before != 0) {
    unmark(number);
    if (flight.shown) lds_->withdraw(wave_, number, flight);
  }
  if (--flight.queues == 0) free_.push_back(number);
}

bool Scoreboard::wait(Counter counter, uint16_t limit) {
  Queue& its = queue(counter);
  if (limit >= its.most) return false;
  its.most = limit;
  prove(counter, limit);
  return true;
}

void Scoreboard::prove(Counter counter, uint16_t limit, Number spared) {
  auto& entries = queue(counter).entries;
  std::array<size_t, kOrders> followers{};
  size_t kept = entries.size();
  // From the youngest on; those that stay move to the end.
  for (size_t i = entries.size(), position = 0; i-- > 0; ++position) {
    const auto entry = entries[i];
    size_t after = 0;
    if (entry.order != Order::Any) after = followers[static_cast<size_t>(entry.order)]++;
    if (after + 1 > limit && entry.number != spared) {
      arrive(counter, entry.number);
      continue;
    }
    if (position + 1 > limit) flights_[entry.number].overtaken = true;
    entries[--kept] = entry;
  }
  entries.erase(entries.begin(), entries.begin() + static_cast<std::ptrdiff_t>(kept));
}

void Scoreboard::forgive(Number number, Number spared) {
  const SiteFacts& facts = *flights_[number].facts;
  for (const Raise& raise : facts.raises) prove(raise.counter, 0, spared);
}

void Scoreboard::forgive_all() {
  for (size_t c = 0; c < kCounters; ++c) prove(static_cast<Counter>(c), 0);
}

Scoreboard::Need Scoreboard::need_of(Number number) const {
  const InFlight& flight = flights_[number];
  for (const Raise& raise : flight.facts->raises) {
    if (!(flight.pending & bit_of(raise.counter))) continue;
    size_t after = 0;
    bool behind = false;
    for (const auto& entry : queues_[static_cast<size_t>(raise.counter)].entries) {
      if (behind && entry.order == raise.order && raise.order != Order::Any) ++after;
      behind |= entry.number == number;
    }
    return {raise.counter, after};
  }
  return {Counter::None, 0};
}

bool Scoreboard::writes_after(const SiteFacts& later, Number earlier) const {
  const InFlight& flight = flights_[earlier];
  if (later.result.count == 0 || later.raises.size() != 1) return false;
  const Raise& raise = later.raises.front();
  if (raise.order == Order::Vector && !loads_write_in_order(*target_)) return false;
  if (raise.order == Order::Any || flight.pending != bit_of(raise.counter)) return false;
  for (const Raise& other : flight.facts->raises)
    if (other.counter == raise.counter)
      return other.order == raise.order || (raise.order == Order::Vector && flight.facts->flat);
  return false;
}

}  // namespace wavesmith::check::wait
