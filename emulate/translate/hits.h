// How often each basic block of a program has been executed.
//
// A code object may have many thousands of blocks, of which a kernel has a few dozen. Marks say in which
// stretches of blocks hits are, so that what a launch has counted is found without reading, and evicting
// caches for, the rest.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "base/pages.h"

namespace wavesmith::emulate {

/// The most basic blocks that a program may have; counters are reserved (not committed) for all of them.
inline constexpr size_t kMostBlocks = size_t{1} << 20;

/// The counters of one thread.
class Hits {
 public:
  /// Counts an execution of a block, by what `data` returned: the marks stand behind the counters.
  [[gnu::always_inline]] static void count(uint64_t* data, uint32_t block) {
    ++data[block];
    reinterpret_cast<uint8_t*>(data + kMostBlocks)[block / kStretch] = 1;
  }

  [[nodiscard]] uint64_t* data() const { return pages_.data(); }

  /// Calls with the first of each stretch of blocks, of the first `blocks`, that has hits, and with its end.
  template <class Visit>
  void each_stretch(size_t blocks, Visit visit) const {
    const uint8_t* const marks = this->marks();
    const size_t stretches = (blocks + kStretch - 1) / kStretch;
    for (size_t i = 0; i < stretches; ++i)
      if (marks[i]) visit(i * kStretch, std::min(blocks, (i + 1) * kStretch));
  }

  /// Makes all counters of the first `blocks` 0.
  void clear(size_t blocks) {
    each_stretch(blocks, [&](size_t begin, size_t end) {
      std::memset(data() + begin, 0, (end - begin) * sizeof(uint64_t));
    });
    std::memset(marks(), 0, (blocks + kStretch - 1) / kStretch);
  }

 private:
  static constexpr size_t kStretch = 64;
  [[nodiscard]] uint8_t* marks() const { return reinterpret_cast<uint8_t*>(data() + kMostBlocks); }

  Pages<uint64_t> pages_{kMostBlocks + kMostBlocks / kStretch / sizeof(uint64_t)};
};

}  // namespace wavesmith::emulate
