#include "python/native/kernels.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <memory>
#include <string_view>

#include "python/native/failure.h"
#include "python/native/kernel_words.h"

namespace nb = nanobind;

namespace wavesmith::python {
namespace {

wavesmith_kernels_reduce_description reduce_description(std::tuple<int64_t, int64_t> sizes,
                                                        const std::string& reduction, const std::string& over,
                                                        const RowsTuple& x, const RowsTuple& y) {
  return {.rows = std::get<0>(sizes),
          .columns = std::get<1>(sizes),
          .reduction = reduction_of(reduction),
          .x = rows_of(x),
          .y = rows_of(y),
          .over = reduced_of(over)};
}

wavesmith_sort_experts_description sort_description(const SortedSizes& sizes, const SortedAddresses& at) {
  const auto& [ids, map, weights, offsets, tokens_of, places, sorted_weights] = at;
  return {.tokens = std::get<0>(sizes),
          .choices = std::get<1>(sizes),
          .experts = std::get<2>(sizes),
          .ids = reinterpret_cast<const int32_t*>(ids),
          .expert_map = reinterpret_cast<const int32_t*>(map),
          .mapped_experts = std::get<3>(sizes),
          .weights = reinterpret_cast<const float*>(weights),
          .group_offsets = reinterpret_cast<int32_t*>(offsets),
          .tokens_of = reinterpret_cast<int32_t*>(tokens_of),
          .places = reinterpret_cast<int32_t*>(places),
          .sorted_weights = reinterpret_cast<float*>(sorted_weights)};
}

/// What `launch` returns, without Python's lock.
template <class Launch>
wavesmith_kernels_status unlocked(Launch launch) {
  const nb::gil_scoped_release released;
  return launch();
}

template <class Array>
nb::tuple described(const Array& array) {
  std::vector<int64_t> shape, strides;
  for (size_t i = 0; i < array.ndim(); ++i) {
    shape.push_back(static_cast<int64_t>(array.shape(i)));
    strides.push_back(array.stride(i));
  }
  return nb::make_tuple(reinterpret_cast<uintptr_t>(array.data()), word_of(array.dtype()),
                        nb::tuple(nb::cast(shape)), nb::tuple(nb::cast(strides)), array.device_type(),
                        array.device_id());
}

}  // namespace

Kernels::Kernels(Hip& hip, const std::string& library) : hip_(hip) {
  void* const handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle)
    throw Failure({ErrorKind::NotFound, fmt::format("cannot load the kernel library: {}", dlerror())});
  const auto find = [&](auto& function, const char* name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(handle, name));
    if (!function) throw Failure({ErrorKind::NotFound, fmt::format("'{}' has no {}", library, name)});
  };
  find(message_, "wavesmith_kernels_message");
  find(gemm_, "wavesmith_kernels_gemm");
  find(gemm_check_, "wavesmith_kernels_gemm_check");
  find(gemm_with_, "wavesmith_kernels_gemm_with");
  find(gemm_tile_, "wavesmith_kernels_gemm_tile");
  find(norm_, "wavesmith_kernels_norm");
  find(all_reduce_, "wavesmith_kernels_all_reduce");
  find(all_reduce_buffer_, "wavesmith_kernels_all_reduce_buffer");
  find(softmax_, "wavesmith_kernels_softmax");
  find(router_, "wavesmith_kernels_router");
  find(gate_, "wavesmith_kernels_gate");
  find(elementwise_, "wavesmith_kernels_elementwise");
  find(reduce_, "wavesmith_kernels_reduce");
  find(reduce_workspace_, "wavesmith_kernels_reduce_workspace");
  find(transpose_, "wavesmith_kernels_transpose");
  find(quantise_, "wavesmith_kernels_quantise");
  find(dequantise_, "wavesmith_kernels_dequantise");
  find(rope_, "wavesmith_kernels_rope");
  find(sort_experts_, "wavesmith_kernels_sort_experts");
  find(sort_experts_workspace_, "wavesmith_kernels_sort_experts_workspace");
  find(combine_, "wavesmith_kernels_combine");
  find(attention_, "wavesmith_kernels_attention");
  find(attention_dropout_, "wavesmith_kernels_attention_dropout");
  find(decode_, "wavesmith_kernels_decode");
  find(gemm_workspace_, "wavesmith_kernels_gemm_workspace");
  find(decode_workspace_, "wavesmith_kernels_decode_workspace");
  find(cache_, "wavesmith_kernels_cache");
}

void Kernels::check(wavesmith_kernels_status status) {
  switch (status) {
    case WAVESMITH_KERNELS_SUCCESS:
      return;
    case WAVESMITH_KERNELS_INVALID_ARGUMENT:
    case WAVESMITH_KERNELS_INVALID_TABLE:
      throw Failure({ErrorKind::BadInput, message_()});
    case WAVESMITH_KERNELS_NOT_SUPPORTED:
      throw Failure({ErrorKind::Unsupported, message_()});
    case WAVESMITH_KERNELS_NO_CODE:
      throw Failure({ErrorKind::NotFound, message_()});
    case WAVESMITH_KERNELS_HIP_ERROR:
      hip_.raise_last(message_());
  }
  throw Failure({ErrorKind::Internal, message_()});
}

std::vector<std::string> Kernels::gemm_tiles(const std::string& a, const std::string& b) const {
  std::vector<std::string> tiles;
  const auto type_a = type_of(a).type, type_b = type_of(b).type;
  while (const char* tile = gemm_tile_(type_a, type_b, tiles.size())) tiles.emplace_back(tile);
  if (tiles.empty() && *message_()) throw Failure({ErrorKind::NotFound, message_()});
  return tiles;
}

std::string Kernels::gemm_check(const wavesmith_kernels_gemm_description& gemm) {
  const char* name = nullptr;
  check(gemm_check_(&gemm, &name));
  return name ? name : "";
}

size_t Kernels::gemm_workspace(const wavesmith_kernels_gemm_description& gemm,
                               const std::optional<std::string>& tile) {
  size_t bytes = 0;
  check(gemm_workspace_(&gemm, tile ? tile->c_str() : nullptr, &bytes));
  return bytes;
}

void Kernels::gemm(wavesmith_kernels_gemm_description gemm, const std::optional<std::string>& tile,
                   uintptr_t workspace, size_t bytes, uintptr_t stream) {
  gemm.workspace = reinterpret_cast<void*>(workspace), gemm.workspace_bytes = bytes;
  auto* const on = reinterpret_cast<void*>(stream);
  check(unlocked([&] { return tile ? gemm_with_(&gemm, tile->c_str(), on) : gemm_(&gemm, on); }));
}

void Kernels::norm(std::tuple<int64_t, int64_t> sizes, const RowsTuple& x, const RowsTuple& y,
                   const RowsTuple& residual, const RowsTuple& sum, const VectorTuple& weight,
                   const VectorTuple& bias, float weight_offset, float epsilon, bool centred,
                   const ScalesTuple& scales, uintptr_t stream) {
  const wavesmith_kernels_norm_description norm{.rows = std::get<0>(sizes),
                                                .columns = std::get<1>(sizes),
                                                .x = rows_of(x),
                                                .y = rows_of(y),
                                                .residual = rows_of(residual),
                                                .sum = rows_of(sum),
                                                .weight = reinterpret_cast<const void*>(std::get<0>(weight)),
                                                .bias = reinterpret_cast<const void*>(std::get<0>(bias)),
                                                .weight_type = optional_type_of(std::get<1>(weight)),
                                                .bias_type = optional_type_of(std::get<1>(bias)),
                                                .weight_offset = weight_offset,
                                                .epsilon = epsilon,
                                                .centred = centred,
                                                .scales = scales_of(scales)};
  check(unlocked([&] { return norm_(&norm, reinterpret_cast<void*>(stream)); }));
}

size_t Kernels::all_reduce_buffer(std::tuple<int64_t, int64_t> sizes, int ranks, const std::string& type) {
  const wavesmith_all_reduce_description reduce{.ranks = ranks,
                                                .rows = std::get<0>(sizes),
                                                .columns = std::get<1>(sizes),
                                                .type = optional_type_of(type)};
  size_t bytes = 0;
  check(all_reduce_buffer_(&reduce, &bytes));
  return bytes;
}

void Kernels::all_reduce(std::tuple<int64_t, int64_t> sizes, int rank, const std::string& type, uintptr_t x,
                         uintptr_t residual, uintptr_t sum, uintptr_t y, uintptr_t weight,
                         float weight_offset, float epsilon, const std::vector<uintptr_t>& buffers,
                         size_t bytes, uintptr_t stream) {
  wavesmith_all_reduce_description reduce{.ranks = static_cast<int32_t>(buffers.size()),
                                          .rank = rank,
                                          .rows = std::get<0>(sizes),
                                          .columns = std::get<1>(sizes),
                                          .type = optional_type_of(type),
                                          .x = reinterpret_cast<const void*>(x),
                                          .residual = reinterpret_cast<const void*>(residual),
                                          .sum = reinterpret_cast<void*>(sum),
                                          .y = reinterpret_cast<void*>(y),
                                          .weight = reinterpret_cast<const void*>(weight),
                                          .weight_offset = weight_offset,
                                          .epsilon = epsilon,
                                          .buffer_bytes = bytes};
  for (size_t i = 0; i < std::min<size_t>(buffers.size(), WAVESMITH_ALL_REDUCE_RANKS); ++i)
    reduce.buffers[i] = reinterpret_cast<void*>(buffers[i]);
  check(unlocked([&] { return all_reduce_(&reduce, reinterpret_cast<void*>(stream)); }));
}

void Kernels::softmax(std::tuple<int64_t, int64_t> sizes, const RowsTuple& x, const RowsTuple& y, float scale,
                      bool logarithm, uintptr_t stream) {
  const wavesmith_kernels_softmax_description softmax{.rows = std::get<0>(sizes),
                                                      .columns = std::get<1>(sizes),
                                                      .x = rows_of(x),
                                                      .y = rows_of(y),
                                                      .scale = scale,
                                                      .logarithm = logarithm};
  check(unlocked([&] { return softmax_(&softmax, reinterpret_cast<void*>(stream)); }));
}

void Kernels::router(std::tuple<int64_t, int64_t, int64_t> sizes, const RowsTuple& logits,
                     const std::string& scores, bool renormalised, float factor, uintptr_t bias,
                     const std::tuple<int64_t, int64_t, std::string>& groups, uintptr_t weights,
                     uintptr_t ids, uintptr_t stream) {
  const wavesmith_router_description router{.tokens = std::get<0>(sizes),
                                            .experts = std::get<1>(sizes),
                                            .chosen = std::get<2>(sizes),
                                            .logits = rows_of(logits),
                                            .scores = router_scores_of(scores),
                                            .renormalised = renormalised,
                                            .factor = factor,
                                            .bias = reinterpret_cast<const float*>(bias),
                                            .groups = std::get<0>(groups),
                                            .groups_kept = std::get<1>(groups),
                                            .worth = router_worth_of(std::get<2>(groups)),
                                            .weights = reinterpret_cast<float*>(weights),
                                            .ids = reinterpret_cast<int32_t*>(ids)};
  check(unlocked([&] { return router_(&router, reinterpret_cast<void*>(stream)); }));
}

void Kernels::gate(std::tuple<int64_t, int64_t> sizes, const RowsTuple& gate, const RowsTuple& up,
                   const RowsTuple& y, const std::string& activation, const ScalesTuple& scales,
                   uintptr_t stream) {
  const wavesmith_kernels_gate_description description{.rows = std::get<0>(sizes),
                                                       .columns = std::get<1>(sizes),
                                                       .gate = rows_of(gate),
                                                       .up = rows_of(up),
                                                       .y = rows_of(y),
                                                       .activation = activation_of(activation),
                                                       .scales = scales_of(scales)};
  check(unlocked([&] { return gate_(&description, reinterpret_cast<void*>(stream)); }));
}

void Kernels::elementwise(std::tuple<int64_t, int64_t> sizes, const std::string& operation,
                          std::tuple<float, float> factors, const RowsTuple& x, const RowsTuple& z,
                          int64_t z_column_stride, const RowsTuple& y, uintptr_t stream) {
  const wavesmith_kernels_elementwise_description elementwise{
      .rows = std::get<0>(sizes),
      .columns = std::get<1>(sizes),
      .operation = elementwise_operation_of(operation),
      .alpha = std::get<0>(factors),
      .beta = std::get<1>(factors),
      .x = rows_of(x),
      .z = rows_of(z),
      .y = rows_of(y),
      .z_column_stride = z_column_stride};
  check(unlocked([&] { return elementwise_(&elementwise, reinterpret_cast<void*>(stream)); }));
}

size_t Kernels::reduce_workspace(std::tuple<int64_t, int64_t> sizes, const std::string& reduction,
                                 const std::string& over, const RowsTuple& x, const RowsTuple& y) {
  const auto reduce = reduce_description(sizes, reduction, over, x, y);
  size_t bytes = 0;
  check(reduce_workspace_(&reduce, &bytes));
  return bytes;
}

void Kernels::reduce(std::tuple<int64_t, int64_t> sizes, const std::string& reduction,
                     const std::string& over, const RowsTuple& x, const RowsTuple& y, uintptr_t workspace,
                     size_t bytes, uintptr_t stream) {
  auto reduce = reduce_description(sizes, reduction, over, x, y);
  reduce.workspace = reinterpret_cast<void*>(workspace), reduce.workspace_bytes = bytes;
  check(unlocked([&] { return reduce_(&reduce, reinterpret_cast<void*>(stream)); }));
}

void Kernels::transpose(std::tuple<int64_t, int64_t, int64_t> sizes, const MatrixTuple& x,
                        const MatrixTuple& y, uintptr_t stream) {
  const auto& [rows, columns, batches] = sizes;
  const wavesmith_kernels_transpose_description transpose{rows, columns, batches, matrix_of(x), matrix_of(y)};
  check(unlocked([&] { return transpose_(&transpose, reinterpret_cast<void*>(stream)); }));
}

void Kernels::quantise(std::tuple<int64_t, int64_t> sizes, const RowsTuple& x, const RowsTuple& y,
                       const ScalesTuple& scales, uintptr_t stream) {
  const wavesmith_kernels_quantise_description quantise{std::get<0>(sizes), std::get<1>(sizes), rows_of(x),
                                                        rows_of(y), scales_of(scales)};
  check(unlocked([&] { return quantise_(&quantise, reinterpret_cast<void*>(stream)); }));
}

void Kernels::dequantise(std::tuple<int64_t, int64_t> sizes, const RowsTuple& x, const RowsTuple& y,
                         const ScalesTuple& scales, uintptr_t stream) {
  const wavesmith_kernels_dequantise_description dequantise{std::get<0>(sizes), std::get<1>(sizes),
                                                            rows_of(x), rows_of(y), scales_of(scales)};
  check(unlocked([&] { return dequantise_(&dequantise, reinterpret_cast<void*>(stream)); }));
}

void Kernels::rope(std::tuple<int64_t, int64_t, int64_t, int64_t> sizes, const HeadsTuple& x,
                   const HeadsTuple& y, const RowsTuple& cosines, const RowsTuple& sines,
                   std::tuple<uintptr_t, int> positions, int64_t first_position, bool interleaved,
                   uintptr_t stream) {
  const auto& [tokens, heads, elements, rotated] = sizes;
  const wavesmith_kernels_rows table = rows_of(cosines);
  const wavesmith_kernels_rope_description rope{
      .tokens = tokens,
      .heads = heads,
      .elements = elements,
      .rotated = rotated,
      .x = heads_of(x),
      .y = heads_of(y),
      .cosines = table.data,
      .sines = rows_of(sines).data,
      .table_type = table.type,
      .table_stride = table.row_stride,
      .positions = reinterpret_cast<const void*>(std::get<0>(positions)),
      .positions_are_64_bits = std::get<1>(positions) == 64,
      .first_position = first_position,
      .interleaved = interleaved};
  check(unlocked([&] { return rope_(&rope, reinterpret_cast<void*>(stream)); }));
}

size_t Kernels::sort_experts_workspace(const SortedSizes& sizes, const SortedAddresses& at) {
  const auto sort = sort_description(sizes, at);
  size_t bytes = 0;
  check(sort_experts_workspace_(&sort, &bytes));
  return bytes;
}

void Kernels::sort_experts(const SortedSizes& sizes, const SortedAddresses& at, uintptr_t workspace,
                           size_t bytes, uintptr_t stream) {
  auto sort = sort_description(sizes, at);
  sort.workspace = reinterpret_cast<void*>(workspace), sort.workspace_bytes = bytes;
  check(unlocked([&] { return sort_experts_(&sort, reinterpret_cast<void*>(stream)); }));
}

void Kernels::combine(std::tuple<int64_t, int64_t, int64_t, int64_t> sizes, const RowsTuple& x,
                      const RowsTuple& addend, const RowsTuple& y, uintptr_t places, uintptr_t weights,
                      uintptr_t stream) {
  const auto& [tokens, columns, choices, rows] = sizes;
  const wavesmith_combine_description combine{.tokens = tokens,
                                              .columns = columns,
                                              .choices = choices,
                                              .rows = rows,
                                              .x = rows_of(x),
                                              .addend = rows_of(addend),
                                              .y = rows_of(y),
                                              .places = reinterpret_cast<const int32_t*>(places),
                                              .weights = reinterpret_cast<const float*>(weights)};
  check(unlocked([&] { return combine_(&combine, reinterpret_cast<void*>(stream)); }));
}

void Kernels::attention(const AttentionWords& words, uintptr_t stream) {
  const auto& [batches, heads_q, heads_kv, length_q, length_k, head_size] = words.sizes;
  const auto& [starts_q, starts_k, total_q, total_k] = words.packed;
  const auto& [lse, lse_batch_stride, lse_head_stride] = words.lse;
  const wavesmith_kernels_attention_description attention{
      .batches = batches,
      .heads_q = heads_q,
      .heads_kv = heads_kv,
      .length_q = length_q,
      .length_k = length_k,
      .head_size = head_size,
      .type = type_of(words.type).type,
      .q = attended_of(words.q),
      .k = attended_of(words.k),
      .v = attended_of(words.v),
      .o = attended_of(words.o),
      .scale = words.scale,
      .causal = words.causal,
      .window_left = std::get<0>(words.window),
      .window_right = std::get<1>(words.window),
      .softcap = words.softcap,
      .alibi_slopes = reinterpret_cast<const float*>(std::get<0>(words.alibi_slopes)),
      .alibi_batch_stride = std::get<1>(words.alibi_slopes),
      .cu_seqlens_q = reinterpret_cast<const int32_t*>(starts_q),
      .cu_seqlens_k = reinterpret_cast<const int32_t*>(starts_k),
      .total_q = total_q,
      .total_k = total_k,
      .lse = reinterpret_cast<float*>(lse),
      .lse_batch_stride = lse_batch_stride,
      .lse_head_stride = lse_head_stride,
      .sinks = reinterpret_cast<const float*>(words.sinks),
      .dropout = std::get<0>(words.dropout),
      .dropout_seed = std::get<1>(words.dropout),
      .dropout_offset = std::get<2>(words.dropout)};
  check(unlocked([&] { return attention_(&attention, reinterpret_cast<void*>(stream)); }));
}

std::tuple<nanobind::bytes, float> Kernels::attention_dropout(decltype(AttentionWords::dropout) dropout,
                                                              int64_t heads,
                                                              std::tuple<int64_t, int64_t, int64_t> row,
                                                              int64_t keys) {
  const wavesmith_kernels_attention_description attention{.heads_q = heads,
                                                          .dropout = std::get<0>(dropout),
                                                          .dropout_seed = std::get<1>(dropout),
                                                          .dropout_offset = std::get<2>(dropout)};
  const auto& [batch, head, query] = row;
  std::vector<uint8_t> kept(static_cast<size_t>(std::max<int64_t>(keys, 0)));
  float factor = 1;
  check(attention_dropout_(&attention, batch, head, query, 0, keys, kept.data(), &factor));
  return {nanobind::bytes(reinterpret_cast<const char*>(kept.data()), kept.size()), factor};
}

size_t Kernels::decode_workspace(const wavesmith_kernels_decode_description& decode) {
  size_t bytes = 0;
  check(decode_workspace_(&decode, &bytes));
  return bytes;
}

void Kernels::decode(wavesmith_kernels_decode_description decode, uintptr_t workspace, size_t bytes,
                     uintptr_t stream) {
  decode.workspace = reinterpret_cast<void*>(workspace);
  decode.workspace_bytes = bytes;
  check(unlocked([&] { return decode_(&decode, reinterpret_cast<void*>(stream)); }));
}

void Kernels::cache(std::tuple<int64_t, int64_t, int64_t, int64_t, int64_t> sizes, const HeadsTuple& k,
                    const HeadsTuple& v, const PagedTuple& k_cache, const PagedTuple& v_cache,
                    uintptr_t slots, uintptr_t stream) {
  const auto& [tokens, heads, head_size, blocks, page_size] = sizes;
  const wavesmith_kernels_cache_description cache{.tokens = tokens,
                                                  .heads = heads,
                                                  .head_size = head_size,
                                                  .k = heads_of(k),
                                                  .v = heads_of(v),
                                                  .k_cache = paged_of(k_cache),
                                                  .v_cache = paged_of(v_cache),
                                                  .blocks = blocks,
                                                  .page_size = page_size,
                                                  .slots = reinterpret_cast<const int64_t*>(slots)};
  check(unlocked([&] { return cache_(&cache, reinterpret_cast<void*>(stream)); }));
}

wavesmith_kernels_decode_description decode_description(
    std::tuple<int64_t, int64_t, int64_t, int64_t, int64_t> sizes, const std::string& type,
    const AttendedTuple& q, const AttendedTuple& o, const PagedTuple& k, const PagedTuple& v,
    std::tuple<uintptr_t, int64_t, int64_t, int64_t> table, std::tuple<uintptr_t, int64_t> contexts,
    float scale, float softcap, int64_t window_left, std::tuple<uintptr_t, int64_t> alibi_slopes,
    uintptr_t sinks, std::tuple<uintptr_t, int64_t, int64_t> lse) {
  const auto& [batches, heads_q, heads_kv, length_q, head_size] = sizes;
  const auto& [block_table, block_table_stride, blocks, page_size] = table;
  const auto& [at_lse, lse_batch_stride, lse_head_stride] = lse;
  return {.batches = batches,
          .heads_q = heads_q,
          .heads_kv = heads_kv,
          .length_q = length_q,
          .head_size = head_size,
          .type = type_of(type).type,
          .q = attended_of(q),
          .o = attended_of(o),
          .k = paged_of(k),
          .v = paged_of(v),
          .blocks = blocks,
          .page_size = page_size,
          .block_table = reinterpret_cast<const int32_t*>(block_table),
          .block_table_stride = block_table_stride,
          .context_lengths = reinterpret_cast<const int32_t*>(std::get<0>(contexts)),
          .longest_context = std::get<1>(contexts),
          .scale = scale,
          .window_left = window_left,
          .softcap = softcap,
          .alibi_slopes = reinterpret_cast<const float*>(std::get<0>(alibi_slopes)),
          .alibi_batch_stride = std::get<1>(alibi_slopes),
          .sinks = reinterpret_cast<const float*>(sinks),
          .lse = reinterpret_cast<float*>(at_lse),
          .lse_batch_stride = lse_batch_stride,
          .lse_head_stride = lse_head_stride};
}

namespace {
wavesmith_kernels_scales block_scales_of(const BlockScaleTuple& given) {
  wavesmith_kernels_scales scales = scales_of(std::get<0>(given));
  scales.batch_stride = std::get<1>(given);
  return scales;
}
}  // namespace

wavesmith_kernels_gemm_description gemm_description(
    std::tuple<int64_t, int64_t, int64_t, int64_t> sizes, float alpha, float beta, const MatrixTuple& a,
    const MatrixTuple& b, const MatrixTuple& c, const MatrixTuple& d, const std::string& activation,
    uintptr_t bias, const std::string& bias_type, bool bias_per_row, const ScaleTuple& scales,
    const std::tuple<BlockScaleTuple, BlockScaleTuple>& block_scales,
    const std::tuple<std::string, uintptr_t>& weights, uintptr_t group_offsets,
    const std::tuple<uintptr_t, int64_t>& a_rows, bool gated, bool groups_along_k) {
  const auto& [m, n, k, batches] = sizes;
  const auto& [scale_a, scale_b, scale_d, per_row, per_column] = scales;
  return {.m = m,
          .n = n,
          .k = k,
          .batches = batches,
          .alpha = alpha,
          .beta = beta,
          .a = matrix_of(a),
          .b = matrix_of(b),
          .c = matrix_of(c),
          .d = matrix_of(d),
          .activation = activation_of(activation),
          .bias = reinterpret_cast<const void*>(bias),
          .bias_type = optional_type_of(bias_type),
          .bias_per_row = bias_per_row,
          .scale_a = reinterpret_cast<const float*>(scale_a),
          .scale_b = reinterpret_cast<const float*>(scale_b),
          .scale_d = reinterpret_cast<const float*>(scale_d),
          .scale_a_per_row = per_row,
          .scale_b_per_column = per_column,
          .block_scales_a = block_scales_of(std::get<0>(block_scales)),
          .block_scales_b = block_scales_of(std::get<1>(block_scales)),
          .block_scales_type = optional_type_of(std::get<0>(weights)),
          .zero_points_b = reinterpret_cast<const void*>(std::get<1>(weights)),
          .group_offsets = reinterpret_cast<const int32_t*>(group_offsets),
          .gated = gated,
          .groups_along_k = groups_along_k,
          .a_rows = reinterpret_cast<const int32_t*>(std::get<0>(a_rows)),
          .a_row_count = std::get<1>(a_rows)};
}

nb::tuple array_of(const nb::ndarray<nb::ro>& array) { return described(array); }
nb::tuple writable_array_of(const nb::ndarray<>& array) { return described(array); }

nb::ndarray<nb::array_api> new_array(Hip& hip, const std::vector<size_t>& shape, const std::string& type,
                                     int device) {
  const Type& of = type_of(type);
  size_t bytes = of.in_dlpack.bits / 8;
  for (const size_t extent : shape) bytes *= extent;
  bytes = std::max<size_t>(bytes, 1);
  // The memory and how it is freed, by whoever holds the array last.
  struct Memory {
    void* data;
    int (*free)(void*);
  };
  auto memory = std::make_unique<Memory>();
  if (device < 0) {
    constexpr size_t kAlignment = 64;  // what JAX wants, or it copies
    memory->data = std::aligned_alloc(kAlignment, (bytes + kAlignment - 1) / kAlignment * kAlignment);
    if (!memory->data)
      throw Failure({ErrorKind::OutOfMemory, fmt::format("cannot allocate {} bytes of memory", bytes)});
    memory->free = [](void* data) { return std::free(data), 0; };
  } else {
    memory->data = reinterpret_cast<void*>(hip.allocate(bytes));
    memory->free = hip.free_function();
  }
  void* const data = memory->data;
  const nb::capsule owner(memory.release(), [](void* pointer) noexcept {
    const std::unique_ptr<Memory> held(static_cast<Memory*>(pointer));
    held->free(held->data);
  });
  return {data,
          shape.size(),
          shape.data(),
          owner,
          nullptr,
          of.in_dlpack,
          device < 0 ? nb::device::cpu::value : nb::device::rocm::value,
          std::max(device, 0)};
}

}  // namespace wavesmith::python
