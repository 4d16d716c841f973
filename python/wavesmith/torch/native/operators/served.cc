#include "operators/served.h"

#include <algorithm>

#include <ATen/EmptyTensor.h>
#include <ATen/native/Resize.h>

namespace wavesmith::device {
namespace {

void fit(const at::Tensor& output, bool in_place, c10::IntArrayRef sizes, c10::IntArrayRef strides,
         const c10::TensorOptions& options) {
  TORCH_CHECK(options.dtype() == output.dtype(), "Expected out tensor to have dtype ", options.dtype(),
              ", but got ", output.dtype(), " instead");
  TORCH_CHECK(options.device() == output.device(), "Expected out tensor to have device ", options.device(),
              ", but got ", output.device(), " instead");
  if (in_place) {
    TORCH_CHECK(sizes == output.sizes(), "Bad in-place call: input tensor size ", output.sizes(),
                " and output tensor size ", sizes, " should match");
  } else if (at::native::resize_output(output, sizes)) {
    auto* impl = output.unsafeGetTensorImpl();
    if (!strides.empty())
      impl->set_sizes_and_strides(sizes, strides);
    else if (options.memory_format_opt().has_value())
      impl->empty_tensor_restride(*options.memory_format_opt());
  }
}

}  // namespace

at::Tensor made(c10::IntArrayRef sizes, c10::IntArrayRef strides, const c10::TensorOptions& options) {
  const c10::DispatchKeySet keys(kKey);
  auto* allocator = c10::GetAllocator(kDevice);
  const auto type = c10::typeMetaToScalarType(options.dtype());
  if (!strides.empty()) return at::detail::empty_strided_generic(sizes, strides, allocator, keys, type);
  return at::detail::empty_generic(sizes, allocator, keys, type, options.memory_format_opt());
}

Outputs::Outputs(bool in_place, std::initializer_list<at::Tensor*> given) : in_place_(in_place) {
  TORCH_INTERNAL_ASSERT(given.size() <= kMostOutputs);
  std::copy(given.begin(), given.end(), given_.begin());
}

Outputs::~Outputs() = default;

void Outputs::set(std::int64_t index, c10::IntArrayRef sizes, c10::IntArrayRef strides,
                  const c10::TensorOptions& options) {
  if (given_[index] == nullptr)
    made_[index] = made(sizes, strides, options);
  else
    fit(*given_[index], in_place_, sizes, strides, options);
}

namespace detail {

c10::DeviceIndex device_in(const at::Tensor& tensor) {
  return tensor.defined() && on_device(tensor) ? tensor.device().index() : -1;
}
c10::DeviceIndex device_in(const at::ITensorListRef& tensors) {
  return tensors.size() == 0 ? -1 : device_in(*tensors.begin());
}

void check_device(const at::Tensor& tensor, c10::DeviceIndex device, const char* op) {
  if (!tensor.defined() || tensor.dim() == 0) return;
  const c10::Device expected(kDevice, device);
  TORCH_CHECK(tensor.device() == expected,
              "Expected all tensors to be on the same device, but found at least two devices, ", expected,
              " and ", tensor.device(), "! (when checking arguments of ", op, ")");
}
void check_device(const std::optional<at::Tensor>& tensor, c10::DeviceIndex device, const char* op) {
  if (tensor.has_value()) check_device(*tensor, device, op);
}
void check_device(const at::ITensorListRef& tensors, c10::DeviceIndex device, const char* op) {
  for (const at::Tensor& tensor : tensors) check_device(tensor, device, op);
}

std::string full_name(const char* name, const char* overload) {
  return *overload == '\0' ? std::string(name) : std::string(name) + "." + overload;
}

}  // namespace detail
}  // namespace wavesmith::device
