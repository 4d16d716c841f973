#include "kernels/decode/scale_rules.h"

#include "kernels/library/element_type.h"
#include "kernels/library/failure.h"

namespace wavesmith::kernels {
namespace {

using Paged = wavesmith_kernels_paged;

constexpr int64_t kScale = 4;  // bytes of a scale

std::string text(int64_t number) { return std::to_string(number); }

}  // namespace

wavesmith_kernels_status check_scales_of_cache(std::string_view operation, const std::string& name,
                                               const Paged& cache, const ScaleExtents& extents) {
  if (const auto status = check_aligned(operation, name + ".scale", cache.scale, kScale)) return status;
  if (!cache.token_scales) {
    if (cache.type != WAVESMITH_KERNELS_I8 || cache.scale) return succeed();
    return not_supported(operation, name + " is of i8 without a scale");
  }
  if (is_common_float(cache.type))
    return not_supported(operation, name + ".token_scales is given, and " + name + " is of " +
                                        std::string(word_of(cache.type)));
  if (cache.scale) return invalid(operation, name + ".scale and " + name + ".token_scales are both given");
  const struct {
    const char* name;
    int64_t stride, count;
  } all[] = {{".token_scales_block_stride", cache.token_scales_block_stride, extents.blocks},
             {".token_scales_row_stride", cache.token_scales_row_stride, extents.positions},
             {".token_scales_head_stride", cache.token_scales_head_stride, extents.heads}};
  for (const auto& one : all) {
    if (one.count < 2) continue;
    if (one.stride < 1)
      return invalid(operation, name + one.name + " is " + text(one.stride) + ", less than 1");
    if (one.stride > extents.longest)
      return not_supported(
          operation, name + one.name + " is " + text(one.stride) + ", more than " + text(extents.longest));
  }
  return check_aligned(operation, name + ".token_scales", cache.token_scales, kScale);
}

bool has_scales_of_positions(const Paged& cache) {
  return cache.token_scales || cache.type == WAVESMITH_KERNELS_I8;
}

ByteRange token_scales_of(const Paged& cache, int64_t blocks, int64_t positions, int64_t heads) {
  if (!cache.token_scales) return {};
  return ByteRange::of(cache.token_scales,
                       (blocks - 1) * cache.token_scales_block_stride +
                           (positions - 1) * cache.token_scales_row_stride +
                           (heads - 1) * cache.token_scales_head_stride + 1,
                       WAVESMITH_KERNELS_F32);
}

}  // namespace wavesmith::kernels
