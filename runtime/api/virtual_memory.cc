// Virtual memory: addresses without memory, memory without addresses, and the one shown at the other.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <map>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "runtime/abi/memory.h"
#include "runtime/api/version.h"
#include "runtime/device/platform.h"

using namespace wavesmith;
using namespace wavesmith::runtime;

namespace {

/// Physical memory: what a hipMemGenericAllocationHandle_t names.
struct Physical {
  std::shared_ptr<emulate::SharedPages> pages;
  hipMemAllocationProp props{};
  int references = 1;  ///< that the program holds; mappings hold the pages themselves
};

struct Mapping {
  size_t size = 0;
  hipMemGenericAllocationHandle_t handle = nullptr;
  Physical physical;
  std::map<int, hipMemAccessFlags> access;  ///< by device; the host is -1
};

struct State {
  std::mutex mutex;
  std::map<uint64_t, size_t> reserved;
  std::unordered_map<hipMemGenericAllocationHandle_t, std::unique_ptr<Physical>> physical;
  std::map<uint64_t, Mapping> mappings;
  std::map<int, uint64_t> used;
};
State& state() {
  static auto& all = *new State;
  return all;
}

uint64_t address_of(const void* pointer) { return reinterpret_cast<uint64_t>(pointer); }

bool inside_reservation(uint64_t address, size_t size) {
  const auto after = state().reserved.upper_bound(address);
  if (after == state().reserved.begin()) return false;
  const auto& [begin, length] = *std::prev(after);
  return address - begin <= length && size <= length - (address - begin);
}

bool is_granular(uint64_t value) { return value % emulate::Memory::page_bytes() == 0; }

hipMemGenericAllocationHandle_t add(Physical physical) {
  auto made = std::make_unique<Physical>(std::move(physical));
  const auto handle = reinterpret_cast<hipMemGenericAllocationHandle_t>(made.get());
  state().physical[handle] = std::move(made);
  return handle;
}

/// The mapping that holds an address, or the end.
auto mapping_of(uint64_t address) {
  auto& all = state().mappings;
  const auto after = all.upper_bound(address);
  if (after == all.begin()) return all.end();
  const auto found = std::prev(after);
  return address - found->first < found->second.size ? found : all.end();
}

/// The mappings that a range consists of, each of them whole; empty when that is not so.
auto mappings_in(uint64_t address, size_t size) {
  std::vector<std::map<uint64_t, Mapping>::iterator> range;
  for (const uint64_t end = address + size; address < end;) {
    const auto found = state().mappings.find(address);
    if (found == state().mappings.end() || found->second.size > end - address) return decltype(range){};
    range.push_back(found);
    address += found->second.size;
  }
  return range;
}

emulate::Protection protection_of(const Mapping& mapping) {
  // One address space serves all devices: it gives the most that anybody was given.
  auto most = emulate::Protection::None;
  for (const auto& [device, flags] : mapping.access) {
    if (flags == hipMemAccessFlagsProtReadWrite) return emulate::Protection::ReadWrite;
    if (flags == hipMemAccessFlagsProtRead) most = emulate::Protection::Read;
  }
  return most;
}

/// The properties as HIP 5's headers lay them out.
struct PropertiesOfHip5 {
  unsigned char compression;
  hipMemLocation location;
  hipMemAllocationHandleType handle;
  hipMemAllocationType type;
  unsigned short usage;
  void* windows;
};

hipMemAllocationProp read(const hipMemAllocationProp* props) {
  if (hip_major() >= 6) return *props;
  PropertiesOfHip5 old;
  std::memcpy(&old, props, sizeof old);
  hipMemAllocationProp now{};
  now.type = old.type;
  now.requestedHandleType = old.handle;
  now.location = old.location;
  return now;
}

void write(const hipMemAllocationProp& props, hipMemAllocationProp* out) {
  const PropertiesOfHip5 old{0, props.location, props.requestedHandleType, props.type, 0, nullptr};
  if (hip_major() >= 6)
    *out = props;
  else
    std::memcpy(out, &old, sizeof old);
}

template <class Body>
hipError_t locked(Body body) {
  return api([&](Platform& platform) -> hipError_t {
    const std::scoped_lock lock(state().mutex);
    return body(platform);
  });
}

}  // namespace

HIP_API hipError_t hipMemGetAllocationGranularity(size_t* granularity,
                                                  const hipMemAllocationProp* props_given,
                                                  hipMemAllocationGranularity_flags which) {
  return api([&](Platform& platform) {
    if (!granularity || !props_given) return hipErrorInvalidValue;
    const hipMemAllocationProp props = read(props_given);
    if (props.type != hipMemAllocationTypePinned || props.location.type != hipMemLocationTypeDevice)
      return hipErrorInvalidValue;
    if (!platform.device(props.location.id)) return hipErrorInvalidValue;
    if (which != hipMemAllocationGranularityMinimum && which != hipMemAllocationGranularityRecommended)
      return hipErrorInvalidValue;
    constexpr size_t kRecommended = size_t{2} << 20;  // large pages
    *granularity = which == hipMemAllocationGranularityMinimum ? emulate::Memory::page_bytes() : kRecommended;
    return hipSuccess;
  });
}

HIP_API hipError_t hipMemAddressReserve(void** pointer, size_t size, size_t alignment, void* /*wish*/,
                                        unsigned long long flags) {
  return locked([&](Platform& platform) {
    if (!pointer || flags || (alignment & (alignment - 1))) return hipErrorInvalidValue;
    if (size == 0 || !is_granular(size)) return hipErrorOutOfMemory;  // as ROCm says it
    const auto made =
        platform.memory->reserve(size, std::max<size_t>(alignment, emulate::Memory::page_bytes()));
    if (!made) return hipErrorOutOfMemory;
    *pointer = *made;
    state().reserved[address_of(*made)] = size;
    return hipSuccess;
  });
}

HIP_API hipError_t hipMemAddressFree(void* pointer, size_t size) {
  return locked([&](Platform& platform) {
    const auto found = state().reserved.find(address_of(pointer));
    if (!pointer || found == state().reserved.end() || found->second != size) return hipErrorInvalidValue;
    const auto mapped = state().mappings.lower_bound(address_of(pointer));
    if (mapped != state().mappings.end() && mapped->first < address_of(pointer) + size)
      return hipErrorInvalidValue;
    if (!platform.memory->unreserve(pointer)) return hipErrorInvalidValue;
    state().reserved.erase(found);
    return hipSuccess;
  });
}

HIP_API hipError_t hipMemCreate(hipMemGenericAllocationHandle_t* handle, size_t size,
                                const hipMemAllocationProp* props_given, unsigned long long flags) {
  return locked([&](Platform& platform) {
    if (!handle || size == 0 || !is_granular(size) || !props_given || flags) return hipErrorInvalidValue;
    const hipMemAllocationProp props = read(props_given);
    if (props.type != hipMemAllocationTypePinned && props.type != hipMemAllocationTypeUncached)
      return hipErrorInvalidValue;
    if (props.location.type != hipMemLocationTypeDevice) return hipErrorInvalidValue;
    if (props.requestedHandleType != hipMemHandleTypeNone &&
        props.requestedHandleType != hipMemHandleTypePosixFileDescriptor)
      return hipErrorNotSupported;
    const Device* const device = platform.device(props.location.id);
    if (!device) return hipErrorInvalidValue;
    if (size > device->gpu.memory_bytes -
                   std::min<uint64_t>(device->gpu.memory_bytes, platform.allocations.used(device->ordinal)))
      return hipErrorOutOfMemory;
    auto pages = emulate::SharedPages::create(size);
    if (!pages) return hipErrorOutOfMemory;
    *handle = add({std::move(*pages), props});
    return hipSuccess;
  });
}

HIP_API hipError_t hipMemRelease(hipMemGenericAllocationHandle_t handle) {
  return locked([&](Platform&) {
    const auto found = state().physical.find(handle);
    if (found == state().physical.end()) return hipErrorInvalidValue;
    if (--found->second->references == 0) state().physical.erase(found);
    return hipSuccess;
  });
}

HIP_API hipError_t hipMemMap(void* pointer, size_t size, size_t offset,
                             hipMemGenericAllocationHandle_t handle, unsigned long long flags) {
  return locked([&](Platform& platform) {
    const auto found = state().physical.find(handle);
    if (!pointer || size == 0 || !is_granular(size) || offset || flags || found == state().physical.end())
      return hipErrorInvalidValue;
    const uint64_t address = address_of(pointer);
    if (!is_granular(address) || size > found->second->pages->bytes() || !inside_reservation(address, size))
      return hipErrorInvalidValue;
    const auto next = state().mappings.lower_bound(address);
    if (mapping_of(address) != state().mappings.end() ||
        (next != state().mappings.end() && next->first < address + size))
      return hipErrorInvalidValue;
    const Physical& physical = *found->second;
    if (!platform.memory->map(pointer, size, physical.pages, offset)) return hipErrorMapFailed;
    state().mappings[address] = {size, handle, {physical.pages, physical.props}, {}};
    platform.allocations.insert(
        {address, size, Allocation::Kind::Device, physical.props.location.id, 0, .mapping = true});
    return hipSuccess;
  });
}

HIP_API hipError_t hipMemUnmap(void* pointer, size_t size) {
  return locked([&](Platform& platform) {
    const auto range = mappings_in(address_of(pointer), size);
    if (!pointer || range.empty()) return hipErrorInvalidValue;
    for (const auto& device : platform.devices) device->synchronize();
    for (const auto& each : range) {
      void* const begin = reinterpret_cast<void*>(each->first);
      if (!platform.memory->unmap(begin, each->second.size)) return hipErrorInvalidValue;
      platform.allocations.erase(begin);
      state().mappings.erase(each);
    }
    return hipSuccess;
  });
}

HIP_API hipError_t hipMemSetAccess(void* pointer, size_t size, const hipMemAccessDesc* descriptions,
                                   size_t count) {
  return locked([&](Platform& platform) {
    if (!pointer || size == 0 || !descriptions || count == 0) return hipErrorInvalidValue;
    for (size_t i = 0; i < count; ++i) {
      const auto& [location, flags] = descriptions[i];
      const bool known = (location.type == hipMemLocationTypeDevice && platform.device(location.id)) ||
                         location.type == hipMemLocationTypeHost;
      if (!known) return hipErrorInvalidValue;
      if (flags != hipMemAccessFlagsProtNone && flags != hipMemAccessFlagsProtRead &&
          flags != hipMemAccessFlagsProtReadWrite)
        return hipErrorInvalidValue;
    }
    const auto range = mappings_in(address_of(pointer), size);
    if (range.empty()) return hipErrorInvalidValue;
    for (const auto& each : range) {
      Mapping& mapping = each->second;
      for (size_t i = 0; i < count; ++i)
        mapping
            .access[descriptions[i].location.type == hipMemLocationTypeHost ? hipCpuDeviceId
                                                                            : descriptions[i].location.id] =
            descriptions[i].flags;
      if (!platform.memory->protect(reinterpret_cast<void*>(each->first), mapping.size,
                                    protection_of(mapping)))
        return hipErrorInvalidValue;
    }
    return hipSuccess;
  });
}

HIP_API hipError_t hipMemGetAccess(unsigned long long* flags, const hipMemLocation* location, void* pointer) {
  return locked([&](Platform& platform) {
    const auto found = mapping_of(address_of(pointer));
    if (!flags || !location || !pointer || found == state().mappings.end()) return hipErrorInvalidValue;
    if (location->type != hipMemLocationTypeDevice || !platform.device(location->id))
      return hipErrorInvalidValue;
    const auto& access = found->second.access;
    const auto own = access.find(location->id);
    *flags = static_cast<unsigned long long>(own == access.end() ? hipMemAccessFlagsProtNone : own->second);
    return hipSuccess;
  });
}

HIP_API hipError_t hipMemGetAllocationPropertiesFromHandle(hipMemAllocationProp* props,
                                                           hipMemGenericAllocationHandle_t handle) {
  return locked([&](Platform&) {
    const auto found = state().physical.find(handle);
    if (!props || found == state().physical.end()) return hipErrorInvalidValue;
    write(found->second->props, props);
    return hipSuccess;
  });
}

HIP_API hipError_t hipMemRetainAllocationHandle(hipMemGenericAllocationHandle_t* handle, void* pointer) {
  return locked([&](Platform&) {
    const auto mapping = mapping_of(address_of(pointer));
    if (!handle || !pointer || mapping == state().mappings.end()) return hipErrorInvalidValue;
    const auto found = state().physical.find(mapping->second.handle);
    if (found != state().physical.end() && found->second->pages == mapping->second.physical.pages) {
      ++found->second->references;
      *handle = found->first;
    } else {
      // The program has released its handle while the memory was mapped.
      *handle = mapping->second.handle = add(mapping->second.physical);
    }
    return hipSuccess;
  });
}

HIP_API hipError_t hipMemExportToShareableHandle(void* out, hipMemGenericAllocationHandle_t handle,
                                                 hipMemAllocationHandleType type, unsigned long long flags) {
  return locked([&](Platform&) {
    const auto found = state().physical.find(handle);
    if (!out || flags || type != hipMemHandleTypePosixFileDescriptor || found == state().physical.end())
      return hipErrorInvalidValue;
    const int file = fcntl(found->second->pages->file(), F_DUPFD_CLOEXEC, 0);
    if (file < 0) return hipErrorOperatingSystem;
    *static_cast<int*>(out) = file;
    return hipSuccess;
  });
}

HIP_API hipError_t hipMemImportFromShareableHandle(hipMemGenericAllocationHandle_t* handle, void* shared,
                                                   hipMemAllocationHandleType type) {
  return locked([&](Platform&) {
    if (!handle || !shared || type != hipMemHandleTypePosixFileDescriptor) return hipErrorInvalidValue;
    // Programs pass the descriptor itself, as CUDA's do, or its address, as HIP's own tests do. No address is
    // that small.
    constexpr uint64_t kMostFiles = uint64_t{1} << 20;
    const int file =
        address_of(shared) < kMostFiles ? static_cast<int>(address_of(shared)) : *static_cast<int*>(shared);
    struct stat information{};
    if (fstat(file, &information) != 0 || information.st_size <= 0) return hipErrorInvalidValue;
    auto pages = emulate::SharedPages::open(getpid(), file, information.st_ino,
                                            static_cast<uint64_t>(information.st_size));
    if (!pages) return hipErrorInvalidValue;
    hipMemAllocationProp props{};
    props.type = hipMemAllocationTypePinned;
    props.requestedHandleType = hipMemHandleTypePosixFileDescriptor;
    props.location = {hipMemLocationTypeDevice, Platform::current_ordinal()};
    *handle = add({std::move(*pages), props});
    return hipSuccess;
  });
}

HIP_API hipError_t hipMemGetHandleForAddressRange(void* handle, hipDeviceptr_t pointer, size_t size,
                                                  hipMemRangeHandleType type, unsigned long long) {
  return api([&](Platform& platform) {
    if (!handle || !pointer || size == 0 || type != hipMemRangeHandleTypeDmaBufFd)
      return hipErrorInvalidValue;
    const auto allocation = platform.allocations.find(pointer);
    if (!allocation || allocation->on_host() ||
        address_of(pointer) - allocation->begin + size > allocation->size)
      return hipErrorInvalidValue;
    // A file of the pages: it can be mapped as a DMA buffer can, though no other driver takes it for one.
    platform.device(allocation->device)->synchronize();
    const auto pages = platform.memory->share(allocation->pointer());
    if (!pages) return hipErrorNotSupported;
    const int file = fcntl((*pages)->file(), F_DUPFD_CLOEXEC, 0);
    if (file < 0) return hipErrorOperatingSystem;
    *static_cast<int*>(handle) = file;
    return hipSuccess;
  });
}
