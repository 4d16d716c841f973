// Random numbers of the device.
#pragma once

#include <ATen/core/Generator.h>
#include <c10/core/Device.h>

namespace wavesmith::device {

// A device's default generator.
const at::Generator& default_generator(c10::DeviceIndex device);
at::Generator new_generator(c10::DeviceIndex device);
// What draws for a generator of ours on the host: for the same seed the same numbers as PyTorch's on the CPU.
at::Generator host_generator(const at::Generator& generator);

}  // namespace wavesmith::device
