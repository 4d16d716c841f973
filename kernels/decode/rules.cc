#include "kernels/decode/choice.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "kernels/decode/scale_rules.h"
#include "kernels/library/named_range.h"

namespace wavesmith::kernels {
namespace {

using Description = wavesmith_kernels_decode_description;
using Heads = wavesmith_kernels_heads;
using Paged = wavesmith_kernels_paged;

/// Kernels move 16 bytes at a time.
constexpr int64_t kAlignment = 16;
constexpr int64_t kScale = 4;  // bytes of a scale
/// Positions are numbers of 32 bits, to which others and windows are added.
constexpr int64_t kLongest = int64_t{1} << 28;
/// Offsets of queries within a batch, and of keys within a block, are 32 bits wide.
constexpr int64_t kLargestSpan = int64_t{1} << 29;

std::string text(int64_t number) { return std::to_string(number); }

/// A stride that is used: of elements that do not lie over each other, at least `least` apart.
wavesmith_kernels_status check_stride(const std::string& name, int64_t stride, int64_t least,
                                      wavesmith_kernels_type type, int64_t alignment = kAlignment) {
  if (stride < least)
    return invalid(kDecode, name + " is " + text(stride) + ", less than " + text(least) + " elements");
  if (stride * size_of(type) % alignment != 0)
    return not_supported(
        kDecode, name + " is " + text(stride) + " elements, no multiple of " + text(alignment) + " bytes");
  return succeed();
}

wavesmith_kernels_status check_heads(const Description& d, const std::string& name, const Heads& heads) {
  if (!heads.data) return invalid(kDecode, name + ".data is null");
  if (const auto status = check_aligned(kDecode, name + ".data", heads.data, kAlignment)) return status;
  // Of what is read, positions or heads may be the same.
  const int64_t least = name == "o" ? values_of(d) : 0;
  const struct {
    const char* name;
    int64_t stride, count;
  } all[] = {{".batch_stride", heads.batch_stride, d.batches},
             {".row_stride", heads.row_stride, d.length_q},
             {".head_stride", heads.head_stride, d.heads_q}};
  for (const auto& one : all)
    if (one.count > 1)
      if (const auto status = check_stride(name + one.name, one.stride, least, d.type)) return status;
  const int64_t row = d.length_q > 1 ? heads.row_stride : 0, head = d.heads_q > 1 ? heads.head_stride : 0;
  if (row > kLargestSpan / d.length_q || head > kLargestSpan / d.heads_q)
    return not_supported(kDecode, name + " has strides over which a batch spans more than " +
                                      text(kLargestSpan) + " elements");
  return succeed();
}

/// Blocks and positions of a cache: with a table pages, without one a block per sequence.
int64_t blocks_of(const Description& d) { return d.block_table ? d.blocks : d.batches; }
int64_t positions_of(const Description& d) { return d.block_table ? d.page_size : d.longest_context; }

wavesmith_kernels_status check_cache(const Description& d, const std::string& name, const Paged& cache) {
  if (!is_type(cache.type))
    return invalid(kDecode, name + ".type is " + text(cache.type) + ", no element type");
  if (cache.type != d.type && cache.type != WAVESMITH_KERNELS_E4M3 &&
      cache.type != WAVESMITH_KERNELS_E4M3_FNUZ && cache.type != WAVESMITH_KERNELS_I8)
    return not_supported(kDecode, name + " is of " + std::string(word_of(cache.type)) +
                                      ", neither of the queries' type nor of e4m3 or i8");
  if (!cache.data) return invalid(kDecode, name + ".data is null");
  // A row with a scale may end with it.
  const int64_t alignment = has_scales_of_positions(cache) ? kScale : kAlignment;
  if (const auto status = check_aligned(kDecode, name + ".data", cache.data, alignment)) return status;
  const struct {
    const char* name;
    int64_t stride, count;
  } all[] = {{".block_stride", cache.block_stride, blocks_of(d)},
             {".row_stride", cache.row_stride, positions_of(d)},
             {".head_stride", cache.head_stride, d.heads_kv}};
  for (const auto& one : all)
    if (one.count > 1)
      if (const auto status = check_stride(name + one.name, one.stride, d.head_size, cache.type, alignment))
        return status;
  if (positions_of(d) > 1 && cache.row_stride > kLargestSpan)
    return not_supported(
        kDecode, name + ".row_stride is " + text(cache.row_stride) + ", more than " + text(kLargestSpan));
  return check_scales_of_cache(
      kDecode, name, cache,
      {.blocks = blocks_of(d), .positions = positions_of(d), .heads = d.heads_kv, .longest = kLargestSpan});
}

wavesmith_kernels_status check_sizes(const Description& d) {
  for (const auto& [name, size] : {std::pair{"batches", d.batches},
                                   {"heads_q", d.heads_q},
                                   {"heads_kv", d.heads_kv},
                                   {"length_q", d.length_q},
                                   {"head_size", d.head_size},
                                   {"head_size_v", d.head_size_v},
                                   {"longest_context", d.longest_context},
                                   {"blocks", d.block_table ? d.blocks : 0},
                                   {"page_size", d.block_table ? d.page_size : 0}}) {
    if (size < 0) return invalid(kDecode, std::string(name) + " is negative");
    if (size > kLongest)
      return not_supported(kDecode,
                           std::string(name) + " is " + text(size) + ", more than " + text(kLongest));
  }
  if (d.heads_kv == 0 ? d.heads_q != 0 : d.heads_q % d.heads_kv != 0)
    return invalid(kDecode,
                   "heads_q is " + text(d.heads_q) + ", no multiple of heads_kv, " + text(d.heads_kv));
  if (d.heads_q > 0 && d.length_q > kLongest / d.heads_q)
    return not_supported(kDecode, "length_q times heads_q is more than " + text(kLongest));
  if (d.head_size == 0) return invalid(kDecode, "head_size is 0");
  if (d.head_size_v > d.head_size)
    return not_supported(
        kDecode, "head_size_v is " + text(d.head_size_v) + ", more than head_size, " + text(d.head_size));
  if (d.window_left < -1) return invalid(kDecode, "window_left is " + text(d.window_left) + ", less than -1");
  return succeed();
}

wavesmith_kernels_status check_table(const Description& d) {
  if (!d.block_table) return succeed();
  const int64_t least_page = has_latents(d) ? 1 : 8;
  if (!std::has_single_bit(static_cast<uint64_t>(d.page_size)))
    return invalid(kDecode, "page_size is " + text(d.page_size) + ", no power of two");
  if (d.page_size < least_page)
    return not_supported(kDecode, "page_size is " + text(d.page_size) + ", less than " + text(least_page));
  if (d.longest_context > 0 && d.blocks == 0) return invalid(kDecode, "blocks is 0");
  const int64_t entries = (d.longest_context + d.page_size - 1) / d.page_size;
  if (d.batches > 1 && d.block_table_stride < entries)
    return invalid(kDecode, "block_table_stride is " + text(d.block_table_stride) + ", less than the " +
                                text(entries) + " blocks of longest_context");
  return check_aligned(kDecode, "block_table", d.block_table, 4);
}

ByteRange range_of(const Description& d, const Heads& heads, int64_t size) {
  return ByteRange::of(heads.data,
                       (d.batches - 1) * heads.batch_stride + (d.length_q - 1) * heads.row_stride +
                           (d.heads_q - 1) * heads.head_stride + size,
                       d.type);
}
ByteRange range_of(const Description& d, const Paged& cache) {
  if (d.longest_context == 0) return ByteRange::of(cache.data, 0, cache.type);
  return ByteRange::of(cache.data,
                       (blocks_of(d) - 1) * cache.block_stride + (positions_of(d) - 1) * cache.row_stride +
                           (d.heads_kv - 1) * cache.head_stride + d.head_size,
                       cache.type);
}

/// A cache's scales.
ByteRange scales_of(const Description& d, const Paged& cache) {
  if (cache.token_scales && d.longest_context > 0)
    return token_scales_of(cache, blocks_of(d), positions_of(d), d.heads_kv);
  if (!cache.scale) return {};
  return ByteRange::of(cache.scale, cache.scale_per_head ? d.heads_kv : 1, WAVESMITH_KERNELS_F32);
}

/// All that the kernels are given, the workspace aside: what is written first.
std::vector<NamedRange> all_of(const Description& d) {
  constexpr auto kWord = WAVESMITH_KERNELS_F32;  // of 4 bytes, as those of I32
  std::vector<NamedRange> all = {{"o", range_of(d, d.o, values_of(d))}};
  if (d.lse)
    all.push_back({"lse", ByteRange::of(d.lse,
                                        (d.batches - 1) * d.lse_batch_stride +
                                            (d.heads_q - 1) * d.lse_head_stride + d.length_q,
                                        kWord)});
  all.push_back({"q", range_of(d, d.q, d.head_size)});
  all.push_back({"k", range_of(d, d.k)});
  if (!has_latents(d)) all.push_back({"v", range_of(d, d.v)});
  all.push_back({"context_lengths", ByteRange::of(d.context_lengths, d.batches, kWord)});
  if (d.block_table && d.longest_context > 0)
    all.push_back({"block_table", ByteRange::of(d.block_table,
                                                (d.batches - 1) * d.block_table_stride +
                                                    (d.longest_context + d.page_size - 1) / d.page_size,
                                                kWord)});
  const int64_t slopes = (d.batches - 1) * d.alibi_batch_stride + d.heads_q;
  all.push_back(NamedRange::of("alibi_slopes", d.alibi_slopes, slopes, kWord));
  all.push_back(NamedRange::of("sinks", d.sinks, d.heads_q, kWord));
  all.push_back({d.k.token_scales ? "k.token_scales" : "k.scale", scales_of(d, d.k)});
  if (has_latents(d)) return all;
  all.push_back({d.v.token_scales ? "v.token_scales" : "v.scale", scales_of(d, d.v)});
  return all;
}

/// What else holds where values are the first elements of keys.
wavesmith_kernels_status check_latents(const Description& d) {
  const std::string where = " is given where head_size_v is less than head_size";
  if (d.softcap != 0) return not_supported(kDecode, "softcap" + where);
  if (d.alibi_slopes) return not_supported(kDecode, "alibi_slopes" + where);
  if (d.k.token_scales) return not_supported(kDecode, "k.token_scales" + where);
  return succeed();
}

wavesmith_kernels_status check_lse(const Description& d) {
  if (!d.lse) return succeed();
  const struct {
    const char* name;
    int64_t stride, count;
  } all[] = {{"lse_head_stride", d.lse_head_stride, d.heads_q},
             {"lse_batch_stride", d.lse_batch_stride, d.batches}};
  for (const auto& one : all)
    if (one.count > 1 && one.stride < d.length_q)
      return invalid(kDecode, std::string(one.name) + " is " + text(one.stride) + ", less than the " +
                                  text(d.length_q) + " queries of a head");
  return succeed();
}

}  // namespace

int64_t values_of(const Description& d) { return d.head_size_v == 0 ? d.head_size : d.head_size_v; }
bool has_latents(const Description& d) { return values_of(d) < d.head_size; }
bool is_empty(const Description& d) { return d.batches == 0 || d.length_q == 0 || d.heads_q == 0; }

wavesmith_kernels_status check_decode(const Description& d) {
  if (const auto status = check_sizes(d)) return status;
  if (d.type != WAVESMITH_KERNELS_F16 && d.type != WAVESMITH_KERNELS_BF16) {
    if (is_type(d.type))
      return not_supported(kDecode, "there is no kernel for queries of " + std::string(word_of(d.type)));
    return invalid(kDecode, "type is " + text(d.type) + ", no element type");
  }
  if (!std::isfinite(d.scale)) return invalid(kDecode, "scale is not finite");
  if (!std::isfinite(d.softcap) || d.softcap < 0)
    return invalid(kDecode, "softcap is negative or not finite");
  if (is_empty(d)) return succeed();
  if (const auto status = check_heads(d, "q", d.q)) return status;
  if (const auto status = check_heads(d, "o", d.o)) return status;
  if (const auto status = check_table(d)) return status;
  if (const auto status = check_cache(d, "k", d.k)) return status;
  if (has_latents(d)) {
    if (const auto status = check_latents(d)) return status;
  } else {
    if (const auto status = check_cache(d, "v", d.v)) return status;
    if (d.k.type != d.v.type)
      return not_supported(kDecode, "k is of " + std::string(word_of(d.k.type)) + " and v of " +
                                        std::string(word_of(d.v.type)));
    if (has_scales_of_positions(d.k) != has_scales_of_positions(d.v))
      return not_supported(kDecode, std::string(d.k.token_scales ? "k" : "v") + " has token_scales and " +
                                        (d.k.token_scales ? "v" : "k") + " has none");
  }
  if (!d.context_lengths) return invalid(kDecode, "context_lengths is null");
  for (const auto& [name, data] : {std::pair<const char*, const void*>{"context_lengths", d.context_lengths},
                                   {"alibi_slopes", d.alibi_slopes},
                                   {"sinks", d.sinks},
                                   {"lse", d.lse}})
    if (const auto status = check_aligned(kDecode, name, data, 4)) return status;
  if (d.alibi_slopes && d.alibi_batch_stride < 0) return invalid(kDecode, "alibi_batch_stride is negative");
  if (const auto status = check_lse(d)) return status;
  const std::vector<NamedRange> all = all_of(d);
  const size_t written = d.lse ? 2 : 1;
  for (size_t i = 0; i < written; ++i)
    if (const auto status = check_apart(kDecode, all[i], std::span(all).subspan(i + 1))) return status;
  return succeed();
}

wavesmith_kernels_status check_workspace(const Description& d, size_t bytes) {
  if (bytes == 0) return succeed();
  if (const auto status = kernels::check_workspace(kDecode, d.workspace, d.workspace_bytes, bytes))
    return status;
  const auto first = reinterpret_cast<uintptr_t>(d.workspace);
  return check_apart(kDecode, {"workspace", {first, first + bytes}}, all_of(d));
}

}  // namespace wavesmith::kernels
