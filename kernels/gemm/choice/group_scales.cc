#include "kernels/gemm/choice/group_scales.h"

#include <bit>
#include <cstdint>
#include <string>
#include <tuple>

#include "kernels/gemm/choice/refusal.h"
#include "kernels/library/element_type.h"

namespace wavesmith::kernels {
namespace {

using Description = wavesmith_kernels_gemm_description;

/// Offsets within a tile, and to the last group, are 32 bits wide.
constexpr int64_t kLargestStride = int64_t{1} << 22, kMostBytes = UINT32_MAX - 1;
constexpr int64_t kPacked = 8;  ///< numbers that kernels load at once

using gemm_rules::invalid;
using gemm_rules::not_supported;

/// Of scales of e8m0, which are bytes.
constexpr auto kByte = WAVESMITH_KERNELS_I8;

bool is_mx(const Description& gemm) { return gemm.b.type == WAVESMITH_KERNELS_E2M1X2; }
wavesmith_kernels_type type_of_scales(const Description& gemm) {
  return is_mx(gemm) ? kByte : gemm.block_scales_type;
}

/// From the first scale to the last one, of one matrix.
int64_t span_of(const Description& gemm) {
  const wavesmith_kernels_scales& scales = gemm.block_scales_b;
  return (gemm.n - 1) * scales.row_stride + (gemm.k - 1) / group_of(gemm) * scales.column_stride + 1;
}

/// Scales per block, of a float type.
wavesmith_kernels_status check_float_scales(const Description& gemm) {
  const wavesmith_kernels_scales& scales = gemm.block_scales_b;
  if (scales.scaling != WAVESMITH_KERNELS_SCALE_PER_BLOCK)
    return not_supported(gemm_rules::field_is("block_scales_b", "scaling", scales.scaling) +
                         ": b of i4x2 has scales per block");
  if (scales.block != 32 && scales.block != 64 && scales.block != 128)
    return not_supported(gemm_rules::field_is("block_scales_b", "block", scales.block) +
                         ": there are kernels for blocks of 32, 64 and 128");
  if (!is_type(gemm.block_scales_type)) return invalid("block_scales_type is no element type");
  if (!is_common_float(gemm.block_scales_type))
    return not_supported("block_scales_type is " + std::string(word_of(gemm.block_scales_type)) +
                         ": there are kernels for f32, f16 and bf16");
  return succeed();
}

wavesmith_kernels_status check_mx_scales(const Description& gemm) {
  if (gemm.block_scales_b.scaling != WAVESMITH_KERNELS_SCALE_MX)
    return not_supported(gemm_rules::field_is("block_scales_b", "scaling", gemm.block_scales_b.scaling) +
                         ": b of e2m1x2 has MX's scales");
  if (gemm.zero_points_b) return not_supported("zero_points_b is for b of i4x2");
  return succeed();
}

wavesmith_kernels_status check_scales(const Description& gemm) {
  const wavesmith_kernels_scales& scales = gemm.block_scales_b;
  const auto is = [](const char* field, int64_t value) {
    return gemm_rules::field_is("block_scales_b", field, value);
  };
  if (const auto status = is_mx(gemm) ? check_mx_scales(gemm) : check_float_scales(gemm)) return status;
  if (!scales.data) return invalid("block_scales_b.data is null");
  if (const auto status = gemm_rules::check_not_negative("block_scales_b", scales)) return status;
  for (const auto& [field, stride] :
       {std::tuple{"row_stride", scales.row_stride}, std::tuple{"column_stride", scales.column_stride}})
    if (stride > kLargestStride)
      return not_supported(is(field, stride) + ", more than " + std::to_string(kLargestStride));
  if (span_of(gemm) > kMostBytes / size_of(type_of_scales(gemm)))
    return not_supported("block_scales_b spans more than 4 GiB");
  return succeed();
}

}  // namespace

bool has_packed_weights(const Description& gemm) {
  return gemm.b.type == WAVESMITH_KERNELS_I4X2 || (is_mx(gemm) && gemm.a.type != gemm.b.type);
}
int64_t group_of(const Description& gemm) { return is_mx(gemm) ? kMxBlock : gemm.block_scales_b.block; }

GemmGroups group_arguments(const Description& gemm) {
  const wavesmith_kernels_scales& scales = gemm.block_scales_b;
  return {.scales = scales.data,
          .zeros = gemm.zero_points_b,
          .stride = scales.row_stride,
          .group_stride = scales.column_stride,
          .batch_stride = scales.batch_stride,
          .type = gemm.block_scales_type,
          .shift = std::countr_zero(static_cast<uint64_t>(group_of(gemm)))};
}

wavesmith_kernels_status check_group_scales(const Description& gemm) {
  const std::string of_b = "b of " + std::string(word_of(gemm.b.type));
  if (gemm.d.column_stride != 1)
    return not_supported("d lies by columns, for which " + of_b + " has no kernels");
  if (gemm.pointer_arrays) return not_supported("there are no kernels for pointer_arrays with " + of_b);
  if (gemm.k % kPacked != 0)
    return not_supported("k is " + std::to_string(gemm.k) + ", with " + of_b + " no multiple of 8");
  if (gemm.block_scales_a.scaling != WAVESMITH_KERNELS_UNSCALED)
    return not_supported("block_scales_a.scaling is " + std::to_string(gemm.block_scales_a.scaling) +
                         ": with " + of_b + " a has no block scales");
  if (const auto status = check_scales(gemm)) return status;
  for (const auto& [name, data] :
       {std::tuple<const char*, const void*>{"block_scales_b.data", gemm.block_scales_b.data},
        std::tuple<const char*, const void*>{"zero_points_b", gemm.zero_points_b}})
    if (const auto status = check_aligned("gemm", name, data, size_of(type_of_scales(gemm)))) return status;
  return succeed();
}

std::vector<NamedRange> group_scale_ranges(const Description& gemm) {
  const int64_t elements = span_of(gemm) + (gemm.batches - 1) * gemm.block_scales_b.batch_stride;
  const auto type = type_of_scales(gemm);
  return {NamedRange::of("block_scales_b", gemm.block_scales_b.data, elements, type),
          NamedRange::of("zero_points_b", gemm.zero_points_b, elements, type)};
}

}  // namespace wavesmith::kernels
