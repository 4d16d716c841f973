// What each target can do. Sizes and phases of AMD's are those of gpus/data, where their sources stand;
// targets_test.cc compares the two.
#pragma once

#include "tile/arch/capabilities.h"

namespace tile::arch {
namespace detail {

inline constexpr SharedPhases kInEights{32, {0, 0, 1, 1, 2, 2, 3, 3}};
/// CDNA2, CDNA3: lanes 0 to 3 with 20 to 23, 4 to 7 with 16 to 19, ...
inline constexpr SharedPhases kCrossedEights{32, {0, 1, 2, 3, 1, 0, 3, 2}};
/// CDNA4: lanes 0 to 3, 12 to 15 and 20 to 27; 4 to 11, 16 to 19 and 28 to 31.
inline constexpr SharedPhases kCrossedSixteens{64, {0, 1, 1, 0, 1, 0, 0, 1}};

}  // namespace detail

inline constexpr Capabilities kCdna2{.wave_lanes = 64,
                                     .shared_bytes = 64 << 10,
                                     .read_16 = detail::kCrossedEights,
                                     .write_16 = detail::kInEights};
inline constexpr Capabilities kCdna3 = [] {
  Capabilities cdna3 = kCdna2;
  cdna3.largest_e4m3 = 240;
  return cdna3;
}();
inline constexpr Capabilities kCdna4 = [] {
  Capabilities cdna4 = kCdna3;
  cdna4.shared_bytes = 160 << 10;
  cdna4.direct_bytes = 16;
  cdna4.read_16 = detail::kCrossedSixteens;
  cdna4.largest_e4m3 = 448;
  cdna4.rounds_bf16 = true;
  return cdna4;
}();
inline constexpr Capabilities kRdna3{
    .wave_lanes = 32, .shared_bytes = 64 << 10, .read_16 = detail::kInEights, .write_16 = detail::kInEights};
inline constexpr Capabilities kRdna4 = [] {
  Capabilities rdna4 = kRdna3;
  rdna4.largest_e4m3 = 448;
  return rdna4;
}();

/// NVIDIA's compute capability 9.0, from the CUDA C++ Programming Guide's tables and "Shared memory". A block
/// may have 227 KiB of shared memory, of which 48 KiB are for variables that kernels declare, as most of
/// these do; those by warpgroups are given what they need when they are launched. The 32 banks of 4 bytes
/// serve eight lanes with 16 bytes each at once.
inline constexpr Capabilities kHopper{.wave_lanes = 32,
                                      .shared_bytes = 48 << 10,
                                      .read_16 = detail::kInEights,
                                      .write_16 = detail::kInEights,
                                      .direct_bytes = 16,
                                      .largest_e4m3 = 448,
                                      .rounds_bf16 = true};

}  // namespace tile::arch
