#include <cmath>

#include "attention.h"
#include "heads.h"
#include "operators.h"

namespace wavesmith::operators {
namespace {

// Q, K and V fit each other; `packed` sequences lie one behind the other.
void check_shapes(const Call& call, const Tensor& q, const Tensor& k, const Tensor& v, bool packed) {
  call.type("q", q);
  const char* const names = packed ? "(positions, heads, size)" : "(batch, length, heads, size)";
  for (const auto& [argument, tensor] : {std::pair("q", &q), std::pair("k", &k), std::pair("v", &v)}) {
    call.has_dimensions(argument, *tensor, packed ? 3 : 4, names);
    call.has_type(argument, *tensor, q.scalar_type());
    call.ends_contiguous(argument, *tensor);
  }
  Shape of_k = shape_of(q);
  of_k[of_k.size() - 3] = k.size(k.dim() - 3);
  of_k[of_k.size() - 2] = k.size(k.dim() - 2);
  call.has_shape("k", k, of_k);
  of_k.back() = v.size(v.dim() - 1);
  call.has_shape("v", v, of_k);
}

const int32_t* ends_of(const Call& call, const char* argument, const Tensor& ends, int64_t count) {
  return static_cast<const int32_t*>(call.vector(argument, ends, {count}, ScalarType::Int));
}

}  // namespace

wavesmith_kernels_heads heads_of(const Tensor& tensor) {
  const int64_t dimensions = tensor.dim();
  return {data_of(tensor), dimensions == 4 ? tensor.stride(0) : 0, tensor.stride(dimensions - 3),
          tensor.stride(dimensions - 2)};
}

wavesmith_kernels_attention_description described(const Call& call, const Tensor& q, const Tensor& k,
                                                  const Tensor& v, const OptionalTensor& alibi_slopes,
                                                  const OptionalTensor& sinks,
                                                  const OptionalTensor& cu_seqlens_q,
                                                  const OptionalTensor& cu_seqlens_k,
                                                  const AttentionWords& words) {
  const bool packed = cu_seqlens_q.has_value();
  if (packed != cu_seqlens_k.has_value())
    call.refuse("expected both of cu_seqlens_q and cu_seqlens_k, or neither");
  check_shapes(call, q, k, v, packed);
  const int64_t last = q.dim() - 1;
  wavesmith_kernels_attention_description attention{};
  attention.batches = packed ? cu_seqlens_q->numel() - 1 : q.size(0);
  attention.heads_q = q.size(last - 1);
  attention.heads_kv = k.size(last - 1);
  attention.head_size = q.size(last);
  attention.head_size_v = v.size(last);
  attention.total_q = attention.length_q = q.size(last - 2);
  attention.total_k = attention.length_k = k.size(last - 2);
  attention.type = call.type("q", q);
  if (packed) {
    attention.cu_seqlens_q = ends_of(call, "cu_seqlens_q", *cu_seqlens_q, attention.batches + 1);
    attention.cu_seqlens_k = ends_of(call, "cu_seqlens_k", *cu_seqlens_k, attention.batches + 1);
    attention.length_q = words.max_seqlen_q.value_or(attention.total_q);
    attention.length_k = words.max_seqlen_k.value_or(attention.total_k);
  } else {
    attention.lse_batch_stride = attention.heads_q * attention.total_q;
  }
  attention.lse_head_stride = attention.total_q;
  attention.q = heads_of(q);
  attention.k = heads_of(k);
  attention.v = heads_of(v);
  attention.scale = scale_of(words.softmax_scale, attention.head_size);
  attention.causal = words.causal;
  attention.window_left = words.window_left;
  attention.window_right = words.window_right;
  attention.softcap = static_cast<float>(words.softcap);
  attention.alibi_slopes =
      slopes_of(call, alibi_slopes, attention.batches, attention.heads_q, attention.alibi_batch_stride);
  attention.sinks = sinks_of(call, sinks, attention.heads_q);
  return attention;
}

Pair attention(const Tensor& q, const Tensor& k, const Tensor& v, const OptionalTensor& alibi_slopes,
               const OptionalTensor& sinks, const OptionalTensor& cu_seqlens_q,
               const OptionalTensor& cu_seqlens_k, std::optional<double> softmax_scale, bool causal,
               int64_t window_left, int64_t window_right, double softcap, OptionalInt max_seqlen_q,
               OptionalInt max_seqlen_k) {
  const Call call("attention", q);
  auto attention =
      described(call, q, k, v, alibi_slopes, sinks, cu_seqlens_q, cu_seqlens_k,
                {softmax_scale, causal, window_left, window_right, softcap, max_seqlen_q, max_seqlen_k});
  Shape of_out = shape_of(q);
  of_out.back() = attention.head_size_v;
  const Tensor out = call.out(of_out, q.scalar_type(), q.scalar_type());
  call.ends_contiguous("out", out);
  attention.o = heads_of(out);
  Shape of_lse{attention.heads_q, attention.total_q};
  if (q.dim() == 4) of_lse.insert(of_lse.begin(), attention.batches);
  const Tensor lse = call.result(Result::Lse, of_lse, ScalarType::Float);
  attention.lse = static_cast<float*>(data_of(lse));
  call.done(wavesmith_kernels_attention(&attention, call.stream()));
  return {out, lse};
}

}  // namespace wavesmith::operators
