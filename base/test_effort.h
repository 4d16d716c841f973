// For tests that try many random cases: how many of them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>

namespace wavesmith {

/// `cases`, or where the environment says WAVESMITH_TEST_EFFORT=5, 5 % of them, one at least: for slow hosts.
inline int effort(int cases) {
  const char* const text = std::getenv("WAVESMITH_TEST_EFFORT");
  const int percent = text ? std::clamp(std::atoi(text), 1, 100) : 100;
  return std::max(1, static_cast<int>(int64_t{cases} * percent / 100));
}

}  // namespace wavesmith
