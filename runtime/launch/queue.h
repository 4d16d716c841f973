// The queue structure that kernels read: where the apertures of LDS and private memory lie.
// Source: LLVM, "User Guide for AMDGPU Backend", "AMD Queue Memory Structure" (amd_queue_t); offsets 0x40 and
// 0x44.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/result.h"
#include "emulate/memory/memory.h"

namespace wavesmith::runtime {

struct Queue {
  uint32_t type, features;
  uint64_t base_address, doorbell_signal;
  uint32_t size, reserved1;
  uint64_t id;
  uint32_t caps, reserved2[3];
  uint64_t write_dispatch_id;
  uint32_t group_segment_aperture_base_hi, private_segment_aperture_base_hi;
  uint32_t reserved3[46];
};
static_assert(offsetof(Queue, group_segment_aperture_base_hi) == 0x40);

/// A queue in device memory.
Result<const void*> create_queue(emulate::Memory& memory);

/// A dispatch packet, which kernels read through their dispatch pointer. Source: HSA Runtime Programmer's
/// Reference Manual, "Kernel dispatch packet".
struct DispatchPacket {
  uint16_t header, setup;
  uint16_t workgroup_size[3], reserved0;
  uint32_t grid_size[3];
  uint32_t private_segment_size, group_segment_size;
  uint64_t kernel_object, kernarg_address, reserved2, completion_signal;
};
static_assert(sizeof(DispatchPacket) == 64);

}  // namespace wavesmith::runtime
