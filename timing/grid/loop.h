// A loop that a wave goes through again and again in the same way, of which a part tells all: once enough
// iterations were the same, but that each access lies as far from the one before as that did from its own,
// the others need not be recorded. They are watched all the same, instruction by instruction and access by
// access.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "emulate/run/events.h"

namespace wavesmith::timing {

/// Bytes that iterations touch which were not recorded: those from an address on, and as many each `step`
/// further.
struct Sweep {
  uint64_t address = 0;
  uint32_t bytes = 0;
  int64_t step = 0;
  uint64_t times = 0;  ///< at least once
};

/// What was watched since an iteration began.
struct Iteration {
  struct Executed {
    const emulate::Site* site;
    uint32_t accesses;  ///< of the iteration, before it
    bool idle;          ///< no lane was active
  };
  std::vector<Executed> executed;
  std::vector<emulate::MemoryAccess> accesses;
  void clear() { executed.clear(), accesses.clear(); }
};

class Loop {
 public:
  /// An iteration repeats whole lines: those of `line` bytes that an access moves through.
  explicit Loop(uint32_t line) : line_(line) {}
  Loop(Loop&&) noexcept = default;
  Loop& operator=(Loop&&) noexcept = default;

  /// Whether iterations are only watched.
  [[nodiscard]] bool folds() const { return folds_; }
  /// Whether iterations are only watched and the wave goes on as it did before.
  bool goes_on(const emulate::Site& site) {
    if (next_->site != &site || next_->accesses != next_access_) return folds_ && begins_again(site);
    ++next_;
    return true;
  }
  bool goes_on(const emulate::MemoryAccess& access);

  /// Of a loop that does not fold: the wave is about to execute that, `steps` steps were recorded before.
  /// True: an iteration has ended.
  bool executes(const emulate::Site& site, bool idle, size_t steps);
  void accesses(const emulate::MemoryAccess& access);

  /// Iterations that tell the pace of a loop: at the end of so many each access is at the same place of a
  /// line.
  [[nodiscard]] uint64_t measured() const { return measured_; }
  /// Whether the last iterations tell those to come: some went before them, and one more is behind them since
  /// steps of computing straddle an iteration's bounds. The steps of each begin at one of marks(), the last
  /// of which is where one more would.
  [[nodiscard]] bool steady() const { return measured_ != 0 && marks_.size() > kWarm + measured_ + 1; }
  [[nodiscard]] std::span<const uint32_t> marks() const { return marks_; }
  /// Whether an access of the last iteration stores, or adds, where the one before did not; or is to private
  /// memory elsewhere.
  [[nodiscard]] bool changes_elsewhere() const { return changes_elsewhere_; }
  /// This loop is not folded, however long it stays.
  void ignore();
  /// From the iteration that begins on they are only watched, as long as they stay the same.
  void fold();
  /// What a fold came to, once the wave does not go on so.
  struct Folded {
    uint64_t times = 0;         ///< iterations
    uint64_t instructions = 0;  ///< of each
    std::vector<Sweep> sweeps;  ///< what they touched
    Iteration begun;            ///< of one more
  };
  Folded unfold();

 private:
  enum class Same : uint8_t { No, Shape, Steps };
  [[nodiscard]] Same compare() const;
  bool begins_again(const emulate::Site& site);
  bool ended() const { return next_->site == nullptr && next_access_ == before_.accesses.size(); }
  void forget();
  void sweep(const emulate::MemoryAccess& access, int64_t step, std::vector<Sweep>& to) const;
  void begin(size_t steps);
  /// Iterations that are recorded to come to a steady state, and at least so many that tell its pace: few,
  /// since each costs as much as without folds. Twice as many of the second tell it little better (atax of
  /// 2,048 rows on an MI300A 0.14 % from all iterations' time instead of 0.18 %), half as many tell it worse
  /// where the workgroup's lines just fit into the L1 (loop_test.cc).
  static constexpr uint64_t kWarm = 16, kMeasured = 32;
  /// Behind the last instruction of an iteration, and where there is none.
  static constexpr Iteration::Executed kEnd{nullptr, 0, false};
  uint64_t line_;
  const emulate::Site* head_ = nullptr;
  uint64_t last_pc_ = 0;
  bool in_loop_ = false, ignored_ = false, folds_ = false, changes_elsewhere_ = false;
  Iteration before_, now_;
  std::vector<int64_t> steps_;   ///< of each access from an iteration to the next
  std::vector<uint32_t> marks_;  ///< recorded steps before each of the iterations that were the same
  uint64_t measured_ = 0;        ///< 0: too many
  uint64_t folded_ = 0;          ///< iterations that were watched to their end
  /// Of the iteration that is watched.
  const Iteration::Executed* next_ = &kEnd;
  uint32_t next_access_ = 0;
};

}  // namespace wavesmith::timing
