// The GPUs of a machine that a process sees: HIP_VISIBLE_DEVICES and related variables.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace wavesmith::runtime {

/// The numbers, in the list's order, of the GPUs that a comma-separated list names by number or by a part of
/// their UUID ("GPU-0123456789abcdef"). A GPU counts once; nothing counts from the first entry on that names
/// none ("-1", say, for no GPU at all).
/// Source: ROCm's clr, rocclr/device/rocm/rocdevice.cpp, Device::init().
std::vector<int> visible_devices(std::string_view list, const std::vector<std::string>& uuids);

}  // namespace wavesmith::runtime
