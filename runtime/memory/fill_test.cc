#include "runtime/memory/fill.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <vector>

#include "base/pages.h"
#include "base/zeros.h"

namespace wavesmith::runtime {
namespace {

void fill(void* destination, uint32_t value, size_t element, size_t width) {
  do_fill({.destination = destination, .value = value, .element = element, .width = width});
}

TEST(Fill, ClearsEveryByteAndNoOther) {
  const size_t size = 3 * kZeroBlock + 12;
  const Pages<uint32_t> memory(size / 4 + 2);
  const auto begin = memory.data() + 1, end = begin + size / 4;
  for (uint32_t* const at : {begin, begin + kZeroBlock / 4, end - 1}) {
    fill(memory.data(), 7, 4, memory.size());
    fill(begin, 0, 1, size);
    *at = 5;  // in a block that is zeros but for this
    fill(begin, 0, 4, size / 4);
    EXPECT_TRUE(std::all_of(begin, end, [](uint32_t value) { return value == 0; }));
    EXPECT_EQ(memory[0], 7u);
    EXPECT_EQ(*end, 7u);
  }
}

TEST(Fill, ClearingWhatNobodyTouchedTakesNoMemory) {
#if __has_feature(thread_sanitizer)
  GTEST_SKIP() << "ThreadSanitizer notes who read what, and that takes twice the memory";
#endif
  constexpr size_t kBytes = size_t{256} << 20;
  const Pages<char> memory(kBytes);
  const auto resident = [] {
    size_t all = 0, pages = 0;
    std::ifstream("/proc/self/statm") >> all >> pages;
    return pages * 4096;
  };
  const size_t before = resident();
  fill(memory.data(), 0, 1, kBytes);
  EXPECT_LT(resident(), before + kBytes / 4);
  fill(memory.data(), 1, 1, kBytes);
  EXPECT_GT(resident(), before + kBytes / 2);
}

}  // namespace
}  // namespace wavesmith::runtime
