// Operators of several tensors.
#include <ATen/ops/add_native.h>
#include <ATen/ops/add_ops.h>
#include <ATen/ops/addcdiv_native.h>
#include <ATen/ops/addcdiv_ops.h>
#include <ATen/ops/addcmul_native.h>
#include <ATen/ops/addcmul_ops.h>
#include <ATen/ops/atan2_native.h>
#include <ATen/ops/atan2_ops.h>
#include <ATen/ops/bitwise_and_native.h>
#include <ATen/ops/bitwise_and_ops.h>
#include <ATen/ops/bitwise_left_shift_native.h>
#include <ATen/ops/bitwise_left_shift_ops.h>
#include <ATen/ops/bitwise_or_native.h>
#include <ATen/ops/bitwise_or_ops.h>
#include <ATen/ops/bitwise_right_shift_native.h>
#include <ATen/ops/bitwise_right_shift_ops.h>
#include <ATen/ops/bitwise_xor_native.h>
#include <ATen/ops/bitwise_xor_ops.h>
#include <ATen/ops/clamp_max_native.h>
#include <ATen/ops/clamp_max_ops.h>
#include <ATen/ops/clamp_min_native.h>
#include <ATen/ops/clamp_min_ops.h>
#include <ATen/ops/clamp_native.h>
#include <ATen/ops/clamp_ops.h>
#include <ATen/ops/copysign_native.h>
#include <ATen/ops/copysign_ops.h>
#include <ATen/ops/div_native.h>
#include <ATen/ops/div_ops.h>
#include <ATen/ops/eq_native.h>
#include <ATen/ops/eq_ops.h>
#include <ATen/ops/floor_divide_native.h>
#include <ATen/ops/floor_divide_ops.h>
#include <ATen/ops/fmax_native.h>
#include <ATen/ops/fmax_ops.h>
#include <ATen/ops/fmin_native.h>
#include <ATen/ops/fmin_ops.h>
#include <ATen/ops/fmod_native.h>
#include <ATen/ops/fmod_ops.h>
#include <ATen/ops/ge_native.h>
#include <ATen/ops/ge_ops.h>
#include <ATen/ops/gelu_backward_native.h>
#include <ATen/ops/gelu_backward_ops.h>
#include <ATen/ops/gt_native.h>
#include <ATen/ops/gt_ops.h>
#include <ATen/ops/hardtanh_backward_native.h>
#include <ATen/ops/hardtanh_backward_ops.h>
#include <ATen/ops/hardtanh_native.h>
#include <ATen/ops/hardtanh_ops.h>
#include <ATen/ops/hypot_native.h>
#include <ATen/ops/hypot_ops.h>
#include <ATen/ops/le_native.h>
#include <ATen/ops/le_ops.h>
#include <ATen/ops/leaky_relu_backward_native.h>
#include <ATen/ops/leaky_relu_backward_ops.h>
#include <ATen/ops/lerp_native.h>
#include <ATen/ops/lerp_ops.h>
#include <ATen/ops/logaddexp_native.h>
#include <ATen/ops/logaddexp_ops.h>
#include <ATen/ops/logical_and_native.h>
#include <ATen/ops/logical_and_ops.h>
#include <ATen/ops/logical_or_native.h>
#include <ATen/ops/logical_or_ops.h>
#include <ATen/ops/logical_xor_native.h>
#include <ATen/ops/logical_xor_ops.h>
#include <ATen/ops/lt_native.h>
#include <ATen/ops/lt_ops.h>
#include <ATen/ops/maximum_native.h>
#include <ATen/ops/maximum_ops.h>
#include <ATen/ops/minimum_native.h>
#include <ATen/ops/minimum_ops.h>
#include <ATen/ops/mse_loss_native.h>
#include <ATen/ops/mse_loss_ops.h>
#include <ATen/ops/mul_native.h>
#include <ATen/ops/mul_ops.h>
#include <ATen/ops/ne_native.h>
#include <ATen/ops/ne_ops.h>
#include <ATen/ops/pow_native.h>
#include <ATen/ops/pow_ops.h>
#include <ATen/ops/remainder_native.h>
#include <ATen/ops/remainder_ops.h>
#include <ATen/ops/rsub_native.h>
#include <ATen/ops/rsub_ops.h>
#include <ATen/ops/sigmoid_backward_native.h>
#include <ATen/ops/sigmoid_backward_ops.h>
#include <ATen/ops/silu_backward_native.h>
#include <ATen/ops/silu_backward_ops.h>
#include <ATen/ops/softplus_backward_native.h>
#include <ATen/ops/softplus_backward_ops.h>
#include <ATen/ops/special_xlog1py_native.h>
#include <ATen/ops/special_xlog1py_ops.h>
#include <ATen/ops/sub_native.h>
#include <ATen/ops/sub_ops.h>
#include <ATen/ops/tanh_backward_native.h>
#include <ATen/ops/tanh_backward_ops.h>
#include <ATen/ops/threshold_backward_native.h>
#include <ATen/ops/threshold_backward_ops.h>
#include <ATen/ops/xlogy_native.h>
#include <ATen/ops/xlogy_ops.h>

#include "operators/pointwise.h"
#include "operators/served.h"

namespace wavesmith::device {
namespace {

// PyTorch's own ends in the CPU's kernel.
struct GeluBackward : at::meta::structured_gelu_backward {
  void impl(const at::Tensor& /*gradient*/, const at::Tensor& /*self*/, c10::string_view approximate,
            const at::Tensor& /*output*/) {
    launch(approximate == "tanh" ? WAVESMITH_POINTWISE_GELU_TANH_BACKWARD : WAVESMITH_POINTWISE_GELU_BACKWARD,
           *this);
  }
};

}  // namespace

WAVESMITH_OPERATORS(aten, m) {
  structured<at::native::structured_ufunc_add_CPU, at::_ops::add_Tensor, at::_ops::add__Tensor,
             at::_ops::add_out>(m);
  structured<at::native::structured_sub_out, at::_ops::sub_Tensor, at::_ops::sub__Tensor, at::_ops::sub_out>(
      m);
  structured<at::native::structured_mul_out, at::_ops::mul_Tensor, at::_ops::mul__Tensor, at::_ops::mul_out>(
      m);
  structured<at::native::structured_div_out, at::_ops::div_Tensor, at::_ops::div__Tensor, at::_ops::div_out>(
      m);
  structured<at::native::structured_div_out_mode, at::_ops::div_Tensor_mode, at::_ops::div__Tensor_mode,
             at::_ops::div_out_mode>(m);
  structured<at::native::structured_eq_Tensor_out, at::_ops::eq_Tensor, at::_ops::eq__Tensor,
             at::_ops::eq_Tensor_out>(m);
  structured<at::native::structured_eq_Scalar_out, at::_ops::eq_Scalar, at::_ops::eq__Scalar,
             at::_ops::eq_Scalar_out>(m);
  structured<at::native::structured_ne_Tensor_out, at::_ops::ne_Tensor, at::_ops::ne__Tensor,
             at::_ops::ne_Tensor_out>(m);
  structured<at::native::structured_ne_Scalar_out, at::_ops::ne_Scalar, at::_ops::ne__Scalar,
             at::_ops::ne_Scalar_out>(m);
  structured<at::native::structured_lt_Tensor_out, at::_ops::lt_Tensor, at::_ops::lt__Tensor,
             at::_ops::lt_Tensor_out>(m);
  structured<at::native::structured_lt_Scalar_out, at::_ops::lt_Scalar, at::_ops::lt__Scalar,
             at::_ops::lt_Scalar_out>(m);
  structured<at::native::structured_le_Tensor_out, at::_ops::le_Tensor, at::_ops::le__Tensor,
             at::_ops::le_Tensor_out>(m);
  structured<at::native::structured_le_Scalar_out, at::_ops::le_Scalar, at::_ops::le__Scalar,
             at::_ops::le_Scalar_out>(m);
  structured<at::native::structured_gt_Tensor_out, at::_ops::gt_Tensor, at::_ops::gt__Tensor,
             at::_ops::gt_Tensor_out>(m);
  structured<at::native::structured_gt_Scalar_out, at::_ops::gt_Scalar, at::_ops::gt__Scalar,
             at::_ops::gt_Scalar_out>(m);
  structured<at::native::structured_ge_Tensor_out, at::_ops::ge_Tensor, at::_ops::ge__Tensor,
             at::_ops::ge_Tensor_out>(m);
  structured<at::native::structured_ge_Scalar_out, at::_ops::ge_Scalar, at::_ops::ge__Scalar,
             at::_ops::ge_Scalar_out>(m);
  structured<at::native::structured_maximum_out, at::_ops::maximum, at::_ops::maximum_out>(m);
  structured<at::native::structured_minimum_out, at::_ops::minimum, at::_ops::minimum_out>(m);
  structured<at::native::structured_fmax_out, at::_ops::fmax, at::_ops::fmax_out>(m);
  structured<at::native::structured_fmin_out, at::_ops::fmin, at::_ops::fmin_out>(m);
  structured<at::native::structured_atan2_out, at::_ops::atan2, at::_ops::atan2_, at::_ops::atan2_out>(m);
  structured<at::native::structured_hypot_out, at::_ops::hypot, at::_ops::hypot_, at::_ops::hypot_out>(m);
  structured<at::native::structured_logaddexp_out, at::_ops::logaddexp, at::_ops::logaddexp_out>(m);
  structured<at::native::structured_remainder_out, at::_ops::remainder_Tensor, at::_ops::remainder__Tensor,
             at::_ops::remainder_Tensor_out>(m);
  structured<at::native::structured_fmod_out, at::_ops::fmod_Tensor, at::_ops::fmod__Tensor,
             at::_ops::fmod_Tensor_out>(m);
  structured<at::native::structured_bitwise_and_out, at::_ops::bitwise_and_Tensor,
             at::_ops::bitwise_and__Tensor, at::_ops::bitwise_and_Tensor_out>(m);
  structured<at::native::structured_bitwise_or_out, at::_ops::bitwise_or_Tensor, at::_ops::bitwise_or__Tensor,
             at::_ops::bitwise_or_Tensor_out>(m);
  structured<at::native::structured_bitwise_xor_out, at::_ops::bitwise_xor_Tensor,
             at::_ops::bitwise_xor__Tensor, at::_ops::bitwise_xor_Tensor_out>(m);
  structured<at::native::structured_bitwise_left_shift_out, at::_ops::bitwise_left_shift_Tensor,
             at::_ops::bitwise_left_shift__Tensor, at::_ops::bitwise_left_shift_Tensor_out>(m);
  structured<at::native::structured_bitwise_right_shift_out, at::_ops::bitwise_right_shift_Tensor,
             at::_ops::bitwise_right_shift__Tensor, at::_ops::bitwise_right_shift_Tensor_out>(m);
  structured<at::native::structured_copysign_out, at::_ops::copysign_Tensor, at::_ops::copysign__Tensor,
             at::_ops::copysign_out>(m);
  structured<at::native::structured_xlogy_out, at::_ops::xlogy_Tensor, at::_ops::xlogy__Tensor,
             at::_ops::xlogy_OutTensor>(m);
  structured<at::native::structured_special_xlog1py_out, at::_ops::special_xlog1py,
             at::_ops::special_xlog1py_out>(m);
  structured<at::native::structured_sigmoid_backward_out, at::_ops::sigmoid_backward,
             at::_ops::sigmoid_backward_grad_input>(m);
  structured<at::native::structured_tanh_backward_out, at::_ops::tanh_backward,
             at::_ops::tanh_backward_grad_input>(m);
  structured<at::native::structured_silu_backward_out, at::_ops::silu_backward,
             at::_ops::silu_backward_grad_input>(m);
  structured<at::native::structured_leaky_relu_backward_out, at::_ops::leaky_relu_backward,
             at::_ops::leaky_relu_backward_grad_input>(m);
  structured<at::native::structured_softplus_backward_out, at::_ops::softplus_backward,
             at::_ops::softplus_backward_grad_input>(m);
  structured<at::native::structured_threshold_backward_out, at::_ops::threshold_backward,
             at::_ops::threshold_backward_grad_input>(m);
  structured<at::native::structured_mse_loss_out, at::_ops::mse_loss, at::_ops::mse_loss_out>(m);
  structured<at::native::structured_clamp_out, at::_ops::clamp, at::_ops::clamp_, at::_ops::clamp_out>(m);
  structured<at::native::structured_clamp_Tensor_out, at::_ops::clamp_Tensor, at::_ops::clamp__Tensor,
             at::_ops::clamp_Tensor_out>(m);
  structured<at::native::structured_clamp_min_out, at::_ops::clamp_min, at::_ops::clamp_min_,
             at::_ops::clamp_min_out>(m);
  structured<at::native::structured_clamp_min_Tensor_out, at::_ops::clamp_min_Tensor,
             at::_ops::clamp_min__Tensor, at::_ops::clamp_min_Tensor_out>(m);
  structured<at::native::structured_clamp_max_out, at::_ops::clamp_max, at::_ops::clamp_max_,
             at::_ops::clamp_max_out>(m);
  structured<at::native::structured_clamp_max_Tensor_out, at::_ops::clamp_max_Tensor,
             at::_ops::clamp_max__Tensor, at::_ops::clamp_max_Tensor_out>(m);
  structured<at::native::structured_addcmul_out, at::_ops::addcmul, at::_ops::addcmul_,
             at::_ops::addcmul_out>(m);
  structured<at::native::structured_addcdiv_out, at::_ops::addcdiv, at::_ops::addcdiv_,
             at::_ops::addcdiv_out>(m);
  structured<at::native::structured_lerp_Scalar, at::_ops::lerp_Scalar, at::_ops::lerp__Scalar,
             at::_ops::lerp_Scalar_out>(m);
  structured<at::native::structured_lerp_Tensor, at::_ops::lerp_Tensor, at::_ops::lerp__Tensor,
             at::_ops::lerp_Tensor_out>(m);
  structured<at::native::structured_pow_Tensor_Tensor_out, at::_ops::pow_Tensor_Tensor, at::_ops::pow__Tensor,
             at::_ops::pow_Tensor_Tensor_out>(m);
  structured<at::native::structured_pow_Tensor_Scalar_out, at::_ops::pow_Tensor_Scalar, at::_ops::pow__Scalar,
             at::_ops::pow_Tensor_Scalar_out>(m);
  structured<at::native::structured_pow_Scalar_out, at::_ops::pow_Scalar, at::_ops::pow_Scalar_out>(m);
  plain<static_cast<at::Tensor& (*)(const at::Tensor&, const at::Tensor&, at::Tensor&)>(
            &at::native::logical_and_out),
        at::_ops::logical_and_out>(m);
  plain<static_cast<at::Tensor& (*)(const at::Tensor&, const at::Tensor&, at::Tensor&)>(
            &at::native::logical_or_out),
        at::_ops::logical_or_out>(m);
  plain<static_cast<at::Tensor& (*)(const at::Tensor&, const at::Tensor&, at::Tensor&)>(
            &at::native::logical_xor_out),
        at::_ops::logical_xor_out>(m);
  plain<static_cast<at::Tensor (*)(const at::Tensor&, const at::Tensor&)>(&at::native::floor_divide),
        at::_ops::floor_divide>(m);
  plain<static_cast<at::Tensor& (*)(at::Tensor&, const at::Tensor&)>(&at::native::floor_divide_),
        at::_ops::floor_divide__Tensor>(m);
  plain<static_cast<at::Tensor& (*)(const at::Tensor&, const at::Tensor&, at::Tensor&)>(
            &at::native::floor_divide_out),
        at::_ops::floor_divide_out>(m);
  plain<static_cast<at::Tensor (*)(const at::Tensor&, const at::Tensor&, const c10::Scalar&)>(
            &at::native::rsub),
        at::_ops::rsub_Tensor>(m);
  structured<GeluBackward, at::_ops::gelu_backward, at::_ops::gelu_backward_grad_input>(m);
  plain<&at::native::hardtanh, at::_ops::hardtanh>(m);
  plain<&at::native::hardtanh_, at::_ops::hardtanh_>(m);
  plain<&at::native::hardtanh_out, at::_ops::hardtanh_out>(m);
  plain<&at::native::hardtanh_backward, at::_ops::hardtanh_backward>(m);
  plain<&at::native::hardtanh_backward_out, at::_ops::hardtanh_backward_grad_input>(m);
}

}  // namespace wavesmith::device
