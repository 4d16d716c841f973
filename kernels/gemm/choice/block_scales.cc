#include "kernels/gemm/choice/block_scales.h"

#include <cstdint>

#include "kernels/gemm/choice/gate.h"
#include "kernels/gemm/choice/mx.h"
#include "kernels/gemm/choice/ranges.h"
#include "kernels/gemm/choice/refusal.h"

namespace wavesmith::kernels {
namespace {

using Description = wavesmith_kernels_gemm_description;
using Scales = wavesmith_kernels_scales;

/// Offsets within a tile are 32 bits wide.
constexpr int64_t kLargestStride = int64_t{1} << 22;

using gemm_rules::invalid;
using gemm_rules::not_supported;

bool is_given(const Scales& scales) { return scales.scaling != WAVESMITH_KERNELS_UNSCALED; }
bool is_square(const Scales& scales) { return scales.scaling == WAVESMITH_KERNELS_SCALE_PER_SQUARE; }

/// Checks the scales of A's rows, or of B's columns: `lines` of them. `side_by_side`: those of a block must
/// be.
wavesmith_kernels_status check(const std::string& name, const Scales& scales, int64_t lines,
                               bool side_by_side) {
  const auto is = [&](const char* field, int64_t value) { return gemm_rules::field_is(name, field, value); };
  if (!is_square(scales) && scales.scaling != WAVESMITH_KERNELS_SCALE_PER_BLOCK)
    return not_supported(is("scaling", scales.scaling) +
                         ": floats of 8 bits have scales per block or per square, both a and b");
  if (scales.block != kGemmBlock)
    return not_supported(is("block", scales.block) + ": there are kernels for blocks of 128");
  if (!scales.data) return invalid(name + ".data is null");
  if (reinterpret_cast<uintptr_t>(scales.data) % sizeof(float) != 0)
    return invalid(name + ".data is not aligned to an element of f32");
  if (const auto status = gemm_rules::check_not_negative(name, scales)) return status;
  if (scales.row_stride > kLargestStride)
    return not_supported(is("row_stride", scales.row_stride) + ", more than " +
                         std::to_string(kLargestStride));
  if (side_by_side && !is_square(scales) && scales.row_stride != 1 && lines > 1)
    return not_supported(
        is("row_stride", scales.row_stride) +
        ", not 1: scales of single columns, of d by columns of single rows, lie side by side");
  return succeed();
}

/// Where those of A's rows, or of B's columns, lie.
ByteRange range_of(const Scales& scales, int64_t lines, int64_t batches, const Description& gemm) {
  const auto blocks = [](int64_t count) { return (count + kGemmBlock - 1) / kGemmBlock; };
  return ByteRange::of(scales.data,
                       ((is_square(scales) ? blocks(lines) : lines) - 1) * scales.row_stride +
                           (blocks(gemm.k) - 1) * scales.column_stride + (batches - 1) * scales.batch_stride +
                           1,
                       WAVESMITH_KERNELS_F32);
}

}  // namespace

bool has_float_scales(const Description& gemm) {
  return gemm.a.type != WAVESMITH_KERNELS_E2M1X2 && is_given(gemm.block_scales_a);
}

std::string block_word(const Description& gemm) {
  if (!has_float_scales(gemm)) return "";
  return is_square(gemm.block_scales_b) ? "b128" : "b1";
}

GemmBlockScales block_arguments(const Scales& scales) {
  return {.data = static_cast<const float*>(scales.data),
          .stride = scales.row_stride,
          .block_stride = scales.column_stride,
          .batch_stride = scales.batch_stride,
          .lines = is_square(scales) ? kGemmBlock : 1};
}

wavesmith_kernels_status check_block_scales(const Description& gemm) {
  if (gemm.a.type == WAVESMITH_KERNELS_E2M1X2) return check_mx(gemm);
  if (!is_given(gemm.block_scales_a) && !is_given(gemm.block_scales_b)) return succeed();
  if (!is_ocp(gemm.a.type) && !is_fnuz(gemm.a.type))
    return not_supported("block scales are for a and b of e2m1x2, and of floats of 8 bits");
  const bool by_columns = gemm.d.column_stride != 1;
  if (const auto status = check("block_scales_a", gemm.block_scales_a, gemm.m, by_columns)) return status;
  return check("block_scales_b", gemm.block_scales_b, gemm.n, !by_columns);
}

std::vector<NamedRange> block_scale_ranges(const Description& gemm) {
  if (gemm.a.type == WAVESMITH_KERNELS_E2M1X2) return mx_ranges(gemm);
  if (!has_float_scales(gemm)) return {};
  return {{"block_scales_a", range_of(gemm.block_scales_a, gemm.m, batches_of_a(gemm), gemm)},
          {"block_scales_b", range_of(gemm.block_scales_b, columns_of_b(gemm), gemm.batches, gemm)}};
}

}  // namespace wavesmith::kernels
