#include "kernels/gemm/choice/mx.h"

#include <cstdint>
#include <string>

#include "kernels/gemm/choice/refusal.h"

namespace wavesmith::kernels {
namespace {

using Description = wavesmith_kernels_gemm_description;

constexpr int64_t kScalesAtOnce = 4;  ///< that kernels load together
/// Offsets within a tile, of eight blocks, are 32 bits wide.
constexpr int64_t kLargestStride = int64_t{1} << 28;

using gemm_rules::invalid;
using gemm_rules::not_supported;

wavesmith_kernels_status check(const std::string& name, const wavesmith_kernels_scales& scales,
                               int64_t rows) {
  if (scales.scaling != WAVESMITH_KERNELS_SCALE_MX)
    return not_supported(name + ".scaling is " + std::to_string(scales.scaling) +
                         ": matrices of e2m1x2 have MX's scales");
  if (!scales.data) return invalid(name + ".data is null");
  if (scales.row_stride != 1 && rows > 1)
    return not_supported(name + ".row_stride is " + std::to_string(scales.row_stride) + ", not 1");
  if (scales.column_stride < rows)
    return invalid(name + ".column_stride is " + std::to_string(scales.column_stride) + ", less than the " +
                   std::to_string(rows) + " scales of a block that lie together");
  if (scales.column_stride % kScalesAtOnce != 0 || scales.column_stride > kLargestStride)
    return not_supported(name + ".column_stride is " + std::to_string(scales.column_stride) +
                         ", no multiple of 4 up to " + std::to_string(kLargestStride));
  if (reinterpret_cast<uintptr_t>(scales.data) % kScalesAtOnce != 0)
    return not_supported(name + ".data is not aligned to 4 bytes");
  if (scales.batch_stride < 0) return invalid(name + ".batch_stride is negative");
  if (scales.batch_stride % kScalesAtOnce != 0)
    return not_supported(name + ".batch_stride is " + std::to_string(scales.batch_stride) +
                         ", no multiple of 4");
  return succeed();
}

ByteRange range_of(const wavesmith_kernels_scales& scales, const Description& gemm) {
  return ByteRange::of(scales.data,
                       gemm.k / kMxBlock * scales.column_stride + (gemm.batches - 1) * scales.batch_stride,
                       WAVESMITH_KERNELS_I8);
}

}  // namespace

wavesmith_kernels_status check_mx(const Description& gemm) {
  if (gemm.k % kMxBlock != 0)
    return not_supported("k is " + std::to_string(gemm.k) + ", for a and b of e2m1x2 no multiple of 32");
  if (const auto status = check("block_scales_a", gemm.block_scales_a, gemm.m)) return status;
  return check("block_scales_b", gemm.block_scales_b, gemm.n);
}

std::vector<NamedRange> mx_ranges(const Description& gemm) {
  return {{"block_scales_a", range_of(gemm.block_scales_a, gemm)},
          {"block_scales_b", range_of(gemm.block_scales_b, gemm)}};
}

}  // namespace wavesmith::kernels
