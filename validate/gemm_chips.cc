#include "validate/gemm_chips.h"

#include <cmath>

namespace wavesmith::validate {
namespace {

// MI308X: 80 units on 4 dies, and 4.3 TB/s of an MI300X's memory (published.csv, hw-param rows). Tables that
// name a generation ("MI350X/MI355X") mean either; the first is assumed.
// clang-format off
constexpr GemmChip kChips[] = {
    {"MI250X GCD",    "mi250x",    "MI250X"},
    {"MI210/MI250",   "mi210",     "MI210"},
    {"MI210",         "mi210",     "MI210"},
    {"MI300A",        "mi300a",    "MI300A"},
    {"MI300X",        "mi300x",    "MI300X"},
    {"MI308X",        "mi300x+compute.units=80+compute.xcds=4", "MI308X"},
    {"MI325X",        "mi325x",    "MI325X"},
    {"MI350X/MI355X", "mi355x",    "MI350X/MI355X"},
    {"MI355X",        "mi355x",    "MI355X"},
    {"MI350X",        "mi350x",    "MI350X"},
    {"gfx950",        "mi355x",    "MI350X/MI355X"},
    {"gfx942",        "mi300x",    "MI300X"},
    {"RX 7900 XTX",   "rx7900xtx", "RX 7900 XTX"},
    {"RX 9070 XT",    "rx9070xt",  "RX 9070 XT"},
};
// Efficiency falls where a round of workgroups begins, which tells on how many units a row was measured:
// - the general batched types ("..._BH_GB") in MI250X's files on 120, with bf16 instructions that only an MI100
//   has no better ones than: an MI100 (1502 MHz, 1229 GB/s, AMD's data sheet);
// - kernels of a later Tensile (names with "_GLVW", negative WorkGroupMapping, f8) in MI300A's files on 304: an
//   MI300X; a third of them is faster than 228 units can be. So are K split into as many parts as fill more
//   than 228 units and no more than 304 (3 tiles of 101 parts), and whatever else is faster than 228 units can be:
//   a share of the peak above that of the units which have work, on average over the rounds;
// - f32 in navi31's files on 36 workgroup processors, the other types on 48.
constexpr GemmChip kMi100{"", "mi250x+compute.units=120+clocks.engine_mhz=1502+memory.gigabytes_per_second=1228.8", "MI100"};
constexpr GemmChip kLaterMi300x{"", "mi300x", "MI300X"};
constexpr GemmChip kNavi31Of72{"", "rx7900xtx+compute.units=72", "RX 7900 (72 CUs)"};
// clang-format on

}  // namespace

const GemmChip* gemm_chip(std::string_view gpu, const TunedKernel& kernel) {
  if (gpu.starts_with("MI250X") && kernel.types.ends_with("_BH_GB")) return &kMi100;
  if (gpu.starts_with("MI300A")) {
    const double units = 228, later = 304;
    if (!kernel.name.empty() && (kernel.name.find("_GLVW") != kernel.name.npos || kernel.group_m < 0 ||
                                 kernel.types.starts_with("B8B8S")))
      return &kLaterMi300x;
    if (kernel.split && kernel.workgroups > units && kernel.workgroups <= later) return &kLaterMi300x;
    if (kernel.workgroups > 0 &&
        kernel.share > kernel.workgroups / units / std::ceil(kernel.workgroups / units))
      return &kLaterMi300x;
  }
  if (gpu.starts_with("RX 7900") && kernel.types.starts_with("SB")) return &kNavi31Of72;
  for (const GemmChip& chip : kChips)
    if (gpu.starts_with(chip.begins)) return &chip;
  return nullptr;
}

}  // namespace wavesmith::validate
