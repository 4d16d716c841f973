#include "libraries/small/driver_files.h"

#include <cstdio>
#include <cstring>
#include <initializer_list>

extern "C" int hipGetDeviceCount(int* count);
extern "C" int hipGetDevice(int* device);
extern "C" int hipSetDevice(int device);
extern "C" int hipMemGetInfo(size_t* free, size_t* total);
extern "C" int hipDeviceGetPCIBusId(char* text, int size, int device);
extern "C" int hipDeviceGetAttribute(int* value, int attribute, int device);

namespace wavesmith::libraries {
namespace {

constexpr const char* kNodes = "/sys/class/kfd/kfd/topology/nodes";
constexpr uint32_t kMostNodes = 128;

/// The number behind `name` in a file of lines "name number".
bool number_in(const char* path, const char* name, uint64_t& value) {
  FILE* const file = std::fopen(path, "r");
  if (!file) return false;
  char word[64];
  unsigned long long number = 0;
  bool found = false;
  while (!found && std::fscanf(file, "%63s %llu", word, &number) == 2) found = std::strcmp(word, name) == 0;
  std::fclose(file);
  if (found) value = number;
  return found;
}

/// The link of that kind from a node to another.
bool link_of(uint32_t from, uint32_t to, Link& link) {
  for (const char* kind : {"io_links", "p2p_links"})
    for (unsigned i = 0;; ++i) {
      char path[160];
      std::snprintf(path, sizeof path, "%s/%u/%s/%u/properties", kNodes, from, kind, i);
      uint64_t target = 0, type = 0;
      if (!number_in(path, "node_to", target)) break;
      if (target != to) continue;
      number_in(path, "type", type);
      link.xgmi = type == 11;  // of the driver's types
      link.hops = 1;
      number_in(path, "weight", link.weight);
      number_in(path, "min_bandwidth", link.least);
      number_in(path, "max_bandwidth", link.most);
      return true;
    }
  return false;
}

uint64_t hertz(uint32_t device, int attribute) {
  int kilohertz = 0;
  if (hipDeviceGetAttribute(&kilohertz, attribute, static_cast<int>(device)) != 0) return 0;
  return static_cast<uint64_t>(kilohertz) * 1000;
}

}  // namespace

uint32_t device_count() {
  int devices = 0;
  return hipGetDeviceCount(&devices) == 0 && devices > 0 ? static_cast<uint32_t>(devices) : 0;
}

bool pci_address_of(uint32_t device, PciAddress& address) {
  char text[32];
  return device < device_count() && hipDeviceGetPCIBusId(text, sizeof text, static_cast<int>(device)) == 0 &&
         std::sscanf(text, "%x:%x:%x.%x", &address.domain, &address.bus, &address.slot, &address.function) ==
             4;
}

uint32_t node_of(uint32_t device) {
  PciAddress address;
  if (!pci_address_of(device, address)) return 0;
  for (uint32_t node = 1; node < kMostNodes; ++node) {
    char path[128];
    std::snprintf(path, sizeof path, "%s/%u/properties", kNodes, node);
    uint64_t location = 0, domain = 0;
    if (!number_in(path, "location_id", location)) return 0;
    number_in(path, "domain", domain);
    if (location == (address.bus << 8 | address.slot << 3 | address.function) && domain == address.domain)
      return node;
  }
  return 0;
}

uint64_t node_property(uint32_t node, const char* name) {
  char path[128];
  std::snprintf(path, sizeof path, "%s/%u/properties", kNodes, node);
  uint64_t value = 0;
  if (node) number_in(path, name, value);
  return value;
}

uint64_t kfd_id(uint32_t node) {
  char path[128];
  std::snprintf(path, sizeof path, "%s/%u/gpu_id", kNodes, node);
  FILE* const file = node ? std::fopen(path, "r") : nullptr;
  if (!file) return 0;
  unsigned long long id = 0;
  const bool read = std::fscanf(file, "%llu", &id) == 1;
  std::fclose(file);
  return read ? id : 0;
}

Link link_between(uint32_t from, uint32_t to) {
  const uint32_t start = node_of(from), end = node_of(to);
  Link link;
  if (start && end && link_of(start, end, link) && link.xgmi) return link;
  // To the CPU and on from there; its weights without the driver's files: those that they have.
  Link up{.weight = 20}, down{.weight = 20};
  if (start && end) link_of(start, 0, up), link_of(0, end, down);
  return {false, 2, up.weight + down.weight};
}

bool memory_of(uint32_t device, uint64_t& total, uint64_t& used) {
  int before = 0;
  size_t free = 0, all = 0;
  if (device >= device_count() || hipGetDevice(&before) != 0 || hipSetDevice(static_cast<int>(device)) != 0)
    return false;
  const bool known = hipMemGetInfo(&free, &all) == 0;
  (void)hipSetDevice(before);
  total = all;
  used = all - free;
  return known;
}

// hipDeviceAttributeClockRate and hipDeviceAttributeMemoryClockRate, the same in every version of HIP.
uint64_t engine_hertz(uint32_t device) { return hertz(device, 5); }
uint64_t memory_hertz(uint32_t device) { return hertz(device, 60); }

}  // namespace wavesmith::libraries
