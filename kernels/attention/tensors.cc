#include "kernels/attention/tensors.h"

#include <string>

#include "kernels/library/named_range.h"

namespace wavesmith::kernels {
namespace {

using Description = wavesmith_kernels_attention_description;
using Heads = wavesmith_kernels_heads;

/// Largest stride of rows, for offsets within a tile are 32 bits wide.
constexpr int64_t kLargestStride = int64_t{1} << 22;

}  // namespace

HeadsExtent extent_q(const Description& a) {
  return a.cu_seqlens_q ? HeadsExtent{1, a.total_q, a.heads_q}
                        : HeadsExtent{a.batches, a.length_q, a.heads_q};
}
HeadsExtent extent_k(const Description& a) {
  return a.cu_seqlens_k ? HeadsExtent{1, a.total_k, a.heads_kv}
                        : HeadsExtent{a.batches, a.length_k, a.heads_kv};
}

ByteRange range_of(const Heads& heads, const HeadsExtent& extent, int64_t head_size,
                   wavesmith_kernels_type type) {
  if (extent.empty()) return ByteRange::of(heads.data, 0, type);
  return ByteRange::of(heads.data,
                       (extent.batches - 1) * heads.batch_stride + (extent.rows - 1) * heads.row_stride +
                           (extent.heads - 1) * heads.head_stride + head_size,
                       type);
}

wavesmith_kernels_status check_heads(std::string_view operation, const char* name, const Heads& heads,
                                     const HeadsExtent& extent, int64_t head_size, bool written) {
  const auto invalid = [&](const std::string& message) { return kernels::invalid(operation, message); };
  const auto not_supported = [&](const std::string& message) {
    return kernels::not_supported(operation, message);
  };
  if (extent.empty()) return succeed();
  const std::string argument = name;
  if (!heads.data) return invalid(argument + ".data is null");
  const int64_t alignment = written ? 2 : 4;
  if (const auto status = check_aligned(operation, argument + ".data", heads.data, alignment)) return status;
  const struct {
    const char* name;
    int64_t stride, count;
  } all[] = {{".batch_stride", heads.batch_stride, extent.batches},
             {".row_stride", heads.row_stride, extent.rows},
             {".head_stride", heads.head_stride, extent.heads}};
  for (const auto& one : all) {
    if (one.count == 1) continue;
    if (one.stride < 0) return invalid(argument + one.name + " is negative");
    if (!written && one.stride % 2 != 0)
      return not_supported(argument + one.name + " is " + std::to_string(one.stride) +
                           ", an odd number: kernels read two elements at a time");
    if (written && one.stride < head_size)
      return invalid(argument + one.name + " is " + std::to_string(one.stride) + ", less than the " +
                     std::to_string(head_size) + " elements of a head");
  }
  if (extent.rows > 1 && heads.row_stride < head_size)
    return invalid(argument + ".row_stride is " + std::to_string(heads.row_stride) + ", less than the " +
                   std::to_string(head_size) + " elements of a head");
  if (extent.rows > 1 && heads.row_stride > kLargestStride)
    return not_supported(argument + ".row_stride is " + std::to_string(heads.row_stride) + ", more than " +
                         std::to_string(kLargestStride));
  return succeed();
}

AttentionStrides strides(const Heads& heads, const HeadsExtent& extent, bool packed, int64_t head_size) {
  return {packed ? 0 : heads.batch_stride, extent.rows > 1 ? heads.row_stride : head_size, heads.head_stride};
}

}  // namespace wavesmith::kernels
