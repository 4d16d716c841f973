// Hints about where memory should be (hipMemAdvise, hipMemPrefetchAsync). Memory has no place here, so they
// change nothing; they are remembered, because programs ask for them.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "runtime/abi/memory.h"

namespace wavesmith::runtime {

/// What was said of a piece of memory. A device is an ordinal, hipCpuDeviceId, or hipInvalidDeviceId: none.
struct Hints {
  bool read_mostly = false, coarse_grain = false;
  int preferred = hipInvalidDeviceId, prefetched = hipInvalidDeviceId;
  std::vector<int> accessed_by;  ///< in the order in which they were named
};

/// Hints of a range of addresses, kept by pages.
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

/// Changes hints as an advice asks. False: an advice that HIP does not know.
bool advise(Hints& hints, hipMemoryAdvise advice, int device);

/// Writes one attribute of a range into `count` values; all pages have to agree, or it is as if nothing had
/// been said. False: an attribute that HIP does not know, or a wrong count.
bool describe(const HintedRange& range, uint64_t begin, uint64_t size, hipMemRangeAttribute attribute,
              int* values, size_t count);

}  // namespace wavesmith::runtime
