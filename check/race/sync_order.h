// Which workgroups' accesses happen before which others': a log of the operations by which workgroups meet,
// and questions to it.
//
// A workgroup's log numbers its operations; an access belongs to the number of those before it. Order is
// found when a launch is over, and only for the pairs that matter: most launches have none.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <vector>

namespace wavesmith::check {

struct SyncEntry {
  enum What : uint8_t {
    Release,     ///< an access by which others can know of what came before
    Store,       ///< a release by a store that others need not see yet: only who reads it does
    Acquire,     ///< an access by which it may know of others
    Invalidate,  ///< of what caches of the workgroup's own hold
    Shown,       ///< all that came before has been written back and waited for, and other stores follow
  };
  uint64_t stamp = 0;  ///< when: a release before it is made, an acquire afterwards
  uint64_t place = 0;  ///< an address, kMany, or 0: none
  What what = Release;
  bool visible = false;  ///< of a release: what came before has been written back and waited for
};

/// Operations of one workgroup, in their order.
class SyncLog {
 public:
  static constexpr uint64_t kMany = ~uint64_t{0}, kAny = ~uint64_t{1};
  /// The grid's first meeting; each later one has the place before.
  static constexpr uint64_t kGrid = ~uint64_t{2};

  /// The place in the log of an access that is made now.
  [[nodiscard]] uint32_t segment() const { return static_cast<uint32_t>(entries_.size()); }
  /// An access was made in the present segment, which keeps it apart from later ones.
  void use() { used_ = true; }
  void add(const SyncEntry& entry);
  /// Whether it may know of others at all.
  [[nodiscard]] bool acquired() const { return acquired_; }
  /// Whether the workgroup does nothing but look at the place again, or try an atomic there.
  [[nodiscard]] bool tries_again(uint64_t place, bool atomic) const {
    return !used_ && !entries_.empty() && entries_.back().what == SyncEntry::Acquire &&
           entries_.back().place == place && (!atomic || tried_clean_);
  }
  [[nodiscard]] const std::vector<SyncEntry>& entries() const { return entries_; }

 private:
  /// The last but `before` entries is of that kind and place, and no access was made since.
  [[nodiscard]] bool repeats(const SyncEntry& entry, size_t before) const;
  std::vector<SyncEntry> entries_;
  bool acquired_ = false;
  bool used_ = true;          ///< an access was made since the last entry
  bool tried_clean_ = false;  ///< none was between the last acquire and the entry before it
};

/// Two accesses by workgroup and segment: whether the first happens before the second.
struct OrderQuestion {
  uint32_t first = 0, first_segment = 0, second = 0, second_segment = 0;
  auto operator<=>(const OrderQuestion&) const = default;
};

struct Order {
  bool ordered = false;  ///< by any operations
  bool visible = false;  ///< the first was written back before
  bool seen = false;     ///< and the second does not see what its caches held before
};

class SyncOrder {
 public:
  /// Keeps the log of a workgroup that has ended; called from several threads.
  void add(uint32_t workgroup, SyncLog log);
  [[nodiscard]] bool empty() const { return logs_.empty(); }
  /// Answers all questions. Those that would take too long count as ordered in every way.
  void answer(std::map<OrderQuestion, Order>& questions) const;
  uint64_t stamp() { return stamp_.fetch_add(1); }

 private:
  std::mutex mutex_;
  std::map<uint32_t, SyncLog> logs_;
  std::atomic<uint64_t> stamp_{0};
};

}  // namespace wavesmith::check
