// Operators of one tensor.
#include <ATen/ops/abs_native.h>
#include <ATen/ops/abs_ops.h>
#include <ATen/ops/acos_native.h>
#include <ATen/ops/acos_ops.h>
#include <ATen/ops/acosh_native.h>
#include <ATen/ops/acosh_ops.h>
#include <ATen/ops/asin_native.h>
#include <ATen/ops/asin_ops.h>
#include <ATen/ops/asinh_native.h>
#include <ATen/ops/asinh_ops.h>
#include <ATen/ops/atan_native.h>
#include <ATen/ops/atan_ops.h>
#include <ATen/ops/atanh_native.h>
#include <ATen/ops/atanh_ops.h>
#include <ATen/ops/bitwise_not_native.h>
#include <ATen/ops/bitwise_not_ops.h>
#include <ATen/ops/ceil_native.h>
#include <ATen/ops/ceil_ops.h>
#include <ATen/ops/cos_native.h>
#include <ATen/ops/cos_ops.h>
#include <ATen/ops/cosh_native.h>
#include <ATen/ops/cosh_ops.h>
#include <ATen/ops/elu_native.h>
#include <ATen/ops/elu_ops.h>
#include <ATen/ops/erf_native.h>
#include <ATen/ops/erf_ops.h>
#include <ATen/ops/erfc_native.h>
#include <ATen/ops/erfc_ops.h>
#include <ATen/ops/exp2_native.h>
#include <ATen/ops/exp2_ops.h>
#include <ATen/ops/exp_native.h>
#include <ATen/ops/exp_ops.h>
#include <ATen/ops/expm1_native.h>
#include <ATen/ops/expm1_ops.h>
#include <ATen/ops/floor_native.h>
#include <ATen/ops/floor_ops.h>
#include <ATen/ops/frac_native.h>
#include <ATen/ops/frac_ops.h>
#include <ATen/ops/gelu_native.h>
#include <ATen/ops/gelu_ops.h>
#include <ATen/ops/isnan_ops.h>
#include <ATen/ops/isneginf_native.h>
#include <ATen/ops/isneginf_ops.h>
#include <ATen/ops/isposinf_native.h>
#include <ATen/ops/isposinf_ops.h>
#include <ATen/ops/leaky_relu_native.h>
#include <ATen/ops/leaky_relu_ops.h>
#include <ATen/ops/log10_native.h>
#include <ATen/ops/log10_ops.h>
#include <ATen/ops/log1p_native.h>
#include <ATen/ops/log1p_ops.h>
#include <ATen/ops/log2_native.h>
#include <ATen/ops/log2_ops.h>
#include <ATen/ops/log_native.h>
#include <ATen/ops/log_ops.h>
#include <ATen/ops/logical_not_native.h>
#include <ATen/ops/logical_not_ops.h>
#include <ATen/ops/nan_to_num_native.h>
#include <ATen/ops/nan_to_num_ops.h>
#include <ATen/ops/neg_native.h>
#include <ATen/ops/neg_ops.h>
#include <ATen/ops/reciprocal_native.h>
#include <ATen/ops/reciprocal_ops.h>
#include <ATen/ops/relu_native.h>
#include <ATen/ops/relu_ops.h>
#include <ATen/ops/round_native.h>
#include <ATen/ops/round_ops.h>
#include <ATen/ops/rsqrt_native.h>
#include <ATen/ops/rsqrt_ops.h>
#include <ATen/ops/sgn_native.h>
#include <ATen/ops/sgn_ops.h>
#include <ATen/ops/sigmoid_native.h>
#include <ATen/ops/sigmoid_ops.h>
#include <ATen/ops/sign_native.h>
#include <ATen/ops/sign_ops.h>
#include <ATen/ops/signbit_native.h>
#include <ATen/ops/signbit_ops.h>
#include <ATen/ops/silu_native.h>
#include <ATen/ops/silu_ops.h>
#include <ATen/ops/sin_native.h>
#include <ATen/ops/sin_ops.h>
#include <ATen/ops/sinh_native.h>
#include <ATen/ops/sinh_ops.h>
#include <ATen/ops/softplus_native.h>
#include <ATen/ops/softplus_ops.h>
#include <ATen/ops/sqrt_native.h>
#include <ATen/ops/sqrt_ops.h>
#include <ATen/ops/tan_native.h>
#include <ATen/ops/tan_ops.h>
#include <ATen/ops/tanh_native.h>
#include <ATen/ops/tanh_ops.h>
#include <ATen/ops/threshold_native.h>
#include <ATen/ops/threshold_ops.h>
#include <ATen/ops/trunc_native.h>
#include <ATen/ops/trunc_ops.h>

#include "operators/pointwise.h"
#include "operators/served.h"

namespace wavesmith::device {
namespace {

// PyTorch's own ends in the CPU's kernel.
struct Gelu : at::meta::structured_gelu {
  void impl(const at::Tensor& /*self*/, c10::string_view approximate, const at::Tensor& /*output*/) {
    TORCH_CHECK(approximate == "tanh" || approximate == "none",
                "approximate argument must be either none or tanh.");
    launch(approximate == "tanh" ? WAVESMITH_POINTWISE_GELU_TANH : WAVESMITH_POINTWISE_GELU, *this);
  }
};

at::Tensor is_nan(const at::Tensor& self) { return self.ne(self); }

}  // namespace

#define IN_ALL_FORMS(name) \
  structured<at::native::structured_##name##_out, at::_ops::name, at::_ops::name##_, at::_ops::name##_out>(m);

WAVESMITH_OPERATORS(aten, m) {
  IN_ALL_FORMS(exp)
  IN_ALL_FORMS(exp2)
  IN_ALL_FORMS(expm1)
  IN_ALL_FORMS(log)
  IN_ALL_FORMS(log2)
  IN_ALL_FORMS(log10)
  IN_ALL_FORMS(log1p)
  IN_ALL_FORMS(sin)
  IN_ALL_FORMS(cos)
  IN_ALL_FORMS(tan)
  IN_ALL_FORMS(asin)
  IN_ALL_FORMS(acos)
  IN_ALL_FORMS(atan)
  IN_ALL_FORMS(sinh)
  IN_ALL_FORMS(cosh)
  IN_ALL_FORMS(tanh)
  IN_ALL_FORMS(asinh)
  IN_ALL_FORMS(acosh)
  IN_ALL_FORMS(atanh)
  IN_ALL_FORMS(erf)
  IN_ALL_FORMS(erfc)
  IN_ALL_FORMS(sqrt)
  IN_ALL_FORMS(rsqrt)
  IN_ALL_FORMS(reciprocal)
  IN_ALL_FORMS(sigmoid)
  IN_ALL_FORMS(neg)
  IN_ALL_FORMS(floor)
  IN_ALL_FORMS(ceil)
  IN_ALL_FORMS(trunc)
  IN_ALL_FORMS(round)
  IN_ALL_FORMS(frac)
  IN_ALL_FORMS(sign)
  IN_ALL_FORMS(sgn)
  IN_ALL_FORMS(bitwise_not)
  IN_ALL_FORMS(silu)
  IN_ALL_FORMS(leaky_relu)
  IN_ALL_FORMS(elu)
  IN_ALL_FORMS(threshold)
  structured<at::native::structured_isposinf_out, at::_ops::isposinf, at::_ops::isposinf_out>(m);
  structured<at::native::structured_isneginf_out, at::_ops::isneginf, at::_ops::isneginf_out>(m);
  structured<at::native::structured_signbit_out, at::_ops::signbit, at::_ops::signbit_out>(m);
  structured<at::native::structured_softplus_out, at::_ops::softplus, at::_ops::softplus_out>(m);
  structured<Gelu, at::_ops::gelu, at::_ops::gelu_, at::_ops::gelu_out>(m);
  plain<&is_nan, at::_ops::isnan>(m);
  plain<&at::native::abs_out, at::_ops::abs_out>(m);
  plain<&at::native::logical_not_out, at::_ops::logical_not_out>(m);
  plain<&at::native::nan_to_num_out, at::_ops::nan_to_num_out>(m);
  plain<&at::native::relu, at::_ops::relu>(m);
  plain<&at::native::relu_, at::_ops::relu_>(m);
}

#undef IN_ALL_FORMS

}  // namespace wavesmith::device
