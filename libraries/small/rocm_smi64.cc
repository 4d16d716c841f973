// ROCm SMI: which GPUs there are, their memory and peak clocks, and how they are connected: as HIP and the
// kernel driver's files tell it. What it would measure on a card isn't modelled. rocm_smi.h of ROCm 7.0.
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "base/rocm_release.h"

#include "libraries/shim/unserved.h"
#include "libraries/small/driver_files.h"

extern "C" int hipDeviceGetName(char* name, int size, int device);
extern "C" int hipDeviceCanAccessPeer(int* can, int device, int peer);

namespace {

using namespace wavesmith::libraries;

enum Status { kSuccess = 0, kInvalidArguments = 1, kNotSupported = 2, kTooSmall = 11 };
enum LinkType { kPcie = 1, kXgmi = 2 };                 // RSMI_IO_LINK_TYPE
enum ClockType { kSystemClock = 0, kMemoryClock = 4 };  // rsmi_clk_type_t
enum Firmware { kMec = 5, kSdma = 14 };                 // rsmi_fw_block_t
enum MemoryType { kVram = 0 };                          // rsmi_memory_type_t

bool exists(uint32_t device) { return device < device_count(); }
bool two(uint32_t from, uint32_t to) { return exists(from) && exists(to) && from != to; }

/// The part of rsmi_gpu_metrics_t that every version has, 1.0; programs may have room for more.
struct Metrics {
  uint16_t size;
  uint8_t format, content;
  uint16_t temperatures[6], activities[3], power;
  uint64_t energy, clock_counter;
  uint16_t average_clocks[7], current_clocks[7];
  uint32_t throttle_status;
  uint16_t fan_speed, pcie_link_width, pcie_link_speed;
};
static_assert(offsetof(Metrics, energy) == 24 && offsetof(Metrics, pcie_link_speed) == 76);

/// rsmi_frequencies_t.
struct Frequencies {
  bool has_deep_sleep;
  uint32_t supported, current;
  uint64_t hertz[33];
};
static_assert(offsetof(Frequencies, hertz) == 16);

/// rsmi_version_t.
struct LibraryVersion {
  uint32_t major, minor, patch;
  const char* build;
};

}  // namespace

WAVESMITH_SERVED int rsmi_init(uint64_t) { return kSuccess; }
WAVESMITH_SERVED int rsmi_shut_down() { return kSuccess; }

WAVESMITH_SERVED int rsmi_version_get(LibraryVersion* version) {
  if (!version) return kInvalidArguments;
  *version = {static_cast<uint32_t>(wavesmith::rocm_release().major), 8, 0, "wavesmith"};
  return kSuccess;
}

WAVESMITH_SERVED int rsmi_num_monitor_devices(uint32_t* count) {
  if (!count) return kInvalidArguments;
  *count = device_count();
  return kSuccess;
}

WAVESMITH_SERVED int rsmi_status_string(int status, const char** text) {
  if (!text) return kInvalidArguments;
  static constexpr const char* kNames[] = {"The function has been executed successfully.",
                                           "An argument is invalid.", "Not supported on an emulated GPU."};
  *text = name_of(kNames, status, "An error of ROCm SMI.");
  return kSuccess;
}

WAVESMITH_SERVED int rsmi_dev_pci_id_get(uint32_t device, uint64_t* id) {
  PciAddress address;
  if (!id || !pci_address_of(device, address)) return kInvalidArguments;
  *id = uint64_t{address.domain} << 32 | (address.bus & 0xff) << 8 | (address.slot & 0x1f) << 3 |
        (address.function & 7);
  return kSuccess;
}

WAVESMITH_SERVED int rsmi_dev_name_get(uint32_t device, char* name, size_t size) {
  char text[256] = {};
  if (!name || !size || !exists(device) || hipDeviceGetName(text, sizeof text, static_cast<int>(device)) != 0)
    return kInvalidArguments;
  const size_t length = std::strlen(text);
  std::memcpy(name, text, length < size ? length + 1 : size);
  name[size - 1] = '\0';
  return length < size ? kSuccess : kTooSmall;
}

WAVESMITH_SERVED int rsmi_dev_id_get(uint32_t device, uint16_t* id) {
  if (!id || !exists(device)) return kInvalidArguments;
  const uint64_t shown = node_property(node_of(device), "device_id");
  if (!shown) return kNotSupported;
  *id = static_cast<uint16_t>(shown);
  return kSuccess;
}

WAVESMITH_SERVED int rsmi_dev_unique_id_get(uint32_t device, uint64_t* id) {
  if (!id || !exists(device)) return kInvalidArguments;
  *id = node_property(node_of(device), "unique_id");
  return *id ? kSuccess : kNotSupported;
}

WAVESMITH_SERVED int rsmi_dev_memory_total_get(uint32_t device, int type, uint64_t* bytes) {
  uint64_t used = 0;
  if (!bytes || !exists(device)) return kInvalidArguments;
  return type == kVram && memory_of(device, *bytes, used) ? kSuccess : kNotSupported;
}

WAVESMITH_SERVED int rsmi_dev_memory_usage_get(uint32_t device, int type, uint64_t* bytes) {
  uint64_t total = 0;
  if (!bytes || !exists(device)) return kInvalidArguments;
  return type == kVram && memory_of(device, total, *bytes) ? kSuccess : kNotSupported;
}

/// One level, the peak, at which an emulated GPU is said to run.
WAVESMITH_SERVED int rsmi_dev_gpu_clk_freq_get(uint32_t device, int type, Frequencies* frequencies) {
  if (!frequencies || !exists(device)) return kInvalidArguments;
  const uint64_t hertz = type == kSystemClock   ? engine_hertz(device)
                         : type == kMemoryClock ? memory_hertz(device)
                                                : 0;
  if (!hertz) return kNotSupported;
  *frequencies = {};
  frequencies->supported = 1;
  frequencies->hertz[0] = hertz;
  return kSuccess;
}

WAVESMITH_SERVED int rsmi_dev_firmware_version_get(uint32_t device, int block, uint64_t* version) {
  if (!version || !exists(device)) return kInvalidArguments;
  const uint32_t node = node_of(device);
  *version = block == kMec    ? node_property(node, "fw_version")
             : block == kSdma ? node_property(node, "sdma_fw_version")
                              : 0;
  return *version ? kSuccess : kNotSupported;
}

WAVESMITH_SERVED int rsmi_dev_xgmi_hive_id_get(uint32_t device, uint64_t* hive) {
  if (!hive || !exists(device)) return kInvalidArguments;
  *hive = node_property(node_of(device), "hive_id");
  return kSuccess;
}

WAVESMITH_SERVED int rsmi_topo_get_link_type(uint32_t from, uint32_t to, uint64_t* hops, int* type) {
  if (!hops || !type || !two(from, to)) return kInvalidArguments;
  const Link link = link_between(from, to);
  *hops = link.hops;
  *type = link.xgmi ? kXgmi : kPcie;
  return kSuccess;
}

WAVESMITH_SERVED int rsmi_topo_get_link_weight(uint32_t from, uint32_t to, uint64_t* weight) {
  if (!weight || !two(from, to)) return kInvalidArguments;
  *weight = link_between(from, to).weight;
  return kSuccess;
}

/// In MB/s; as AMD's, of GPUs that XGMI connects alone.
WAVESMITH_SERVED int rsmi_minmax_bandwidth_get(uint32_t from, uint32_t to, uint64_t* least, uint64_t* most) {
  if (!least || !most || !two(from, to)) return kInvalidArguments;
  const Link link = link_between(from, to);
  if (!link.xgmi) return kNotSupported;
  *least = link.least;
  *most = link.most;
  return kSuccess;
}

WAVESMITH_SERVED int rsmi_is_P2P_accessible(uint32_t from, uint32_t to, bool* accessible) {
  if (!accessible || !exists(from) || !exists(to)) return kInvalidArguments;
  int can = from == to;
  if (from != to && hipDeviceCanAccessPeer(&can, static_cast<int>(from), static_cast<int>(to)) != 0)
    return kNotSupported;
  *accessible = can != 0;
  return kSuccess;
}

WAVESMITH_SERVED int rsmi_topo_get_numa_node_number(uint32_t device, uint32_t* node) {
  if (!node || !exists(device)) return kInvalidArguments;
  *node = 0;  // the driver's files have one node of cores
  return kSuccess;
}

WAVESMITH_SERVED int rsmi_topo_numa_affinity_get(uint32_t device, int32_t* node) {
  if (!node || !exists(device)) return kInvalidArguments;
  *node = -1;  // none, as numa_node of the PCI device says
  return kSuccess;
}

/// All ones is what ROCm SMI says of sensors that a card lacks; the link is one of sixteen lanes at 32 GT/s.
WAVESMITH_SERVED int rsmi_dev_gpu_metrics_info_get(uint32_t device, void* to) {
  if (!to || !exists(device)) return kInvalidArguments;
  Metrics metrics;
  std::memset(&metrics, 0xff, sizeof metrics);
  metrics.size = sizeof metrics;
  metrics.format = 1;
  metrics.content = 0;
  metrics.pcie_link_width = 16;
  metrics.pcie_link_speed = 320;  // in 0.1 GT/s
  std::memcpy(to, &metrics, sizeof metrics);
  return kSuccess;
}
