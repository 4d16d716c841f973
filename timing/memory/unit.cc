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
      misses_(places_),
      stored_(in_order_ ? places_ : 1),
      eights_(1 << 5),
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

[[gnu::always_inline]] inline RegionHits* UnitMemory::region(uint64_t line) {
  if (line - found_begin_ >= found_lines_) {  // mostly it is the one of the line before
    const auto after = std::ranges::upper_bound(regions_, line, {}, &RegionHits::begin);
    found_ = after == regions_.begin() ? nullptr : &*(after - 1);
    found_begin_ = found_ ? found_->begin : 0;
    found_lines_ = (after == regions_.end() ? ~uint64_t{0} : after->begin) - found_begin_;
  }
  return found_ && line < found_->end ? found_ : nullptr;
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

uint32_t UnitMemory::new_eight(uint64_t eight) {
  const auto first = static_cast<uint32_t>(lines_.size());
  eights_.insert(eight, first);
  lines_.resize(lines_.size() + kSideBySide);
  return first;
}

/// Whether the L2 has the line, which it has from now on. `first`: this unit has not asked for it before.
[[gnu::always_inline]] inline bool UnitMemory::in_l2(Line& line, const RegionHits* where, bool& first) {
  first = !line.known;
  const uint32_t since = (traffic_ - line.traffic) & kTraffic;
  bool hit;
  if (first)
    hit = where && draw(where->l2, l2_left_);
  else
    hit = draw(since <= l2_keeps_since_
                   ? 1
                   : l2_keeps(brought_in(since), static_cast<double>(parameters_.l2_bytes)),
               again_left_) ||
          (where && draw(where->near, near_left_));
  line.known = 1;
  line.traffic = traffic_ & kTraffic;
  return hit;
}

/// From the L2 or behind it.
[[gnu::always_inline]] inline double UnitMemory::fetch(Line& asks, uint64_t line, double now,
                                                       bool scattered) {
  const MemoryParameters& p = parameters_;
  counts_.l2_bytes += line_bytes_;
  const double start = l2_.take(now, l2_clocks_);
  const RegionHits* const where = region(line);
  bool first;
  const bool hit = in_l2(asks, where, first);
  if (hit) {
    counts_.l2_hits += 1;
    return start + p.l2_latency;
  }
  ++traffic_;
  if (where && where->path) return read_far(*where, start);
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
    return ready + p.infinity_cache_latency;
  }
  counts_.memory_bytes += p.line;
  counts_.memory_lines += 1;
  return std::max(ready, memory_.take(start, read_clocks_)) + p.memory_latency;
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

[[gnu::always_inline]] inline double UnitMemory::in_turn(double now) {
  return in_order_ ? turn_ = std::max(turn_, now) : now;
}

/// A line takes a place: where none is free, it waits for one, and where the L1 works in order so do all
/// behind.
[[gnu::always_inline]] inline double UnitMemory::place(double now) {
  while (misses_.size() + stored_.size() >= places_) {
    const bool store = stored_.size() != 0 && (misses_.size() == 0 || stored_.first() < misses_.first());
    Arrivals& first = store ? stored_ : misses_;
    now = std::max(now, first.take());
  }
  return in_turn(now);
}

double UnitMemory::admits() {
  // Thread traces as in parameters.cc, of vec_add and quant: 392 lines are asked for by 16-byte loads before
  // the first one stalls, 256 of which have places; the others are of 17 loads.
  last_passed_ = (last_passed_ + 1) % passed_.size();
  return std::exchange(passed_[last_passed_], turn_);
}

[[gnu::always_inline]] inline double UnitMemory::load(uint32_t number, uint64_t line, double now,
                                                      bool scattered, bool bypasses) {
  now = in_turn(now);
  Line& asks = line_of(number);
  if (bypasses) {
    evict(asks);
  } else if (asks.place != Recency::kNowhere) {
    ++counts_.l1_hits;
    l1_.touch(asks.place);
    return std::max(now + parameters_.l1_latency, l1_.ready(asks.place));
  }
  ++counts_.l1_misses;
  now = place(now);
  const double sent = unit_.take(now, unit_clocks_);
  const double ready = fetch(asks, line, sent, scattered);
  misses_.push(ready);
  if (!bypasses)
    asks.place =
        l1_.insert(number, ready, [this](uint32_t gone) { line_of(gone).place = Recency::kNowhere; });
  return ready;
}

double UnitMemory::load(uint64_t line, double now, bool scattered, bool bypasses) {
  return load(number_of(line), line, now, scattered, bypasses);
}

double UnitMemory::store(uint32_t number, uint64_t line, uint32_t bytes, double now, bool scattered) {
  if (in_order_) now = place(in_turn(now));
  const double ready = send(line_of(number), line, bytes, now, scattered);
  if (in_order_) stored_.push(ready);
  return ready;
}

double UnitMemory::store(uint64_t line, uint32_t bytes, double now, bool scattered) {
  return store(number_of(line), line, bytes, now, scattered);
}

double UnitMemory::access(AccessKind kind, std::span<const LineUse> lines, uint64_t least, double now,
                          bool scattered, bool bypasses) {
  constexpr size_t kTogether = 64;
  std::array<uint32_t, kTogether> numbers;
  double ready = now;
  while (!lines.empty()) {
    const auto some = lines.first(std::min(lines.size(), kTogether));
    lines = lines.subspan(some.size());
    for (size_t i = 0; i < some.size(); ++i) {
      numbers[i] = number_of(least + some[i].line);
      __builtin_prefetch(&line_of(numbers[i]));
    }
    switch (kind) {
      case AccessKind::Load:
        for (size_t i = 0; i < some.size(); ++i)
          ready = std::max(ready, load(numbers[i], least + some[i].line, now, scattered, bypasses));
        break;
      case AccessKind::Store:
        for (size_t i = 0; i < some.size(); ++i)
          ready = std::max(ready, store(numbers[i], least + some[i].line, some[i].bytes, now, scattered));
        break;
      case AccessKind::Atomic:
        for (size_t i = 0; i < some.size(); ++i)
          ready = std::max(ready, atomic(numbers[i], least + some[i].line, now));
        break;
    }
  }
  return ready;
}

/// A store's way; when it is acknowledged.
double UnitMemory::send(Line& asks, uint64_t line, uint32_t bytes, double now, bool scattered) {
  const MemoryParameters& p = parameters_;
  ++counts_.stores;
  evict(asks);
  const double touched = std::min<double>(p.line, (bytes + 63.0) / 64 * 64);
  const double sent = unit_.take(now, touched / p.unit_rate);
  const double start = l2_.take(sent, l2_clocks_ * touched / p.line);
  counts_.l2_bytes += touched;
  RegionHits* const where = region(line);
  // Other GPUs see it soon, so it does not stay in the L2.
  if (where && where->path) return write_far(*where, touched, start);
  bool first;
  const bool hit = in_l2(asks, where, first);
  if (!asks.dirty && where) {
    asks.dirty = 1;
    where->stored += 1;
  }
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

double UnitMemory::written(double share) const {
  double lines = 0;
  for (const RegionHits& region : regions_) lines += std::min(region.stored / share, region.all);
  return lines;
}

double UnitMemory::drained() const {
  double last = std::max({unit_.free, l2_.free, fabric_.free, memory_.free, walker_.free, address_.free});
  for (const auto& [path, servers] : far_) last = std::max({last, servers.read.free, servers.write.free});
  return last;
}

double UnitMemory::busiest() const {
  double most = std::max({unit_.busy, l2_.busy, fabric_.busy, memory_.busy, walker_.busy, address_.busy});
  for (const auto& [path, servers] : far_) most = std::max({most, servers.read.busy, servers.write.busy});
  return most;
}

double UnitMemory::atomic(uint32_t number, uint64_t line, double now) {
  if (in_order_) now = place(in_turn(now));
  Line& asks = line_of(number);
  evict(asks);
  const double sent = unit_.take(now, 64 / parameters_.unit_rate);
  const double ready = fetch(asks, line, sent, false);
  if (in_order_) misses_.push(ready);
  return ready;
}

double UnitMemory::atomic(uint64_t line, double now) { return atomic(number_of(line), line, now); }

double UnitMemory::scalar(uint64_t line, double now) {
  if (const double* const ready = scalar_.find(line))
    return std::max(now + parameters_.scalar_latency, *ready);
  const uint64_t whole = line * 64 / parameters_.line;
  const double ready = fetch(line_of(number_of(whole)), whole, now, false);
  scalar_.insert_new(line, ready);
  return ready;
}

}  // namespace wavesmith::timing
