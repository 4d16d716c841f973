#include "libraries/convolution/kernel/convolution_kernel.h"

#include <initializer_list>

#include "kernels/wavesmith_convolution.h"
#include "libraries/shim/kernel_library.h"

extern "C" int hipMallocAsync(void** pointer, size_t bytes, void* stream);
extern "C" int hipFreeAsync(void* pointer, void* stream);

namespace wavesmith::libraries {
namespace {

using Description = wavesmith_convolution_description;

bool is_covered(const Convolve& what) {
  return is_common_float(what.x.type) && is_common_float(what.w.type) && is_common_float(what.y.type);
}

wavesmith_convolution_tensor tensor_of(const Tensor& tensor, void* data) {
  wavesmith_convolution_tensor made{data, kernel_type(tensor.type), {}, {}};
  for (int i = 0; i < tensor.rank; ++i) made.sizes[i] = tensor.sizes[i], made.strides[i] = tensor.strides[i];
  return made;
}

Description description_of(const Convolve& what) {
  Description made{};
  made.direction = static_cast<wavesmith_convolution_direction>(what.direction);
  made.dimensions = what.convolution.dimensions, made.groups = what.convolution.groups;
  for (int i = 0; i < made.dimensions; ++i) {
    made.padding[i] = what.convolution.padding[i], made.step[i] = what.convolution.step[i];
    made.dilation[i] = what.convolution.dilation[i];
  }
  made.x = tensor_of(what.x, what.x_data), made.w = tensor_of(what.w, what.w_data);
  made.y = tensor_of(what.y, what.y_data);
  return made;
}

}  // namespace

bool launch_convolution_kernel(const Convolve& what, void* stream) {
  if (!is_covered(what)) return false;
  for (const void* const data : {what.x_data, what.w_data, what.y_data})
    if (!is_allocated(data)) return false;
  static const auto ask = reinterpret_cast<decltype(&wavesmith_kernels_convolution_workspace)>(
      kernel_function("wavesmith_kernels_convolution_workspace"));
  static const auto launch = reinterpret_cast<decltype(&wavesmith_kernels_convolution)>(
      kernel_function("wavesmith_kernels_convolution"));
  const OnDeviceOf on(stream);
  if (!ask || !launch || !on.is_known()) return false;
  Description description = description_of(what);
  size_t& bytes = description.workspace_bytes;
  if (ask(&description, &bytes) != WAVESMITH_KERNELS_SUCCESS) return false;
  if (bytes > 0 && hipMallocAsync(&description.workspace, bytes, stream) != 0) return false;
  const bool done = launch(&description, stream) == WAVESMITH_KERNELS_SUCCESS;
  if (bytes > 0) hipFreeAsync(description.workspace, stream);
  return done;
}

}  // namespace wavesmith::libraries
