// What ROCm's management libraries tell of GPUs: HIP's devices, and the kernel driver's files that `wavesmith
// run` shows of them (rocm/kernel_driver/topology.cc). Without these files every GPU hangs on PCIe.
#pragma once

#include <cstddef>
#include <cstdint>

namespace wavesmith::libraries {

uint32_t device_count();

/// A PCI address.
struct Place {
  unsigned domain = 0, bus = 0, slot = 0, function = 0;
};
/// False: there is no such device.
bool place_of(uint32_t device, Place& place);

/// The device's node of the topology; 0: it is not shown.
uint32_t node_of(uint32_t device);
/// A number of that node, as "fw_version"; 0 where it is not shown.
uint64_t node_property(uint32_t node, const char* name);
/// The driver's number of the device; 0 where it is not shown.
uint64_t kfd_id(uint32_t node);

/// A way between two devices.
struct Link {
  bool xgmi = false;  ///< else PCIe, by way of the CPU
  uint64_t hops = 0, weight = 0;
  uint64_t least = 0, most = 0;  ///< bandwidth in MB/s; 0: unknown
};
Link link_between(uint32_t from, uint32_t to);

/// Bytes of its memory, and how many of them this process uses.
bool memory_of(uint32_t device, uint64_t& total, uint64_t& used);

/// Its peak clocks in Hz; 0: unknown.
uint64_t engine_hertz(uint32_t device);
uint64_t memory_hertz(uint32_t device);

}  // namespace wavesmith::libraries
