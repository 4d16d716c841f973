#include "gpus/lds_phases.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <functional>
#include <random>
#include <set>

namespace wavesmith::gpus {
namespace {

const Gpu& gpu(std::string_view id) { return **find_gpu(id); }

/// Cycles by brute force, from the text of the published groups alone.
uint32_t reference(const std::vector<std::vector<int>>& groups, uint32_t banks, uint32_t bytes,
                   const std::vector<uint32_t>& address) {
  uint32_t cycles = 0;
  for (const auto& group : groups) {
    uint32_t most = 0;
    for (uint32_t bank = 0; bank < banks; ++bank) {
      std::set<uint32_t> words;
      for (const int lane : group)
        for (uint32_t byte = 0; byte < bytes; byte += 4) {
          const uint32_t word = (address[static_cast<size_t>(lane)] + byte) / 4;
          if (word % banks == bank) words.insert(word);
        }
      most = std::max(most, static_cast<uint32_t>(words.size()));
    }
    cycles += most;
  }
  return cycles;
}

std::vector<std::vector<int>> groups_of(std::initializer_list<std::vector<std::pair<int, int>>> half) {
  std::vector<std::vector<int>> groups;
  for (const int offset : {0, 32})
    for (const auto& ranges : half) {
      std::vector<int>& group = groups.emplace_back();
      for (const auto& [first, last] : ranges)
        for (int lane = first; lane <= last; ++lane) group.push_back(lane + offset);
    }
  return groups;
}

struct Case {
  const char* name;
  const char* gpu;
  LdsAccess access;
  uint32_t bytes, banks;
  std::vector<std::vector<int>> groups;
};

std::vector<Case> published() {
  const auto four =
      groups_of({{{0, 3}, {20, 23}}, {{4, 7}, {16, 19}}, {{8, 11}, {28, 31}}, {{12, 15}, {24, 27}}});
  return {
      {"CDNA4 read_b128", "mi355x", LdsAccess::Read, 16, 64,
       groups_of({{{0, 3}, {12, 15}, {20, 27}}, {{4, 11}, {16, 19}, {28, 31}}})},
      {"CDNA4 read_b64", "mi355x", LdsAccess::Read, 8, 64, groups_of({{{0, 31}}})},
      {"CDNA4 read_b96", "mi355x", LdsAccess::Read, 12, 32, four},
      {"CDNA4 write_b64", "mi355x", LdsAccess::Write, 8, 32, groups_of({{{0, 15}}, {{16, 31}}})},
      {"CDNA3 read_b128", "mi300x", LdsAccess::Read, 16, 32, four},
      {"CDNA3 write_b128", "mi300x", LdsAccess::Write, 16, 32,
       groups_of({{{0, 7}}, {{8, 15}}, {{16, 23}}, {{24, 31}}})},
  };
}

TEST(LdsPhases, CyclesAreThoseOfThePublishedGroups) {
  const auto seed = std::random_device{}();
  SCOPED_TRACE(seed);
  std::mt19937 random(seed);
  for (const Case& c : published()) {
    SCOPED_TRACE(c.name);
    std::vector<std::function<uint32_t(uint32_t)>> patterns = {
        [&](uint32_t lane) { return lane * c.bytes; },
        [&](uint32_t) { return 64u; },
        [&](uint32_t lane) { return lane * 128; },
        [&](uint32_t lane) { return (lane % 16) * 64 + lane / 16 * 16; },
        [&](uint32_t lane) { return (lane % 32) * 256 + lane / 32 * 16; },
        [&](uint32_t lane) { return (lane * 16) ^ (lane / 8 % 8 * 16); },
    };
    for (int i = 0; i < 200; ++i)
      patterns.emplace_back([&](uint32_t) { return random() % 4096 * (c.bytes == 12 ? 4 : c.bytes); });
    for (const auto& pattern : patterns) {
      std::vector<uint32_t> address(64);
      for (uint32_t lane = 0; lane < 64; ++lane) address[lane] = pattern(lane);
      const LdsCycles cycles = lds_cycles(gpu(c.gpu), c.access, c.bytes, 64, address, ~uint64_t{0});
      EXPECT_EQ(cycles.cycles, reference(c.groups, c.banks, c.bytes, address));
      EXPECT_EQ(cycles.cycles, cycles.conflicts + c.groups.size());
    }
  }
}

TEST(LdsPhases, EveryLaneStandsInOnePhase) {
  for (const Gpu* each : gpus())
    for (const LdsAccess access : {LdsAccess::Read, LdsAccess::Write, LdsAccess::Atomic, LdsAccess::Load})
      for (const uint32_t bytes : {1u, 2u, 4u, 8u, 12u, 16u})
        for (const uint32_t lanes : each->wave_sizes) {
          const LdsPhases& how = lds_phases(*each, access, bytes, lanes);
          uint64_t seen = 0;
          for (const uint64_t phase : how.phases) {
            EXPECT_EQ(seen & phase, 0u);
            seen |= phase;
          }
          EXPECT_EQ(seen, lanes == 64 ? ~uint64_t{0} : 0xffffffffu) << each->id << ' ' << bytes;
          EXPECT_FALSE(how.source.text.empty());
        }
}

TEST(LdsPhases, AConflictFreeReadRunsAtTheGpusBandwidth) {
  for (const Gpu* each : gpus()) {
    if (each->lds_read_bytes_per_clock == 0) continue;
    const uint32_t lanes = each->wave_sizes.front();
    std::vector<uint32_t> address(64);
    for (uint32_t lane = 0; lane < 64; ++lane) address[lane] = lane * 16;
    const LdsCycles cycles = lds_cycles(*each, LdsAccess::Read, 16, lanes, address, ~uint64_t{0});
    EXPECT_EQ(cycles.conflicts, 0u) << each->id;
    if (each->is_cdna()) EXPECT_EQ(lanes * 16 / cycles.cycles, each->lds_read_bytes_per_clock) << each->id;
  }
}

TEST(LdsPhases, AtomicsOnOneDwordGoOneAfterAnother) {
  const std::vector<uint32_t> address(64, 128);
  EXPECT_EQ(lds_cycles(gpu("mi300x"), LdsAccess::Atomic, 4, 64, address, ~uint64_t{0}).cycles, 64u);
  EXPECT_EQ(lds_cycles(gpu("mi300x"), LdsAccess::Read, 4, 64, address, ~uint64_t{0}).cycles, 2u);
  EXPECT_EQ(lds_cycles(gpu("mi300x"), LdsAccess::Read, 4, 64, address, 0xff).cycles, 1u);
  EXPECT_EQ(lds_cycles(gpu("mi300x"), LdsAccess::Read, 4, 64, address, 0).cycles, 0u);
}

}  // namespace
}  // namespace wavesmith::gpus
