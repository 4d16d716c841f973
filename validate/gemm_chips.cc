#include "validate/gemm_chips.h"

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
// clang-format on

}  // namespace

const GemmChip* gemm_chip(std::string_view gpu) {
  for (const GemmChip& chip : kChips)
    if (gpu.starts_with(chip.begins)) return &chip;
  return nullptr;
}

}  // namespace wavesmith::validate
