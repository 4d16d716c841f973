// Limits that AMD's HSA runtime (ROCr) reports for every GPU. Source: rocr-runtime, amd_gpu_agent.cpp,
// GetInfo().
#pragma once

#include <cstdint>

namespace wavesmith::rocr {

/// Work-items of a grid, in all and along x, y and z.
inline constexpr uint32_t kGrid = 0xffffffff, kGridX = 0x7fffffff, kGridYz = 0xffff;
/// HSAIL's fbarriers per workgroup.
inline constexpr uint32_t kFbarriers = 32;
/// Queues, and packets of one.
inline constexpr uint32_t kQueues = 128, kQueueMinPackets = 64, kQueueMaxPackets = 131072;
/// Address ranges that a debugger can watch, on every GPU since GCN 1.
inline constexpr uint32_t kWatchPoints = 4;

}  // namespace wavesmith::rocr
