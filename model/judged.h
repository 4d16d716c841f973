// How wrong each model has been on measurements that it was not fitted to: what a prediction may be expected
// to miss by.
#pragma once

#include <cstddef>
#include <string_view>

#include "gpus/gpu.h"

namespace wavesmith::model {

/// Median error on half B of validate/data, by family and generation; docs/ACCURACY.md is the table's origin.
struct Judged {
  std::string_view family, architecture;
  double median;
  size_t rows;
};

/// 0: never judged on a GPU of that generation.
double judged_error(std::string_view family, const gpus::Gpu& gpu);

}  // namespace wavesmith::model
