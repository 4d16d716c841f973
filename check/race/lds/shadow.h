// Who accessed which bytes of a workgroup's LDS since they were last ordered with everybody.
//
// A cell stands for as many bytes as the accesses to its neighbourhood leave whole: sixteen at most. It keeps
// the last write, which is the one that counts for whoever comes after it, and all waves that read, or made
// atomics, since. The order in which the emulator runs waves does not matter: two accesses conflict unless
// the clocks say that one happens before the other.
//
// That is for accesses that may conflict. Before the first of them since the waves last met, accesses are
// only claimed (claims.h) and noted. Then the cells learn of all that was noted, and of each that
// follows.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

#include "check/race/lds/claims.h"
#include "check/race/wave_clocks.h"
#include "check/runs.h"
#include "emulate/run/events.h"

namespace wavesmith::check {

/// An instruction's access by a wave, as the race checker takes it.
struct WaveAccesses {
  uint32_t wave;
  AccessKind kind;
  uint16_t site;
  bool flag;    ///< by one lane, or of one address: it may be a flag's, a lock's or a counter's
  bool waited;  ///< directly behind a wait for all that came before it
  const emulate::MemoryAccess& access;
};

/// Two accesses that nothing orders.
struct LdsConflict {
  AccessKind kind, other_kind;
  uint32_t other_wave;
  uint16_t other_site;
  uint8_t other_lane, lane;
  bool other_flag, other_waited;
  bool own_value;  ///< the other one, a read, may have read what its own wave wrote
  uint32_t address, bytes;
};

class LdsShadow {
 public:
  /// Adds an access; `found(const LdsConflict&)` is told of each conflict with an earlier one.
  template <class Found>
  void access(const WaveAccesses& made, const WaveClocks& clocks, Found found);
  /// For at least so many bytes, and a flat access that begins in the last one.
  void reserve(uint32_t bytes) {
    bytes += kWidest;
    claims_.reserve(bytes);
    if (chunks_.size() < (bytes + kChunk - 1) / kChunk) chunks_.resize((bytes + kChunk - 1) / kChunk);
  }

 private:
  static constexpr uint32_t kChunk = 1024, kCoarsest = 4, kWidest = 16;
  struct Cell {
    uint32_t generation = 0;
    uint32_t readers = 0, atomics = 0;  ///< a bit for each wave
    uint32_t write_clock = 0;
    uint16_t write_site = 0, read_site = 0, atomic_site = 0;  ///< 0: none; the last ones
    uint8_t write_wave = 0, read_wave = 0;
    uint8_t write_lane = 0, read_lane = 0, atomic_lane = 0;
    bool write_flag = false, write_waited = false, read_flag = false;
    uint8_t reader_before = 0;  ///< another wave, which read before the last one
    uint16_t site_before = 0;   ///< where it did; 0: there is none
  };
  /// Clocks of waves' last reads and atomics, where they are not all 0.
  struct Clocks {
    uint32_t read[WaveClocks::kWaves] = {}, atomic[WaveClocks::kWaves] = {};
  };
  struct Chunk {
    uint32_t shift = kCoarsest;
    std::vector<Cell> cells;
    std::vector<Clocks> clocks;
  };

  /// When an access is made, by its wave's clock.
  struct Time {
    uint32_t write, read;  ///< read: of an atomic, too
  };
  static Time time_of(uint32_t wave, const WaveClocks& clocks) {
    return {.write = clocks.now(wave), .read = clocks.used() ? clocks.now(wave) : 0};
  }
  struct Noted {
    Time time;
    uint32_t bytes;
    uint32_t first;   ///< the lowest lane's address, or the place of all lanes' among `addresses_`
    uint32_t stride;  ///< kScattered: lanes' addresses are not equally far apart
    uint32_t wave;
    uint64_t lanes;
    AccessKind kind;
    bool flag, waited;
    uint16_t site;
  };
  static constexpr uint32_t kScattered = ~uint32_t{0};
  static constexpr size_t kMostNoted = 1 << 12;

  /// False: it may conflict with an earlier one.
  bool note(const WaveAccesses& made, const WaveClocks& clocks);
  /// Cells learn of what was noted.
  void catch_up(const WaveClocks& clocks);
  void forget() {
    claims_.forget();
    noted_.clear();
    addresses_.clear();
    exact_ = false;
  }

  static void refine(Chunk& chunk, uint32_t shift);
  struct Where {
    uint32_t address, bytes;
    uint8_t lane;
  };
  template <AccessKind kKind, class Found>
  static void visit(Cell& cell, Clocks* seen, const WaveAccesses& made, const Time& time,
                    const WaveClocks& clocks, Where where, Found& found);
  template <AccessKind kKind, class Found>
  void visit_all(const WaveAccesses& made, const Time& time, const WaveClocks& clocks, Found& found);
  template <class Found>
  void visit_all(const WaveAccesses& made, const Time& time, const WaveClocks& clocks, Found& found);

  std::vector<Chunk> chunks_;
  LdsClaims claims_;
  std::vector<Noted> noted_;
  std::vector<uint32_t> addresses_;
  uint32_t generation_ = 0;
  bool exact_ = false;  ///< cells know of all
};

template <AccessKind kKind, class Found>
void LdsShadow::visit(Cell& cell, Clocks* seen, const WaveAccesses& made, const Time& time,
                      const WaveClocks& clocks, Where where, Found& found) {
  const uint32_t wave = made.wave, self = 1u << wave;
  if (cell.generation != clocks.generation()) {
    cell = Cell{};
    cell.generation = clocks.generation();
  }
  const auto conflict = [&](AccessKind kind, uint32_t other, uint16_t site, uint8_t lane) {
    return LdsConflict{.kind = kKind,
                       .other_kind = kind,
                       .other_wave = other,
                       .other_site = site,
                       .other_lane = lane,
                       .lane = where.lane,
                       .address = where.address,
                       .bytes = where.bytes};
  };
  const auto unordered = [&](uint32_t others, const uint32_t* times) {
    for (; others; others &= others - 1) {
      const auto other = static_cast<uint32_t>(std::countr_zero(others));
      if (!clocks.ordered(other, times ? times[other] : 0, wave)) return static_cast<int>(other);
    }
    return -1;
  };
  if (cell.write_site && !clocks.ordered(cell.write_wave, cell.write_clock, wave)) {
    LdsConflict one = conflict(AccessKind::Write, cell.write_wave, cell.write_site, cell.write_lane);
    one.other_flag = cell.write_flag;
    one.other_waited = cell.write_waited;
    found(one);
  }
  if (kKind != AccessKind::Read && (cell.readers & ~self)) {
    if (const int other = unordered(cell.readers & ~self, seen ? seen->read : nullptr); other >= 0) {
      const auto reader = static_cast<uint32_t>(other);
      const bool before = cell.reader_before == reader && cell.site_before;
      LdsConflict one =
          conflict(AccessKind::Read, reader, before ? cell.site_before : cell.read_site, cell.read_lane);
      one.other_flag = cell.read_flag;
      one.own_value = cell.write_site && cell.write_wave == reader;
      found(one);
    }
  }
  if (kKind != AccessKind::Atomic && (cell.atomics & ~self)) {
    if (const int other = unordered(cell.atomics & ~self, seen ? seen->atomic : nullptr); other >= 0)
      found(conflict(AccessKind::Atomic, static_cast<uint32_t>(other), cell.atomic_site, cell.atomic_lane));
  }
  if constexpr (kKind == AccessKind::Read) {
    if (cell.readers && cell.read_wave != wave) {
      cell.reader_before = cell.read_wave;
      cell.site_before = cell.read_site;
    }
    cell.readers |= self;
    cell.read_site = made.site;
    cell.read_wave = static_cast<uint8_t>(wave);
    cell.read_lane = where.lane;
    cell.read_flag = made.flag;
    if (seen) seen->read[wave] = time.read;
  } else if constexpr (kKind == AccessKind::Atomic) {
    cell.atomics |= self;
    cell.atomic_site = made.site;
    cell.atomic_lane = where.lane;
    if (seen) seen->atomic[wave] = time.read;
  } else {
    cell.write_site = made.site;
    cell.write_wave = static_cast<uint8_t>(wave);
    cell.write_lane = where.lane;
    cell.write_clock = time.write;
    cell.write_flag = made.flag;
    cell.write_waited = made.waited;
    cell.readers = cell.atomics = 0;
    cell.site_before = 0;
  }
}

template <AccessKind kKind, class Found>
void LdsShadow::visit_all(const WaveAccesses& made, const Time& time, const WaveClocks& clocks,
                          Found& found) {
  uint64_t before = ~uint64_t{0};
  for (uint64_t left = made.access.lanes; left; left &= left - 1) {
    const int lane = std::countr_zero(left);
    uint64_t address = made.access.address[lane];
    if (address == before) continue;
    before = address;
    const uint64_t end = address + made.access.bytes;
    while (address < end) {
      Chunk& chunk = chunks_[address / kChunk];
      const auto from = static_cast<uint32_t>(address % kChunk);
      const auto to = static_cast<uint32_t>(std::min<uint64_t>(kChunk, from + (end - address)));
      if (chunk.cells.empty() || (from | to) & ((1u << chunk.shift) - 1))
        refine(chunk, std::min<uint32_t>(chunk.shift, static_cast<uint32_t>(std::countr_zero(from | to))));
      if (clocks.used() && chunk.clocks.empty()) chunk.clocks.resize(chunk.cells.size());
      Clocks* const seen = chunk.clocks.empty() ? nullptr : chunk.clocks.data();
      const auto first = static_cast<uint32_t>(address / kChunk * kChunk);
      for (uint32_t i = from >> chunk.shift; i < to >> chunk.shift; ++i)
        visit<kKind>(chunk.cells[i], seen ? seen + i : nullptr, made, time, clocks,
                     {first + (i << chunk.shift), 1u << chunk.shift, static_cast<uint8_t>(lane)}, found);
      address += to - from;
    }
  }
}

template <class Found>
void LdsShadow::visit_all(const WaveAccesses& made, const Time& time, const WaveClocks& clocks,
                          Found& found) {
  switch (made.kind) {
    case AccessKind::Read:
      return visit_all<AccessKind::Read>(made, time, clocks, found);
    case AccessKind::Write:
      return visit_all<AccessKind::Write>(made, time, clocks, found);
    case AccessKind::Atomic:
      return visit_all<AccessKind::Atomic>(made, time, clocks, found);
  }
}

template <class Found>
void LdsShadow::access(const WaveAccesses& made, const WaveClocks& clocks, Found found) {
  if (std::exchange(generation_, clocks.generation()) != clocks.generation()) forget();
  if (!exact_ && note(made, clocks)) return;
  if (!std::exchange(exact_, true)) catch_up(clocks);
  visit_all(made, time_of(made.wave, clocks), clocks, found);
}

}  // namespace wavesmith::check
