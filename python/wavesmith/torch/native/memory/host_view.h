// Device memory seen by the host: a device pointer of an emulated GPU is a host pointer.
#pragma once

#include <ATen/core/Tensor.h>

namespace wavesmith::device {

// The same elements as a tensor of the CPU, which keeps the device's alive. Waits for the tensor's current
// stream.
at::Tensor host_view(const at::Tensor& tensor);

}  // namespace wavesmith::device
