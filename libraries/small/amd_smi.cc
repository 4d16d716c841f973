// AMD SMI: which GPUs there are, what they are, their memory, and how they are connected, as HIP and the
// kernel driver's files tell it. A GPU is a socket of its own, and its handle its number counted from 1. What
// it would measure on a card isn't modelled. amdsmi.h of ROCm 7.0.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>

#include "libraries/shim/unserved.h"
#include "libraries/small/driver_files.h"

extern "C" int hipDeviceGetName(char* name, int size, int device);
extern "C" int hipDeviceGetAttribute(int* value, int attribute, int device);
extern "C" int hipDeviceCanAccessPeer(int* can, int device, int peer);

namespace {

using namespace wavesmith::libraries;

enum Status { kSuccess = 0, kInvalid = 1, kNotSupported = 2, kNotFound = 31 };
enum LinkType { kPcie = 1, kXgmi = 2 };  // amdsmi_link_type_t
enum MemoryType { kVram = 0 };           // amdsmi_memory_type_t
constexpr int kAmdGpu = 1;               // processor_type_t
constexpr int kMultiprocessors = 63;     // hipDeviceAttributeMultiprocessorCount

using Handle = void*;

Handle handle_of(uint32_t device) { return reinterpret_cast<Handle>(static_cast<uintptr_t>(device) + 1); }
bool device_of(Handle handle, uint32_t& device) {
  const auto number = reinterpret_cast<uintptr_t>(handle);
  if (number == 0 || number > device_count()) return false;
  device = static_cast<uint32_t>(number - 1);
  return true;
}

/// amdsmi_asic_info_t.
struct Asic {
  char market_name[256];
  uint32_t vendor_id;
  char vendor_name[256];
  uint32_t subvendor_id;
  uint64_t device_id;
  uint32_t rev_id;
  char asic_serial[256];
  uint32_t oam_id, num_of_compute_units;
  uint64_t target_graphics_version;
  uint32_t subsystem_id, reserved[21];
};
static_assert(offsetof(Asic, device_id) == 520 && offsetof(Asic, target_graphics_version) == 800);

/// amdsmi_kfd_info_t.
struct Kfd {
  uint64_t kfd_id;
  uint32_t node_id, current_partition_id, reserved[12];
};

/// amdsmi_vram_usage_t, in MB.
struct VramUsage {
  uint32_t total, used, reserved[2];
};

/// amdsmi_driver_info_t.
struct Driver {
  char version[256], date[256], name[256];
};

/// amdsmi_version_t.
struct LibraryVersion {
  uint32_t major, minor, release;
  const char* build;
};

/// amdsmi_frequencies_t.
struct Frequencies {
  bool has_deep_sleep;
  uint32_t supported, current;
  uint64_t hertz[33];
};

/// Counts what there is, or fills room for `count` of them.
int fill(uint32_t* count, Handle* handles, uint32_t first, uint32_t number) {
  if (!count) return kInvalid;
  if (handles)
    for (uint32_t i = 0; i < number && i < *count; ++i) handles[i] = handle_of(first + i);
  if (!handles || *count > number) *count = number;
  return kSuccess;
}

/// The PCI address as one number, with the domain from bit `domain` on.
uint64_t address_of(const PciAddress& address, int domain) {
  return uint64_t{address.domain} << domain | (address.bus & 0xff) << 8 | (address.slot & 0x1f) << 3 |
         (address.function & 7);
}

}  // namespace

WAVESMITH_SERVED int amdsmi_init(uint64_t) { return kSuccess; }
WAVESMITH_SERVED int amdsmi_shut_down() { return kSuccess; }

WAVESMITH_SERVED int amdsmi_status_code_to_string(int status, const char** text) {
  if (!text) return kInvalid;
  static constexpr const char* kNames[] = {"AMDSMI_STATUS_SUCCESS", "AMDSMI_STATUS_INVAL",
                                           "AMDSMI_STATUS_NOT_SUPPORTED"};
  *text = name_of(kNames, status, "an error of AMD SMI");
  return kSuccess;
}

WAVESMITH_SERVED int amdsmi_get_lib_version(LibraryVersion* version) {
  if (!version) return kInvalid;
  *version = {26, 1, 0, "wavesmith"};  // as ROCm 7.1's
  return kSuccess;
}

WAVESMITH_SERVED int amdsmi_get_socket_handles(uint32_t* count, Handle* sockets) {
  return fill(count, sockets, 0, device_count());
}

WAVESMITH_SERVED int amdsmi_get_processor_handles(Handle socket, uint32_t* count, Handle* processors) {
  uint32_t device = 0;
  return device_of(socket, device) ? fill(count, processors, device, 1) : kInvalid;
}

WAVESMITH_SERVED int amdsmi_get_processor_type(Handle processor, int* type) {
  uint32_t device = 0;
  if (!type || !device_of(processor, device)) return kInvalid;
  *type = kAmdGpu;
  return kSuccess;
}

/// amdsmi_bdf_t: function, device, bus and domain of 3, 5, 8 and 48 bits.
WAVESMITH_SERVED int amdsmi_get_gpu_device_bdf(Handle processor, uint64_t* bdf) {
  uint32_t device = 0;
  PciAddress address;
  if (!bdf || !device_of(processor, device) || !pci_address_of(device, address)) return kInvalid;
  *bdf = address_of(address, 16);
  return kSuccess;
}

WAVESMITH_SERVED int amdsmi_get_processor_handle_from_bdf(uint64_t bdf, Handle* processor) {
  if (!processor) return kInvalid;
  for (uint32_t device = 0; device < device_count(); ++device) {
    uint64_t own = 0;
    if (amdsmi_get_gpu_device_bdf(handle_of(device), &own) == kSuccess && own == bdf) {
      *processor = handle_of(device);
      return kSuccess;
    }
  }
  return kNotFound;
}

/// As amd_smi_uuid.cc makes it of the serial number and the device's number.
WAVESMITH_SERVED int amdsmi_get_gpu_device_uuid(Handle processor, unsigned* size, char* text) {
  uint32_t device = 0;
  if (!size || !text || *size < 38 || !device_of(processor, device)) return kInvalid;
  const uint32_t node = node_of(device);
  const uint64_t id = node_property(node, "unique_id"), model = node_property(node, "device_id");
  if (!id) return kNotSupported;
  std::snprintf(text, *size, "%02xff%04x-0000-1000-80%02x-%04x%08x", static_cast<unsigned>(id >> 56),
                static_cast<unsigned>(model & 0xffff), static_cast<unsigned>(id >> 48 & 0xff),
                static_cast<unsigned>(id >> 32 & 0xffff), static_cast<unsigned>(id & 0xffffffff));
  return kSuccess;
}

WAVESMITH_SERVED int amdsmi_get_gpu_asic_info(Handle processor, Asic* asic) {
  uint32_t device = 0;
  if (!asic || !device_of(processor, device)) return kInvalid;
  std::memset(asic, 0, sizeof *asic);
  const uint32_t node = node_of(device);
  (void)hipDeviceGetName(asic->market_name, sizeof asic->market_name, static_cast<int>(device));
  std::strcpy(asic->vendor_name, "Advanced Micro Devices Inc. [AMD/ATI]");
  asic->vendor_id = asic->subvendor_id = 0x1002;
  asic->device_id = node_property(node, "device_id");
  asic->subsystem_id = static_cast<uint32_t>(asic->device_id);
  std::snprintf(asic->asic_serial, sizeof asic->asic_serial, "%016llX",
                static_cast<unsigned long long>(node_property(node, "unique_id")));
  asic->oam_id = ~0u;
  // Of RDNA's, HIP counts pairs of compute units.
  int units = 0;
  const uint64_t simds = node_property(node, "simd_count"), each = node_property(node, "simd_per_cu");
  if (each)
    asic->num_of_compute_units = static_cast<uint32_t>(simds / each);
  else if (hipDeviceGetAttribute(&units, kMultiprocessors, static_cast<int>(device)) == 0)
    asic->num_of_compute_units = static_cast<uint32_t>(units);
  // 90402 is told as the digits of gfx942.
  const uint64_t version = node_property(node, "gfx_target_version");
  const uint64_t major = version / 10000, minor = version / 100 % 100, stepping = version % 100;
  asic->target_graphics_version = (major / 10 << 12 | major % 10 << 8) | minor << 4 | stepping;
  return kSuccess;
}

WAVESMITH_SERVED int amdsmi_get_gpu_kfd_info(Handle processor, Kfd* info) {
  uint32_t device = 0;
  if (!info || !device_of(processor, device)) return kInvalid;
  const uint32_t node = node_of(device);
  if (!node) return kNotSupported;
  std::memset(info, 0, sizeof *info);
  info->kfd_id = kfd_id(node);
  info->node_id = node;
  return kSuccess;
}

WAVESMITH_SERVED int amdsmi_get_gpu_driver_info(Handle processor, Driver* driver) {
  uint32_t device = 0;
  if (!driver || !device_of(processor, device)) return kInvalid;
  std::memset(driver, 0, sizeof *driver);
  std::strcpy(driver->name, "amdgpu");
  if (FILE* const file = std::fopen("/sys/module/amdgpu/version", "r")) {
    if (std::fscanf(file, "%255s", driver->version) != 1) driver->version[0] = '\0';
    std::fclose(file);
  }
  return kSuccess;
}

WAVESMITH_SERVED int amdsmi_get_gpu_memory_total(Handle processor, int type, uint64_t* bytes) {
  uint32_t device = 0;
  uint64_t used = 0;
  if (!bytes || !device_of(processor, device)) return kInvalid;
  return type == kVram && memory_of(device, *bytes, used) ? kSuccess : kNotSupported;
}

WAVESMITH_SERVED int amdsmi_get_gpu_memory_usage(Handle processor, int type, uint64_t* bytes) {
  uint32_t device = 0;
  uint64_t total = 0;
  if (!bytes || !device_of(processor, device)) return kInvalid;
  return type == kVram && memory_of(device, total, *bytes) ? kSuccess : kNotSupported;
}

WAVESMITH_SERVED int amdsmi_get_gpu_vram_usage(Handle processor, VramUsage* usage) {
  uint32_t device = 0;
  uint64_t total = 0, used = 0;
  if (!usage || !device_of(processor, device)) return kInvalid;
  if (!memory_of(device, total, used)) return kNotSupported;
  *usage = {static_cast<uint32_t>(total >> 20), static_cast<uint32_t>(used >> 20), {}};
  return kSuccess;
}

/// One level, the peak, of the engine (0) or the memory (4) of amdsmi_clk_type_t.
WAVESMITH_SERVED int amdsmi_get_clk_freq(Handle processor, int type, Frequencies* frequencies) {
  uint32_t device = 0;
  if (!frequencies || !device_of(processor, device)) return kInvalid;
  const uint64_t hertz = type == 0 ? engine_hertz(device) : type == 4 ? memory_hertz(device) : 0;
  if (!hertz) return kNotSupported;
  *frequencies = {};
  frequencies->supported = 1;
  frequencies->hertz[0] = hertz;
  return kSuccess;
}

WAVESMITH_SERVED int amdsmi_topo_get_link_type(Handle from, Handle to, uint64_t* hops, int* type) {
  uint32_t start = 0, end = 0;
  if (!hops || !type || !device_of(from, start) || !device_of(to, end) || start == end) return kInvalid;
  const Link link = link_between(start, end);
  *hops = link.hops;
  *type = link.xgmi ? kXgmi : kPcie;
  return kSuccess;
}

WAVESMITH_SERVED int amdsmi_topo_get_link_weight(Handle from, Handle to, uint64_t* weight) {
  uint32_t start = 0, end = 0;
  if (!weight || !device_of(from, start) || !device_of(to, end) || start == end) return kInvalid;
  *weight = link_between(start, end).weight;
  return kSuccess;
}

/// In MB/s; as AMD's, of GPUs that XGMI connects alone.
WAVESMITH_SERVED int amdsmi_get_minmax_bandwidth_between_processors(Handle from, Handle to, uint64_t* least,
                                                                    uint64_t* most) {
  uint32_t start = 0, end = 0;
  if (!least || !most || !device_of(from, start) || !device_of(to, end) || start == end) return kInvalid;
  const Link link = link_between(start, end);
  if (!link.xgmi) return kNotSupported;
  *least = link.least;
  *most = link.most;
  return kSuccess;
}

WAVESMITH_SERVED int amdsmi_is_P2P_accessible(Handle from, Handle to, bool* accessible) {
  uint32_t start = 0, end = 0;
  if (!accessible || !device_of(from, start) || !device_of(to, end)) return kInvalid;
  int can = start == end;
  if (start != end && hipDeviceCanAccessPeer(&can, static_cast<int>(start), static_cast<int>(end)) != 0)
    return kNotSupported;
  *accessible = can != 0;
  return kSuccess;
}

WAVESMITH_SERVED int amdsmi_topo_get_numa_node_number(Handle processor, uint32_t* node) {
  uint32_t device = 0;
  if (!node || !device_of(processor, device)) return kInvalid;
  *node = 0;  // the driver's files have one node of cores
  return kSuccess;
}

WAVESMITH_SERVED int amdsmi_get_gpu_topo_numa_affinity(Handle processor, int32_t* node) {
  uint32_t device = 0;
  if (!node || !device_of(processor, device)) return kInvalid;
  *node = -1;  // none, as numa_node of the PCI device says
  return kSuccess;
}

WAVESMITH_SERVED int amdsmi_get_gpu_id(Handle processor, uint16_t* id) {
  uint32_t device = 0;
  if (!id || !device_of(processor, device)) return kInvalid;
  const uint64_t shown = node_property(node_of(device), "device_id");
  if (!shown) return kNotSupported;
  *id = static_cast<uint16_t>(shown);
  return kSuccess;
}

/// As ROCm SMI counts: the domain in the upper half.
WAVESMITH_SERVED int amdsmi_get_gpu_bdf_id(Handle processor, uint64_t* id) {
  uint32_t device = 0;
  PciAddress address;
  if (!id || !device_of(processor, device) || !pci_address_of(device, address)) return kInvalid;
  *id = address_of(address, 32);
  return kSuccess;
}
