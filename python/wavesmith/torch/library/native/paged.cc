#include "heads.h"
#include "operators.h"

namespace wavesmith::operators {
namespace {

wavesmith_kernels_paged paged(const Call& call, const char* argument, const Tensor& cache,
                              const char* name_of_scale, const OptionalTensor& scale, bool written) {
  call.has_dimensions(argument, cache, 4, "(blocks, page, heads, size)");
  call.ends_contiguous(argument, cache);
  wavesmith_kernels_paged result{written ? cache.mutable_data_ptr() : data_of(cache),
                                 call.type(argument, cache),
                                 cache.stride(0),
                                 cache.stride(1),
                                 cache.stride(2),
                                 nullptr,
                                 0};
  if (scale) {
    result.scale_per_head = scale->numel() > 1;
    const Shape shape = result.scale_per_head ? Shape{cache.size(2)} : shape_of(*scale);
    result.scale = static_cast<const float*>(call.vector(name_of_scale, *scale, shape, ScalarType::Float));
  }
  return result;
}

// (batch, heads, size), or (batch, length, heads, size).
wavesmith_kernels_heads queries(const Tensor& tensor) {
  const int64_t heads = tensor.stride(tensor.dim() - 2);
  return {data_of(tensor), tensor.stride(0), tensor.dim() == 4 ? tensor.stride(1) : 0, heads};
}

void take_table(const Call& call, const OptionalTensor& table, const Tensor& k_cache,
                wavesmith_kernels_decode_description& decode) {
  decode.longest_context = k_cache.size(1);
  if (!table) {
    if (k_cache.size(0) != decode.batches)
      call.refuse("expected k_cache to have a block for each of ", decode.batches,
                  " sequences, where there is no block_table, but got shape ", text(k_cache.sizes()));
    return;
  }
  call.has_type("block_table", *table, ScalarType::Int);
  call.has_dimensions("block_table", *table, 2, "(batch, blocks)");
  call.ends_contiguous("block_table", *table);
  call.has_shape("block_table", *table, {decode.batches, table->size(1)});
  decode.block_table = static_cast<const int32_t*>(data_of(*table));
  decode.block_table_stride = table->stride(0);
  decode.blocks = k_cache.size(0);
  decode.page_size = k_cache.size(1);
  decode.longest_context *= table->size(1);
}

void launch(const Call& call, wavesmith_kernels_decode_description decode) {
  size_t bytes = 0;
  call.done(wavesmith_kernels_decode_workspace(&decode, &bytes));
  const Tensor workspace = call.workspace(bytes);
  decode.workspace = data_of(workspace);
  decode.workspace_bytes = bytes;
  call.done(wavesmith_kernels_decode(&decode, call.stream()));
}

wavesmith_kernels_token_heads token_heads(const Call& call, const char* argument, const Tensor& tensor) {
  call.has_dimensions(argument, tensor, 3, "(tokens, heads, size)");
  call.ends_contiguous(argument, tensor);
  return {data_of(tensor), call.type(argument, tensor), tensor.stride(0), tensor.stride(1)};
}

}  // namespace

Pair paged_attention(const Tensor& q, const Tensor& k_cache, const Tensor& v_cache,
                     const Tensor& context_lengths, const OptionalTensor& block_table,
                     const OptionalTensor& k_scale, const OptionalTensor& v_scale,
                     const OptionalTensor& alibi_slopes, const OptionalTensor& sinks,
                     std::optional<double> softmax_scale, int64_t window_left, double softcap,
                     OptionalInt max_context) {
  const Call call("paged_attention", q);
  if (q.dim() != 3) call.has_dimensions("q", q, 4, "(batch, heads, size) or (batch, length, heads, size)");
  call.ends_contiguous("q", q);
  wavesmith_kernels_decode_description decode{};
  decode.k = paged(call, "k_cache", k_cache, "k_scale", k_scale, false);
  decode.v = paged(call, "v_cache", v_cache, "v_scale", v_scale, false);
  const int64_t last = q.dim() - 1;
  decode.batches = q.size(0);
  decode.heads_q = q.size(last - 1);
  decode.heads_kv = k_cache.size(2);
  decode.length_q = q.dim() == 4 ? q.size(1) : 1;
  decode.head_size = q.size(last);
  decode.type = call.type("q", q);
  call.has_shape("k_cache", k_cache, {k_cache.size(0), k_cache.size(1), decode.heads_kv, decode.head_size});
  call.has_shape("v_cache", v_cache, shape_of(k_cache));
  const Tensor out = call.out(shape_of(q), q.scalar_type(), q.scalar_type());
  call.ends_contiguous("out", out);
  Shape of_lse{decode.batches, decode.heads_q};
  if (q.dim() == 4) of_lse.push_back(decode.length_q);
  const Tensor lse = call.result(Result::Lse, of_lse, ScalarType::Float);
  decode.q = queries(q);
  decode.o = queries(out);
  take_table(call, block_table, k_cache, decode);
  if (max_context) {
    if (*max_context > decode.longest_context)
      call.refuse("expected max_context to be at most ", decode.longest_context,
                  ", for which there is room, but got ", *max_context);
    decode.longest_context = *max_context;
  }
  decode.context_lengths = static_cast<const int32_t*>(
      call.vector("context_lengths", context_lengths, {decode.batches}, ScalarType::Int));
  decode.scale = scale_of(softmax_scale, decode.head_size);
  decode.window_left = window_left;
  decode.softcap = static_cast<float>(softcap);
  decode.alibi_slopes =
      slopes_of(call, alibi_slopes, decode.batches, decode.heads_q, decode.alibi_batch_stride);
  decode.sinks = sinks_of(call, sinks, decode.heads_q);
  decode.lse = static_cast<float*>(data_of(lse));
  decode.lse_batch_stride = decode.heads_q * decode.length_q;
  decode.lse_head_stride = decode.length_q;
  launch(call, decode);
  return {out, lse};
}

void cache_write(const Tensor& k, const Tensor& v, const Tensor& k_cache, const Tensor& v_cache,
                 const Tensor& slots, const OptionalTensor& k_scale, const OptionalTensor& v_scale) {
  const Call call("cache_write", k);
  wavesmith_kernels_cache_description cache{};
  cache.k = token_heads(call, "k", k);
  cache.v = token_heads(call, "v", v);
  call.has_shape("v", v, shape_of(k));
  cache.tokens = k.size(0);
  cache.heads = k.size(1);
  cache.head_size = k.size(2);
  cache.k_cache = paged(call, "k_cache", k_cache, "k_scale", k_scale, true);
  cache.v_cache = paged(call, "v_cache", v_cache, "v_scale", v_scale, true);
  cache.blocks = k_cache.size(0);
  cache.page_size = k_cache.size(1);
  const Shape shape{cache.blocks, cache.page_size, cache.heads, cache.head_size};
  call.has_shape("k_cache", k_cache, shape);
  call.has_shape("v_cache", v_cache, shape);
  cache.slots = static_cast<const int64_t*>(call.vector("slots", slots, {cache.tokens}, ScalarType::Long));
  call.done(wavesmith_kernels_cache(&cache, call.stream()));
}

}  // namespace wavesmith::operators
