#include "kernels/attention_backward/choice.h"

#include <algorithm>
#include <string>
#include <vector>

#include "kernels/attention/choice.h"
#include "kernels/attention/dropout_rules.h"
#include "kernels/attention/tensors.h"
#include "kernels/library/named_range.h"

namespace wavesmith::kernels {
namespace {

using Description = wavesmith_kernels_attention_backward_description;
constexpr const char* kName = "attention_backward";

wavesmith_kernels_status invalid(std::string_view message) { return kernels::invalid(kName, message); }

bool of_all(const AttentionBackwardConfiguration& row) { return row.gradient == "all"; }

/// The larger of the sizes of heads: one kernel serves both.
int64_t size_of_heads(const Description& b) { return std::max(b.forward.head_size, values_of(b.forward)); }
/// Of those that have kernels in which workgroups add to gradients.
constexpr int64_t kLargestOfSums = 128;
/// Floats of a row of sums: those of the kernels' heads.
int64_t row_of_sums(const Description& b) { return size_of_heads(b) > 64 ? kLargestOfSums : 64; }

/// Whether workgroups add to gradients, if there is a kernel in which they do: a buffer holds 4 GiB of a
/// head's sums.
bool adds(const Description& b) {
  const int64_t most = UINT32_MAX / row_of_sums(b) / 4;
  return b.any_order != 0 && b.forward.dropout == 0 && size_of_heads(b) <= kLargestOfSums &&
         extent_q(b.forward).rows <= most && extent_k(b.forward).rows <= most;
}

/// Into how many workgroups with the same keys the heads of queries that share them are parted then: where
/// there would be too few, or a mask leaves some of few with twice what others have. Where there are enough,
/// the sums of keys cost more than they gain (modelled: an MI300X, 4,096 queries and keys, 32 heads and 8,
/// takes 931 us causal with one, 631 with two, 652 with four; without a mask 1,248 with one and 1,293 with
/// four).
int64_t parts_of(const Description& b) {
  const auto& a = b.forward;
  if (!adds(b) || a.heads_kv == 0) return 1;
  constexpr int64_t kKeys = 128;  // of a workgroup
  const int64_t enough = a.causal ? 512 : 256;
  const int64_t most = a.heads_q / a.heads_kv,
                whole = a.batches * a.heads_kv * ((a.length_k + kKeys - 1) / kKeys);
  int64_t parts = 1;
  while (parts < most && (whole * parts < enough || most % parts != 0)) ++parts;
  return parts;
}

/// What lies in the workspace, in floats: sums of queries, of keys' two gradients, and two of each row of
/// queries.
struct Workspace {
  int64_t queries = 0, keys = 0, rows = 0;
  [[nodiscard]] int64_t floats() const { return queries + 2 * keys + rows; }
};
Workspace parts_of_workspace(const Description& b) {
  const HeadsExtent q = extent_q(b.forward), k = extent_k(b.forward);
  const int64_t rows = q.batches * q.heads * q.rows, size = row_of_sums(b);
  return {.queries = adds(b) ? rows * size : 0,
          .keys = parts_of(b) > 1 ? k.batches * k.heads * k.rows * size : 0,
          .rows = 2 * rows};
}

/// The size of heads of the kernels that serve a description; 0: there are none.
wavesmith_kernels_status find_size(const Description& b, std::string_view target, int& size) {
  const int64_t wanted = size_of_heads(b);
  int largest = 0;
  for (const AttentionBackwardConfiguration& row : attention_backward_configurations()) {
    if (row.target != target) continue;
    largest = std::max(largest, row.head_size);
    if (row.head_size >= wanted && (size == 0 || row.head_size < size)) size = row.head_size;
  }
  if (size != 0) return b.forward.dropout != 0 ? check_dropout_size(kName, size, b.forward) : succeed();
  if (largest == 0) return not_supported(kName, "there is no kernel for " + std::string(target));
  return not_supported(kName, (wanted > b.forward.head_size ? "head_size_v is " : "head_size is ") +
                                  std::to_string(wanted) + ", and the kernels for " + std::string(target) +
                                  " go to " + std::to_string(largest));
}

}  // namespace

size_t workspace_of(const Description& b) {
  return static_cast<size_t>(parts_of_workspace(b).floats()) * sizeof(float);
}

wavesmith_kernels_status check_attention_backward(const Description& b) {
  const auto& a = b.forward;
  if (const auto status = check_attention(a)) return status;
  const int64_t of_values = values_of(a);
  const HeadsExtent q = extent_q(a), k = extent_k(a);
  if (!q.empty() && !a.lse) return invalid("forward.lse is null: weights are found again from it");
  if (const auto status = check_heads(kName, "forward.o", a.o, q, of_values, false)) return status;
  if (const auto status = check_heads(kName, "d_o", b.d_o, q, of_values, false)) return status;
  const struct {
    const char* name;
    const wavesmith_kernels_heads& heads;
    const HeadsExtent& extent;
    int64_t size;
  } written[] = {{"dq", b.dq, q, a.head_size}, {"dk", b.dk, k, a.head_size}, {"dv", b.dv, k, of_values}};
  for (const auto& one : written)
    if (const auto status = check_heads(kName, one.name, one.heads, one.extent, one.size, true))
      return status;
  constexpr auto kWord = WAVESMITH_KERNELS_F32;  // of 4 bytes, as those of I32
  std::vector<NamedRange> ranges = {
      {"forward.q", range_of(a.q, q, a.head_size, a.type)},
      {"forward.k", range_of(a.k, k, a.head_size, a.type)},
      {"forward.v", range_of(a.v, k, of_values, a.type)},
      {"forward.o", range_of(a.o, q, of_values, a.type)},
      {"d_o", range_of(b.d_o, q, of_values, a.type)},
      NamedRange::of("forward.alibi_slopes", a.alibi_slopes,
                     (a.batches - 1) * a.alibi_batch_stride + a.heads_q, kWord),
      NamedRange::of("forward.dropout_state", state_of(a), 4, kWord),
      NamedRange::of("forward.cu_seqlens_q", a.cu_seqlens_q, a.batches + 1, kWord),
      NamedRange::of("forward.cu_seqlens_k", a.cu_seqlens_k, a.batches + 1, kWord)};
  if (!q.empty())
    ranges.push_back(NamedRange::of(
        "forward.lse", a.lse,
        (q.batches - 1) * a.lse_batch_stride + (q.heads - 1) * a.lse_head_stride + q.rows, kWord));
  for (const auto& one : written) {
    const NamedRange range{one.name, range_of(one.heads, one.extent, one.size, a.type)};
    if (const auto status = check_apart(kName, range, ranges)) return status;
    ranges.push_back(range);
  }
  const NamedRange workspace =
      NamedRange::of("workspace", b.workspace, static_cast<int64_t>(workspace_of(b) / 4), kWord);
  return check_apart(kName, workspace, ranges);
}

wavesmith_kernels_status choose_attention_backward(const Description& b, std::string_view target,
                                                   AttentionBackwardChoice& choice) {
  const auto& a = b.forward;
  const HeadsExtent q = extent_q(a), k = extent_k(a);
  int size = 0;
  if (const auto status = find_size(b, target, size)) return status;
  if (const auto status = check_workspace(kName, b.workspace, b.workspace_bytes, workspace_of(b)))
    return status;
  const Workspace lies = parts_of_workspace(b);
  auto* const floats = static_cast<float*>(b.workspace);
  const int64_t parts = parts_of(b);
  AttentionBackwardArguments arguments{.forward = attention_arguments(a),
                                       .d_o = b.d_o.data,
                                       .dq = b.dq.data,
                                       .dk = b.dk.data,
                                       .dv = b.dv.data,
                                       .stride_d_o = strides(b.d_o, q, a.cu_seqlens_q, values_of(a)),
                                       .stride_dq = strides(b.dq, q, a.cu_seqlens_q, a.head_size),
                                       .stride_dk = strides(b.dk, k, a.cu_seqlens_k, a.head_size),
                                       .stride_dv = strides(b.dv, k, a.cu_seqlens_k, values_of(a)),
                                       .rows = floats + lies.queries + 2 * lies.keys,
                                       .row_batch = a.cu_seqlens_q ? 0 : q.heads * q.rows,
                                       .row_head = q.rows,
                                       .scale = a.scale,
                                       .sums = floats,
                                       .parts = static_cast<int>(parts),
                                       .sums_k = floats + lies.queries,
                                       .sums_v = floats + lies.queries + lies.keys,
                                       .key_batch = a.cu_seqlens_k ? 0 : k.heads * k.rows,
                                       .key_head = k.rows};
  const std::string name =
      "attention_backward_" + std::string(word_of(a.type)) + "_" + std::to_string(size) + "_";
  int dies = 1;
  for (const AttentionConfiguration& row : attention_configurations())
    if (row.target == target) dies = row.dies;
  const auto add = [&](const std::string& kernel, bool of_q, int rows, int threads,
                       int64_t parts_of_heads = 1) {
    const int64_t length = of_q ? a.length_q : a.length_k;
    if ((of_q ? q : k).empty() || a.batches == 0 || length == 0) return succeed();
    const int64_t heads = of_q ? a.heads_q : a.heads_kv * parts_of_heads;
    if (const auto status = deal_tiles(kName, arguments.forward, a.batches, heads, length,
                                       {.rows = rows, .threads = threads, .dies = dies}))
      return status;
    choice.push_back({.name = name + kernel, .threads = threads, .arguments = {arguments, dropout_of(a)}});
    return succeed();
  };
  const bool shaped = a.softcap != 0 || a.alibi_slopes || a.scale <= 0;
  const auto add_of = [&](const AttentionBackwardConfiguration& row) {
    const bool of_q = row.gradient == "queries";
    if (a.dropout == 0)
      return add(std::string(row.gradient) + (shaped ? "_shaped" : ""), of_q, row.rows, row.threads);
    if (row.gradient != "keys_and_values")
      return add(std::string(row.gradient) + "_dropout", of_q, row.rows, row.threads);
    if (const auto status = add("keys_dropout", of_q, row.rows, row.threads)) return status;
    return add("values_dropout", of_q, row.rows, row.threads);
  };
  std::vector<const AttentionBackwardConfiguration*> rows;
  for (const AttentionBackwardConfiguration& row : attention_backward_configurations())
    if (row.target == target && row.head_size == size) rows.push_back(&row);
  const auto all = std::find_if(rows.begin(), rows.end(), [](const auto* row) { return of_all(*row); });
  if (all != rows.end() && adds(b) && (!shaped || (*all)->shaped_tile != 0)) {
    const int rows_of_sums = rows_together(size);
    const auto add_rows = [&](const char* kernel, bool of_q) {
      return of_q || parts > 1 ? add(kernel, of_q, rows_of_sums, kThreadsOfRows) : succeed();
    };
    if (const auto status = add_rows("all_begin", true)) return status;
    if (const auto status = add_rows("all_begin_keys", false)) return status;
    if (const auto status = add(shaped ? "all_shaped" : "all", false, (*all)->rows, (*all)->threads, parts))
      return status;
    if (const auto status = add_rows("all_end", true)) return status;
    return add_rows("all_end_keys", false);
  }
  // The kernel of dQ finds what the others need.
  std::partition(rows.begin(), rows.end(), [](const auto* row) { return row->gradient == "queries"; });
  for (const auto* const row : rows) {
    if (of_all(*row)) continue;
    if (const auto status = add_of(*row)) return status;
  }
  return succeed();
}

}  // namespace wavesmith::kernels
