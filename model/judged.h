// How wrong each model has been on measurements that it was not fitted to: what a prediction may be expected
// to miss by.
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

/// What validation found: model/judged_table.cc, which `wavesmith validate --judged` writes.
std::span<const Judged> judged_table();

/// 0: never judged on a GPU of that generation.
double judged_error(std::string_view model, const gpus::Gpu& gpu);

}  // namespace wavesmith::model
