// The operators under their names, for GPUs of AMD in PyTorch for ROCm and for the device `wavesmith`.
#include "operators.h"

#include <torch/csrc/stable/library.h>

namespace wavesmith::operators {
namespace {

using Library = torch::stable::detail::StableLibrary;

void define(Library& library) {
  library.def(
      "gemm(Tensor a, Tensor b, Tensor? bias=None, Tensor? residual=None, Tensor? scale_a=None, Tensor? "
      "scale_b=None, Tensor? scale_d=None, Tensor? block_scale_a=None, Tensor? block_scale_b=None, "
      "Tensor? zero_point_b=None, Tensor? group_offsets=None, *, float alpha=1.0, float beta=1.0, str "
      "activation='none', bool gated=False, bool bias_per_row=False, ScalarType? dtype=None) -> Tensor");
  library.def(
      "attention(Tensor q, Tensor k, Tensor v, Tensor? alibi_slopes=None, Tensor? sinks=None, Tensor? "
      "cu_seqlens_q=None, Tensor? cu_seqlens_k=None, *, float? softmax_scale=None, bool causal=False, "
      "int window_left=-1, int window_right=-1, float softcap=0.0, SymInt? max_seqlen_q=None, SymInt? "
      "max_seqlen_k=None) -> (Tensor, Tensor)");
  library.def(
      "paged_attention(Tensor q, Tensor k_cache, Tensor v_cache, Tensor context_lengths, Tensor? "
      "block_table=None, Tensor? k_scale=None, Tensor? v_scale=None, Tensor? alibi_slopes=None, Tensor? "
      "sinks=None, *, float? softmax_scale=None, int window_left=-1, float softcap=0.0, SymInt? "
      "max_context=None) -> (Tensor, Tensor)");
  library.def(
      "cache_write(Tensor k, Tensor v, Tensor(a!) k_cache, Tensor(b!) v_cache, Tensor slots, Tensor? "
      "k_scale=None, Tensor? v_scale=None) -> ()");
  library.def(
      "rms_norm(Tensor x, Tensor? weight=None, Tensor? bias=None, Tensor? scale=None, *, float "
      "epsilon=1e-6, float weight_offset=0.0, ScalarType? dtype=None) -> Tensor");
  library.def(
      "layer_norm(Tensor x, Tensor? weight=None, Tensor? bias=None, Tensor? scale=None, *, float "
      "epsilon=1e-5, float weight_offset=0.0, ScalarType? dtype=None) -> Tensor");
  library.def(
      "add_rms_norm(Tensor x, Tensor residual, Tensor? weight=None, Tensor? bias=None, Tensor? "
      "scale=None, *, float epsilon=1e-6, float weight_offset=0.0, ScalarType? dtype=None) -> (Tensor, "
      "Tensor)");
  library.def(
      "add_layer_norm(Tensor x, Tensor residual, Tensor? weight=None, Tensor? bias=None, Tensor? "
      "scale=None, *, float epsilon=1e-5, float weight_offset=0.0, ScalarType? dtype=None) -> (Tensor, "
      "Tensor)");
  library.def(
      "rms_norm_quantise(Tensor x, Tensor? weight=None, Tensor? bias=None, *, float epsilon=1e-6, float "
      "weight_offset=0.0, ScalarType dtype, str scaling='row', int block=128) -> (Tensor, Tensor)");
  library.def(
      "layer_norm_quantise(Tensor x, Tensor? weight=None, Tensor? bias=None, *, float epsilon=1e-5, "
      "float weight_offset=0.0, ScalarType dtype, str scaling='row', int block=128) -> (Tensor, Tensor)");
  library.def(
      "add_rms_norm_quantise(Tensor x, Tensor residual, Tensor? weight=None, Tensor? bias=None, *, float "
      "epsilon=1e-6, float weight_offset=0.0, ScalarType dtype, str scaling='row', int block=128) -> "
      "(Tensor, Tensor, Tensor)");
  library.def(
      "add_layer_norm_quantise(Tensor x, Tensor residual, Tensor? weight=None, Tensor? bias=None, *, "
      "float epsilon=1e-5, float weight_offset=0.0, ScalarType dtype, str scaling='row', int block=128) "
      "-> (Tensor, Tensor, Tensor)");
  library.def(
      "softmax(Tensor x, *, float scale=1.0, bool logarithm=False, ScalarType? dtype=None) -> Tensor");
  library.def(
      "rope(Tensor x, Tensor cosines, Tensor sines, Tensor? positions=None, *, SymInt first_position=0, "
      "bool interleaved=False, ScalarType? dtype=None) -> Tensor");
  library.def(
      "gated(Tensor gate, Tensor? up=None, Tensor? scale=None, *, str activation='silu', ScalarType? "
      "dtype=None) -> Tensor");
  library.def(
      "gated_quantise(Tensor gate, Tensor? up=None, *, str activation='silu', ScalarType dtype, str "
      "scaling='row', int block=128) -> (Tensor, Tensor)");
  library.def(
      "quantise(Tensor x, *, ScalarType dtype, str scaling='row', int block=128) -> (Tensor, Tensor)");
  library.def("quantise_with(Tensor x, Tensor? scale=None, *, ScalarType dtype) -> Tensor");
  library.def(
      "dequantise(Tensor q, Tensor? scales=None, *, int block=128, SymInt? columns=None, ScalarType "
      "dtype) -> Tensor");
  library.def(
      "elementwise(Tensor x, Tensor? z=None, *, str operation, float alpha=1.0, float beta=1.0, "
      "ScalarType? dtype=None) -> Tensor");
  library.def("reduce(Tensor x, *, str reduction='sum', int? dim=-1, ScalarType? dtype=None) -> Tensor");
  library.def("transpose(Tensor x, *, ScalarType? dtype=None) -> Tensor");
  library.def("copy(Tensor x, *, ScalarType? dtype=None) -> Tensor");
}

void implement(Library& library) {
  library.impl("gemm", TORCH_BOX(&gemm));
  library.impl("attention", TORCH_BOX(&attention));
  library.impl("paged_attention", TORCH_BOX(&paged_attention));
  library.impl("cache_write", TORCH_BOX(&cache_write));
  library.impl("rms_norm", TORCH_BOX(&rms_norm));
  library.impl("layer_norm", TORCH_BOX(&layer_norm));
  library.impl("add_rms_norm", TORCH_BOX(&add_rms_norm));
  library.impl("add_layer_norm", TORCH_BOX(&add_layer_norm));
  library.impl("rms_norm_quantise", TORCH_BOX(&rms_norm_quantise));
  library.impl("layer_norm_quantise", TORCH_BOX(&layer_norm_quantise));
  library.impl("add_rms_norm_quantise", TORCH_BOX(&add_rms_norm_quantise));
  library.impl("add_layer_norm_quantise", TORCH_BOX(&add_layer_norm_quantise));
  library.impl("softmax", TORCH_BOX(&softmax));
  library.impl("rope", TORCH_BOX(&rope));
  library.impl("gated", TORCH_BOX(&gated));
  library.impl("gated_quantise", TORCH_BOX(&gated_quantise));
  library.impl("quantise", TORCH_BOX(&quantise));
  library.impl("quantise_with", TORCH_BOX(&quantise_with));
  library.impl("dequantise", TORCH_BOX(&dequantise));
  library.impl("elementwise", TORCH_BOX(&elementwise));
  library.impl("reduce", TORCH_BOX(&reduce));
  library.impl("transpose", TORCH_BOX(&transpose));
  library.impl("copy", TORCH_BOX(&copy));
}

STABLE_TORCH_LIBRARY(wavesmith, library) { define(library); }
STABLE_TORCH_LIBRARY_IMPL(wavesmith, CUDA, library) { implement(library); }
STABLE_TORCH_LIBRARY_IMPL(wavesmith, PrivateUse1, library) { implement(library); }

}  // namespace
}  // namespace wavesmith::operators
