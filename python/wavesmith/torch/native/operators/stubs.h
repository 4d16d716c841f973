// PyTorch's dispatch stubs: where its own code for an operator calls the kernel of a device.
#pragma once

#include <ATen/native/DispatchStub.h>

#include "device/device_type.h"

namespace wavesmith::device {

template <class Stub>
bool set_stub(Stub& stub, typename Stub::FnPtr kernel) {
  if (kIsCuda)
    stub.set_cuda_dispatch_ptr(kernel);
  else
    stub.set_privateuse1_dispatch_ptr(kernel);
  return true;
}

}  // namespace wavesmith::device

// Makes a kernel the device's: WAVESMITH_STUB(sum_stub, &sum)
#define WAVESMITH_STUB(name, ...) \
  static const bool wavesmith_##name = wavesmith::device::set_stub(at::native::name, __VA_ARGS__)
