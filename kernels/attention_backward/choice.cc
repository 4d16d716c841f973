#include "kernels/attention_backward/choice.h"

#include <algorithm>
#include <string>
#include <utility>

#include "kernels/attention/choice.h"
#include "kernels/attention/dropout_rules.h"
#include "kernels/attention/tensors.h"
#include "kernels/library/named_range.h"

namespace wavesmith::kernels {
namespace {

using Description = wavesmith_kernels_attention_backward_description;
constexpr const char* kName = "attention_backward";

wavesmith_kernels_status invalid(std::string_view message) { return kernels::invalid(kName, message); }

bool of_queries(const AttentionBackwardConfiguration& row) { return row.gradient == "queries"; }

/// The size of heads of the kernels that serve a description; 0: there are none.
wavesmith_kernels_status find_size(int64_t head_size, std::string_view target, int& size) {
  int largest = 0;
  for (const AttentionBackwardConfiguration& row : attention_backward_configurations()) {
    if (row.target != target) continue;
    largest = std::max(largest, row.head_size);
    if (row.head_size >= head_size && (size == 0 || row.head_size < size)) size = row.head_size;
  }
  if (size != 0) return succeed();
  return not_supported(kName, largest == 0
                                  ? "there is no kernel for " + std::string(target)
                                  : "head_size is " + std::to_string(head_size) + ", and the kernels for " +
                                        std::string(target) + " go to " + std::to_string(largest));
}

}  // namespace

size_t workspace_of(const Description& b) {
  const HeadsExtent q = extent_q(b.forward);
  return static_cast<size_t>(q.batches * q.heads * q.rows) * 2 * sizeof(float);
}

wavesmith_kernels_status check_attention_backward(const Description& b) {
  const auto& a = b.forward;
  if (const auto status = check_attention(a)) return status;
  if (values_of(a) != a.head_size)
    return not_supported(kName, "forward.head_size_v is " + std::to_string(a.head_size_v) +
                                    ", and forward.head_size " + std::to_string(a.head_size));
  const HeadsExtent q = extent_q(a), k = extent_k(a);
  if (!q.empty() && !a.lse) return invalid("forward.lse is null: weights are found again from it");
  if (const auto status = check_heads(kName, "forward.o", a.o, q, a.head_size, false)) return status;
  if (const auto status = check_heads(kName, "d_o", b.d_o, q, a.head_size, false)) return status;
  const struct {
    const char* name;
    const wavesmith_kernels_heads& heads;
    const HeadsExtent& extent;
  } written[] = {{"dq", b.dq, q}, {"dk", b.dk, k}, {"dv", b.dv, k}};
  for (const auto& one : written)
    if (const auto status = check_heads(kName, one.name, one.heads, one.extent, a.head_size, true))
      return status;
  constexpr auto kWord = WAVESMITH_KERNELS_F32;  // of 4 bytes, as those of I32
  std::vector<NamedRange> ranges = {
      {"forward.q", range_of(a.q, q, a.head_size, a.type)},
      {"forward.k", range_of(a.k, k, a.head_size, a.type)},
      {"forward.v", range_of(a.v, k, a.head_size, a.type)},
      {"forward.o", range_of(a.o, q, a.head_size, a.type)},
      {"d_o", range_of(b.d_o, q, a.head_size, a.type)},
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
    const NamedRange range{one.name, range_of(one.heads, one.extent, a.head_size, a.type)};
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
  if (const auto status = find_size(a.head_size, target, size)) return status;
  if (const auto status = check_workspace(kName, b.workspace, b.workspace_bytes, workspace_of(b)))
    return status;
  AttentionBackwardArguments arguments{.forward = attention_arguments(a),
                                       .d_o = b.d_o.data,
                                       .dq = b.dq.data,
                                       .dk = b.dk.data,
                                       .dv = b.dv.data,
                                       .stride_d_o = strides(b.d_o, q, a.cu_seqlens_q, a.head_size),
                                       .stride_dq = strides(b.dq, q, a.cu_seqlens_q, a.head_size),
                                       .stride_dk = strides(b.dk, k, a.cu_seqlens_k, a.head_size),
                                       .stride_dv = strides(b.dv, k, a.cu_seqlens_k, a.head_size),
                                       .rows = static_cast<float*>(b.workspace),
                                       .row_batch = a.cu_seqlens_q ? 0 : q.heads * q.rows,
                                       .row_head = q.rows,
                                       .scale = a.scale};
  const bool shaped = a.softcap != 0 || a.alibi_slopes || a.scale <= 0;
  int dies = 1;
  for (const AttentionConfiguration& row : attention_configurations())
    if (row.target == target) dies = row.dies;
  for (const AttentionBackwardConfiguration& row : attention_backward_configurations()) {
    if (row.target != target || row.head_size != size) continue;
    const int64_t heads = of_queries(row) ? a.heads_q : a.heads_kv,
                  length = of_queries(row) ? a.length_q : a.length_k;
    if ((of_queries(row) ? q : k).empty() || a.batches == 0 || length == 0) continue;
    if (const auto status = deal_tiles(kName, arguments.forward, a.batches, heads, length,
                                       {.rows = row.rows, .threads = row.threads, .dies = dies}))
      return status;
    const std::string name =
        "attention_backward_" + std::string(word_of(a.type)) + "_" + std::to_string(size) + "_";
    const auto add = [&](std::string_view gradient, const char* kind) {
      choice.push_back({.configuration = &row,
                        .name = name + std::string(gradient) + kind,
                        .arguments = {arguments, dropout_of(a)}});
    };
    if (a.dropout == 0) {
      add(row.gradient, shaped ? "_shaped" : "");
    } else if (row.gradient == "keys_and_values") {
      add("keys", "_dropout");
      add("values", "_dropout");
    } else {
      add(row.gradient, "_dropout");
    }
  }
  // The kernel of dQ finds what the others need.
  const auto first = std::find_if(choice.begin(), choice.end(),
                                  [](const auto& one) { return of_queries(*one.configuration); });
  if (first != choice.end()) std::rotate(choice.begin(), first, first + 1);
  return succeed();
}

}  // namespace wavesmith::kernels
