#include "emulate/instructions/lane_testing.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <random>
#include <string>

#include "emulate/instructions/testing.h"

namespace wavesmith::emulate {
namespace {

constexpr uint64_t kSpecial32[] = {0,          0x80000000, 1,          0x80000001, 0x007fffff,
                                   0x00800000, 0x3f800000, 0xbf800000, 0x7f7fffff, 0xff7fffff,
                                   0x7f800000, 0xff800000, 0x7fc00000, 0xffc00001, 0x3f000000,
                                   0x4b800001, 0x4f000000, 0xcf000000, 0x3effffff, 0x40200000};
constexpr uint64_t kSpecial16[] = {0,      0x8000, 1,      0x8001, 0x03ff, 0x0400, 0x3c00, 0xbc00, 0x7bff,
                                   0xfbff, 0x7c00, 0xfc00, 0x7e00, 0xfe01, 0x3800, 0x3801, 0x6400, 0x4100};
constexpr uint64_t kSpecial64[] = {0,
                                   0x8000000000000000,
                                   1,
                                   0x800fffffffffffff,
                                   0x0010000000000000,
                                   0x3ff0000000000000,
                                   0xbff0000000000000,
                                   0x7fefffffffffffff,
                                   0xffefffffffffffff,
                                   0x7ff0000000000000,
                                   0xfff0000000000000,
                                   0x7ff8000000000000,
                                   0xfff8000000000001,
                                   0x3fe0000000000000,
                                   0x41dfffffffc00000,
                                   0x41f0000000000000,
                                   0xc1e0000000000000,
                                   0x36a0000000000001,
                                   0x47efffffffffffff,
                                   0x3fdfffffffffffff};
constexpr uint64_t kSpecialIntegers[] = {0,
                                         1,
                                         2,
                                         31,
                                         32,
                                         33,
                                         0x7f,
                                         0x80,
                                         0xff,
                                         0x7fff,
                                         0x8000,
                                         0xffff,
                                         0x7fffff,
                                         0x800000,
                                         0xffffff,
                                         0x7fffffff,
                                         0x80000000,
                                         0xffffffff,
                                         0x7fffffffffffffff,
                                         0x8000000000000000,
                                         ~uint64_t{0}};

template <size_t N>
uint64_t one_of(const uint64_t (&values)[N], std::mt19937_64& random) {
  return values[random() % N];
}

uint64_t source(const LaneOptions& options, std::mt19937_64& random) {
  const uint64_t any = random();
  if (random() % 3 != 0) {
    // Floats with near exponents, so that additions and roundings matter, as well as any bits.
    if (options.float_bits == 32 && random() % 2)
      return (any & 0x83ffffff) | (uint64_t{0x3c000000 + (random() % 4 << 26)});
    if (options.float_bits == 64 && random() % 2)
      return (any & 0x803fffffffffffff) | (0x3fc0000000000000 + (random() % 3 << 53));
    return any >> (random() % 2 ? 0 : random() % 64);
  }
  switch (options.float_bits) {
    case 16:
      return one_of(kSpecial16, random) | any << 16;
    case 32:
      return one_of(kSpecial32, random);
    case 64:
      return one_of(kSpecial64, random);
    default:
      return one_of(kSpecialIntegers, random);
  }
}

bool is_nan(uint64_t bits, int width) {
  switch (width) {
    case 16:
      return (bits & 0x7fff) > 0x7c00;
    case 32:
      return std::isnan(std::bit_cast<float>(static_cast<uint32_t>(bits)));
    case 64:
      return std::isnan(std::bit_cast<double>(bits));
    default:
      return false;
  }
}

std::string for_target(std::string_view text, bool halves, bool wave32) {
  std::string result;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%')
      result += halves ? ".l" : "";
    else if (text.substr(i, 3) == "VCC")
      result += wave32 ? "vcc_lo" : "vcc", i += 2;
    else
      result += text[i];
  }
  return result;
}

}  // namespace

void expect_lanes(std::string_view text, const LaneReference& reference, const LaneOptions& options) {
  const auto seed = std::hash<std::string_view>{}(text);
  int targets = 0;
  for (const auto [name, lanes] : all_targets()) {
    const isa::Target& target = *isa::find_target(name);
    if (!target.is(options.generations)) continue;
    ++targets;
    const std::string line = for_target(text, target.is(isa::kRdna), lanes == 32);
    SCOPED_TRACE(std::string(name) + ", " + std::to_string(lanes) + " lanes: " + line + ", seed " +
                 std::to_string(seed));
    std::mt19937_64 random(seed);
    for (int round = 0; round < 12; ++round) {
      WaveTest test(name, lanes);
      const uint64_t exec =
          (round % 3 == 2 ? random() : options.exec) & (lanes == 64 ? ~uint64_t{0} : 0xffffffffu);
      test.exec() = exec;
      std::vector<std::array<uint64_t, 4>> values(static_cast<size_t>(lanes));
      for (int lane = 0; lane < lanes; ++lane)
        for (int i = 0; i < 4; ++i) {
          const uint64_t value = source(options, random);
          values[static_cast<size_t>(lane)][static_cast<size_t>(i)] = value;
          test.set_v64(2 * i, lane, value);
        }
      const auto done = test.run(line);
      ASSERT_TRUE(done) << done.error().text();
      for (int lane = 0; lane < lanes; ++lane) {
        const auto [old, a, b, c] = values[static_cast<size_t>(lane)];
        const bool active = exec >> lane & 1;
        const uint64_t expected = active ? reference(a, b, c, old) & options.mask : old & options.mask;
        const uint64_t got = test.v64(0, lane) & options.mask;
        const int width = options.integer_result ? 0
                          : options.result_bits  ? options.result_bits
                                                 : options.float_bits;
        if (active && is_nan(expected, width) && is_nan(got, width)) continue;
        ASSERT_EQ(got, expected) << std::hex << "lane " << lane << ", a " << a << ", b " << b << ", c " << c
                                 << ", old " << old;
      }
    }
  }
  EXPECT_GT(targets, 0);
}

}  // namespace wavesmith::emulate
