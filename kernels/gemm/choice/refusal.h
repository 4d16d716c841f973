// What products are refused with, and checks that the rules of their scales share.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "kernels/library/failure.h"

namespace wavesmith::kernels::gemm_rules {

inline wavesmith_kernels_status invalid(std::string_view message) {
  return kernels::invalid("gemm", message);
}
inline wavesmith_kernels_status not_supported(std::string_view message) {
  return kernels::not_supported("gemm", message);
}

/// "block_scales_b.block is 100": a field of the scales of that name.
inline std::string field_is(std::string_view name, std::string_view field, int64_t value) {
  return std::string(name) + "." + std::string(field) + " is " + std::to_string(value);
}

inline wavesmith_kernels_status check_not_negative(std::string_view name,
                                                   const wavesmith_kernels_scales& scales) {
  for (const auto& [field, stride] : {std::pair{"row_stride", scales.row_stride},
                                      {"column_stride", scales.column_stride},
                                      {"batch_stride", scales.batch_stride}})
    if (stride < 0) return invalid(field_is(name, field, stride));
  return succeed();
}

}  // namespace wavesmith::kernels::gemm_rules
