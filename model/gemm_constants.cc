#include "model/gemm_constants.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace wavesmith::model {
namespace {

struct Set {
  std::string_view architecture;
  NumberType type;
  bool vector;
  std::string_view origin;
  GemmConstants constants;
  std::string_view source;
};

enum class Part : uint8_t { MatrixShare, StepCycles, MemoryShare, L2Share, FixedUs, ClockRatio };

/// One constant differs for a schedule, a chip, or the way of measuring.
struct Factor {
  std::string_view architecture;
  NumberType type;
  bool vector;
  std::string_view origin, tag;
  Part part;
  double value;
};

// All fitted by robust least squares of the logarithm of the time on half A of the rows (validate/split.h),
// each kind of size with equal weight, drawn towards the defaults of GemmConstants. Columns: matrix_share,
// step_cycles, lds_cost, lds_transposed, l1_cost, load_cycles, prologue_cycles, store_cost, memory_share,
// cache_ratio, l2_share, fixed_us, load_latency, split_writes, overlap, resident, tail_cycles, split_us,
// reduce_cycles.
// clang-format off
constexpr Set kSets[] = {
    // <sets>
    {"CDNA2", NumberType::F32, false, "BLAS", {0.999, 59.6, 1.49, 0.312, 1.95, 4, 137, 6.14, 0.943, 2, 1.3, 6.78, 1.11e+03, 0.357, 3.06, 0.31, 70.2, 13.7, 4.52e+03}, "half A"},
    {"CDNA2", NumberType::F64, false, "BLAS", {1.08, 12.2, 1, 1.2, 3.5, 4, 125, 0.808, 0.493, 2, 0.45, 6.55, 1.09e+03, 0.954, 35.5, 2.46, 699, 18.6, 600}, "half A"},
    {"CDNA2", NumberType::F16, false, "BLAS", {1.04, 56.2, 1.62, 2.25, 0.566, 5.06, 125, 11.2, 0.882, 2, 1.26, 9.48, 1.19e+03, 6.93, 2.8, 0.616, 961, 8.02, 556}, "half A"},
    {"CDNA2", NumberType::BF16, false, "BLAS", {1.08, 104, 1.89, 2.88, 0.468, 5.78, 125, 12.3, 0.971, 2, 0.955, 9.13, 1.17e+03, 5.29, 2.27, 0.216, 1e+03, 6.26, 436}, "half A"},
    {"CDNA2", NumberType::C32, false, "BLAS", {0.993, 9.73, 0.909, 1.37, 0.988, 4, 1.17e+04, 0.607, 0.483, 2, 0.694, 3.48, 522, 1, 6.19, 0.5, 147, 2, 600}, "half A"},
    {"CDNA2", NumberType::C64, false, "BLAS", {1.07, 13.2, 0.562, 0.36, 0.694, 4, 125, 3.54, 1.05, 2, 0.71, 10.1, 252, 0.405, 1.77, 1.57, 399, 12.6, 215}, "half A"},
    {"CDNA2", NumberType::I8, true, "BLAS", {0.773, 78.8, 6.1, 1.77, 1.03, 2.33, 216, 0.328, 1.05, 2, 0.4, 5.13, 93, 2.96, 2.61, 0.457, 94, 0.607, 101}, "half A"},
    {"CDNA2", NumberType::I8, false, "BLAS", {1.08, 12, 0.151, 2.78, 0.2, 2.07, 372, 0.411, 0.695, 2, 0.658, 5.06, 1.86e+03, 1, 0.648, 0.069, 1.31e+03, 2, 600}, "half A"},
    {"CDNA2", NumberType::F16, true, "BLAS", {0.481, 720, 1, 1.2, 1, 4.05, 3.29e+03, 8.76, 1.05, 2, 0.2, 8.43, 2.08e+03, 1, 6.59, 0.5, 151, 0.29, 502}, "half A"},
    {"CDNA3", NumberType::F32, false, "BLAS", {1.08, 24, 1.66, 0.698, 0.582, 2.33, 219, 9.8, 1.05, 0.948, 0.724, 6.79, 753, 1.09, 2.34, 0.0549, 36.2, 2.56, 78.1}, "half A"},
    {"CDNA3", NumberType::F64, false, "BLAS", {1.08, 2.54, 3.02, 1.66, 1.01, 4, 187, 1.7, 0.8, 1.82, 0.508, 8.71, 800, 1, 33.6, 0.49, 127, 2, 600}, "half A"},
    {"CDNA3", NumberType::F16, false, "BLAS", {1.08, 7.39, 1.76, 0.847, 0.944, 2.82, 182, 14.4, 0.363, 0.849, 0.694, 6.1, 846, 1.12, 31.5, 0.102, 167, 5.75, 151}, "half A"},
    {"CDNA3", NumberType::BF16, false, "BLAS", {1.04, 5.74, 1.15, 0.716, 0.888, 3.1, 586, 12.4, 0.413, 1.02, 0.394, 8.27, 224, 4.53, 17.1, 0.103, 105, 3.57, 219}, "half A"},
    {"RDNA3", NumberType::F32, true, "BLAS", {1.08, 3.17, 0.538, 0.376, 0.654, 2.61, 125, 0.25, 0.618, 1.92, 0.299, 2.04, 650, 0.839, 1.5, 0.103, 42.5, 19.7, 600}, "half A"},
    {"RDNA3", NumberType::F16, false, "BLAS", {0.91, 5.82, 0.549, 5.7, 0.397, 6.36, 127, 4.43, 1.05, 5.87, 0.727, 9.28, 454, 1, 0.974, 0.141, 150, 2, 600}, "half A"},
    {"RDNA3", NumberType::F16, false, "hipBLASLt", {0.488, 163, 0.165, 1.14, 1, 1.5, 750, 8.64, 1.04, 0.579, 0.429, 27.3, 324, 0.0942, 0.4, 0.102, 274, 3.99, 600}, "half A"},
    {"CDNA3", NumberType::F8, false, "AITER", {0.716, 63.2, 0.442, 1.2, 1.02, 4, 125, 12.3, 0.895, 5.97, 0.456, 2.64, 1.08e+03, 12, 0.4, 0.5, 148, 2.39, 600}, "half A"},
    {"CDNA3", NumberType::I8, false, "AITER", {0.486, 702, 0.351, 1.2, 1.34, 4, 199, 12.5, 0.838, 5.69, 1.3, 3.33, 800, 0.114, 0.449, 0.5, 100, 0.192, 600}, "half A"},
    {"CDNA3", NumberType::BF16, false, "AITER", {1.08, 14.7, 0.424, 1.2, 0.202, 2.98, 140, 20.4, 1.05, 0.413, 0.377, 3.7, 96.7, 9.32, 1.04, 0.5, 1.8e+03, 0.361, 600}, "half A"},
    {"CDNA4", NumberType::F8, false, "AITER", {1.07, 226, 0.332, 1.2, 1.48, 4, 125, 9.75, 1.05, 6, 1.25, 2.73, 1.24e+03, 7.84, 0.447, 0.5, 96.6, 2.26, 600}, "half A"},
    {"CDNA4", NumberType::I8, false, "AITER", {0.511, 42.5, 0.536, 1.2, 1.31, 4, 303, 9.44, 0.875, 2.85, 0.626, 3.85, 709, 1, 1.11, 0.5, 825, 2, 600}, "half A"},
    {"CDNA4", NumberType::BF16, false, "AITER", {0.821, 179, 1.31, 1.2, 0.444, 4, 436, 7.61, 1.05, 1.26, 0.542, 2.5, 663, 11.5, 1.08, 0.5, 55.6, 0.992, 600}, "half A"},
    {"CDNA4", NumberType::F4, false, "AITER", {0.724, 80.2, 0.954, 1.2, 1.13, 4, 196, 8.03, 1.05, 5.99, 0.494, 3.44, 1.43e+03, 1, 0.872, 0.5, 150, 2, 600}, "half A"},
    // </sets>
};
constexpr Factor kFactors[] = {
    // <factors>
    {"CDNA2", NumberType::F32, false, "BLAS", "mi210", Part::FixedUs, 2.95},
    {"CDNA2", NumberType::F32, false, "BLAS", "in GFLOP/s", Part::FixedUs, 1.48},
    {"CDNA2", NumberType::F32, false, "BLAS", "in GFLOP/s", Part::MatrixShare, 0.875},
    {"CDNA2", NumberType::F64, false, "BLAS", "mi210", Part::FixedUs, 3.18},
    {"CDNA2", NumberType::F16, false, "BLAS", "mi210", Part::FixedUs, 2.27},
    {"CDNA2", NumberType::F16, false, "BLAS", "in GFLOP/s", Part::FixedUs, 1.72},
    {"CDNA2", NumberType::F16, false, "BLAS", "in GFLOP/s", Part::MatrixShare, 0.991},
    {"CDNA2", NumberType::BF16, false, "BLAS", "mi210", Part::FixedUs, 2.23},
    {"CDNA2", NumberType::BF16, false, "BLAS", "in GFLOP/s", Part::FixedUs, 1.88},
    {"CDNA2", NumberType::BF16, false, "BLAS", "in GFLOP/s", Part::MatrixShare, 0.794},
    {"CDNA2", NumberType::I8, true, "BLAS", "mi210", Part::FixedUs, 1.03},
    {"CDNA2", NumberType::I8, false, "BLAS", "mi210", Part::FixedUs, 4.54},
    {"CDNA2", NumberType::I8, false, "BLAS", "in GFLOP/s", Part::FixedUs, 0.281},
    {"CDNA2", NumberType::I8, false, "BLAS", "in GFLOP/s", Part::MatrixShare, 0.986},
    {"CDNA2", NumberType::F16, true, "BLAS", "mi210", Part::FixedUs, 12},
    {"CDNA3", NumberType::F32, false, "BLAS", "mi300x", Part::FixedUs, 0.466},
    {"CDNA3", NumberType::F16, false, "BLAS", "mi300x", Part::FixedUs, 3.05},
    {"CDNA3", NumberType::BF16, false, "BLAS", "mi300x", Part::FixedUs, 2.61},
    {"CDNA3", NumberType::BF16, false, "BLAS", "in GFLOP/s", Part::FixedUs, 0.189},
    {"CDNA3", NumberType::BF16, false, "BLAS", "in GFLOP/s", Part::MatrixShare, 0.418},
    {"RDNA3", NumberType::F32, true, "BLAS", "in GFLOP/s", Part::FixedUs, 1.43},
    {"RDNA3", NumberType::F32, true, "BLAS", "in GFLOP/s", Part::ClockRatio, 0.774},
    {"RDNA3", NumberType::F16, false, "hipBLASLt", "i8", Part::MatrixShare, 2.04},
    {"RDNA3", NumberType::F16, false, "hipBLASLt", "wide result", Part::FixedUs, 0.174},
    {"RDNA3", NumberType::F16, false, "hipBLASLt", "wide result", Part::MatrixShare, 12},
    {"CDNA3", NumberType::F8, false, "AITER", "CK blockscale v3", Part::MatrixShare, 0.943},
    {"CDNA3", NumberType::F8, false, "AITER", "CK blockscale v3", Part::StepCycles, 11.5},
    {"CDNA3", NumberType::F8, false, "AITER", "CK blockscale v1", Part::MatrixShare, 1.37},
    {"CDNA3", NumberType::F8, false, "AITER", "CK blockscale v1", Part::StepCycles, 11.8},
    {"CDNA3", NumberType::F8, false, "AITER", "CK rowwise preshuffled v3", Part::MatrixShare, 1.94},
    {"CDNA3", NumberType::F8, false, "AITER", "CK rowwise preshuffled v3", Part::StepCycles, 4.12},
    {"CDNA3", NumberType::F8, false, "AITER", "CK rowwise preshuffled v1", Part::MatrixShare, 1.73},
    {"CDNA3", NumberType::F8, false, "AITER", "CK rowwise preshuffled v1", Part::StepCycles, 0.488},
    {"CDNA3", NumberType::F8, false, "AITER", "assembly", Part::MatrixShare, 1.25},
    {"CDNA3", NumberType::F8, false, "AITER", "assembly", Part::StepCycles, 0.168},
    {"CDNA3", NumberType::F8, false, "AITER", "CK blockscale preshuffled v1", Part::MatrixShare, 1.28},
    {"CDNA3", NumberType::F8, false, "AITER", "CK blockscale preshuffled v1", Part::StepCycles, 0.777},
    {"CDNA3", NumberType::F8, false, "AITER", "CK Tile preshuffled", Part::MatrixShare, 4.15},
    {"CDNA3", NumberType::F8, false, "AITER", "CK Tile preshuffled", Part::StepCycles, 0.586},
    {"CDNA3", NumberType::F8, false, "AITER", "CK rowwise preshuffled v2", Part::MatrixShare, 1.26},
    {"CDNA3", NumberType::F8, false, "AITER", "CK rowwise preshuffled v2", Part::StepCycles, 0.779},
    {"CDNA3", NumberType::F8, false, "AITER", "Opus", Part::MatrixShare, 1.31},
    {"CDNA3", NumberType::F8, false, "AITER", "Opus", Part::StepCycles, 0.988},
    {"CDNA3", NumberType::F8, false, "AITER", "mi308x", Part::FixedUs, 1.28},
    {"CDNA3", NumberType::F8, false, "AITER", "mi308x", Part::MemoryShare, 3.07},
    {"CDNA3", NumberType::F8, false, "AITER", "mi308x", Part::MatrixShare, 0.631},
    {"CDNA3", NumberType::F8, false, "AITER", "mi308x", Part::L2Share, 9.76},
    {"CDNA3", NumberType::I8, false, "AITER", "assembly", Part::MatrixShare, 12},
    {"CDNA3", NumberType::I8, false, "AITER", "assembly", Part::StepCycles, 0.0834},
    {"CDNA3", NumberType::I8, false, "AITER", "mi308x", Part::FixedUs, 1.4},
    {"CDNA3", NumberType::I8, false, "AITER", "mi308x", Part::MemoryShare, 1.31},
    {"CDNA3", NumberType::I8, false, "AITER", "mi308x", Part::MatrixShare, 1.73},
    {"CDNA3", NumberType::I8, false, "AITER", "mi308x", Part::L2Share, 0.249},
    {"CDNA3", NumberType::BF16, false, "AITER", "Opus", Part::MatrixShare, 12},
    {"CDNA3", NumberType::BF16, false, "AITER", "Opus", Part::StepCycles, 0.298},
    {"CDNA4", NumberType::F8, false, "AITER", "CK blockscale v3", Part::MatrixShare, 0.492},
    {"CDNA4", NumberType::F8, false, "AITER", "CK blockscale v3", Part::StepCycles, 2.89},
    {"CDNA4", NumberType::F8, false, "AITER", "CK blockscale v1", Part::MatrixShare, 0.471},
    {"CDNA4", NumberType::F8, false, "AITER", "CK blockscale v1", Part::StepCycles, 2.44},
    {"CDNA4", NumberType::F8, false, "AITER", "CK blockscale preshuffled v1", Part::MatrixShare, 1.02},
    {"CDNA4", NumberType::F8, false, "AITER", "CK blockscale preshuffled v1", Part::StepCycles, 1.96},
    {"CDNA4", NumberType::F8, false, "AITER", "CK Tile blockscale", Part::MatrixShare, 0.667},
    {"CDNA4", NumberType::F8, false, "AITER", "CK Tile blockscale", Part::StepCycles, 0.605},
    {"CDNA4", NumberType::F8, false, "AITER", "FlyDSL", Part::MatrixShare, 1.62},
    {"CDNA4", NumberType::F8, false, "AITER", "FlyDSL", Part::StepCycles, 0.157},
    {"CDNA4", NumberType::F8, false, "AITER", "assembly", Part::MatrixShare, 0.645},
    {"CDNA4", NumberType::F8, false, "AITER", "assembly", Part::StepCycles, 0.83},
    {"CDNA4", NumberType::F8, false, "AITER", "CK Tile preshuffled", Part::MatrixShare, 1.42},
    {"CDNA4", NumberType::F8, false, "AITER", "CK Tile preshuffled", Part::StepCycles, 1.31},
    {"CDNA4", NumberType::F8, false, "AITER", "CK rowwise preshuffled v1", Part::MatrixShare, 1.48},
    {"CDNA4", NumberType::F8, false, "AITER", "CK rowwise preshuffled v1", Part::StepCycles, 0.909},
    {"CDNA4", NumberType::F8, false, "AITER", "CK rowwise preshuffled v3", Part::MatrixShare, 1.02},
    {"CDNA4", NumberType::F8, false, "AITER", "CK rowwise preshuffled v3", Part::StepCycles, 0.841},
    {"CDNA4", NumberType::F8, false, "AITER", "Opus", Part::MatrixShare, 0.973},
    {"CDNA4", NumberType::F8, false, "AITER", "Opus", Part::StepCycles, 2.8},
    {"CDNA4", NumberType::F8, false, "AITER", "CK rowwise v3", Part::MatrixShare, 3.57},
    {"CDNA4", NumberType::F8, false, "AITER", "CK rowwise v3", Part::StepCycles, 2.87},
    {"CDNA4", NumberType::F8, false, "AITER", "CK blockscale preshuffled v3", Part::MatrixShare, 0.589},
    {"CDNA4", NumberType::F8, false, "AITER", "CK blockscale preshuffled v3", Part::StepCycles, 0.771},
    {"CDNA4", NumberType::I8, false, "AITER", "CK rowwise v3", Part::MatrixShare, 1.02},
    {"CDNA4", NumberType::I8, false, "AITER", "CK rowwise v3", Part::StepCycles, 7.97},
    {"CDNA4", NumberType::BF16, false, "AITER", "FlyDSL", Part::MatrixShare, 0.875},
    {"CDNA4", NumberType::BF16, false, "AITER", "FlyDSL", Part::StepCycles, 0.994},
    {"CDNA4", NumberType::BF16, false, "AITER", "assembly", Part::MatrixShare, 1.38},
    {"CDNA4", NumberType::BF16, false, "AITER", "assembly", Part::StepCycles, 2.14},
    {"CDNA4", NumberType::BF16, false, "AITER", "Opus", Part::MatrixShare, 1.2},
    {"CDNA4", NumberType::BF16, false, "AITER", "Opus", Part::StepCycles, 2.49},
    {"CDNA4", NumberType::F4, false, "AITER", "assembly", Part::MatrixShare, 1.72},
    {"CDNA4", NumberType::F4, false, "AITER", "assembly", Part::StepCycles, 0.759},
    {"CDNA4", NumberType::F4, false, "AITER", "CK blockscale v3", Part::MatrixShare, 0.555},
    {"CDNA4", NumberType::F4, false, "AITER", "CK blockscale v3", Part::StepCycles, 1.58},
    // </factors>
};
// clang-format on

double GemmConstants::* member_of(Part part) {
  switch (part) {
    case Part::MatrixShare:
      return &GemmConstants::matrix_share;
    case Part::StepCycles:
      return &GemmConstants::step_cycles;
    case Part::MemoryShare:
      return &GemmConstants::memory_share;
    case Part::L2Share:
      return &GemmConstants::l2_share;
    case Part::FixedUs:
      return &GemmConstants::fixed_us;
    case Part::ClockRatio:
      return &GemmConstants::clock_ratio;
  }
  return &GemmConstants::matrix_share;
}

bool from_blas(std::string_view schedule) {
  return schedule.starts_with("rocBLAS") || schedule.starts_with("hipBLASLt");
}

/// How far a set is from what was asked; less is nearer.
int distance(const Set& set, const gpus::Gpu& gpu, NumberType type, bool vector, std::string_view schedule) {
  int far = 0;
  const bool blas = set.origin != "AITER";
  // CDNA and RDNA have little in common; generations of one line have.
  if (set.architecture != gpu.architecture) {
    const bool same_line = !set.architecture.empty() && !gpu.architecture.empty() &&
                           set.architecture.front() == gpu.architecture.front();
    far += same_line ? 100 + std::abs(set.architecture.back() - gpu.architecture.back()) : 1000;
  }
  if (set.type != type) {
    const int bits = static_cast<int>(bits_of(set.type)), asked = static_cast<int>(bits_of(type));
    far += 10 + std::min(std::abs(bits - asked), 64) / 4;
  }
  if (set.vector != vector) far += 40;
  if (!schedule.empty() && blas != from_blas(schedule)) far += 30;
  if (schedule.empty() && blas) far += 5;
  if (set.origin == "hipBLASLt" && !schedule.starts_with("hipBLASLt")) far += 1;
  if (set.origin == "BLAS" && schedule.starts_with("hipBLASLt")) far += 1;
  return far;
}

}  // namespace

GemmConstantsFor gemm_constants(const gpus::Gpu& gpu, NumberType type, bool vector,
                                std::string_view schedule) {
  const Set* best = &kSets[0];
  int least = distance(*best, gpu, type, vector, schedule);
  for (const Set& set : kSets)
    if (const int far = distance(set, gpu, type, vector, schedule); far < least) best = &set, least = far;
  GemmConstantsFor found{best->constants, GemmFit::Fitted, best->origin != "AITER", best->source};
  if (least >= 100)
    found.fit = GemmFit::Borrowed;
  else if (least >= 10)
    found.fit = GemmFit::Neighbour;
  for (const Factor& factor : kFactors) {
    if (factor.architecture != best->architecture || factor.type != best->type ||
        factor.vector != best->vector || factor.origin != best->origin)
      continue;
    // A schedule's name may say more behind a bar: "hipBLASLt|in GFLOP/s".
    if (schedule.find(factor.tag) != schedule.npos || gpu.id.starts_with(factor.tag))
      found.constants.*member_of(factor.part) *= factor.value;
  }
  return found;
}

std::vector<std::string_view> gemm_schedules(const gpus::Gpu& gpu, NumberType type) {
  std::vector<std::string_view> found;
  for (const Factor& factor : kFactors)
    if (factor.architecture == gpu.architecture && factor.type == type && factor.origin == "AITER" &&
        factor.part == Part::MatrixShare && !factor.tag.starts_with("mi") &&
        std::ranges::find(found, factor.tag) == found.end())
      found.push_back(factor.tag);
  return found;
}

std::vector<std::string> describe_gemm_constants() {
  constexpr std::array kNames{"matrix_share", "step_cycles", "lds_cost",     "lds_transposed", "l1_cost",
                              "load_cycles",  "prologue",    "store_cost",   "memory_share",   "cache_ratio",
                              "l2_share",     "fixed_us",    "load_latency", "split_writes",   "overlap",
                              "resident",     "tail_cycles", "split_us",     "reduce_cycles"};
  std::vector<std::string> lines;
  for (const Set& set : kSets) {
    const GemmConstants& q = set.constants;
    const std::array values{q.matrix_share, q.step_cycles,  q.lds_cost,        q.lds_transposed,
                            q.l1_cost,      q.load_cycles,  q.prologue_cycles, q.store_cost,
                            q.memory_share, q.cache_ratio,  q.l2_share,        q.fixed_us,
                            q.load_latency, q.split_writes, q.overlap,         q.resident,
                            q.tail_cycles,  q.split_us,     q.reduce_cycles};
    std::string line = fmt::format("{} {}{}, {} ({}):", set.architecture, name_of(set.type),
                                   set.vector ? " vector" : "", set.origin, set.source);
    for (size_t i = 0; i < values.size(); ++i)
      line += fmt::format(" {} {:g}{}", kNames[i], values[i], i + 1 < values.size() ? "," : "");
    for (const Factor& factor : kFactors)
      if (factor.architecture == set.architecture && factor.type == set.type && factor.vector == set.vector &&
          factor.origin == set.origin)
        line += fmt::format("; {}: {} x {:g}", factor.tag,
                            factor.part == Part::ClockRatio    ? "clock_ratio"
                            : factor.part == Part::MatrixShare ? "matrix_share"
                            : factor.part == Part::StepCycles  ? "step_cycles"
                            : factor.part == Part::MemoryShare ? "memory_share"
                            : factor.part == Part::L2Share     ? "l2_share"
                                                               : "fixed_us",
                            factor.value);
    lines.push_back(std::move(line));
  }
  return lines;
}

}  // namespace wavesmith::model
