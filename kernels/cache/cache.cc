// The C API of writing to a cache: checks one and launches it.
#include <cstdint>
#include <string>
#include <utility>

#include "kernels/cache/arguments.h"
#include "kernels/decode/configuration.h"
#include "kernels/decode/scale_rules.h"
#include "kernels/library/named_range.h"
#include "kernels/rows/rows.h"
#include "kernels/wavesmith_attention.h"

namespace wavesmith::kernels {
namespace {

using Description = wavesmith_kernels_cache_description;
using Heads = wavesmith_kernels_token_heads;
using Paged = wavesmith_kernels_paged;

constexpr const char* kName = "cache";

/// Largest distance between heads of a position, whose offsets are 32 bits wide.
constexpr int64_t kLargestSpan = int64_t{1} << 28;

std::string text(int64_t number) { return std::to_string(number); }

int64_t span(const Description& d, int64_t head_stride) { return (d.heads - 1) * head_stride + d.head_size; }

wavesmith_kernels_status check_head_stride(const Description& d, const std::string& name, int64_t stride) {
  if (d.heads == 1) return succeed();
  if (stride < d.head_size)
    return invalid(kName, name + ".head_stride is " + text(stride) + ", less than the " + text(d.head_size) +
                              " elements of a head");
  if (stride > kLargestSpan / d.heads)
    return not_supported(kName, name + ".head_stride is " + text(stride) + ": heads span more than " +
                                    text(kLargestSpan) + " elements");
  return succeed();
}

wavesmith_kernels_status check_source(const Description& d, const std::string& name, const Heads& heads) {
  if (!heads.data) return invalid(kName, name + ".data is null");
  if (const auto status = check_vector(kName, name.c_str(), heads.data, heads.type)) return status;
  if (d.tokens > 1 && heads.token_stride < 0) return invalid(kName, name + ".token_stride is negative");
  return check_head_stride(d, name, heads.head_stride);
}

wavesmith_kernels_status check_cache(const Description& d, const std::string& name, const Paged& cache) {
  if (!is_type(cache.type))
    return invalid(kName, name + ".type is " + text(cache.type) + ", no element type");
  if (!is_common_float(cache.type) && cache.type != WAVESMITH_KERNELS_E4M3 &&
      cache.type != WAVESMITH_KERNELS_E4M3_FNUZ && cache.type != WAVESMITH_KERNELS_I8)
    return not_supported(kName, name + " is of " + std::string(word_of(cache.type)) +
                                    ": there are f32, f16, bf16, e4m3 and i8");
  if (!cache.data) return invalid(kName, name + ".data is null");
  if (reinterpret_cast<uintptr_t>(cache.data) % static_cast<uintptr_t>(size_of(cache.type)) != 0)
    return invalid(kName, name + ".data is not aligned to its elements");
  if (const auto status = check_scales_of_cache(
          kName, name, cache, {.blocks = d.blocks, .positions = d.page_size, .heads = d.heads}))
    return status;
  const struct {
    const char* name;
    int64_t stride, count;
  } all[] = {{".block_stride", cache.block_stride, d.blocks}, {".row_stride", cache.row_stride, d.page_size}};
  for (const auto& one : all)
    if (one.count > 1 && one.stride < d.head_size)
      return invalid(kName, name + one.name + " is " + text(one.stride) + ", less than the " +
                                text(d.head_size) + " elements of a head");
  return check_head_stride(d, name, cache.head_stride);
}

ByteRange range_of(const Description& d, const Heads& heads) {
  return ByteRange::of(heads.data, (d.tokens - 1) * heads.token_stride + span(d, heads.head_stride),
                       heads.type);
}
ByteRange range_of(const Description& d, const Paged& cache) {
  return ByteRange::of(
      cache.data,
      (d.blocks - 1) * cache.block_stride + (d.page_size - 1) * cache.row_stride + span(d, cache.head_stride),
      cache.type);
}

wavesmith_kernels_status check(const Description& d) {
  for (const auto& [name, size] : {std::pair{"tokens", d.tokens},
                                   {"heads", d.heads},
                                   {"head_size", d.head_size},
                                   {"blocks", d.blocks},
                                   {"page_size", d.page_size}}) {
    if (size < 0) return invalid(kName, std::string(name) + " is negative");
    if (size > INT32_MAX / kRowThreads)
      return not_supported(
          kName, std::string(name) + " is " + text(size) + ", more than " + text(INT32_MAX / kRowThreads));
  }
  if (d.heads * d.head_size > kLargestSpan)
    return not_supported(kName, "heads times head_size is more than " + text(kLargestSpan));
  if (d.tokens == 0 || d.heads == 0 || d.head_size == 0) return succeed();
  if (d.page_size == 0) return invalid(kName, "page_size is 0");
  if (d.blocks == 0) return succeed();
  if (const auto status = check_source(d, "k", d.k)) return status;
  if (const auto status = check_source(d, "v", d.v)) return status;
  if (const auto status = check_cache(d, "k_cache", d.k_cache)) return status;
  if (const auto status = check_cache(d, "v_cache", d.v_cache)) return status;
  if (!d.slots) return invalid(kName, "slots is null");
  if (const auto status = check_aligned(kName, "slots", d.slots, 8)) return status;
  const auto scale = [&](const char* name, const Paged& cache) {
    return NamedRange::of(name, cache.scale, cache.scale_per_head ? d.heads : 1, WAVESMITH_KERNELS_F32);
  };
  const NamedRange read[] = {{"k", range_of(d, d.k)},
                             {"v", range_of(d, d.v)},
                             NamedRange::of("slots", d.slots, 2 * d.tokens, WAVESMITH_KERNELS_I32),
                             scale("k_cache.scale", d.k_cache),
                             scale("v_cache.scale", d.v_cache)};
  for (const auto& [name, cache] : {std::pair{"k_cache", &d.k_cache}, {"v_cache", &d.v_cache}})
    if (const auto status = check_apart(kName, {name, range_of(d, *cache)}, read)) return status;
  for (const auto& [name, cache] :
       {std::pair{"k_cache.token_scales", &d.k_cache}, {"v_cache.token_scales", &d.v_cache}})
    if (const auto status =
            check_apart(kName, {name, token_scales_of(*cache, d.blocks, d.page_size, d.heads)}, read))
      return status;
  if (d.k_cache.data == d.v_cache.data) return invalid(kName, "k_cache overlaps v_cache");
  if (d.k_cache.token_scales && d.k_cache.token_scales == d.v_cache.token_scales)
    return invalid(kName, "k_cache.token_scales overlaps v_cache.token_scales");
  return succeed();
}

CacheWrite write_of(const Description& d, const Heads& from, const Paged& to) {
  constexpr int64_t kWord = 4;
  bool by_words = reinterpret_cast<uintptr_t>(to.data) % kWord == 0 && d.head_size % 8 == 0;
  for (const int64_t stride : {to.block_stride, to.row_stride, to.head_stride})
    by_words = by_words && stride * size_of(to.type) % kWord == 0;
  return {.from = from.data,
          .to = to.data,
          .scale = to.scale,
          .token_scales = to.token_scales,
          .token = from.token_stride,
          .head = from.head_stride,
          .block = to.block_stride,
          .row = to.row_stride,
          .to_head = to.head_stride,
          .scale_block = to.token_scales_block_stride,
          .scale_row = to.token_scales_row_stride,
          .scale_head = to.token_scales_head_stride,
          .type_from = from.type,
          .type_to = to.type,
          .scale_per_head = to.scale_per_head,
          .by_words = by_words};
}

/// Whether decode could read a cache of that type on the target.
wavesmith_kernels_status check_target(const char* name, const Paged& cache, std::string_view target) {
  if (is_common_float(cache.type)) return succeed();
  for (const DecodeConfiguration& row : decode_configurations())
    if (row.target == target && row.has_cache_of(word_of(cache.type))) return succeed();
  return not_supported(kName, std::string(name) + " is of " + std::string(word_of(cache.type)) +
                                  ", which no kernel for " + std::string(target) + " writes");
}

}  // namespace
}  // namespace wavesmith::kernels

using namespace wavesmith::kernels;

wavesmith_kernels_status wavesmith_kernels_cache(const wavesmith_kernels_cache_description* cache,
                                                 void* stream) {
  if (!cache) return invalid(kName, "the description is null");
  if (const auto status = check(*cache)) return status;
  if (cache->tokens == 0 || cache->heads == 0 || cache->head_size == 0 || cache->blocks == 0)
    return succeed();
  const Device* device = nullptr;
  if (const auto status = current_device(device)) return status;
  if (const auto status = check_target("k_cache", cache->k_cache, device->target)) return status;
  if (const auto status = check_target("v_cache", cache->v_cache, device->target)) return status;
  const CacheArguments arguments{.k = write_of(*cache, cache->k, cache->k_cache),
                                 .v = write_of(*cache, cache->v, cache->v_cache),
                                 .slots = cache->slots,
                                 .positions = cache->blocks * cache->page_size,
                                 .page_size = cache->page_size,
                                 .heads = static_cast<int>(cache->heads),
                                 .head_size = static_cast<int>(cache->head_size)};
  return launch(*device, kName, {static_cast<unsigned>(cache->tokens), 2, kRowThreads}, &arguments,
                sizeof(arguments), stream);
}
