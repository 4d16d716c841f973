#include "kernels/gemm/choice/group_scales.h"

#include <bit>
#include <cstdint>
#include <string>
#include <tuple>

#include "kernels/gemm/choice/refusal.h"

namespace wavesmith::kernels {
namespace {

using Description = wavesmith_kernels_gemm_description;

/// Offsets within a tile, and to the last group, are 32 bits wide.
constexpr int64_t kLargestStride = int64_t{1} << 22, kMostBytes = UINT32_MAX - 1;
constexpr int64_t kPacked = 8;  ///< numbers that kernels load at once

using gemm_rules::invalid;
using gemm_rules::not_supported;

/// From the first scale to the last one, of one matrix.
int64_t span_of(const Description& gemm) {
  const wavesmith_kernels_scales& scales = gemm.block_scales_b;
  return (gemm.n - 1) * scales.row_stride + (gemm.k - 1) / scales.block * scales.column_stride + 1;
}

wavesmith_kernels_status check_scales(const Description& gemm) {
  const wavesmith_kernels_scales& scales = gemm.block_scales_b;
  const auto is = [](const char* field, int64_t value) {
    return gemm_rules::field_is("block_scales_b", field, value);
  };
  if (scales.scaling != WAVESMITH_KERNELS_SCALE_PER_BLOCK)
    return not_supported(is("scaling", scales.scaling) + ": b of i4x2 has scales per block");
  if (scales.block != 32 && scales.block != 64 && scales.block != 128)
    return not_supported(is("block", scales.block) + ": there are kernels for blocks of 32, 64 and 128");
  if (!is_type(gemm.block_scales_type)) return invalid("block_scales_type is no element type");
  if (!is_common_float(gemm.block_scales_type))
    return not_supported("block_scales_type is " + std::string(word_of(gemm.block_scales_type)) +
                         ": there are kernels for f32, f16 and bf16");
  if (!scales.data) return invalid("block_scales_b.data is null");
  if (const auto status = gemm_rules::check_not_negative("block_scales_b", scales)) return status;
  for (const auto& [field, stride] :
       {std::tuple{"row_stride", scales.row_stride}, std::tuple{"column_stride", scales.column_stride}})
    if (stride > kLargestStride)
      return not_supported(is(field, stride) + ", more than " + std::to_string(kLargestStride));
  if (span_of(gemm) > kMostBytes / size_of(gemm.block_scales_type))
    return not_supported("block_scales_b spans more than 4 GiB");
  return succeed();
}

}  // namespace

GemmGroups group_arguments(const Description& gemm) {
  const wavesmith_kernels_scales& scales = gemm.block_scales_b;
  return {.scales = scales.data,
          .zeros = gemm.zero_points_b,
          .stride = scales.row_stride,
          .group_stride = scales.column_stride,
          .batch_stride = scales.batch_stride,
          .type = gemm.block_scales_type,
          .shift = std::countr_zero(static_cast<uint64_t>(scales.block))};
}

wavesmith_kernels_status check_group_scales(const Description& gemm) {
  if (gemm.d.column_stride != 1)
    return not_supported("d lies by columns, for which b of i4x2 has no kernels");
  if (gemm.pointer_arrays) return not_supported("there are no kernels for pointer_arrays with b of i4x2");
  if (gemm.k % kPacked != 0)
    return not_supported("k is " + std::to_string(gemm.k) + ", with b of i4x2 no multiple of 8");
  if (gemm.block_scales_a.scaling != WAVESMITH_KERNELS_UNSCALED)
    return not_supported("block_scales_a.scaling is " + std::to_string(gemm.block_scales_a.scaling) +
                         ": with b of i4x2 a has no block scales");
  if (const auto status = check_scales(gemm)) return status;
  for (const auto& [name, data] :
       {std::tuple<const char*, const void*>{"block_scales_b.data", gemm.block_scales_b.data},
        std::tuple<const char*, const void*>{"zero_points_b", gemm.zero_points_b}})
    if (const auto status = check_aligned("gemm", name, data, size_of(gemm.block_scales_type))) return status;
  return succeed();
}

std::vector<NamedRange> group_scale_ranges(const Description& gemm) {
  const int64_t elements = span_of(gemm) + (gemm.batches - 1) * gemm.block_scales_b.batch_stride;
  const auto type = gemm.block_scales_type;
  return {NamedRange::of("block_scales_b", gemm.block_scales_b.data, elements, type),
          NamedRange::of("zero_points_b", gemm.zero_points_b, elements, type)};
}

}  // namespace wavesmith::kernels
