// ROCm SMI: how many GPUs there are, and how they are connected: as the kernel driver's topology says it that
// programs are shown (machine/topology.cc). What it would measure on a card isn't modelled. rocm_smi.h of
// ROCm 7.0.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>

#include "libraries/answer.h"

extern "C" int hipGetDeviceCount(int* count);
extern "C" int hipDeviceGetPCIBusId(char* text, int size, int device);

namespace {

enum Status { kSuccess = 0, kInvalidArguments = 1 };
enum LinkType { kPcie = 1 };  // RSMI_IO_LINK_TYPE: and 2 is xGMI

bool exists(uint32_t device) {
  int devices = 0;
  return hipGetDeviceCount(&devices) == 0 && device < static_cast<uint32_t>(devices);
}

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

}  // namespace

WAVESMITH_SERVED int rsmi_init(uint64_t) { return kSuccess; }
WAVESMITH_SERVED int rsmi_shut_down() { return kSuccess; }

WAVESMITH_SERVED int rsmi_num_monitor_devices(uint32_t* count) {
  if (!count) return kInvalidArguments;
  int devices = 0;
  *count = hipGetDeviceCount(&devices) == 0 ? static_cast<uint32_t>(devices) : 0;
  return kSuccess;
}

WAVESMITH_SERVED int rsmi_status_string(int status, const char** text) {
  if (!text) return kInvalidArguments;
  static constexpr const char* kNames[] = {"The function has been executed successfully.",
                                           "An argument is invalid.", "Not supported on an emulated GPU."};
  *text = wavesmith::libraries::name_of(kNames, status, "An error of ROCm SMI.");
  return kSuccess;
}

WAVESMITH_SERVED int rsmi_dev_pci_id_get(uint32_t device, uint64_t* id) {
  char text[32];
  unsigned domain = 0, bus = 0, slot = 0, function = 0;
  if (!id || !exists(device) || hipDeviceGetPCIBusId(text, sizeof text, static_cast<int>(device)) != 0 ||
      std::sscanf(text, "%x:%x:%x.%x", &domain, &bus, &slot, &function) != 4)
    return kInvalidArguments;
  *id = uint64_t{domain} << 32 | (bus & 0xff) << 8 | (slot & 0x1f) << 3 | (function & 7);
  return kSuccess;
}

/// No GPU is in a hive: they are connected by PCIe alone.
WAVESMITH_SERVED int rsmi_dev_xgmi_hive_id_get(uint32_t device, uint64_t* hive) {
  if (!hive || !exists(device)) return kInvalidArguments;
  *hive = 0;
  return kSuccess;
}

/// From a GPU to the host, and on to the other GPU.
WAVESMITH_SERVED int rsmi_topo_get_link_type(uint32_t from, uint32_t to, uint64_t* hops, int* type) {
  if (!hops || !type || !exists(from) || !exists(to) || from == to) return kInvalidArguments;
  *hops = 2;
  *type = kPcie;
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
