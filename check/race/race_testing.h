// For tests: kernels written once for every target, each with a race and without it.
#pragma once

#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "check/testing.h"

namespace wavesmith::check {

struct RaceTarget {
  std::string_view name;
  int lanes;
};
inline constexpr RaceTarget kRaceTargets[] = {{"gfx90a", 64},  {"gfx942", 64},  {"gfx950", 64},
                                              {"gfx1100", 32}, {"gfx1100", 64}, {"gfx1151", 32},
                                              {"gfx1201", 32}};

/// A kernel with a race and its twin without. In the texts words of capital letters stand for what targets
/// spell differently (race_testing.cc). s[4:5] is the address of 16,384 zeroed dwords, s8 the workgroup's
/// number, v0 the work-item's, v1 four times that, s9 is 0 in the first wave alone. Behind the text v3 to v9
/// are used.
struct RacePair {
  std::string_view name;
  std::string_view rule;  ///< that the race breaks; several with blanks between, in alphabetical order
  std::string faulty, right;
  uint32_t workgroups = 1, workgroup_size = 256;  ///< size 0: one wave
  std::string_view targets = "gfx";               ///< a part of the names of those that have it
  int lanes = 0;                                  ///< of a wave; 0: any
};
inline void PrintTo(const RacePair& pair, std::ostream* out) { *out << pair.name; }

/// Texts of pairs are put together of constant parts.
inline std::string operator+(std::string_view a, std::string_view b) {
  return std::string(a) + std::string(b);
}

/// Runs both on all their targets, and expects the race's rule of the one and nothing of the other.
void expect_race(const RacePair& pair);
/// The text in the target's spelling.
std::string race_kernel(const RaceTarget& target, std::string_view text);
/// What a kernel is found to do, as CheckedKernel::rules() without the instructions.
std::vector<std::string> races_of(const RaceTarget& target, std::string_view text, const RacePair& pair,
                                  int threads = 1);

}  // namespace wavesmith::check
