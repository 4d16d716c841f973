#include "timing/memory/unit.h"

#include <algorithm>
#include <utility>

namespace wavesmith::timing {

double l2_keeps(double bytes, double l2_bytes) {
  return l2_bytes > 0 ? std::clamp((0.75 - bytes / l2_bytes) / 0.25, 0.0, 1.0) : 0;
}

double l2_left(double bytes, double l2_bytes) {
  if (l2_bytes <= 0) return 0;
  // The integral of l2_keeps(): 1 up to half of the L2, a straight line down to 0 at three quarters.
  const double touched = bytes / l2_bytes;
  if (touched <= 0.5) return 1;
  const double short_of = std::max(0.0, 0.75 - touched);
  return (0.625 - 2 * short_of * short_of) / touched;
}

UnitMemory::UnitMemory(const MemoryParameters& parameters, std::vector<RegionHits> regions, double active,
                       double die_bytes, bool in_order)
    : parameters_(parameters),
      regions_(std::move(regions)),
      l1_(parameters.l1_bytes / std::max(1u, parameters.line)),
      scalar_(parameters.scalar_bytes, 64),
      in_order_(in_order && parameters.in_order_lines != 0),
      places_(std::max(1u, in_order_ ? parameters.in_order_lines : parameters.misses)),
      under_way_(places_),
      rows_(1 << 5),
      units_per_die_(std::max(1.0, active / parameters.xcds)),
      active_(std::max(1.0, active)),
      die_bytes_(die_bytes) {
  std::ranges::sort(regions_, {}, &RegionHits::begin);
  const double line = parameters.line;
  unit_clocks_ = line / parameters.unit_rate;
  line_bytes_ = line;
  l2_keeps_all_ = static_cast<double>(parameters.l2_bytes) / 2;  // see l2_keeps
  uint32_t least = 0, most = kTraffic;
  while (least < most) {
    const uint32_t middle = least + (most - least + 1) / 2;
    if (brought_in(middle) <= l2_keeps_all_)
      least = middle;
    else
      most = middle - 1;
  }
  l2_keeps_since_ = least;
  l2_clocks_ = std::max(line * units_per_die_ / parameters.l2_rate, line / parameters.unit_rate);
  // A die's way to the fabric is no wider than its share of what the whole GPU was seen to move.
  const double dies = std::min<double>(parameters.xcds, active_);
  const double share = active_ * parameters.xcds / dies;
  const auto clocks = [&](double rate) { return std::max(line * share / rate, line / parameters.unit_rate); };
  fabric_clocks_ = clocks(parameters.infinity_cache_rate);
  read_clocks_ = clocks(parameters.memory_read_rate);
  write_clocks_ = clocks(parameters.memory_write_rate);
}

/// Into found_: the last region that begins before the line, as far as it goes, or what lies between it and
/// the next.
void UnitMemory::find_region(uint64_t line) {
  const auto after = std::ranges::upper_bound(regions_, line, {}, &RegionHits::begin);
  found_ = {};
  if (after != regions_.begin()) {
    RegionHits& before = *(after - 1);
    const bool inside = line < before.end;
    found_ = {inside ? before.begin : std::max(before.begin, before.end), 0, inside ? &before : nullptr};
  }
  uint64_t end = after == regions_.end() ? ~uint64_t{0} : after->begin;
  if (found_.where) end = std::min(end, found_.where->end);
  found_.lines = end - found_.begin;
}

[[gnu::always_inline]] inline RegionHits* UnitMemory::region(uint64_t line) {
  if (line - found_.begin >= found_.lines) [[unlikely]]  // mostly it is the one of the line before
    find_region(line);
  return found_.where;
}

/// True for `share` of the calls, evenly spread.
[[gnu::always_inline]] inline bool UnitMemory::draw(double share, double& remainder) {
  remainder += share;
  if (remainder < 1) return false;
  remainder -= 1;
  return true;
}

bool UnitMemory::scattered(std::span<const LineUse> lines) const {
  if (lines.empty()) return false;
  const auto [least, most] = std::ranges::minmax(lines, {}, &LineUse::line);
  return scattered(most.line - least.line);
}

double UnitMemory::address(double now, double clocks) { return address_.take(now, clocks); }

/// Bytes: what all units of the die have brought in since then is as much again for each of them.
double UnitMemory::brought_in(uint32_t since) const {
  return std::min(static_cast<double>(since) * line_bytes_ * units_per_die_, die_bytes_);
}

UnitMemory::Line* UnitMemory::new_row(uint64_t number) {
  if (taken_ == kTogether) {
    lines_.push_back(std::make_unique<std::array<Line, kTogether>>());
    taken_ = 0;
  }
  Line* const row = lines_.back()->data() + taken_;
  taken_ += kSideBySide;
  rows_.insert(number, row);
  return row;
}

/// Whether the L2 has a line, of which `state` was known.
[[gnu::always_inline]] inline bool UnitMemory::in_l2(uint32_t state, const RegionHits* where) {
  if ((state & Line::kKnown) == 0) return where && draw(where->l2, l2_left_);
  const uint32_t since = (traffic_ - (state >> 2)) & kTraffic;
  if (since > l2_keeps_since_) [[unlikely]]
    return in_l2_again(since, where);
  return draw(1, again_left_) || (where && draw(where->near, near_left_));
}

/// One that this unit asked for so long ago that the L2 may not have it any more.
[[gnu::noinline]] bool UnitMemory::in_l2_again(uint32_t since, const RegionHits* where) {
  return draw(l2_keeps(brought_in(since), static_cast<double>(parameters_.l2_bytes)), again_left_) ||
         (where && draw(where->near, near_left_));
}

/// From the L2 or behind it. The L2 has the line from then on. `has_place`: it is among those under way.
[[gnu::always_inline]] inline double UnitMemory::fetch(Flow& flow, Line& asks, uint64_t line, double now,
                                                       bool scattered, bool has_place) {
  const double start = flow.l2.take(now, l2_clocks_);
  const uint32_t state = asks.state;
  asks.state = traffic_ << 2 | (state & Line::kDirty) | Line::kKnown;
  RegionHits* const where = region(line);
  if (!in_l2(state, where)) [[unlikely]]
    return fetch_behind(where, start, scattered, (state & Line::kKnown) == 0, has_place);
  const double ready = start + parameters_.l2_latency;
  if (has_place) under_way_.push(ready, static_cast<size_t>(Level::L2));
  return ready;
}

[[gnu::noinline]] double UnitMemory::fetch_behind(const RegionHits* where, double start, bool scattered,
                                                  bool first, bool has_place) {
  const MemoryParameters& p = parameters_;
  ++traffic_;
  ++fetched_behind_;
  const auto arrives = [&](double ready, Level level) {
    if (has_place) under_way_.push(ready, static_cast<size_t>(level));
    return ready;
  };
  if (where && where->path) return arrives(read_far(*where, start), Level::Memory);
  double ready = start;
  if (scattered && where && first && draw(where->walk, walk_left_)) {
    counts_.walks += 1;
    ready = walker_.take(ready, active_ / p.walk_rate) + p.walk_latency;
  }
  counts_.fabric_bytes += p.line;
  ready = std::max(ready, fabric_.take(start, fabric_clocks_));
  const bool cached = p.infinity_cache_bytes && (first ? where && draw(where->infinity_cache, cache_left_)
                                                       : !where || draw(where->again, cache_again_left_));
  if (cached) {
    counts_.infinity_cache_hits += 1;
    return arrives(ready + p.infinity_cache_latency, Level::InfinityCache);
  }
  counts_.memory_bytes += p.line;
  counts_.memory_lines += 1;
  return arrives(std::max(ready, memory_.take(start, read_clocks_)) + p.memory_latency, Level::Memory);
}

double UnitMemory::read_far(const RegionHits& where, double start) {
  const double clocks = parameters_.line / (where.path->rate * where.read_share);
  counts_.far_bytes += parameters_.line;
  return far_[where.path].read.take(start, clocks) + clocks + parameters_.memory_latency +
         where.path->latency;
}

/// A store is acknowledged before it has crossed: nobody waits for that but who waits for a flag behind it.
double UnitMemory::write_far(const RegionHits& where, double bytes, double start) {
  const double clocks = bytes / (where.path->rate * where.write_share);
  counts_.far_bytes += bytes;
  far_[where.path].write.take(start, clocks);
  return start + parameters_.store_latency;
}

double UnitMemory::flag_latency(uint64_t line) {
  const RegionHits* const where = region(line);
  return where && where->writer ? where->writer->latency : 0;
}

template <bool kInOrder>
[[gnu::always_inline]] inline double UnitMemory::in_turn(Flow& flow, double now) {
  return kInOrder ? flow.turn = std::max(flow.turn, now) : now;
}

/// A line takes a place: where none is free, it waits for one, and where the L1 works in order so do all
/// behind.
template <bool kInOrder>
[[gnu::always_inline]] inline double UnitMemory::place(Flow& flow, double now) {
  if (under_way_.size() < places_) return now;
  // In order, nobody will ask for a place before the turn that has come: all are free whose lines are there.
  if (kInOrder) return flow.turn = under_way_.drop(now);
  return std::max(now, under_way_.take());
}

double UnitMemory::admits() {
  // Thread traces as in parameters.cc, of vec_add and quant: 392 lines are asked for by 16-byte loads before
  // the first one stalls, 256 of which have places; the others are of 17 loads.
  last_passed_ = (last_passed_ + 1) % passed_.size();
  return std::exchange(passed_[last_passed_], flow_.turn);
}

template <bool kInOrder>
double UnitMemory::load(std::span<const LineUse> lines, Line* const* asked, uint64_t least, double now,
                        bool scattered, bool bypasses) {
  Flow flow = flow_;
  double last = now;
  uint64_t hits = 0;
  in_turn<kInOrder>(flow, now);
  if (bypasses)
    for (size_t i = 0; i < lines.size(); ++i) evict(*asked[i]);
  for (size_t i = 0; i < lines.size(); ++i) {
    Line& asks = *asked[i];
    const double turn = kInOrder ? flow.turn : now;
    if (asks.place != kNowhere) {
      ++hits;
      l1_.touch(asks.place);
      last = std::max({last, turn + parameters_.l1_latency, l1_.ready(asks.place)});
      continue;
    }
    const double sent = flow.unit.take(place<kInOrder>(flow, turn), unit_clocks_);
    const double ready = fetch(flow, asks, least + lines[i].line, sent, scattered, true);
    last = std::max(last, ready);
    if (!bypasses) asks.place = l1_.insert(&asks, ready, [](Line* gone) { gone->place = kNowhere; });
  }
  flow_ = flow;
  counts_.l1_hits += hits;
  counts_.l1_misses += lines.size() - hits;
  fetched_ += lines.size() - hits;
  return last;
}

template <bool kInOrder>
double UnitMemory::store(std::span<const LineUse> lines, Line* const* asked, uint64_t least, double now,
                         bool scattered) {
  Flow flow = flow_;
  double last = now;
  for (size_t i = 0; i < lines.size(); ++i) {
    Line& asks = *asked[i];
    const double at = kInOrder ? place<kInOrder>(flow, in_turn<kInOrder>(flow, now)) : now;
    const double ready = send(flow, asks, least + lines[i].line, lines[i].bytes, at, scattered);
    if (kInOrder) under_way_.push(ready, static_cast<size_t>(Level::Stored));
    last = std::max(last, ready);
  }
  flow_ = flow;
  counts_.stores += lines.size();
  return last;
}

template <bool kInOrder>
double UnitMemory::atomic(std::span<const LineUse> lines, Line* const* asked, uint64_t least, double now) {
  double last = now;
  for (size_t i = 0; i < lines.size(); ++i) {
    const double at = kInOrder ? place<kInOrder>(flow_, in_turn<kInOrder>(flow_, now)) : now;
    Line& asks = *asked[i];
    evict(asks);
    const double sent = flow_.unit.take(at, 64 / parameters_.unit_rate);
    last = std::max(last, fetch(flow_, asks, least + lines[i].line, sent, false, kInOrder));
  }
  fetched_ += lines.size();
  return last;
}

template <bool kInOrder>
double UnitMemory::access(AccessKind kind, std::span<const LineUse> lines, uint64_t least, double now,
                          bool scattered, bool bypasses) {
  constexpr size_t kLanes = 64;
  std::array<Line*, kLanes> asked;
  double ready = now;
  while (!lines.empty()) {
    const auto some = lines.first(std::min(lines.size(), kLanes));
    lines = lines.subspan(some.size());
    uint64_t before = ~uint64_t{0};
    Line* row = nullptr;
    for (size_t i = 0; i < some.size(); ++i) {
      const uint64_t line = least + some[i].line;
      if (line / kSideBySide != before) row = row_of(line), before = line / kSideBySide;
      asked[i] = row + line % kSideBySide;
      __builtin_prefetch(asked[i]);
    }
    switch (kind) {
      case AccessKind::Load:
        ready = std::max(ready, load<kInOrder>(some, asked.data(), least, now, scattered, bypasses));
        break;
      case AccessKind::Store:
        ready = std::max(ready, store<kInOrder>(some, asked.data(), least, now, scattered));
        break;
      case AccessKind::Atomic:
        ready = std::max(ready, atomic<kInOrder>(some, asked.data(), least, now));
        break;
    }
  }
  return ready;
}

double UnitMemory::access(AccessKind kind, std::span<const LineUse> lines, uint64_t least, double now,
                          bool scattered, bool bypasses) {
  return in_order_ ? access<true>(kind, lines, least, now, scattered, bypasses)
                   : access<false>(kind, lines, least, now, scattered, bypasses);
}

/// A store's way; when it is acknowledged.
[[gnu::always_inline]] inline double UnitMemory::send(Flow& flow, Line& asks, uint64_t line, uint32_t bytes,
                                                      double now, bool scattered) {
  const MemoryParameters& p = parameters_;
  evict(asks);
  const double touched = std::min<double>(p.line, (bytes + 63.0) / 64 * 64);
  const double sent = flow.unit.take(now, touched / p.unit_rate);
  const double start = flow.l2.take(sent, l2_clocks_ * touched / p.line);
  counts_.l2_bytes += touched;
  RegionHits* const where = region(line);
  const uint32_t state = asks.state;
  const bool first = (state & Line::kKnown) == 0;
  // Other GPUs see it soon, so it does not stay in the L2.
  if (where && where->path) return write_far(*where, touched, start);
  asks.state = traffic_ << 2 | (where ? Line::kDirty : state & Line::kDirty) | Line::kKnown;
  if (where && (state & Line::kDirty) == 0) where->stored += 1;
  const bool hit = in_l2(state, where);
  double ready = start;
  if (!hit) {  // The line is written back later: its bytes take the ways behind the L2 all the same.
    ++traffic_;
    if (scattered && where && first && draw(where->walk, walk_left_)) {
      counts_.walks += 1;
      ready = walker_.take(ready, active_ / p.walk_rate) + p.walk_latency;
    }
    counts_.fabric_bytes += touched;
    ready = std::max(ready, fabric_.take(start, fabric_clocks_ * touched / p.line));
    if (!p.infinity_cache_bytes || !where || !draw(where->infinity_cache, cache_left_)) {
      counts_.memory_bytes += touched;
      ready = std::max(ready, memory_.take(start, write_clocks_ * touched / p.line));
    }
  }
  return ready + p.store_latency;
}

MemoryCounts UnitMemory::counts() const {
  MemoryCounts counts = counts_;
  counts.l2_hits += static_cast<double>(fetched_ - fetched_behind_);
  counts.l2_bytes += static_cast<double>(fetched_ * parameters_.line);
  return counts;
}

double UnitMemory::written(double share) const {
  double lines = 0;
  for (const RegionHits& region : regions_) lines += std::min(region.stored / share, region.all);
  return lines;
}

double UnitMemory::drained() const {
  double last =
      std::max({flow_.unit.free, flow_.l2.free, fabric_.free, memory_.free, walker_.free, address_.free});
  for (const auto& [path, servers] : far_) last = std::max({last, servers.read.free, servers.write.free});
  return last;
}

double UnitMemory::busiest() const {
  double most =
      std::max({flow_.unit.busy, flow_.l2.busy, fabric_.busy, memory_.busy, walker_.busy, address_.busy});
  for (const auto& [path, servers] : far_) most = std::max({most, servers.read.busy, servers.write.busy});
  return most;
}

double UnitMemory::scalar(uint64_t line, double now) {
  if (const double* const ready = scalar_.find(line))
    return std::max(now + parameters_.scalar_latency, *ready);
  const uint64_t whole = line * 64 / parameters_.line;
  const double ready = fetch(flow_, row_of(whole)[whole % kSideBySide], whole, now, false, false);
  ++fetched_;
  scalar_.insert_new(line, ready);
  return ready;
}

}  // namespace wavesmith::timing
