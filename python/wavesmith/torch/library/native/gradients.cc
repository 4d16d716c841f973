// The gradients of the operators, as far as the library has kernels for them.
#include <torch/csrc/stable/ops.h>
#include <wavesmith_gradients.h>

#include "attention.h"
#include "halves.h"
#include "operators.h"

namespace wavesmith::operators {
namespace {

// A result of the shape and type of a tensor; "result" in messages.
Tensor like(const Call& call, const Tensor& tensor) {
  return call.result(Result::Out, shape_of(tensor), tensor.scalar_type());
}

// The gradient of a vector: empty where there is none.
Tensor of_vector(const Call& call, const OptionalTensor& tensor, void*& data, wavesmith_kernels_type& type) {
  if (!tensor) return call.result(Result::Out, {0}, ScalarType::Float);
  Tensor result = like(call, *tensor);
  data = data_of(result);
  type = call.type("result", result);
  return result;
}

}  // namespace

Triple attention_backward(const Tensor& grad_out, const Tensor& out, const Tensor& lse, const Tensor& q,
                          const Tensor& k, const Tensor& v, const OptionalTensor& alibi_slopes,
                          const OptionalTensor& sinks, const OptionalTensor& cu_seqlens_q,
                          const OptionalTensor& cu_seqlens_k, std::optional<double> softmax_scale,
                          bool causal, int64_t window_left, int64_t window_right, double softcap,
                          OptionalInt max_seqlen_q, OptionalInt max_seqlen_k) {
  const Call call("_attention_backward", q);
  wavesmith_kernels_attention_backward_description backward{};
  backward.forward =
      described(call, q, k, v, alibi_slopes, sinks, cu_seqlens_q, cu_seqlens_k,
                {softmax_scale, causal, window_left, window_right, softcap, max_seqlen_q, max_seqlen_k});
  Shape of_out = shape_of(q);
  of_out.back() = backward.forward.head_size_v;
  for (const auto& [argument, tensor] : {std::pair("grad_out", &grad_out), std::pair("out", &out)}) {
    call.has_shape(argument, *tensor, of_out);
    call.has_type(argument, *tensor, q.scalar_type());
    call.ends_contiguous(argument, *tensor);
  }
  Shape of_lse = shape_of(q);
  of_lse.pop_back();
  std::swap(of_lse[of_lse.size() - 1], of_lse[of_lse.size() - 2]);
  backward.forward.lse = static_cast<float*>(call.vector("lse", lse, of_lse, ScalarType::Float));
  backward.forward.o = heads_of(out);
  backward.d_o = heads_of(grad_out);
  Triple results{like(call, q), like(call, k), like(call, v)};
  auto& [of_q, of_k, of_v] = results;
  if (cu_seqlens_q)  // positions in no sequence have the gradient 0
    for (Tensor* tensor : {&of_q, &of_k, &of_v}) torch::stable::zero_(*tensor);
  backward.dq = heads_of(of_q);
  backward.dk = heads_of(of_k);
  backward.dv = heads_of(of_v);
  call.done(wavesmith_kernels_attention_backward_workspace(&backward, &backward.workspace_bytes));
  const Tensor workspace = call.workspace(backward.workspace_bytes);
  backward.workspace = data_of(workspace);
  call.done(wavesmith_kernels_attention_backward(&backward, call.stream()));
  return results;
}

Triple norm_backward(const Tensor& grad_out, const Tensor& x, const OptionalTensor& weight,
                     const OptionalTensor& bias, const OptionalTensor& added, double epsilon,
                     double weight_offset, bool centred, OptionalType dtype) {
  const Call call("_norm_backward", x);
  const Rows from = call.rows("x", x);
  call.has_shape("grad_out", grad_out, shape_of(x));
  wavesmith_kernels_norm_backward_description backward{};
  backward.rows = from.rows;
  backward.columns = from.columns;
  backward.x = from.described;
  backward.dy = call.rows("grad_out", grad_out).described;
  Triple results{call.result(Result::Out, shape_of(x), dtype.value_or(x.scalar_type())),
                 of_vector(call, weight, backward.dweight, backward.dweight_type),
                 of_vector(call, bias, backward.dbias, backward.dbias_type)};
  backward.dx = call.rows("result", std::get<0>(results)).described;
  if (added) {
    call.has_shape("added", *added, shape_of(x));
    backward.added = call.rows("added", *added).described;
  }
  backward.weight = call.vector_if_given("weight", weight, from.columns, backward.weight_type);
  backward.weight_offset = static_cast<float>(weight_offset);
  backward.epsilon = static_cast<float>(epsilon);
  backward.centred = centred;
  call.done(wavesmith_kernels_norm_backward_workspace(&backward, &backward.workspace_bytes));
  const Tensor workspace = call.workspace(backward.workspace_bytes);
  backward.workspace = data_of(workspace);
  call.done(wavesmith_kernels_norm_backward(&backward, call.stream()));
  return results;
}

Tensor softmax_backward(const Tensor& grad_out, const Tensor& y, double scale, bool logarithm,
                        OptionalType dtype) {
  const Call call("_softmax_backward", y);
  const Rows from = call.rows("y", y);
  call.has_shape("grad_out", grad_out, shape_of(y));
  Tensor result = call.result(Result::Out, shape_of(y), dtype.value_or(y.scalar_type()));
  const wavesmith_kernels_softmax_backward_description backward{from.rows,
                                                                from.columns,
                                                                from.described,
                                                                call.rows("grad_out", grad_out).described,
                                                                call.rows("result", result).described,
                                                                static_cast<float>(scale),
                                                                logarithm};
  call.done(wavesmith_kernels_softmax_backward(&backward, call.stream()));
  return result;
}

Pair gated_backward(const Tensor& grad_out, const Tensor& gate, const OptionalTensor& up,
                    const std::string& activation) {
  const Call call("_gated_backward", gate);
  const auto [shape, forward] = halves(call, gate, up, activation);
  call.has_shape("grad_out", grad_out, shape);
  Pair results{like(call, gate), up ? like(call, *up) : call.result(Result::Out, {0}, ScalarType::Float)};
  const auto& [of_gate, of_up] = results;
  const auto beside = halves(call, of_gate, up ? OptionalTensor(of_up) : OptionalTensor(), activation);
  const wavesmith_kernels_gate_backward_description backward{forward.rows,
                                                             forward.columns,
                                                             forward.gate,
                                                             forward.up,
                                                             call.rows("grad_out", grad_out).described,
                                                             beside.description.gate,
                                                             beside.description.up,
                                                             forward.activation};
  call.done(wavesmith_kernels_gate_backward(&backward, call.stream()));
  return results;
}

}  // namespace wavesmith::operators
