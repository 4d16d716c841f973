// Hints about the location of memory (hipMemAdvise, hipMemPrefetchAsync). They have no effect here, but
// programs may query them.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "runtime/abi/memory.h"

namespace wavesmith::runtime {

/// The hints for a page. A device is an ordinal, hipCpuDeviceId, or hipInvalidDeviceId for none.
struct Hints {
  bool read_mostly = false, coarse_grain = false;
  int preferred = hipInvalidDeviceId, prefetched = hipInvalidDeviceId;
  std::vector<int> accessed_by;  ///< in the order in which they were named
};

/// Hints for a range of addresses, by page.
class HintedRange {
 public:
  static constexpr uint64_t kPage = 4096;

  /// Changes the hints of every page that [begin, begin + size) touches: change(Hints&).
  template <class Change>
  void change(uint64_t begin, uint64_t size, Change change) {
    const uint64_t from = begin / kPage, to = (begin + size + kPage - 1) / kPage;
    split(from);
    split(to);
    for (auto piece = starts_.find(from); piece->first < to; ++piece) change(piece->second);
  }
  /// Visits the hints of the pages that [begin, begin + size) touches, equal neighbours at once:
  /// visit(const Hints&).
  template <class Visit>
  void visit(uint64_t begin, uint64_t size, Visit visit) const {
    const uint64_t from = begin / kPage, to = (begin + size + kPage - 1) / kPage;
    for (auto piece = std::prev(starts_.upper_bound(from)); piece != starts_.end() && piece->first < to;
         ++piece)
      visit(piece->second);
  }

 private:
  void split(uint64_t page) { starts_.try_emplace(page, std::prev(starts_.upper_bound(page))->second); }

  /// The first page of each piece; a piece ends where the next one begins.
  std::map<uint64_t, Hints> starts_{{0, {}}, {UINT64_MAX, {}}};
};

/// Applies an advice to hints. False: unknown advice.
bool advise(Hints& hints, hipMemoryAdvise advice, int device);

/// Writes one attribute of a range into `count` values; if its pages differ, the result is that of no hint.
/// False: unknown attribute or wrong count.
bool describe(const HintedRange& range, uint64_t begin, uint64_t size, hipMemRangeAttribute attribute,
              int* values, size_t count);

}  // namespace wavesmith::runtime
