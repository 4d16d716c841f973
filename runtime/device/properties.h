// What HIP reports about a GPU.
#pragma once

#include <array>
#include <climits>

#include "runtime/abi/device.h"
#include "runtime/abi/memory.h"
#include "runtime/device/platform.h"

namespace wavesmith::runtime {

/// Workgroups on each axis of a grid, as ROCm reports it.
inline constexpr unsigned kMaxGrid[] = {INT_MAX, 65536, 65536};

/// The properties in HIP 6's and 7's layout. Numbers that describe the GPU come from its data file; the
/// others say what this runtime can do.
hipDeviceProp_tR0600 properties(const Platform& platform, const Device& device);

/// The same in HIP 5's layout.
hipDeviceProp_tR0000 properties_of_hip5(const hipDeviceProp_tR0600& newer, const object::TargetId& target);

/// "0000:05:00.0": where the device would be.
std::array<char, 16> pci_address(const Device& device);

}  // namespace wavesmith::runtime
