#include "runtime/memory/hints.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

namespace wavesmith::runtime {
namespace {

constexpr uint64_t kPage = HintedRange::kPage;

int value_of(const HintedRange& range, uint64_t begin, uint64_t size, hipMemRangeAttribute attribute) {
  int value = -77;
  EXPECT_TRUE(describe(range, begin, size, attribute, &value, 1));
  return value;
}

TEST(Hints, ArePerPageAsInABookThatListsEachPage) {
  constexpr uint64_t kPages = 40;
  struct Page {
    bool read_mostly = false;
    int preferred = hipInvalidDeviceId;
    std::set<int> accessed_by;
  };
  std::vector<Page> book(kPages);
  HintedRange range;
  const unsigned seed = 20260;
  std::mt19937 random(seed);
  const auto below = [&](uint64_t n) { return random() % n; };
  for (int step = 0; step < 3000; ++step) {
    const uint64_t begin = below(kPages * kPage), size = 1 + below(kPages * kPage - begin);
    const uint64_t first = begin / kPage, last = (begin + size - 1) / kPage;
    const auto advice = static_cast<hipMemoryAdvise>(1 + below(6));
    const int device = static_cast<int>(below(3)) - 1;
    range.change(begin, size, [&](Hints& hints) { EXPECT_TRUE(advise(hints, advice, device)); });
    for (uint64_t i = first; i <= last; ++i) {
      Page& page = book[i];
      if (advice == hipMemAdviseSetReadMostly) page.read_mostly = true;
      if (advice == hipMemAdviseUnsetReadMostly) page.read_mostly = false;
      if (advice == hipMemAdviseSetPreferredLocation) page.preferred = device;
      if (advice == hipMemAdviseUnsetPreferredLocation) page.preferred = hipInvalidDeviceId;
      if (advice == hipMemAdviseSetAccessedBy) page.accessed_by.insert(device);
      if (advice == hipMemAdviseUnsetAccessedBy) page.accessed_by.erase(device);
    }
    const uint64_t from = below(kPages), to = from + below(kPages - from);
    bool read_mostly = true, same = true;
    std::set<int> everywhere = book[from].accessed_by;
    for (uint64_t i = from; i <= to; ++i) {
      read_mostly &= book[i].read_mostly;
      same &= book[i].preferred == book[from].preferred;
      std::erase_if(everywhere, [&](int each) { return !book[i].accessed_by.contains(each); });
    }
    const uint64_t at = from * kPage, bytes = (to - from + 1) * kPage;
    ASSERT_EQ(value_of(range, at, bytes, hipMemRangeAttributeReadMostly), read_mostly) << "seed " << seed;
    ASSERT_EQ(value_of(range, at, bytes, hipMemRangeAttributePreferredLocation),
              same ? book[from].preferred : hipInvalidDeviceId);
    int devices[4];
    ASSERT_TRUE(describe(range, at, bytes, hipMemRangeAttributeAccessedBy, devices, 4));
    std::set<int> named(devices, devices + 4);
    named.erase(hipInvalidDeviceId);
    ASSERT_EQ(named, everywhere);
  }
}

TEST(Hints, UnknownAdviceAndWrongCountsAreRefused) {
  Hints hints;
  EXPECT_FALSE(advise(hints, static_cast<hipMemoryAdvise>(-1), 0));
  EXPECT_FALSE(advise(hints, static_cast<hipMemoryAdvise>(7), 0));
  const HintedRange range;
  int values[2];
  EXPECT_FALSE(describe(range, 0, kPage, hipMemRangeAttributeReadMostly, values, 2));
  EXPECT_FALSE(describe(range, 0, kPage, hipMemRangeAttributeReadMostly, values, 0));
  EXPECT_FALSE(describe(range, 0, kPage, static_cast<hipMemRangeAttribute>(999), values, 1));
}

TEST(Hints, GrainThatDiffersIsIndeterminate) {
  HintedRange range;
  EXPECT_EQ(value_of(range, 0, 4 * kPage, hipMemRangeAttributeCoherencyMode),
            hipMemRangeCoherencyModeFineGrain);
  range.change(kPage, kPage, [](Hints& hints) { advise(hints, hipMemAdviseSetCoarseGrain, 0); });
  EXPECT_EQ(value_of(range, kPage, kPage, hipMemRangeAttributeCoherencyMode),
            hipMemRangeCoherencyModeCoarseGrain);
  EXPECT_EQ(value_of(range, 0, 4 * kPage, hipMemRangeAttributeCoherencyMode),
            hipMemRangeCoherencyModeIndeterminate);
}

}  // namespace
}  // namespace wavesmith::runtime
