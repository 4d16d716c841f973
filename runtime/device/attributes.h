// The attributes of a device: most are its properties under other names.
#pragma once

#include <optional>

#include "runtime/abi/device.h"
#include "runtime/device/platform.h"

namespace wavesmith::runtime {

/// An attribute's value; empty for one that does not exist.
std::optional<int> attribute(const Platform& platform, const Device& device, hipDeviceAttribute_t which);

}  // namespace wavesmith::runtime
