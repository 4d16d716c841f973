#include "kernels/rows/scale_rules.h"

#include <bit>
#include <tuple>

namespace wavesmith::kernels {
namespace {

bool is_per_row(const wavesmith_kernels_scales& scales) {
  return scales.scaling >= WAVESMITH_KERNELS_SCALE_PER_ROW;
}
bool is_per_block(const wavesmith_kernels_scales& scales) {
  return scales.scaling >= WAVESMITH_KERNELS_SCALE_PER_BLOCK;
}
int64_t block_of(const wavesmith_kernels_scales& scales) {
  return scales.scaling == WAVESMITH_KERNELS_SCALE_MX ? kMxBlock : scales.block;
}

wavesmith_kernels_type type_of(const wavesmith_kernels_scales& scales) {
  return scales.scaling == WAVESMITH_KERNELS_SCALE_MX ? WAVESMITH_KERNELS_I8 : WAVESMITH_KERNELS_F32;
}

/// The kind of scales, and whether there is a kernel for it with that type.
wavesmith_kernels_status check_kind(const char* operation, const ScalesArgument& argument) {
  const wavesmith_kernels_scales& scales = *argument.scales;
  const std::string matrix = argument.matrix, type = is_type(argument.type)
                                                         ? std::string(word_of(argument.type))
                                                         : std::to_string(argument.type);
  if (scales.scaling < WAVESMITH_KERNELS_UNSCALED || scales.scaling > WAVESMITH_KERNELS_SCALE_PER_SQUARE)
    return invalid(operation, "scales.scaling is " + std::to_string(scales.scaling) + ", no scaling");
  if (scales.scaling == WAVESMITH_KERNELS_SCALE_PER_SQUARE)
    return not_supported(operation, "scales.scaling is per square, which only products take");
  const bool is_e2m1 = argument.type == WAVESMITH_KERNELS_E2M1X2;
  if (scales.scaling != WAVESMITH_KERNELS_UNSCALED && !is_quantised(argument.type) && !is_e2m1)
    return invalid(operation, "scales are given, but " + matrix + " is of " + type + ", which has none");
  if (scales.scaling == WAVESMITH_KERNELS_SCALE_PER_MATRIX && !argument.whole_matrix)
    return not_supported(operation, "scales.scaling is per matrix, which takes a second pass");
  if (scales.scaling == WAVESMITH_KERNELS_SCALE_MX && !argument.mx)
    return not_supported(operation, "scales.scaling is MX, for which quantise has kernels");
  if (scales.scaling == WAVESMITH_KERNELS_SCALE_MX && !is_ocp(argument.type) && !is_e2m1)
    return not_supported(operation, matrix + " is of " + type + ": MX has kernels for e4m3, e5m2 and e2m1x2");
  if (scales.scaling != WAVESMITH_KERNELS_SCALE_MX && is_e2m1)
    return not_supported(operation, matrix + " is of e2m1x2, for which there are kernels with MX's scales");
  if (scales.scaling == WAVESMITH_KERNELS_SCALE_PER_BLOCK && scales.block != 32 && scales.block != 64 &&
      scales.block != 128)
    return not_supported(operation, "scales.block is " + std::to_string(scales.block) +
                                        ": there are kernels for 32, 64 and 128 columns");
  return succeed();
}

/// How far apart they lie: those that are written must be different elements.
wavesmith_kernels_status check_strides(const char* operation, int64_t rows, int64_t blocks,
                                       const wavesmith_kernels_scales& scales, bool are_written) {
  for (const auto& [name, stride, count] : {std::tuple{"row_stride", scales.row_stride, rows},
                                            std::tuple{"column_stride", scales.column_stride, blocks}}) {
    if (count == 1) continue;
    const std::string is = std::string("scales.") + name + " is " + std::to_string(stride);
    if (stride < 0 || (stride == 0 && are_written))
      return invalid(operation, is + (stride < 0 ? "" : ": scales would be written over each other"));
    if (stride > kLargestRow)
      return not_supported(operation, is + ", more than " + std::to_string(kLargestRow));
  }
  if (are_written && rows > 1 && blocks > 1 && scales.row_stride <= (blocks - 1) * scales.column_stride &&
      scales.column_stride <= (rows - 1) * scales.row_stride)
    return invalid(operation,
                   "scales.row_stride and scales.column_stride overlap: scales would be written over "
                   "each other");
  return succeed();
}

}  // namespace

int64_t blocks_of(const wavesmith_kernels_scales& scales, int64_t columns) {
  if (!is_per_block(scales)) return 1;
  const int64_t block = block_of(scales);
  return (columns + block - 1) / block;
}

ByteRange range_of(const wavesmith_kernels_scales& scales, int64_t rows, int64_t columns) {
  const int64_t blocks = blocks_of(scales, columns);
  const int64_t last = (is_per_row(scales) && rows > 1 ? (rows - 1) * scales.row_stride : 0) +
                       (blocks > 1 ? (blocks - 1) * scales.column_stride : 0);
  return ByteRange::of(scales.data, last + 1, type_of(scales));
}

wavesmith_kernels_status check_scales(const char* operation, int64_t rows, int64_t columns,
                                      const ScalesArgument& argument, RowsArguments matrices) {
  const wavesmith_kernels_scales& scales = *argument.scales;
  if (const auto status = check_kind(operation, argument)) return status;
  if (scales.scaling == WAVESMITH_KERNELS_UNSCALED) return succeed();
  if (!scales.data) return invalid(operation, "scales.data is null");
  if (reinterpret_cast<uintptr_t>(scales.data) % static_cast<uintptr_t>(size_of(type_of(scales))) != 0)
    return invalid(operation, "scales.data is not aligned to its elements");
  const bool are_written = argument.are_computed && scales.scaling != WAVESMITH_KERNELS_SCALE_GIVEN;
  const int64_t counted_rows = is_per_row(scales) ? rows : 1, blocks = blocks_of(scales, columns);
  if (const auto status = check_strides(operation, counted_rows, blocks, scales, are_written)) return status;
  const ByteRange range = range_of(scales, rows, columns);
  for (const RowsArgument& matrix : matrices)
    if (matrix.rows->data && (are_written || matrix.is_written) &&
        range_of(*matrix.rows, rows, columns).overlaps(range))
      return invalid(operation, std::string("scales overlap ") + matrix.name);
  return succeed();
}

ScaleArguments scale_arguments(const wavesmith_kernels_scales& scales) {
  return {
      .data = scales.data,
      .row_stride = is_per_row(scales) ? scales.row_stride : 0,
      .column_stride = is_per_block(scales) ? scales.column_stride : 0,
      .scaling = scales.scaling,
      .block_shift = is_per_block(scales) ? std::countr_zero(static_cast<uint64_t>(block_of(scales))) : 0};
}

}  // namespace wavesmith::kernels
