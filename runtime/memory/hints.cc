#include "runtime/memory/hints.h"

#include <algorithm>
#include <optional>

namespace wavesmith::runtime {

bool advise(Hints& hints, hipMemoryAdvise advice, int device) {
  switch (advice) {
    case hipMemAdviseSetReadMostly:
    case hipMemAdviseUnsetReadMostly:
      hints.read_mostly = advice == hipMemAdviseSetReadMostly;
      return true;
    case hipMemAdviseSetPreferredLocation:
      hints.preferred = device;
      return true;
    case hipMemAdviseUnsetPreferredLocation:
      hints.preferred = hipInvalidDeviceId;
      return true;
    case hipMemAdviseSetAccessedBy:
      if (std::ranges::find(hints.accessed_by, device) == hints.accessed_by.end())
        hints.accessed_by.push_back(device);
      return true;
    case hipMemAdviseUnsetAccessedBy:
      std::erase(hints.accessed_by, device);
      return true;
    case hipMemAdviseSetCoarseGrain:
    case hipMemAdviseUnsetCoarseGrain:
      hints.coarse_grain = advice == hipMemAdviseSetCoarseGrain;
      return true;
  }
  return false;
}

namespace {

/// What all pages of a range say, or `otherwise` when they differ.
template <class Of>
int common(const HintedRange& range, uint64_t begin, uint64_t size, int otherwise, Of of) {
  std::optional<int> agreed;
  bool differ = false;
  range.visit(begin, size, [&](const Hints& hints) {
    const int value = of(hints);
    differ |= agreed && *agreed != value;
    agreed = value;
  });
  return differ || !agreed ? otherwise : *agreed;
}

}  // namespace

bool describe(const HintedRange& range, uint64_t begin, uint64_t size, hipMemRangeAttribute attribute,
              int* values, size_t count) {
  if (count == 0 || (count != 1 && attribute != hipMemRangeAttributeAccessedBy)) return false;
  const auto of_all = [&](int otherwise, auto of) {
    *values = common(range, begin, size, otherwise, of);
    return true;
  };
  switch (attribute) {
    case hipMemRangeAttributeReadMostly:
      return of_all(0, [](const Hints& hints) { return int{hints.read_mostly}; });
    case hipMemRangeAttributePreferredLocation:
      return of_all(hipInvalidDeviceId, [](const Hints& hints) { return hints.preferred; });
    case hipMemRangeAttributeLastPrefetchLocation:
      return of_all(hipInvalidDeviceId, [](const Hints& hints) { return hints.prefetched; });
    case hipMemRangeAttributeCoherencyMode:
      return of_all(hipMemRangeCoherencyModeIndeterminate, [](const Hints& hints) {
        return int{hints.coarse_grain ? hipMemRangeCoherencyModeCoarseGrain
                                      : hipMemRangeCoherencyModeFineGrain};
      });
    case hipMemRangeAttributeAccessedBy: {
      std::optional<std::vector<int>> all;
      range.visit(begin, size, [&](const Hints& hints) {
        if (!all) all = hints.accessed_by;
        std::erase_if(*all, [&](int device) {
          return std::ranges::find(hints.accessed_by, device) == hints.accessed_by.end();
        });
      });
      std::fill_n(values, count, hipInvalidDeviceId);
      if (all) std::copy_n(all->begin(), std::min(count, all->size()), values);
      return true;
    }
  }
  return false;
}

}  // namespace wavesmith::runtime
