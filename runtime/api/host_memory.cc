// The functions that make the host's own memory visible to kernels, and hints about where memory should be.
#include <sys/mman.h>

#include <algorithm>
#include <mutex>
#include <set>
#include <unordered_map>
#include <vector>

#include "runtime/abi/memory.h"
#include "runtime/device/platform.h"
#include "runtime/memory/hints.h"

using namespace wavesmith;
using namespace wavesmith::runtime;

namespace {

using Kind = Allocation::Kind;

/// Whether [pointer, pointer + size) is memory that host and devices may share.
bool shareable(Platform& platform, const void* pointer, size_t size) {
  const auto allocation = platform.allocations.find(pointer);
  if (!allocation) return platform.xnack;
  return (allocation->kind == Kind::Managed || platform.xnack) &&
         platform.allocations.contains_or_foreign(pointer, size);
}

struct HintBook {
  std::mutex mutex;
  std::unordered_map<uint64_t, HintedRange> by_allocation;  ///< by its number; 0: memory that is in none
};
HintBook& hint_book() {
  static auto& book = *new HintBook;
  return book;
}

/// Runs `body(HintedRange&)` on the hints of the allocation that `pointer` lies in.
template <class Body>
hipError_t with_hints(Platform& platform, const void* pointer, Body body) {
  const auto allocation = platform.allocations.find(pointer);
  const uint64_t number = allocation ? allocation->id : 0;
  HintBook& book = hint_book();
  const std::scoped_lock lock(book.mutex);
  if (!book.by_allocation.contains(number)) {
    // Whoever takes hints of new memory forgets those of memory that is gone.
    std::set<uint64_t> live{0};
    for (const Allocation& each : platform.allocations.all()) live.insert(each.id);
    std::erase_if(book.by_allocation, [&](const auto& each) { return !live.contains(each.first); });
  }
  return body(book.by_allocation[number]);
}

/// Whether every page of [pointer, pointer + size) is mapped in the process.
bool is_mapped(const void* pointer, size_t size) {
  constexpr uint64_t kPage = 4096, kAtOnce = 16384;
  const auto begin = reinterpret_cast<uint64_t>(pointer) / kPage * kPage;
  const uint64_t end = reinterpret_cast<uint64_t>(pointer) + size;
  if (end < begin) return false;
  std::vector<unsigned char> resident(kAtOnce);
  for (uint64_t at = begin; at < end; at += kAtOnce * kPage)
    if (mincore(reinterpret_cast<void*>(at), std::min(end - at, kAtOnce * kPage), resident.data()) != 0)
      return false;
  return true;
}

bool is_place(const Platform& platform, int device) {
  return device == hipCpuDeviceId || (device >= 0 && static_cast<size_t>(device) < platform.devices.size());
}

}  // namespace

HIP_API hipError_t hipHostRegister(void* pointer, size_t size, unsigned flags) {
  return api([&](Platform& platform) {
    constexpr unsigned kKnown = hipHostRegisterPortable | hipHostRegisterMapped | hipHostRegisterIoMemory |
                                hipHostRegisterReadOnly | hipExtHostRegisterUncached;
    if (!pointer || size == 0 || (flags & ~kKnown)) return hipErrorInvalidValue;
    if (!is_mapped(pointer, size)) return hipErrorInvalidValue;
    // Programs free memory that they never unregistered, and register what malloc() then put in its place.
    const auto before = platform.allocations.find(pointer);
    if (before && before->kind == Kind::Registered && before->pointer() == pointer && before->size <= size) {
      platform.allocations.erase(pointer);
      (void)platform.memory->unregister_host(pointer);
    }
    if (platform.allocations.overlaps(pointer, size)) return hipErrorHostMemoryAlreadyRegistered;
    const int device = Platform::current_ordinal();
    const auto done = platform.memory->register_host(
        pointer, size, {.kind = static_cast<uint32_t>(Kind::Registered), .flags = flags, .device = device});
    if (!done) return hipErrorHostMemoryAlreadyRegistered;
    platform.allocations.insert({reinterpret_cast<uint64_t>(pointer), size, Kind::Registered, device, flags});
    return hipSuccess;
  });
}

HIP_API hipError_t hipHostUnregister(void* pointer) {
  return api([&](Platform& platform) {
    if (!pointer) return hipErrorInvalidValue;
    const auto allocation = platform.allocations.find(pointer);
    if (!allocation || allocation->kind != Kind::Registered || allocation->pointer() != pointer)
      return hipErrorHostMemoryNotRegistered;
    for (const auto& device : platform.devices) device->synchronize();
    platform.allocations.erase(pointer);
    return platform.memory->unregister_host(pointer) ? hipSuccess : hipErrorHostMemoryNotRegistered;
  });
}

HIP_API hipError_t hipHostGetDevicePointer(void** device_pointer, void* host, unsigned flags) {
  return api([&](Platform& platform) {
    if (!device_pointer || !host || flags) return hipErrorInvalidValue;
    const auto allocation = platform.allocations.find(host);
    if (!allocation || (!allocation->on_host() && allocation->kind != Kind::Managed))
      return hipErrorInvalidValue;
    *device_pointer = host;
    return hipSuccess;
  });
}

HIP_API hipError_t hipHostGetFlags(unsigned* flags, void* host) {
  return api([&](Platform& platform) {
    if (!flags || !host) return hipErrorInvalidValue;
    const auto allocation = platform.allocations.find(host);
    if (!allocation || !allocation->on_host()) return hipErrorInvalidValue;
    *flags = allocation->flags;
    return hipSuccess;
  });
}

HIP_API hipError_t hipMemAdvise(const void* pointer, size_t size, hipMemoryAdvise advice, int device) {
  return api([&](Platform& platform) {
    // Who reads most of the time has no device.
    const bool placeless = advice == hipMemAdviseSetReadMostly || advice == hipMemAdviseUnsetReadMostly;
    if (!placeless && !is_place(platform, device)) return hipErrorInvalidDevice;
    if (!pointer || size == 0 || !shareable(platform, pointer, size)) return hipErrorInvalidValue;
    return with_hints(platform, pointer, [&](HintedRange& range) {
      bool known = true;
      range.change(reinterpret_cast<uint64_t>(pointer), size,
                   [&](Hints& hints) { known = advise(hints, advice, device); });
      return known ? hipSuccess : hipErrorInvalidValue;
    });
  });
}
HIP_API hipError_t hipMemAdvise_v2(const void* pointer, size_t size, hipMemoryAdvise advice,
                                   hipMemLocation where) {
  return hipMemAdvise(pointer, size, advice,
                      where.type == hipMemLocationTypeDevice ? where.id : hipCpuDeviceId);
}

HIP_API hipError_t hipMemPrefetchAsync(const void* pointer, size_t size, int device, hipStream_t handle) {
  return api([&](Platform& platform) {
    if (!pointer || size == 0) return hipErrorInvalidValue;
    if (!is_place(platform, device)) return hipErrorInvalidDevice;
    if (!platform.stream(handle)) return hipErrorContextIsDestroyed;
    if (!shareable(platform, pointer, size)) return hipErrorInvalidValue;
    // Memory has no place here: both sides reach it where it is.
    return with_hints(platform, pointer, [&](HintedRange& range) {
      range.change(reinterpret_cast<uint64_t>(pointer), size,
                   [&](Hints& hints) { hints.prefetched = device; });
      return hipSuccess;
    });
  });
}
HIP_API hipError_t hipMemPrefetchAsync_v2(const void* pointer, size_t size, hipMemLocation where,
                                          unsigned flags, hipStream_t stream) {
  if (flags) return plain_api([] { return hipErrorInvalidValue; });
  return hipMemPrefetchAsync(pointer, size,
                             where.type == hipMemLocationTypeDevice ? where.id : hipCpuDeviceId, stream);
}

HIP_API hipError_t hipMemRangeGetAttribute(void* data, size_t data_size, hipMemRangeAttribute attribute,
                                           const void* pointer, size_t size) {
  return api([&](Platform& platform) {
    if (!data || data_size % sizeof(int) || !pointer || size == 0) return hipErrorInvalidValue;
    auto* const values = static_cast<int*>(data);
    // Every kind of memory has a grain; a place only the kinds that move.
    const auto allocation = platform.allocations.find(pointer);
    if (attribute == hipMemRangeAttributeCoherencyMode && allocation && allocation->kind == Kind::Device &&
        data_size == sizeof(int)) {
      *values = allocation->flags & (hipDeviceMallocFinegrained | hipDeviceMallocUncached)
                    ? hipMemRangeCoherencyModeFineGrain
                    : hipMemRangeCoherencyModeCoarseGrain;
      return hipSuccess;
    }
    if (!shareable(platform, pointer, size)) return hipErrorInvalidValue;
    return with_hints(platform, pointer, [&](HintedRange& range) {
      return describe(range, reinterpret_cast<uint64_t>(pointer), size, attribute, values,
                      data_size / sizeof(int))
                 ? hipSuccess
                 : hipErrorInvalidValue;
    });
  });
}

HIP_API hipError_t hipMemRangeGetAttributes(void** data, size_t* sizes, hipMemRangeAttribute* attributes,
                                            size_t count, const void* pointer, size_t size) {
  if (!data || !sizes || !attributes || count == 0) return plain_api([] { return hipErrorInvalidValue; });
  for (size_t i = 0; i < count; ++i)
    if (const hipError_t error = hipMemRangeGetAttribute(data[i], sizes[i], attributes[i], pointer, size);
        error != hipSuccess)
      return error;
  return hipSuccess;
}
