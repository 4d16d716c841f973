#include "heads.h"
#include "operators.h"

namespace wavesmith::operators {
namespace {

// Keys, values, or with three dimensions latents, which all heads share.
wavesmith_kernels_paged paged(const Call& call, const char* argument, const Tensor& cache,
                              const char* name_of_scale, const OptionalTensor& scale, bool written,
                              int64_t dimensions = 4) {
  call.has_dimensions(argument, cache, dimensions,
                      dimensions == 4 ? "(blocks, page, heads, size)" : "(blocks, page, size)");
  call.ends_contiguous(argument, cache);
  wavesmith_kernels_paged result{written ? cache.mutable_data_ptr() : data_of(cache),
                                 call.type(argument, cache),
                                 cache.stride(0),
                                 cache.stride(1),
                                 dimensions == 4 ? cache.stride(2) : 0,
                                 nullptr,
                                 0};
  if (scale && dimensions == 4 && scale->dim() == 3) {
    const Shape shape{cache.size(0), cache.size(1), cache.size(2)};
    call.has_type(name_of_scale, *scale, ScalarType::Float);
    call.has_shape(name_of_scale, *scale, shape);
    result.token_scales = static_cast<float*>(written ? scale->mutable_data_ptr() : data_of(*scale));
    result.token_scales_block_stride = scale->stride(0);
    result.token_scales_row_stride = scale->stride(1);
    result.token_scales_head_stride = scale->stride(2);
  } else if (scale) {
    result.scale_per_head = dimensions == 4 && scale->numel() > 1;
    const Shape shape = result.scale_per_head ? Shape{cache.size(2)}
                        : scale->numel() == 1 ? shape_of(*scale)
                                              : Shape{1};
    result.scale = static_cast<const float*>(call.vector(name_of_scale, *scale, shape, ScalarType::Float));
  }
  return result;
}

// (batch, heads, size), or (batch, length, heads, size).
wavesmith_kernels_heads queries(const Tensor& tensor) {
  const int64_t heads = tensor.stride(tensor.dim() - 2);
  return {data_of(tensor), tensor.stride(0), tensor.dim() == 4 ? tensor.stride(1) : 0, heads};
}

void take_table(const Call& call, const OptionalTensor& table, const char* argument, const Tensor& cache,
                wavesmith_kernels_decode_description& decode) {
  decode.longest_context = cache.size(1);
  if (!table) {
    if (cache.size(0) != decode.batches)
      call.refuse("expected ", argument, " to have a block for each of ", decode.batches,
                  " sequences, where there is no block_table, but got shape ", text(cache.sizes()));
    return;
  }
  call.has_type("block_table", *table, ScalarType::Int);
  call.has_dimensions("block_table", *table, 2, "(batch, blocks)");
  call.ends_contiguous("block_table", *table);
  call.has_shape("block_table", *table, {decode.batches, table->size(1)});
  decode.block_table = static_cast<const int32_t*>(data_of(*table));
  decode.block_table_stride = table->stride(0);
  decode.blocks = cache.size(0);
  decode.page_size = cache.size(1);
  decode.longest_context *= table->size(1);
}

// The tokens' queries: (batch, heads, size), or (batch, length, heads, size).
void take_queries(const Call& call, const Tensor& q, wavesmith_kernels_decode_description& decode) {
  if (q.dim() != 3) call.has_dimensions("q", q, 4, "(batch, heads, size) or (batch, length, heads, size)");
  call.ends_contiguous("q", q);
  const int64_t last = q.dim() - 1;
  decode.batches = q.size(0);
  decode.heads_q = q.size(last - 1);
  decode.length_q = q.dim() == 4 ? q.size(1) : 1;
  decode.head_size = q.size(last);
  decode.type = call.type("q", q);
  decode.q = queries(q);
}

void take_contexts(const Call& call, const Tensor& lengths, OptionalInt most,
                   wavesmith_kernels_decode_description& decode) {
  if (most) {
    if (*most > decode.longest_context)
      call.refuse("expected max_context to be at most ", decode.longest_context,
                  ", for which there is room, but got ", *most);
    decode.longest_context = *most;
  }
  decode.context_lengths =
      static_cast<const int32_t*>(call.vector("context_lengths", lengths, {decode.batches}, ScalarType::Int));
}

// Results of the queries' shape, with heads of another size.
Pair launch(const Call& call, const Tensor& q, int64_t size, wavesmith_kernels_decode_description decode) {
  Shape of_out = shape_of(q);
  of_out.back() = size;
  const Tensor out = call.out(of_out, q.scalar_type(), q.scalar_type());
  call.ends_contiguous("out", out);
  decode.o = queries(out);
  Shape of_lse{decode.batches, decode.heads_q};
  if (q.dim() == 4) of_lse.push_back(decode.length_q);
  const Tensor lse = call.result(Result::Lse, of_lse, ScalarType::Float);
  decode.lse = static_cast<float*>(data_of(lse));
  decode.lse_batch_stride = decode.heads_q * decode.length_q;
  decode.lse_head_stride = decode.length_q;
  call.done(wavesmith_kernels_decode_workspace(&decode, &decode.workspace_bytes));
  const Tensor workspace = call.workspace(decode.workspace_bytes);
  decode.workspace = data_of(workspace);
  call.done(wavesmith_kernels_decode(&decode, call.stream()));
  return {out, lse};
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
  wavesmith_kernels_decode_description decode{};
  take_queries(call, q, decode);
  decode.k = paged(call, "k_cache", k_cache, "k_scale", k_scale, false);
  decode.v = paged(call, "v_cache", v_cache, "v_scale", v_scale, false);
  decode.heads_kv = k_cache.size(2);
  call.has_shape("k_cache", k_cache, {k_cache.size(0), k_cache.size(1), decode.heads_kv, decode.head_size});
  call.has_shape("v_cache", v_cache, shape_of(k_cache));
  take_table(call, block_table, "k_cache", k_cache, decode);
  take_contexts(call, context_lengths, max_context, decode);
  decode.scale = scale_of(softmax_scale, decode.head_size);
  decode.window_left = window_left;
  decode.softcap = static_cast<float>(softcap);
  decode.alibi_slopes =
      slopes_of(call, alibi_slopes, decode.batches, decode.heads_q, decode.alibi_batch_stride);
  decode.sinks = sinks_of(call, sinks, decode.heads_q);
  return launch(call, q, decode.head_size, decode);
}

Pair latent_attention(const Tensor& q, const Tensor& latents, const Tensor& context_lengths,
                      const OptionalTensor& block_table, const OptionalTensor& scale,
                      const OptionalTensor& sinks, double softmax_scale, int64_t value_size,
                      int64_t window_left, OptionalInt max_context) {
  const Call call("latent_attention", q);
  wavesmith_kernels_decode_description decode{};
  take_queries(call, q, decode);
  decode.k = paged(call, "latents", latents, "scale", scale, false, 3);
  call.has_shape("latents", latents, {latents.size(0), latents.size(1), decode.head_size});
  decode.heads_kv = 1;
  decode.head_size_v = value_size;
  take_table(call, block_table, "latents", latents, decode);
  take_contexts(call, context_lengths, max_context, decode);
  decode.scale = static_cast<float>(softmax_scale);
  decode.window_left = window_left;
  decode.sinks = sinks_of(call, sinks, decode.heads_q);
  return launch(call, q, value_size, decode);
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
