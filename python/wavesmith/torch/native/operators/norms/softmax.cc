// Softmax, its logarithm, and their gradients.
#include <limits>

#include <ATen/core/Tensor.h>

#include <ATen/WrapDimUtils.h>
#include <ATen/ops/_log_softmax_backward_data_meta.h>
#include <ATen/ops/_log_softmax_meta.h>
#include <ATen/ops/_log_softmax_ops.h>
#include <ATen/ops/_softmax.h>
#include <ATen/ops/_softmax_backward_data_meta.h>
#include <ATen/ops/_softmax_meta.h>
#include <ATen/ops/_softmax_ops.h>
#include <ATen/ops/empty.h>
#include <wavesmith_gradients.h>

#include "operators/fallback.h"
#include "operators/rows.h"
#include "operators/same_device.h"
#include "operators/served.h"

namespace wavesmith::device {
namespace {

using at::Tensor;

// Numbers of 64 bits, which the rows' kernels do not take.
bool softmax_of_doubles(const Tensor& self, std::int64_t dimension, bool logarithm, const Tensor& out) {
  if (self.scalar_type() != at::kDouble || out.scalar_type() != at::kDouble) return false;
  if (self.numel() == 0) return true;
  const Tensor below = self.sub(self.amax(dimension, true)), powers = below.exp();
  const Tensor sum = powers.sum(dimension, true);
  out.copy_(logarithm ? below.sub(sum.log()) : powers.div(sum));
  return true;
}

// Calls `make(matrix)`, which returns whether it wrote a result's rows along a dimension: in place where that
// is the last of a contiguous tensor, otherwise by way of a copy.
template <class Make>
bool into_rows(const Tensor& out, std::int64_t dimension, at::IntArrayRef sizes, Make make) {
  const auto last = std::max<std::int64_t>(out.dim(), 1) - 1;
  if (out.is_contiguous() && dimension == last) return make(out.view(sizes));
  const Tensor made = at::empty(sizes, out.options());
  if (!make(made)) return false;
  out.copy_(made.view(out.movedim(dimension, -1).sizes()).movedim(-1, dimension));
  return true;
}

bool softmax(const Tensor& self, std::int64_t dimension, bool logarithm, const Tensor& out) {
  if (softmax_of_doubles(self, dimension, logarithm, out)) return true;
  if (!is_kernel_float(self.scalar_type()) || !is_kernel_float(out.scalar_type())) return false;
  if (self.numel() == 0) return true;
  const KernelCall call(self.device());
  const auto wrapped = at::maybe_wrap_dim(dimension, self.dim());
  const Tensor x = rows_along(self, wrapped);
  return into_rows(out, wrapped, x.sizes(), [&](const Tensor& y) {
    const wavesmith_kernels_softmax_description description{.rows = x.size(0),
                                                            .columns = x.size(1),
                                                            .x = rows_of(x),
                                                            .y = rows_of(y),
                                                            .scale = 1,
                                                            .logarithm = logarithm};
    return launched(wavesmith_kernels_softmax(&description, call.stream()), "softmax");
  });
}

Tensor& softmax_out(const Tensor& self, std::int64_t dimension, bool half_to_float, Tensor& out) {
  same_device("softmax", {{"self", &self}, {"out", &out}});
  // PyTorch's checks allow this of CUDA's tensors only.
  if (!half_to_float) Implemented<at::meta::structured__softmax>(false, out).meta(self, dimension, false);
  if (softmax(self, dimension, false, out)) return out;
  return fall_back<at::_ops::_softmax_out>(self, dimension, half_to_float, out);
}

Tensor& log_softmax_out(const Tensor& self, std::int64_t dimension, bool half_to_float, Tensor& out) {
  same_device("log_softmax", {{"self", &self}, {"out", &out}});
  if (!half_to_float) Implemented<at::meta::structured__log_softmax>(false, out).meta(self, dimension, false);
  if (softmax(self, dimension, true, out)) return out;
  return fall_back<at::_ops::_log_softmax_out>(self, dimension, half_to_float, out);
}

// Softmax in which what is masked altogether, minus infinity alone, has the weights 0.
Tensor safe_softmax(const Tensor& self, std::int64_t dimension, std::optional<at::ScalarType> type) {
  const Tensor given = type.has_value() ? self.to(*type) : self;
  const Tensor weights = at::_softmax(given, dimension, false);
  if (given.numel() == 0) return weights;
  return weights.masked_fill(given.amax(dimension, true).eq(-std::numeric_limits<double>::infinity()), 0);
}

// Halves are computed in f32.
Tensor wide(const Tensor& tensor) {
  const auto type = tensor.scalar_type();
  return type == at::kHalf || type == at::kBFloat16 ? tensor.to(at::kFloat) : tensor;
}

// The gradient by one kernel, along the last dimension of a contiguous result in place; whether there is one.
bool softmax_gradient(const Tensor& grad, const Tensor& output, std::int64_t dimension, bool logarithm,
                      const Tensor& out) {
  for (const Tensor* tensor : {&grad, &output, &out}) {
    if (!is_kernel_float(tensor->scalar_type())) return false;
  }
  const KernelCall call(grad.device());
  const auto wrapped = at::maybe_wrap_dim(dimension, output.dim());
  const Tensor dy = rows_along(grad, wrapped), y = rows_along(output, wrapped);
  return into_rows(out, wrapped, y.sizes(), [&](const Tensor& dx) {
    const wavesmith_kernels_softmax_backward_description backward{.rows = y.size(0),
                                                                  .columns = y.size(1),
                                                                  .y = rows_of(y),
                                                                  .dy = rows_of(dy),
                                                                  .dx = rows_of(dx),
                                                                  .scale = 1,
                                                                  .logarithm = logarithm};
    return launched(wavesmith_kernels_softmax_backward(&backward, call.stream()), "softmax_backward");
  });
}

Tensor& softmax_backward_out(const Tensor& grad, const Tensor& output, std::int64_t dimension,
                             at::ScalarType input, Tensor& out) {
  same_device("softmax_backward", {{"grad_output", &grad}, {"output", &output}, {"grad_input", &out}});
  Implemented<at::meta::structured__softmax_backward_data>(false, out).meta(grad, output, dimension, input);
  if (out.numel() == 0 || softmax_gradient(grad, output, dimension, false, out)) return out;
  const Tensor weights = wide(output), product = wide(grad).mul(weights);
  return out.copy_(product.sub(weights.mul(product.sum(dimension, true))));
}

Tensor& log_softmax_backward_out(const Tensor& grad, const Tensor& output, std::int64_t dimension,
                                 at::ScalarType input, Tensor& out) {
  same_device("log_softmax_backward", {{"grad_output", &grad}, {"output", &output}, {"out", &out}});
  Implemented<at::meta::structured__log_softmax_backward_data>(false, out)
      .meta(grad, output, dimension, input);
  if (out.numel() == 0 || softmax_gradient(grad, output, dimension, true, out)) return out;
  const Tensor upstream = wide(grad);
  return out.copy_(upstream.sub(wide(output).exp().mul(upstream.sum(dimension, true))));
}

}  // namespace

WAVESMITH_OPERATORS(aten, m) {
  m.impl("_softmax.out", &softmax_out);
  m.impl("_safe_softmax", &safe_softmax);
  m.impl("_log_softmax.out", &log_softmax_out);
  m.impl("_softmax_backward_data.out", &softmax_backward_out);
  m.impl("_log_softmax_backward_data.out", &log_softmax_backward_out);
}

}  // namespace wavesmith::device
