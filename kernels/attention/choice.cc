#include "kernels/attention/choice.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "kernels/attention/dropout_rules.h"
#include "kernels/attention/tensors.h"
#include "kernels/library/named_range.h"

namespace wavesmith::kernels {
namespace {

using Description = wavesmith_kernels_attention_description;
using Heads = wavesmith_kernels_heads;

constexpr const char* kName = "attention";

wavesmith_kernels_status invalid(std::string_view message) { return kernels::invalid(kName, message); }
wavesmith_kernels_status not_supported(std::string_view message) {
  return kernels::not_supported(kName, message);
}

wavesmith_kernels_status check(const char* name, const Heads& heads, const HeadsExtent& extent,
                               int64_t head_size, bool written) {
  return check_heads(kName, name, heads, extent, head_size, written);
}

wavesmith_kernels_status check_sizes(const Description& a) {
  for (const auto& [name, size] : {std::pair{"batches", a.batches},
                                   {"heads_q", a.heads_q},
                                   {"heads_kv", a.heads_kv},
                                   {"length_q", a.length_q},
                                   {"length_k", a.length_k},
                                   {"head_size", a.head_size},
                                   {"head_size_v", a.head_size_v},
                                   {"total_q", a.cu_seqlens_q ? a.total_q : 0},
                                   {"total_k", a.cu_seqlens_k ? a.total_k : 0}}) {
    if (size < 0) return invalid(std::string(name) + " is negative");
    if (size > kLongestSequence)
      return not_supported(std::string(name) + " is " + std::to_string(size) + ", more than " +
                           std::to_string(kLongestSequence));
  }
  if (a.heads_kv == 0 ? a.heads_q != 0 : a.heads_q % a.heads_kv != 0)
    return invalid("heads_q is " + std::to_string(a.heads_q) + ", no multiple of heads_kv, " +
                   std::to_string(a.heads_kv));
  if (a.head_size == 0) return invalid("head_size is 0");
  for (const auto& [name, size] : {std::pair{"head_size", a.head_size}, {"head_size_v", a.head_size_v}})
    if (size % 8 != 0)
      return not_supported(std::string(name) + " is " + std::to_string(size) + ", no multiple of 8");
  for (const auto& [name, window] :
       {std::pair{"window_left", a.window_left}, {"window_right", a.window_right}})
    if (window < -1) return invalid(std::string(name) + " is " + std::to_string(window) + ", less than -1");
  return succeed();
}

}  // namespace

int64_t values_of(const Description& a) { return a.head_size_v == 0 ? a.head_size : a.head_size_v; }
bool is_empty(const Description& a) { return a.batches == 0 || a.length_q == 0 || extent_q(a).empty(); }

wavesmith_kernels_status check_attention(const Description& a) {
  if (const auto status = check_sizes(a)) return status;
  if (a.type != WAVESMITH_KERNELS_F16 && a.type != WAVESMITH_KERNELS_BF16) {
    if (is_type(a.type)) return not_supported("there is no kernel for type " + std::string(word_of(a.type)));
    return invalid("type is " + std::to_string(a.type) + ", no element type");
  }
  if (!std::isfinite(a.scale)) return invalid("scale is not finite");
  if (!std::isfinite(a.softcap) || a.softcap < 0) return invalid("softcap is negative or not finite");
  if (const auto status = check_dropout(kName, a)) return status;
  const HeadsExtent q = extent_q(a), k = extent_k(a);
  if (const auto status = check("q", a.q, q, a.head_size, false)) return status;
  if (const auto status = check("k", a.k, k, a.head_size, false)) return status;
  if (const auto status = check("v", a.v, k, values_of(a), false)) return status;
  if (const auto status = check("o", a.o, q, values_of(a), true)) return status;
  for (const auto& [name, data] : {std::pair<const char*, const void*>{"alibi_slopes", a.alibi_slopes},
                                   {"sinks", a.sinks},
                                   {"cu_seqlens_q", a.cu_seqlens_q},
                                   {"cu_seqlens_k", a.cu_seqlens_k},
                                   {"lse", a.lse}})
    if (const auto status = check_aligned(kName, name, data, 4)) return status;
  if (a.alibi_slopes && a.alibi_batch_stride < 0) return invalid("alibi_batch_stride is negative");
  if (is_empty(a)) return succeed();
  constexpr auto kWord = WAVESMITH_KERNELS_F32;  // of 4 bytes, as those of I32
  const NamedRange o{"o", range_of(a.o, q, values_of(a), a.type)};
  const NamedRange inputs[] = {{"q", range_of(a.q, q, a.head_size, a.type)},
                               {"k", range_of(a.k, k, a.head_size, a.type)},
                               {"v", range_of(a.v, k, values_of(a), a.type)},
                               NamedRange::of("alibi_slopes", a.alibi_slopes,
                                              (a.batches - 1) * a.alibi_batch_stride + a.heads_q, kWord),
                               NamedRange::of("sinks", a.sinks, a.heads_q, kWord),
                               NamedRange::of("dropout_state", state_of(a), 4, kWord),
                               NamedRange::of("cu_seqlens_q", a.cu_seqlens_q, a.batches + 1, kWord),
                               NamedRange::of("cu_seqlens_k", a.cu_seqlens_k, a.batches + 1, kWord)};
  if (const auto status = check_apart(kName, o, inputs)) return status;
  if (!a.lse) return succeed();
  if (q.heads > 1 && a.lse_head_stride < q.rows)
    return invalid("lse_head_stride is " + std::to_string(a.lse_head_stride) + ", less than the " +
                   std::to_string(q.rows) + " positions of a head");
  if (q.batches > 1 && a.lse_batch_stride < q.rows)
    return invalid("lse_batch_stride is " + std::to_string(a.lse_batch_stride) + ", less than the " +
                   std::to_string(q.rows) + " positions of a head");
  const NamedRange lse = NamedRange::of(
      "lse", a.lse, (q.batches - 1) * a.lse_batch_stride + (q.heads - 1) * a.lse_head_stride + q.rows, kWord);
  if (lse.range.overlaps(o.range)) return invalid("lse overlaps o");
  return check_apart(kName, lse, inputs);
}

AttentionArguments attention_arguments(const Description& a) {
  const HeadsExtent q = extent_q(a), k = extent_k(a);
  return {
      .q = a.q.data,
      .k = a.k.data,
      .v = a.v.data,
      .o = a.o.data,
      .lse = a.lse,
      .slopes = a.alibi_slopes,
      .sinks = a.sinks,
      .starts_q = a.cu_seqlens_q,
      .starts_k = a.cu_seqlens_k,
      .stride_q = strides(a.q, q, a.cu_seqlens_q, a.head_size),
      .stride_k = strides(a.k, k, a.cu_seqlens_k, a.head_size),
      .stride_v = strides(a.v, k, a.cu_seqlens_k, values_of(a)),
      .stride_o = strides(a.o, q, a.cu_seqlens_q, values_of(a)),
      .lse_batch = a.cu_seqlens_q ? 0 : a.lse_batch_stride,
      .lse_head = a.lse_head_stride,
      .slopes_batch = a.alibi_batch_stride,
      .heads_per_kv = a.heads_kv > 0 ? static_cast<int>(a.heads_q / a.heads_kv) : 0,
      .length_q = static_cast<int>(q.rows),
      .length_k = static_cast<int>(k.rows),
      .head_size = static_cast<int>(a.head_size),
      .head_size_v = static_cast<int>(values_of(a)),
      .left = limited(a.window_left),
      .right = a.causal ? 0 : limited(a.window_right),
      .factor = a.scale * std::numbers::log2e_v<float>,
      .softcap = a.softcap * std::numbers::log2e_v<float>,
      .per_cap = a.softcap != 0 ? a.scale / a.softcap : 0,
  };
}

wavesmith_kernels_status deal_tiles(std::string_view operation, AttentionArguments& arguments,
                                    int64_t batches, int64_t heads, int64_t length,
                                    const AttentionTile& tile) {
  const int64_t tiles = (length + tile.rows - 1) / tile.rows;
  const int64_t most = INT32_MAX / tile.threads - tile.dies;  // what a grid holds
  if (heads > most / tiles || batches > most / tiles / heads)
    return kernels::not_supported(operation, "batches, heads and lengths make more tiles than the " +
                                                 std::to_string(most) + " of a grid");
  arguments.heads = static_cast<int>(heads);
  arguments.tiles = static_cast<int>(tiles);
  arguments.workgroups = static_cast<int>(batches * heads * tiles);
  arguments.dies = tile.dies;
  arguments.per_die = (arguments.workgroups + tile.dies - 1) / tile.dies;
  return succeed();
}

wavesmith_kernels_status choose_attention(const Description& a, std::string_view target,
                                          AttentionChoice& choice) {
  int largest = 0;
  const int64_t of_values = values_of(a);
  for (const AttentionConfiguration& row : attention_configurations()) {
    if (row.target != target) continue;
    largest = std::max(largest, row.head_size);
    if (row.head_size < a.head_size || row.head_size_v < of_values) continue;
    if (!choice.configuration || row.head_size < choice.configuration->head_size) choice.configuration = &row;
  }
  if (!choice.configuration)
    return not_supported(
        largest == 0
            ? "there is no kernel for " + std::string(target)
            : "head_size is " + std::to_string(a.head_size) +
                  (of_values == a.head_size ? "" : ", head_size_v is " + std::to_string(of_values)) +
                  ", and the kernels for " + std::string(target) + " go to " + std::to_string(largest));
  const AttentionConfiguration& row = *choice.configuration;
  // Plain scores grow with what the softmax multiplies them by.
  const bool shaped = a.softcap != 0 || a.alibi_slopes || a.scale <= 0;
  if (a.dropout != 0)
    if (const auto status = check_dropout_size(kName, std::max(row.head_size, row.head_size_v), a))
      return status;
  choice.kernel = "attention_" + std::string(word_of(a.type)) + "_" + std::to_string(row.head_size) +
                  (row.head_size_v == row.head_size ? "" : "x" + std::to_string(row.head_size_v)) +
                  (a.dropout != 0 ? "_dropout"
                   : shaped       ? "_shaped"
                                  : "");
  choice.arguments = {attention_arguments(a), dropout_of(a)};
  return deal_tiles(kName, choice.arguments, a.batches, a.heads_q, a.length_q,
                    {.rows = row.rows, .threads = row.threads, .dies = row.dies});
}

}  // namespace wavesmith::kernels
