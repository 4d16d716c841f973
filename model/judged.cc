#include "model/judged.h"

namespace wavesmith::model {
namespace {

// clang-format off
constexpr Judged kJudged[] = {
    {"attention",     "CDNA3", 0.035, 78},   {"attention",     "CDNA4", 0.040, 205},
    {"decode",        "CDNA4", 0.130, 29},   {"recurrent",     "CDNA3", 0.116, 437},
    {"recurrent",     "CDNA4", 0.037, 890},  {"norm",          "CDNA",  0.049, 73},
    {"norm",          "CDNA2", 0.070, 85},   {"norm",          "CDNA3", 0.121, 26},
    {"moe",           "CDNA3", 0.095, 772},  {"moe",           "CDNA4", 0.108, 961},
    {"memory_bound",  "CDNA",  0.058, 565},  {"memory_bound",  "CDNA2", 0.062, 915},
    {"memory_bound",  "CDNA3", 0.095, 949},  {"memory_bound",  "CDNA4", 0.158, 16},
    {"memory_bound",  "RDNA2", 0.046, 125},  {"collectives",   "CDNA3", 0.135, 11},
};
// clang-format on

}  // namespace

double judged_error(std::string_view family, const gpus::Gpu& gpu) {
  for (const Judged& judged : kJudged)
    if (judged.family == family && judged.architecture == gpu.architecture) return judged.median;
  return 0;
}

}  // namespace wavesmith::model
