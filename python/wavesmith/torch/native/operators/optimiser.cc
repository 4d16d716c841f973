// Steps of Adam and AdamW for all parameters at once (`fused=True`).
#include <vector>

#include <ATen/native/ForeachUtils.h>
#include <ATen/ops/_fused_adam_ops.h>
#include <ATen/ops/_fused_adamw_ops.h>

#include "operators/lists.h"
#include "operators/served.h"

namespace wavesmith::device {
namespace {

using at::Tensor;
using at::TensorList;
using OptionalTensor = std::optional<Tensor>;

// A float in the device's memory, or none.
const float* float_of(const OptionalTensor& tensor, c10::Device device) {
  if (!tensor || !tensor->defined()) return nullptr;
  if (!is_number_on(*tensor, device, c10::ScalarType::Float)) throw NotServed();
  return tensor->const_data_ptr<float>();
}

double rate_of(double rate, wavesmith_adam_description& /*one*/, c10::Device /*device*/) { return rate; }
double rate_of(const Tensor& rate, wavesmith_adam_description& one, c10::Device device) {
  if (rate.is_cpu() && rate.numel() == 1) return rate.item<double>();
  one.rate_at = float_of(rate, device);
  return 0;
}

template <bool kDecoupled, class Rate>
void step(TensorList self, TensorList gradients, TensorList averages, TensorList squares, TensorList largest,
          TensorList steps, const Rate& rate, double beta1, double beta2, double weight_decay, double epsilon,
          bool amsgrad, bool maximize, const OptionalTensor& scale, const OptionalTensor& found) {
  std::vector<TensorList> lists = {self, gradients, averages, squares};
  if (amsgrad) lists.push_back(largest);
  for (const TensorList& list : lists)
    if (list.size() != self.size()) throw NotServed();
  if (steps.size() != self.size() || !of_kernel_floats(lists) ||
      !at::native::check_fast_path_restrictions(lists, {}, false, true))
    throw NotServed();
  if (squares[0].scalar_type() != averages[0].scalar_type() ||
      (amsgrad && largest[0].scalar_type() != averages[0].scalar_type()))
    throw NotServed();
  const auto device = self[0].device();
  std::vector<wavesmith_adam_array> arrays(self.size());
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    if (!is_number_on(steps[i], device, c10::ScalarType::Float)) throw NotServed();
    arrays[i] = {self[i].numel(),
                 self[i].data_ptr(),
                 gradients[i].data_ptr(),
                 averages[i].data_ptr(),
                 squares[i].data_ptr(),
                 amsgrad ? largest[i].data_ptr() : nullptr,
                 steps[i].const_data_ptr<float>()};
  }
  wavesmith_adam_description one{};
  one.count = static_cast<std::int64_t>(arrays.size()), one.arrays = arrays.data();
  one.type_parameter = *kernel_type(self[0].scalar_type());
  one.type_gradient = *kernel_type(gradients[0].scalar_type());
  one.type_state = *kernel_type(averages[0].scalar_type());
  one.rate = rate_of(rate, one, device);
  one.beta1 = beta1, one.beta2 = beta2, one.weight_decay = weight_decay, one.epsilon = epsilon;
  one.decoupled = kDecoupled, one.maximise = maximize;
  one.gradient_scale = float_of(scale, device), one.found_infinity = float_of(found, device);
  serve(wavesmith_kernels_adam(&one, native(current_stream(device.index()))), "adam");
}

}  // namespace

WAVESMITH_OPERATORS(aten, m) {
  plain<&step<false, double>, at::_ops::_fused_adam_>(m);
  plain<&step<true, double>, at::_ops::_fused_adamw_>(m);
  plain<&step<false, Tensor>, at::_ops::_fused_adam__tensor_lr>(m);
  plain<&step<true, Tensor>, at::_ops::_fused_adamw__tensor_lr>(m);
}

}  // namespace wavesmith::device
