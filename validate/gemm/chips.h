// Maps the chips that tables of matrix multiplications name to our GPUs.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace wavesmith::validate {

struct GemmChip {
  std::string_view begins;  ///< how the table's "gpu" begins
  std::string_view id;      ///< our GPU
  std::string_view family;  ///< in strata
};

/// A table's facts about a tuned kernel.
struct TunedKernel {
  std::string_view types, layout;   ///< as Tensile writes them: "SB", "NT"
  std::optional<int64_t> solution;  ///< its number in the library's file, which grew by tuning runs
  double workgroups = 0;            ///< tiles times parts of K
  bool split = false;               ///< K has several parts
  double share = 0;                 ///< of the peak that was measured; 0: not told
};

/// The chip for a table's "gpu" and kernel; nullptr: not described.
const GemmChip* gemm_chip(std::string_view gpu, const TunedKernel& kernel = {});

/// Whether a kernel is from a run whose workgroups started slowly (model::Conditions::slow_start).
bool slow_start(std::string_view gpu, const TunedKernel& kernel);

/// The largest share of the peak that so many workgroups can reach, as units are idle in the last round.
double most_share(double workgroups, double units);

}  // namespace wavesmith::validate
