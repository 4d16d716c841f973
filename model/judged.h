// The error of each model on measurements that it was not fitted to, as the expected error of predictions.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "gpus/gpu.h"

namespace wavesmith::model {

/// The error of a model on half B of validate/data, by generation.
struct Judged {
  std::string_view model, architecture;
  double median;  ///< of the relative errors
  size_t rows;    ///< measurements
};

/// The medians that validation found: model/judged_table.cc, written by `wavesmith validate --judged`.
std::span<const Judged> judged_table();

/// How a model was judged on GPUs of that generation; nullptr: never.
const Judged* find_judged(std::string_view model, const gpus::Gpu& gpu);

}  // namespace wavesmith::model
