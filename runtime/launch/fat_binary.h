// The fat binaries, kernels and variables that a program registers at its start, by the addresses of their
// host counterparts. They are loaded on first use.
#pragma once

#include <cstddef>

#include "base/result.h"
#include "runtime/launch/module.h"

namespace wavesmith::runtime {

/// The kernel whose host stub is at `host`, loaded on `device`. Error: NotFound, or the error of loading.
Result<KernelFunction*> registered_function(Platform& platform, Device& device, const void* host);

/// The variable whose shadow on the host is at `host`, loaded on `device`.
Result<Module::DeviceVariable> registered_variable(Platform& platform, Device& device, const void* host);

/// The name of the kernel whose stub is at `host`; nullptr when there is none.
const char* registered_name(const void* host);

}  // namespace wavesmith::runtime
