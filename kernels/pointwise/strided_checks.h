// What the C APIs of strided elements check alike: shapes, and that operands can be addressed.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>

#include "kernels/library/device.h"
#include "kernels/pointwise/number_types.h"

namespace wavesmith::kernels {

inline bool is_empty(std::span<const int64_t> sizes) { return std::ranges::find(sizes, 0) != sizes.end(); }

inline wavesmith_kernels_status check_dimensions(const char* what, int dimensions) {
  if (dimensions < 0 || dimensions > WAVESMITH_POINTWISE_DIMENSIONS)
    return invalid(what, "dimensions is " + std::to_string(dimensions) + ", not 0 to 8");
  return succeed();
}

/// Sizes are no less than 0, and without one that is 0 there are fewer than 2^31 elements.
inline wavesmith_kernels_status check_shape(const char* what, std::span<const int64_t> sizes) {
  int64_t elements = 1;
  for (size_t d = 0; d < sizes.size(); ++d) {
    if (sizes[d] < 0) return invalid(what, "sizes[" + std::to_string(d) + "] is negative");
    if (sizes[d] > 0 && __builtin_mul_overflow(elements, sizes[d], &elements)) elements = INT64_MAX;
  }
  if (!is_empty(sizes) && elements > INT32_MAX) return not_supported(what, "there are 2^31 elements or more");
  return succeed();
}

inline wavesmith_kernels_status check_type(const char* what, const wavesmith_pointwise_operand& operand,
                                           const std::string& name) {
  if (is_number(operand.type)) return succeed();
  return invalid(what, name + ".type is " + std::to_string(operand.type) + ", no type");
}

/// Elements are within 2^31 bytes, and aligned. `left_out` has a bit for each dimension that the operand does
/// not have.
inline wavesmith_kernels_status check_span(const char* what, const wavesmith_pointwise_operand& operand,
                                           const std::string& name, std::span<const int64_t> sizes,
                                           unsigned left_out = 0) {
  const int64_t size = size_of(operand.type);
  int64_t extent = size;
  for (size_t d = 0; d < sizes.size(); ++d) {
    if ((left_out >> d & 1) != 0) continue;
    int64_t bytes = 0;
    if (__builtin_mul_overflow(sizes[d] - 1, operand.strides[d], &bytes) || bytes > INT32_MAX ||
        bytes < -INT32_MAX)
      return not_supported(what, name + " spans 2^31 bytes or more");
    extent += bytes < 0 ? -bytes : bytes;
  }
  if (extent > INT32_MAX) return not_supported(what, name + " spans 2^31 bytes or more");
  const bool is_complex = operand.type >= WAVESMITH_POINTWISE_C64;
  return check_aligned(what, name + ".data", operand.data, is_complex ? size / 2 : size);
}

/// An operand that must be there, with an element for each coordinate.
inline wavesmith_kernels_status check_operand(const char* what, const wavesmith_pointwise_operand& operand,
                                              const std::string& name, std::span<const int64_t> sizes) {
  if (!operand.data) return invalid(what, name + ".data is null");
  if (const auto status = check_type(what, operand, name)) return status;
  return check_span(what, operand, name, sizes);
}

/// The same of a type; an operand without elements may be anything.
inline wavesmith_kernels_status check_operand(const char* what, const wavesmith_pointwise_operand& operand,
                                              const std::string& name, std::span<const int64_t> sizes,
                                              wavesmith_pointwise_type type) {
  if (is_empty(sizes)) return succeed();
  if (const auto status = check_operand(what, operand, name, sizes)) return status;
  if (operand.type == type) return succeed();
  return invalid(
      what, name + " is of " + std::string(word_of(operand.type)) + ", not of " + std::string(word_of(type)));
}

}  // namespace wavesmith::kernels
