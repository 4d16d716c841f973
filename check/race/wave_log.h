// What a workgroup's waves accessed in device memory since all of them have last met, and which of it
// conflicts.
//
// Most of what is accessed is written by nobody meanwhile, so accesses are only noted, and compared when the
// waves meet: at once with what was written, and one by one, in the order of the run, where waves share that.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "check/race/global_shadow.h"
#include "check/race/wave_clocks.h"
#include "check/runs.h"

namespace wavesmith::check {

/// How far a wave that has taken a lock has invalidated its caches since.
enum class Acquired : uint8_t { Nothing, Workgroup, Agent };

/// What is the same for many accesses of a wave.
struct WaveContext {
  uint64_t lock = 0;  ///< that the wave holds; 0: none
  uint32_t clock = 0, snapshot = 0;
  Acquired acquired = Acquired::Nothing;  ///< since it took the lock
  bool operator==(const WaveContext&) const = default;
};

/// Bytes in a row that a wave's instruction accesses; of reads also several such runs, equally far apart.
struct WaveAccess {
  uint64_t begin;
  uint32_t bytes, context;
  uint32_t stride;  ///< from each run's begin to the next one's
  uint16_t site;
  uint8_t element;  ///< bytes
  uint8_t wave;
  uint8_t runs;
  GlobalKind kind;
  bool flag;  ///< of one address: it may be a flag's or a lock's
  [[nodiscard]] uint64_t end() const { return begin + uint64_t{stride} * (runs - 1u) + bytes; }
  [[nodiscard]] bool writes() const { return kind == GlobalKind::Write || kind == GlobalKind::Atomic; }
};

/// Two accesses of one place by different waves, the second later in this run.
struct WaveConflict {
  const WaveAccess& first;
  const WaveAccess& second;
  const WaveContext& first_context;
  const WaveContext& second_context;
  uint64_t address;
  bool ordered;  ///< yet
  bool seen;     ///< and the second has invalidated its caches since
  bool equal;    ///< the second writes what was there
};

class WaveLog {
 public:
  using Found = std::function<void(const WaveConflict&)>;

  /// The number of a wave's context, for its accesses until it changes.
  uint32_t context(uint32_t wave, const WaveContext& context) {
    if (const uint32_t known = latest_[wave]; known < contexts_.size() && contexts_[known] == context)
      return known;
    contexts_.push_back(context);
    return latest_[wave] = static_cast<uint32_t>(contexts_.size() - 1);
  }
  void add_read(const WaveAccess& access, const Runs& runs) { add(access, runs); }
  /// `changes`: elements of which memory does not hold yet what is written, a bit each.
  void add_write(const WaveAccess& access, uint64_t begin, uint32_t bytes, uint64_t changes) {
    if (changes) changes_.emplace_back(static_cast<uint32_t>(accesses_.size()), changes);
    written_ = true;
    add(access, {.begin = begin, .bytes = bytes});
  }
  /// Whether it should be told what conflicts, lest it grows without bounds.
  [[nodiscard]] bool full() const { return runs_ >= kMost; }
  /// Tells pairs of accesses at least one of which writes, and forgets all.
  void settle(const WaveClocks& clocks, const Found& found);

 private:
  void add(const WaveAccess& access, const Runs& runs) {
    WaveAccess& one = accesses_.emplace_back(access);
    one.begin = runs.begin;
    one.bytes = runs.bytes;
    one.stride = runs.stride;
    one.runs = static_cast<uint8_t>(runs.count);
    runs_ += runs.count;
  }
  /// Gives each run an entry of its own where somebody may write it, and leaves out where nobody does.
  void spread();
  static constexpr size_t kMost = 1 << 14;
  /// What is written in a row, by one wave or by several.
  struct Written {
    uint64_t begin, end;
    uint8_t wave;
    bool shared;
    bool plain;            ///< not by atomics alone
    bool touched = false;  ///< by another wave
  };
  /// In the order of addresses.
  void find_written();
  /// Accesses of what one wave writes and another one touches, in their order.
  [[nodiscard]] std::vector<uint32_t> suspects();
  void compare(const WaveClocks& clocks, const Found& found);
  [[nodiscard]] bool changes(uint32_t write, uint64_t address) const;

  std::vector<WaveAccess> accesses_;
  std::vector<Written> written_places_;
  std::vector<WaveContext> contexts_;
  std::vector<std::pair<uint32_t, uint64_t>> changes_;  ///< by access
  std::array<uint32_t, WaveClocks::kWaves> latest_{};
  size_t runs_ = 0;  ///< of all accesses
  bool written_ = false;
};

}  // namespace wavesmith::check
