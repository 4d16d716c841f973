// The chips that tables of matrix multiplications name, as ours.
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

/// What a table says of a tuned kernel.
struct TunedKernel {
  std::string_view types, layout;   ///< as Tensile writes them: "SB", "NT"
  std::optional<int64_t> solution;  ///< its number in the library's file, which grew by tuning runs
  double workgroups = 0;            ///< tiles times parts of K
  bool split = false;               ///< K has several parts
  double share = 0;                 ///< of the peak that was measured; 0: not told
};

/// By the table's "gpu" and the kernel. nullptr: a GPU that is not described.
const GemmChip* gemm_chip(std::string_view gpu, const TunedKernel& kernel = {});

/// Whether it is of a run whose workgroups started slowly (model::Conditions::slow_start).
bool slow_start(std::string_view gpu, const TunedKernel& kernel);

/// The most of the peak that so many workgroups reach: in the last round, units have none.
double most_share(double workgroups, double units);

}  // namespace wavesmith::validate
