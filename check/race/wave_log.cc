#include "check/race/wave_log.h"

#include <algorithm>
#include <bit>
#include <unordered_map>
#include <utility>

namespace wavesmith::check {
namespace {

/// Of suspects that are compared one by one.
constexpr uint64_t kMostCells = 1 << 22;

bool is_atomic(GlobalKind kind) { return kind == GlobalKind::Atomic || kind == GlobalKind::CoherentRead; }

/// Whether the order of the two matters.
bool conflict(GlobalKind one, GlobalKind other) {
  const auto reads = [](GlobalKind kind) {
    return kind == GlobalKind::Read || kind == GlobalKind::CoherentRead;
  };
  return !(reads(one) && reads(other)) && !(is_atomic(one) && is_atomic(other));
}

}  // namespace

void WaveLog::spread() {
  uint64_t begin = ~uint64_t{0}, end = 0;
  bool strided = false;
  for (const WaveAccess& one : accesses_) {
    strided |= one.runs > 1;
    if (!one.writes()) continue;
    begin = std::min(begin, one.begin);
    end = std::max(end, one.end());
  }
  if (!strided) return;
  std::vector<WaveAccess> all;
  auto changes = changes_.begin();
  for (uint32_t i = 0; i < accesses_.size(); ++i) {
    WaveAccess one = accesses_[i];
    if (changes != changes_.end() && changes->first == i)
      (changes++)->first = static_cast<uint32_t>(all.size());
    const uint32_t runs = std::exchange(one.runs, uint8_t{1});
    for (uint32_t run = 0; run < runs; ++run, one.begin += one.stride)
      if (one.begin < end && one.end() > begin) all.push_back(one);
  }
  accesses_ = std::move(all);
}

void WaveLog::find_written() {
  written_places_.clear();
  for (const WaveAccess& one : accesses_) {
    if (!one.writes()) continue;
    const bool plain = one.kind == GlobalKind::Write;
    if (!written_places_.empty()) {
      Written& last = written_places_.back();
      if (last.end == one.begin && last.wave == one.wave && last.plain == plain) {
        last.end = one.end();
        continue;
      }
    }
    written_places_.push_back({one.begin, one.end(), one.wave, false, plain});
  }
  const auto begin_of = [](const Written& one) { return one.begin; };
  if (!std::ranges::is_sorted(written_places_, {}, begin_of))
    std::ranges::sort(written_places_, {}, begin_of);
  size_t kept = 0;
  for (size_t i = 1; i < written_places_.size(); ++i) {
    Written& last = written_places_[kept];
    const Written& next = written_places_[i];
    if (next.begin >= last.end) {
      written_places_[++kept] = next;
      continue;
    }
    last.end = std::max(last.end, next.end);
    last.shared |= next.wave != last.wave;
    last.plain |= next.plain;
  }
  written_places_.resize(kept + 1);
}

std::vector<uint32_t> WaveLog::suspects() {
  find_written();
  std::vector<Written>& places = written_places_;
  // Which blocks anything is written in, by a bit that blocks far apart share.
  constexpr int kBlock = 8;
  std::array<uint64_t, 64> blocks{};
  const auto bit_of = [](uint64_t block) { return uint64_t{1} << block % 64; };
  const auto word_of = [&](uint64_t block) -> uint64_t& { return blocks[block / 64 % blocks.size()]; };
  bool any = false;
  for (Written& place : places) {
    for (uint64_t block = place.begin >> kBlock; block << kBlock < place.end; ++block)
      word_of(block) |= bit_of(block);
    // Those that write there touch it.
    any |= place.touched = place.shared && place.plain;
  }
  // Whether the access is in one of which `holds` is true.
  const auto is_in = [&](const WaveAccess& one, auto holds) {
    if (one.end() <= places.front().begin || one.begin >= places.back().end) return false;
    bool near = false;
    for (uint64_t block = one.begin >> kBlock; block << kBlock < one.end() && !near; ++block)
      near = word_of(block) & bit_of(block);
    if (!near) return false;
    auto at = std::ranges::upper_bound(places, one.begin, {}, [](const Written& each) { return each.begin; });
    if (at != places.begin()) --at;
    for (; at != places.end() && at->begin < one.end(); ++at)
      if (at->end > one.begin && holds(*at)) return true;
    return false;
  };
  for (const WaveAccess& one : accesses_) {
    if (one.writes()) continue;
    is_in(one, [&](Written& place) {
      const bool touches = (place.shared || place.wave != one.wave) && (place.plain || !is_atomic(one.kind));
      place.touched |= touches;
      any |= touches;
      return false;
    });
  }
  std::vector<uint32_t> found;
  for (uint32_t i = 0; any && i < accesses_.size(); ++i)
    if (is_in(accesses_[i], [](const Written& place) { return place.touched; })) found.push_back(i);
  return found;
}

bool WaveLog::changes(uint32_t write, uint64_t address) const {
  const auto found =
      std::ranges::lower_bound(changes_, write, {}, [](const auto& each) { return each.first; });
  if (found == changes_.end() || found->first != write) return false;
  const uint64_t element = (address - accesses_[write].begin) / accesses_[write].element;
  return element >= 64 || (found->second >> element & 1);
}

void WaveLog::compare(const WaveClocks& clocks, const Found& found) {
  const std::vector<uint32_t> all = suspects();
  uint64_t bits = 16;
  for (const uint32_t i : all) bits |= accesses_[i].begin | accesses_[i].end();
  const int shift = std::countr_zero(bits);
  std::unordered_map<uint64_t, std::vector<uint32_t>> cells;  // the last access of each wave and kind
  const auto visit = [&](uint32_t number, uint64_t cell) {
    const WaveAccess& second = accesses_[number];
    std::vector<uint32_t>& before = cells[cell];
    uint32_t* own = nullptr;
    for (uint32_t& other : before) {
      const WaveAccess& first = accesses_[other];
      if (first.wave == second.wave) {
        if (first.kind == second.kind) own = &other;
        continue;
      }
      if (!conflict(first.kind, second.kind)) continue;
      const WaveContext& from = contexts_[first.context];
      const WaveContext& to = contexts_[second.context];
      const WaveClocks::Knowledge& known = clocks.kept(to.snapshot);
      const uint64_t address = cell << shift;
      found({.first = first,
             .second = second,
             .first_context = from,
             .second_context = to,
             .address = address,
             .ordered = known.ordered[first.wave] > from.clock,
             .seen = known.seen[first.wave] > from.clock,
             .equal = second.kind == GlobalKind::Write && !changes(number, address)});
    }
    if (own)
      *own = number;
    else
      before.push_back(number);
  };
  uint64_t work = 0;
  for (const uint32_t i : all) {
    work += accesses_[i].bytes >> shift;
    if (work > kMostCells) return;
    for (uint64_t cell = accesses_[i].begin >> shift; cell < accesses_[i].end() >> shift; ++cell)
      visit(i, cell);
  }
}

void WaveLog::settle(const WaveClocks& clocks, const Found& found) {
  if (written_) {
    spread();
    compare(clocks, found);
  }
  accesses_.clear();
  contexts_.clear();
  changes_.clear();
  runs_ = 0;
  written_ = false;
}

}  // namespace wavesmith::check
