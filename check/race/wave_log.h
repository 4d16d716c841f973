// What a workgroup's waves accessed in device memory since all of them have last met, and which of it conflicts.
//
// Most of what is accessed is written by nobody meanwhile, so accesses are only noted, and compared when the
// waves meet: at once with what was written, and one by one, in the order of the run, where waves share that.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "check/race/global_shadow.h"
#include "check/race/wave_clocks.h"

namespace wavesmith::check {

/// How far a wave that has taken a lock has invalidated its caches since.
enum class Acquired : uint8_t { Nothing, Workgroup, Agent };

/// Bytes in a row that a wave's instruction accesses.
struct WaveAccess {
  uint64_t begin;
  uint64_t changes;  ///< of a write: elements that it changes, a bit each
  uint64_t lock;     ///< that the wave holds; 0: none
  uint32_t bytes, clock, snapshot;
  uint16_t site;
  uint8_t element;  ///< bytes
  uint8_t wave;
  GlobalKind kind;
  Acquired acquired;  ///< since it took the lock
  bool flag;          ///< of one address: it may be a flag's or a lock's
  [[nodiscard]] uint64_t end() const { return begin + bytes; }
  [[nodiscard]] bool writes() const { return kind == GlobalKind::Write || kind == GlobalKind::Atomic; }
};

/// Two accesses of one place by different waves, the second later in this run.
struct WaveConflict {
  const WaveAccess& first;
  const WaveAccess& second;
  uint64_t address;
  bool ordered;  ///< yet
  bool seen;     ///< and the second has invalidated its caches since
  bool equal;    ///< the second writes what was there
};

class WaveLog {
 public:
  using Found = std::function<void(const WaveConflict&)>;

  void add(const WaveAccess& access) {
    written_ |= access.writes();
    accesses_.push_back(access);
  }
  /// Whether it should be told what conflicts, lest it grows without bounds.
  [[nodiscard]] bool full() const { return accesses_.size() >= kMost; }
  /// Tells pairs of accesses at least one of which writes, and forgets all.
  void settle(const WaveClocks& clocks, const Found& found);

 private:
  static constexpr size_t kMost = 1 << 17;
  /// What is written in a row, by one wave or by several.
  struct Written {
    uint64_t begin, end;
    uint8_t wave;
    bool shared;
    bool plain;            ///< not by atomics alone
    bool touched = false;  ///< by another wave
  };
  [[nodiscard]] std::vector<Written> written() const;
  /// Accesses of what one wave writes and another one touches, in their order.
  [[nodiscard]] std::vector<uint32_t> suspects() const;

  std::vector<WaveAccess> accesses_;
  bool written_ = false;
};

}  // namespace wavesmith::check
