// Helpers of this folder's tests.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <vector>

namespace wavesmith::object {

/// A file that the build made from testdata/sample.hip.
inline std::vector<uint8_t> sample(const std::string& name) {
  std::ifstream file(WAVESMITH_TESTDATA "/" + name, std::ios::binary);
  EXPECT_TRUE(file) << name;
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Calls `parse` with the bytes cut off after every length (at steps of `step`), in memory that ends there,
/// so that a sanitizer sees a read past the end.
template <class Parse>
void truncate_everywhere(const std::vector<uint8_t>& bytes, size_t step, Parse parse) {
  for (size_t length = 0; length < bytes.size(); length += step) {
    const auto exact = std::make_unique<uint8_t[]>(length ? length : 1);
    std::memcpy(exact.get(), bytes.data(), length);
    parse(std::span<const uint8_t>(exact.get(), length));
  }
}

/// Calls `parse` with `count` variants of the bytes in which a few are changed; more of them in the headers.
template <class Parse>
void flip_at_random(const std::vector<uint8_t>& bytes, int count, uint32_t seed, Parse parse) {
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  for (int i = 0; i < count; ++i) {
    std::vector<uint8_t> changed = bytes;
    const int flips = 1 + static_cast<int>(random() % 8);
    for (int j = 0; j < flips; ++j) {
      const size_t range = random() % 2 ? std::min<size_t>(bytes.size(), 2048) : bytes.size();
      const size_t at = random() % range;
      changed[at] = random() % 3 ? static_cast<uint8_t>(random()) : (random() % 2 ? 0xff : 0);
    }
    parse(std::span<const uint8_t>(changed));
  }
}

}  // namespace wavesmith::object
