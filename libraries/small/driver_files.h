// The facts about GPUs that ROCm's management libraries report: from HIP's devices, and from the kernel
// driver's files that `wavesmith run` shows (rocm/kernel_driver/topology.cc). Without these files every GPU
// is on PCIe.
#pragma once

#include <cstddef>
#include <cstdint>

namespace wavesmith::libraries {

uint32_t device_count();

/// A PCI address.
struct PciAddress {
  unsigned domain = 0, bus = 0, slot = 0, function = 0;
};
/// Sets `address`. False: there is no such device.
bool pci_address_of(uint32_t device, PciAddress& address);

/// The device's node in the topology; 0: not shown.
uint32_t node_of(uint32_t device);
/// A numeric property of that node, such as "fw_version"; 0: not shown.
uint64_t node_property(uint32_t node, const char* name);
/// The driver's id of the node's GPU; 0: not shown.
uint64_t kfd_id(uint32_t node);

/// The connection of two devices.
struct Link {
  bool xgmi = false;  ///< else PCIe, through the CPU
  uint64_t hops = 0, weight = 0;
  uint64_t least = 0, most = 0;  ///< bandwidth range in MB/s; 0: unknown
};
Link link_between(uint32_t from, uint32_t to);

/// Sets the bytes of its memory, and those that this process uses. False: there is no such device.
bool memory_of(uint32_t device, uint64_t& total, uint64_t& used);

/// Its peak clocks in Hz; 0: unknown.
uint64_t engine_hertz(uint32_t device);
uint64_t memory_hertz(uint32_t device);

}  // namespace wavesmith::libraries
