#include "validate/gemm/chips.h"

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
// - f32 in navi31's files on 36 workgroup processors, the other types on 48;
// - MI300A's files begin with a run on 228 units, to which runs on the 304 of an MI300X were added (kFirstRuns).
constexpr GemmChip kMi100{"", "mi100", "MI100"};
constexpr GemmChip kLaterMi300x{"", "mi300x", "MI300X"};
constexpr GemmChip kNavi31Of72{"", "rx7900xtx+compute.units=72", "RX 7900 (72 CUs)"};
/// The last solution of the run on 228 units, in those of MI300A's files that go on with runs on 304. Below it no
/// row of 57 is faster than 228 units can be but two whose sizes fill 304 and were added later; above it no row
/// is faster than 304 can be, but many are faster than 228 can be.
struct FirstRun {
  std::string_view layout, types;
  int64_t last;
};
constexpr FirstRun kFirstRuns[] = {
    {"NT", "SB",     60}, {"NN", "SB",     64}, {"TN", "SB", 99},
    {"NT", "BBS_BH", 32}, {"NN", "BBS_BH", 19}, {"TT", "BBS_BH", 25},
    {"NT", "HHS_BH", 32}, {"NN", "HHS_BH", 36},
};
/// Runs in which every workgroup that is the first of its unit took some 65 ns more: 144 of them 9 us, 192
/// 13 us, 256 15 us, 304 19 us, whatever they multiplied, where other layouts' runs of the same sizes took none.
struct SlowRun {
  std::string_view layout, types;
  int64_t first, last;
};
constexpr SlowRun kSlowRuns[] = {
    {"NN", "SB",     95,  145}, {"NN", "SB",     195, 208},
    {"NT", "BBS_BH", 110, 133}, {"NT", "HHS_BH", 110, 133},
};
// clang-format on

bool after_first_run(const TunedKernel& kernel) {
  if (!kernel.solution) return false;
  for (const FirstRun& run : kFirstRuns)
    if (run.layout == kernel.layout && run.types == kernel.types) return *kernel.solution > run.last;
  return false;
}

}  // namespace

bool slow_start(std::string_view gpu, const TunedKernel& kernel) {
  if (!gpu.starts_with("MI300A") || !kernel.solution) return false;
  for (const SlowRun& run : kSlowRuns)
    if (run.layout == kernel.layout && run.types == kernel.types && *kernel.solution >= run.first &&
        *kernel.solution <= run.last)
      return true;
  return false;
}

double most_share(double workgroups, double units) {
  return workgroups > 0 ? workgroups / units / std::ceil(workgroups / units) : 1;
}

const GemmChip* gemm_chip(std::string_view gpu, const TunedKernel& kernel) {
  if (gpu.starts_with("MI250X") && kernel.types.ends_with("_BH_GB")) return &kMi100;
  if (gpu.starts_with("MI300A")) {
    const double units = 228, later = 304;
    if (after_first_run(kernel) || kernel.types.starts_with("B8B8S")) return &kLaterMi300x;
    // K split into as many parts as fill 304 units (3 tiles of 101 parts).
    if (kernel.split && kernel.workgroups > units && kernel.workgroups <= later) return &kLaterMi300x;
    if (kernel.share > most_share(kernel.workgroups, units)) return &kLaterMi300x;
  }
  if (gpu.starts_with("RX 7900") && kernel.types.starts_with("SB")) return &kNavi31Of72;
  for (const GemmChip& chip : kChips)
    if (gpu.starts_with(chip.begins)) return &chip;
  return nullptr;
}

}  // namespace wavesmith::validate
