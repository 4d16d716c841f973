// How fast targets move bytes, as far as the choice of a tile goes. The numbers are those of gpus/data for
// one GPU of each target, where their sources stand; rates_test.cc compares the two.
#pragma once

#include <string_view>

namespace wavesmith::kernels {

struct GemmRates {
  std::string_view target;
  const char* gpu;     ///< whose numbers these are
  int dies;            ///< with an L2 each
  int line_bytes;      ///< of a compute unit's cache
  double unit_bytes;   ///< that a compute unit gets from the L2 in a cycle; 0: not known
  double gpu_bytes;    ///< that the GPU reads from its memory in a cycle
  double cache;        ///< bytes of its Infinity Cache
  double cache_bytes;  ///< that it reads from there in a cycle; 0: not known

  /// What the GPU reads in a cycle of so many bytes that were read, or written, not long ago.
  [[nodiscard]] constexpr double warm(double bytes) const {
    return bytes < cache && cache_bytes > 0 ? cache_bytes : gpu_bytes;
  }
  /// The same of the parts of a sum, which that cache holds.
  [[nodiscard]] constexpr double part_bytes() const { return cache_bytes > 0 ? cache_bytes : gpu_bytes; }
};
inline constexpr GemmRates kGemmRates[] = {
    {"gfx90a", "mi210", 1, 64, 28.4, 853, 0, 0},
    {"gfx942", "mi300x", 8, 128, 43.1, 2048, 256 << 20, 5667},
    {"gfx950", "mi355x", 8, 128, 22, 2667, 256 << 20, 0},
    {"gfx1100", "rx7900xtx", 1, 128, 0, 376, 96 << 20, 0},
    {"gfx1151", "radeon8060s", 1, 128, 0, 81, 32 << 20, 0},
    {"gfx1201", "rx9070xt", 1, 128, 0, 212, 64 << 20, 0},
};

/// Of a target that has kernels.
constexpr const GemmRates& gemm_rates(std::string_view target) {
  for (const GemmRates& one : kGemmRates)
    if (one.target == target) return one;
  return kGemmRates[0];
}

}  // namespace wavesmith::kernels
