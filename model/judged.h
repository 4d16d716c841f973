// The error of each model on measurements that it was not fitted to, as the expected error of predictions.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "gpus/gpu.h"

namespace wavesmith::model {

/// Median error on half B of validate/data, by model and generation.
struct Judged {
  std::string_view model, architecture;
  double median;
  size_t rows;
};

/// The medians that validation found: model/judged_table.cc, written by `wavesmith validate --judged`.
std::span<const Judged> judged_table();

/// The median relative error of a model on GPUs of that generation; 0: never judged.
double judged_error(std::string_view model, const gpus::Gpu& gpu);

}  // namespace wavesmith::model
