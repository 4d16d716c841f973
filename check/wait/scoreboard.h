// What a wave has in flight: its memory instructions by counter, and the registers that they will write.
//
// A wait for a count n leaves at most n instructions outstanding. It proves that one has come back if more
// than n would be outstanding otherwise: the instruction itself and the later ones that come back after it.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "check/wait/counters.h"
#include "check/wait/site_facts.h"
#include "emulate/run/events.h"

namespace wavesmith::check::wait {

/// LDS that an instruction accesses, lane by lane.
struct LdsPlace {
  isa::Direction direction;
  uint32_t bytes;  ///< each lane
  uint64_t lanes;
  std::array<uint32_t, emulate::kRowLanes> address;
};

/// A memory instruction under way.
struct InFlight {
  const SiteFacts* facts = nullptr;
  uint64_t exec = 0;
  uint64_t event = 0;
  uint32_t arrivals = 0;   ///< at barriers, of its wave before it
  uint16_t pending = 0;    ///< counters, a bit each, that have to prove it
  uint8_t queues = 0;      ///< that hold it
  bool overtaken = false;  ///< a wait would have proved it, had instructions come back in order
  bool shown = false;      ///< LDS exposure has its places
  std::vector<LdsPlace> places = {};
};

/// Its number in the wave's scoreboard.
using Number = uint16_t;
inline constexpr Number kNone = 0xffff;

class LdsExposure;

class Scoreboard {
 public:
  /// `lds` is told when one that it shows has come back.
  Scoreboard(const isa::Target& target, uint32_t wave, LdsExposure& lds)
      : target_(&target), lds_(&lds), wave_(wave) {
    owner_.fill(kNone);
  }

  /// The registers in flight, as bits.
  [[nodiscard]] const std::array<uint64_t, RegisterWords::kWords>& in_flight() const { return in_flight_; }
  [[nodiscard]] bool any_in_flight() const { return registers_ != 0; }
  /// What will write a register; kNone: none.
  [[nodiscard]] Number writer_of(uint16_t r) const { return owner_[r]; }
  [[nodiscard]] InFlight& flight(Number number) { return flights_[number]; }
  /// Of all, those under way and others.
  [[nodiscard]] size_t size() const { return flights_.size(); }

  Number issue(const SiteFacts& facts, uint64_t exec, uint64_t event);
  /// A flat instruction's data come from there.
  void comes_from(Number number, bool lds);
  /// Whether the wait had to wait, as far as is known.
  bool wait(isa::Counter counter, uint16_t limit);
  /// Takes everything that the counters of `number` count, but for `spared`, as come back: it has been
  /// reported.
  void forgive(Number number, Number spared = kNone);
  void forgive_all();

  /// The first counter that has to prove it, and the limit that would.
  struct Need {
    isa::Counter counter;
    size_t limit;
  };
  [[nodiscard]] Need need_of(Number number) const;
  /// A later vector load or LDS instruction writes the same register, and does so later.
  [[nodiscard]] bool writes_after(const SiteFacts& later, Number earlier) const;

 private:
  struct Queue {
    struct Entry {
      Number number;
      Order order;
    };
    std::vector<Entry> entries;  ///< the oldest first
    uint16_t most = 0;           ///< that may be outstanding
  };
  [[nodiscard]] Queue& queue(isa::Counter counter) { return queues_[static_cast<size_t>(counter)]; }
  void prove(isa::Counter counter, uint16_t limit, Number spared = kNone);
  void arrive(isa::Counter counter, Number number);
  void mark(Number number);
  void unmark(Number number);
  Number take();

  const isa::Target* target_;
  LdsExposure* lds_;
  uint32_t wave_;
  uint32_t registers_ = 0;
  std::array<uint64_t, RegisterWords::kWords> in_flight_{};
  std::array<Number, isa::reg::kCount> owner_;
  std::array<Queue, kCounters> queues_;
  std::vector<InFlight> flights_;
  std::vector<Number> free_;
};

}  // namespace wavesmith::check::wait
