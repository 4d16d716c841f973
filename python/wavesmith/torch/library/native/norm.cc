#include "operators.h"
#include "scales.h"

namespace wavesmith::operators {
namespace {

// What the norms are told but for their scales.
struct Norm {
  const Tensor& x;
  const OptionalTensor residual;
  const OptionalTensor& weight;
  const OptionalTensor& bias;
  double epsilon;
  double weight_offset;
  bool centred;
};

struct Results {
  Tensor y, sum;
};

Results launch(const Call& call, const Norm& norm, OptionalType dtype,
               const wavesmith_kernels_scales& scales) {
  const Rows x = call.rows("x", norm.x);
  const Shape shape = shape_of(norm.x);
  Results results{call.out(shape, dtype, norm.x.scalar_type()), {}};
  wavesmith_kernels_norm_description description{};
  description.rows = x.rows;
  description.columns = x.columns;
  description.x = x.described;
  description.y = call.rows("out", results.y).described;
  if (norm.residual) {
    call.has_shape("residual", *norm.residual, shape);
    results.sum = call.result(Result::Sum, shape, norm.residual->scalar_type());
    description.residual = call.rows("residual", *norm.residual).described;
    description.sum = call.rows("residual", results.sum).described;
  }
  description.weight = call.vector_if_given("weight", norm.weight, x.columns, description.weight_type);
  description.bias = call.vector_if_given("bias", norm.bias, x.columns, description.bias_type);
  description.weight_offset = static_cast<float>(norm.weight_offset);
  description.epsilon = static_cast<float>(norm.epsilon);
  description.centred = norm.centred;
  description.scales = scales;
  call.done(wavesmith_kernels_norm(&description, call.stream()));
  return results;
}

Results with_given(const char* name, const Norm& norm, const OptionalTensor& scale, OptionalType dtype) {
  const Call call(name, norm.x);
  return launch(call, norm, dtype, given_scale(call, scale));
}

Triple with_computed(const char* name, const Norm& norm, ScalarType dtype, const std::string& scaling,
                     int64_t block) {
  const Call call(name, norm.x);
  if (norm.x.dim() == 0) call.refuse("expected x to have a last dimension, but it has none");
  const auto scales = new_scales(call, shape_of(norm.x), scaling, block);
  const auto results = launch(call, norm, dtype, scales.described);
  return {results.y, results.sum, scales.tensor};
}

}  // namespace

Tensor rms_norm(const Tensor& x, const OptionalTensor& weight, const OptionalTensor& bias,
                const OptionalTensor& scale, double epsilon, double weight_offset, OptionalType dtype) {
  return with_given("rms_norm", {x, {}, weight, bias, epsilon, weight_offset, false}, scale, dtype).y;
}

Tensor layer_norm(const Tensor& x, const OptionalTensor& weight, const OptionalTensor& bias,
                  const OptionalTensor& scale, double epsilon, double weight_offset, OptionalType dtype) {
  return with_given("layer_norm", {x, {}, weight, bias, epsilon, weight_offset, true}, scale, dtype).y;
}

Pair add_rms_norm(const Tensor& x, const Tensor& residual, const OptionalTensor& weight,
                  const OptionalTensor& bias, const OptionalTensor& scale, double epsilon,
                  double weight_offset, OptionalType dtype) {
  const auto [y, sum] =
      with_given("add_rms_norm", {x, residual, weight, bias, epsilon, weight_offset, false}, scale, dtype);
  return {y, sum};
}

Pair add_layer_norm(const Tensor& x, const Tensor& residual, const OptionalTensor& weight,
                    const OptionalTensor& bias, const OptionalTensor& scale, double epsilon,
                    double weight_offset, OptionalType dtype) {
  const auto [y, sum] =
      with_given("add_layer_norm", {x, residual, weight, bias, epsilon, weight_offset, true}, scale, dtype);
  return {y, sum};
}

Pair rms_norm_quantise(const Tensor& x, const OptionalTensor& weight, const OptionalTensor& bias,
                       double epsilon, double weight_offset, ScalarType dtype, const std::string& scaling,
                       int64_t block) {
  const auto [y, sum, scales] = with_computed(
      "rms_norm_quantise", {x, {}, weight, bias, epsilon, weight_offset, false}, dtype, scaling, block);
  return {y, scales};
}

Pair layer_norm_quantise(const Tensor& x, const OptionalTensor& weight, const OptionalTensor& bias,
                         double epsilon, double weight_offset, ScalarType dtype, const std::string& scaling,
                         int64_t block) {
  const auto [y, sum, scales] = with_computed(
      "layer_norm_quantise", {x, {}, weight, bias, epsilon, weight_offset, true}, dtype, scaling, block);
  return {y, scales};
}

Triple add_rms_norm_quantise(const Tensor& x, const Tensor& residual, const OptionalTensor& weight,
                             const OptionalTensor& bias, double epsilon, double weight_offset,
                             ScalarType dtype, const std::string& scaling, int64_t block) {
  return with_computed("add_rms_norm_quantise", {x, residual, weight, bias, epsilon, weight_offset, false},
                       dtype, scaling, block);
}

Triple add_layer_norm_quantise(const Tensor& x, const Tensor& residual, const OptionalTensor& weight,
                               const OptionalTensor& bias, double epsilon, double weight_offset,
                               ScalarType dtype, const std::string& scaling, int64_t block) {
  return with_computed("add_layer_norm_quantise", {x, residual, weight, bias, epsilon, weight_offset, true},
                       dtype, scaling, block);
}

}  // namespace wavesmith::operators
