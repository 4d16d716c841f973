// The number of random cases that tests try.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>

namespace wavesmith {

/// Scales `cases` by WAVESMITH_TEST_EFFORT percent, for slow hosts; at least 1.
inline int effort(int cases) {
  const char* const text = std::getenv("WAVESMITH_TEST_EFFORT");
  const int percent = text ? std::clamp(std::atoi(text), 1, 100) : 100;
  return std::max(1, static_cast<int>(int64_t{cases} * percent / 100));
}

}  // namespace wavesmith
