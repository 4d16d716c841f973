// Written by `wavesmith validate --judged model/judged_table.cc`: what docs/ACCURACY.md says by GPU, by
// generation. A test compares the two.
#include "model/judged.h"

namespace wavesmith::model {
namespace {

// clang-format off
constexpr Judged kTable[] = {
    {"gemm", "CDNA", 0.0697, 2486},
    {"gemm", "CDNA2", 0.0462, 23849},
    {"gemm", "CDNA3", 0.0296, 7569},
    {"gemm", "CDNA4", 0.0435, 5821},
    {"gemm", "RDNA3", 0.0353, 9402},
    {"gemm, kernel not told", "CDNA", 0.1011, 498},
    {"gemm, kernel not told", "CDNA2", 0.0483, 4769},
    {"gemm, kernel not told", "CDNA3", 0.0309, 1537},
    {"gemm, kernel not told", "CDNA4", 0.0687, 1351},
    {"gemm, kernel not told", "RDNA3", 0.0543, 1881},
    {"attention", "CDNA3", 0.0355, 78},
    {"attention", "CDNA4", 0.0404, 205},
    {"decode", "CDNA4", 0.1232, 30},
    {"norm", "CDNA", 0.0487, 73},
    {"norm", "CDNA2", 0.0700, 85},
    {"norm", "CDNA3", 0.1112, 26},
    {"moe", "CDNA3", 0.0965, 772},
    {"moe", "CDNA4", 0.1070, 961},
    {"memory_bound", "CDNA", 0.0583, 565},
    {"memory_bound", "CDNA2", 0.0621, 915},
    {"memory_bound", "CDNA3", 0.0711, 950},
    {"memory_bound", "CDNA4", 0.0802, 16},
    {"memory_bound", "RDNA2", 0.0462, 125},
    {"recurrent", "CDNA3", 0.1157, 437},
    {"recurrent", "CDNA4", 0.0370, 890},
    {"collectives", "CDNA3", 0.0879, 11},
    {"convolution", "CDNA3", 0.2549, 66},
};
// clang-format on

}  // namespace

std::span<const Judged> judged_table() { return kTable; }

}  // namespace wavesmith::model
