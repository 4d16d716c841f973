#include "check/race/lds/shadow.h"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <map>
#include <optional>
#include <random>
#include <tuple>
#include <vector>

namespace wavesmith::check {
namespace {

using emulate::MemoryAccess;

/// A byte's conflict: its address, the lane that found it, and the other access.
using Told = std::tuple<uint32_t, int, AccessKind, uint32_t, uint16_t, int>;

/// Accesses of each byte, kept plainly.
class Plain {
 public:
  void forget() { bytes_.clear(); }
  std::vector<Told> access(const WaveAccesses& made, const WaveClocks& clocks) {
    std::vector<Told> told;
    uint64_t before = ~uint64_t{0};
    for (uint64_t left = made.access.lanes; left; left &= left - 1) {
      const int lane = std::countr_zero(left);
      const uint64_t address = made.access.address[lane];
      if (std::exchange(before, address) == address) continue;
      for (uint32_t i = 0; i < made.access.bytes; ++i)
        add(static_cast<uint32_t>(address) + i, lane, made, clocks, told);
    }
    return told;
  }

 private:
  struct Write {
    uint32_t wave, clock;
    uint16_t site;
    int lane;
  };
  struct Byte {
    std::optional<Write> write;
    std::map<uint32_t, uint32_t> reads, atomics;  ///< clocks, by wave
  };
  void add(uint32_t address, int lane, const WaveAccesses& made, const WaveClocks& clocks,
           std::vector<Told>& told) {
    Byte& byte = bytes_[address];
    const auto first_of = [&](const std::map<uint32_t, uint32_t>& others, AccessKind kind) {
      for (const auto& [wave, clock] : others) {
        if (clocks.ordered(wave, clock, made.wave)) continue;
        told.emplace_back(address, lane, kind, wave, 0, 0);
        return;
      }
    };
    if (byte.write && !clocks.ordered(byte.write->wave, byte.write->clock, made.wave))
      told.emplace_back(address, lane, AccessKind::Write, byte.write->wave, byte.write->site,
                        byte.write->lane);
    if (made.kind != AccessKind::Read) first_of(byte.reads, AccessKind::Read);
    if (made.kind != AccessKind::Atomic) first_of(byte.atomics, AccessKind::Atomic);
    const uint32_t early = clocks.used() ? clocks.now(made.wave) : 0;
    if (made.kind == AccessKind::Read) byte.reads[made.wave] = early;
    if (made.kind == AccessKind::Atomic) byte.atomics[made.wave] = early;
    if (made.kind == AccessKind::Write)
      byte = {.write = Write{made.wave, clocks.now(made.wave), made.site, lane}};
  }

  std::map<uint32_t, Byte> bytes_;
};

/// Of LDS, small enough that waves meet now and then.
constexpr uint32_t kBytes = 4096;

struct Random {
  std::mt19937 bits;
  uint32_t below(uint32_t limit) { return static_cast<uint32_t>(bits() % limit); }
  uint64_t lanes() {
    switch (below(4)) {
      case 0:
        return bits() | uint64_t{bits()} << 32 | 1;
      case 1:
        return uint64_t{1} << below(64);
      default:
        return ~uint64_t{0} >> below(8) << below(8);
    }
  }
  /// Rows, steps, one address, or anywhere; most in the wave's own part.
  MemoryAccess access(uint32_t wave) {
    MemoryAccess access{.space = emulate::AddressSpace::Lds};
    access.bytes = 1u << below(5);
    access.lanes = lanes();
    const uint32_t part = kBytes / 4, from = below(200) ? wave * part : 0, size = from ? part : kBytes;
    const uint32_t align = below(8) ? access.bytes : 1, pattern = below(4);
    const uint32_t most = (size / 64 - access.bytes) / align;
    const uint32_t step = pattern == 0 ? access.bytes : pattern == 1 ? below(most + 1) * align : 0;
    access.side_by_side = step == access.bytes && below(2);
    const uint32_t first = from + below((size - 63 * step - access.bytes) / align + 1) * align;
    for (uint32_t lane = 0; lane < 64; ++lane)
      access.address[lane] =
          pattern == 3 ? from + below((size - access.bytes) / align + 1) * align : first + lane * step;
    return access;
  }
};

/// Most accesses are only noted, and conflicts are as if each had been looked at byte by byte.
TEST(LdsShadow, FindsWhatALookAtEachByteFinds) {
  const unsigned seed = std::random_device()();
  Random random{std::mt19937(seed)};
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  size_t found = 0;
  LdsShadow shadow;
  uint32_t generation = 1;
  shadow.reserve(kBytes);
  for (int round = 0; round < 40; ++round) {
    Plain plain;
    WaveClocks clocks;
    clocks.begin(generation);
    const bool meets = round % 2;
    for (uint16_t site = 1; site < 400; ++site) {
      const uint32_t wave = random.below(4);
      if (random.below(50) == 0) {
        clocks.barrier();
        plain.forget();
      }
      if (meets && random.below(8) == 0) clocks.release(wave, 8);
      if (meets && random.below(8) == 0) clocks.acquire(wave, 8);
      const MemoryAccess access = random.access(wave);
      const WaveAccesses made{.wave = wave,
                              .kind = static_cast<AccessKind>(random.below(3)),
                              .site = site,
                              .flag = false,
                              .waited = false,
                              .access = access};
      std::vector<Told> told;
      shadow.access(made, clocks, [&](const LdsConflict& conflict) {
        const bool write = conflict.other_kind == AccessKind::Write;
        for (uint32_t i = 0; i < conflict.bytes; ++i)
          told.emplace_back(conflict.address + i, conflict.lane, conflict.other_kind, conflict.other_wave,
                            write ? conflict.other_site : 0, write ? conflict.other_lane : 0);
      });
      std::vector<Told> wanted = plain.access(made, clocks);
      found += wanted.size();
      std::ranges::sort(told);
      std::ranges::sort(wanted);
      ASSERT_EQ(told, wanted) << "round " << round << ", site " << site;
    }
    generation = clocks.generation() + 1;
  }
  EXPECT_GT(found, 0u);
}

/// A wave that never meets others notes more than is kept.
TEST(LdsShadow, KnowsOfLongPhases) {
  LdsShadow shadow;
  shadow.reserve(kBytes);
  WaveClocks clocks;
  clocks.begin(1);
  size_t found = 0;
  const auto access = [&](uint32_t wave, AccessKind kind, uint16_t site, uint64_t address) {
    MemoryAccess access{.space = emulate::AddressSpace::Lds};
    access.bytes = 4;
    access.lanes = 1;
    access.address[0] = address;
    shadow.access({.wave = wave, .kind = kind, .site = site, .flag = true, .waited = false, .access = access},
                  clocks, [&](const LdsConflict& conflict) {
                    ++found;
                    EXPECT_EQ(conflict.other_site, 1);
                    EXPECT_EQ(conflict.other_wave, 0u);
                  });
  };
  access(0, AccessKind::Write, 1, 64);
  for (int i = 0; i < 10000; ++i) access(1, AccessKind::Write, 2, 128);
  EXPECT_EQ(found, 0u);
  access(1, AccessKind::Read, 3, 64);
  EXPECT_EQ(found, 1u);
}

}  // namespace
}  // namespace wavesmith::check
