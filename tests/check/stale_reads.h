// Whether anybody reads, or overwrites, what caches and stores under way may keep from it.
#pragma once

#include <cstdint>
#include <deque>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "emulate/run/events.h"
#include "isa/target.h"
#include "isa/wait_counters.h"

namespace wavesmith::mutants {

/// Follows a launch on memory that is as slow as the GPU allows, in the order in which the launch runs here.
///
/// What a workgroup stores or loads is done where its wave waits for it, and on CDNA3 and CDNA4 a store only
/// where a write back that was issued behind it has been waited for. What is done others may know from the
/// workgroup's next atomic, coherent store or grid barrier on: it is *told*. A cache keeps a line from the
/// first load by any workgroup, as all may share it, until the workgroup that loaded it or the reader's
/// invalidates it; on RDNA the reader's wave has to, too, for the cache next to it.
///
/// Somebody fares badly who reads or overwrites what another workgroup has written and not told, overwrites
/// what another one has read and not told, or reads a line that was cached before the write was told; on
/// RDNA, where waves of a workgroup may have caches of their own, likewise between these. Where nobody does,
/// a GPU gives the same results in this order. Words of 4 bytes are followed.
class StaleReads : public emulate::Listener {
 public:
  explicit StaleReads(const isa::Target& target) : target_(target) {}
  std::unique_ptr<emulate::WorkgroupListener> workgroup(const emulate::WorkgroupView& view) override;
  [[nodiscard]] bool any() const { return any_; }

 private:
  class OfWorkgroup;
  using Time = uint64_t;  ///< counts what happens, from 1
  static constexpr Time kNever = std::numeric_limits<Time>::max();

  /// A store or load.
  struct Use {
    uint64_t workgroup;
    uint32_t wave;
    Time done = kNever, told = kNever;
  };
  struct Word {
    std::shared_ptr<Use> written;
    std::map<uint64_t, std::shared_ptr<Use>> read;  ///< by workgroup, its last
  };

  const isa::Target& target_;
  std::mutex mutex_;
  Time now_ = 0;
  bool any_ = false;
  std::unordered_map<uint64_t, Word> words_;
  /// When which workgroup loads them into a cache.
  std::unordered_map<uint64_t, std::map<uint64_t, std::vector<Time>>> lines_;
  std::unordered_map<uint64_t, Time> invalidated_;  ///< by workgroup, the caches that workgroups share
};

}  // namespace wavesmith::mutants
