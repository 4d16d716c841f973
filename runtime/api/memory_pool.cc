// The functions of memory pools and of allocation in a stream's order.
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>

#include "check/host_call.h"
#include "emulate/memory/memory.h"
#include "runtime/graph/graph.h"
#include "runtime/memory/pool.h"
#include "runtime/memory/shareable.h"
#include "runtime/observe/check.h"

namespace wavesmith::runtime {
namespace {

struct Pools {
  std::mutex mutex;
  std::unordered_map<hipMemPool_t, std::shared_ptr<MemoryPool>> live;
  std::map<int, std::shared_ptr<MemoryPool>> defaults, current;
};
Pools& pools() {
  static auto& all = *new Pools;
  return all;
}

std::shared_ptr<MemoryPool> default_locked(Platform& platform, Device& device) {
  std::shared_ptr<MemoryPool>& pool = pools().defaults[device.ordinal];
  if (!pool) {
    hipMemPoolProps props{};
    props.allocType = hipMemAllocationTypePinned;
    props.handleTypes = hipMemHandleTypePosixFileDescriptor;
    props.location = {hipMemLocationTypeDevice, device.ordinal};
    pool = std::make_shared<MemoryPool>(platform, device, props);
    pools().live[handle_of(*pool)] = pool;
  }
  return pool;
}

/// The turn of memory to be freed.
class ReleaseOperation final : public Operation {
 public:
  ReleaseOperation(void* pointer, std::shared_ptr<MemoryPool> pool, uint64_t announcement)
      : pointer_(pointer), pool_(std::move(pool)), announcement_(announcement) {}
  hipError_t run(Stream&) override {
    const check::HostCallScope call(call_);
    if (pool_)
      pool_->freed(announcement_);
    else {
      end_graph_memory(pointer_);
      (void)Platform::get()->release(pointer_);
    }
    return hipSuccess;
  }
  [[nodiscard]] bool always() const override { return true; }

 private:
  void* pointer_;
  std::shared_ptr<MemoryPool> pool_;  ///< empty: memory of no pool
  uint64_t announcement_;
  check::HostCall call_ = check::host_call();
};

std::vector<std::shared_ptr<MemoryPool>> all_pools() {
  std::vector<std::shared_ptr<MemoryPool>> all;
  const std::scoped_lock lock(pools().mutex);
  for (const auto& [handle, pool] : pools().live) all.push_back(pool);
  return all;
}

/// Frees memory in its turn of a stream, through the pool that it is of.
hipError_t release_in_stream_order(Stream& stream, void* pointer) {
  for (auto& pool : all_pools()) {
    uint64_t number = 0;
    switch (pool->announce(pointer, stream, number)) {
      case MemoryPool::Announced::NotOurs:
        continue;
      case MemoryPool::Announced::Before:
        tell_release_refused(*Platform::get()->memory, pointer);
        return hipErrorInvalidValue;
      case MemoryPool::Announced::Yes:
        const Ticket ticket = stream.enqueue(std::make_shared<ReleaseOperation>(pointer, pool, number));
        pool->enqueued(number, ticket.number);
        return hipSuccess;
    }
  }
  stream.enqueue(std::make_shared<ReleaseOperation>(pointer, nullptr, 0));
  return hipSuccess;
}

/// Allocates for a stream, which may be captured: then the graph has the memory.
hipError_t allocate(Platform& platform, Stream& stream, MemoryPool& pool, void** pointer, size_t size) {
  *pointer = nullptr;
  if (size == 0) return hipSuccess;
  if (const auto noted = capture_node(stream, [&](Work& work) {
        AllocateWork made;
        if (const hipError_t error = make_allocate_work(platform, pool.device, size, made);
            error != hipSuccess)
          return error;
        made.params.poolProps = pool.props;
        *pointer = made.params.dptr;
        work = std::move(made);
        return hipSuccess;
      }))
    return *noted;
  const auto memory = pool.allocate(size, stream);
  if (!memory) return hip_error(memory.error());
  *pointer = *memory;
  return hipSuccess;
}

/// What a pool's shareable handle says, and what an exported pointer says.
struct SharedPool {
  hipMemPoolProps props;
};
struct SharedPointer {
  SharedMemory memory;
  uint64_t offset;
};
static_assert(sizeof(SharedPointer) <= sizeof(hipMemPoolPtrExportData));

template <class Body>
hipError_t with_pool(hipMemPool_t handle, Body body) {
  return api([&](Platform& platform) -> hipError_t {
    const auto pool = find_pool(handle);
    return pool ? body(platform, *pool) : hipErrorInvalidValue;
  });
}

template <class Body>
hipError_t with_device(int ordinal, Body body) {
  return api([&](Platform& platform) -> hipError_t {
    Device* const device = platform.device(ordinal);
    return device ? body(platform, *device) : hipErrorInvalidValue;
  });
}

}  // namespace

std::shared_ptr<MemoryPool> find_pool(hipMemPool_t handle) {
  const std::scoped_lock lock(pools().mutex);
  const auto found = pools().live.find(handle);
  return found == pools().live.end() ? nullptr : found->second;
}

void trim_pools() {
  for (const auto& pool : all_pools()) pool->trim_to_threshold();
}

std::shared_ptr<MemoryPool> default_pool(Platform& platform, Device& device) {
  const std::scoped_lock lock(pools().mutex);
  return default_locked(platform, device);
}

std::shared_ptr<MemoryPool> current_pool(Platform& platform, Device& device) {
  const std::scoped_lock lock(pools().mutex);
  const auto chosen = pools().current.find(device.ordinal);
  return chosen == pools().current.end() ? default_locked(platform, device) : chosen->second;
}

}  // namespace wavesmith::runtime

using namespace wavesmith;
using namespace wavesmith::runtime;

HIP_API hipError_t hipMallocAsync(void** pointer, size_t size, hipStream_t handle) {
  const wavesmith::check::HostCallScope call;
  return api([&](Platform& platform) -> hipError_t {
    const auto stream = platform.stream(handle);
    if (!pointer) return hipErrorInvalidValue;
    if (!stream) return hipErrorInvalidHandle;
    return allocate(platform, *stream, *current_pool(platform, stream->device), pointer, size);
  });
}

HIP_API hipError_t hipMallocFromPoolAsync(void** pointer, size_t size, hipMemPool_t pool_handle,
                                          hipStream_t handle) {
  const wavesmith::check::HostCallScope call;
  return with_pool(pool_handle, [&](Platform& platform, MemoryPool& pool) -> hipError_t {
    const auto stream = platform.stream(handle);
    if (!pointer) return hipErrorInvalidValue;
    if (!stream) return hipErrorInvalidHandle;
    return allocate(platform, *stream, pool, pointer, size);
  });
}

HIP_API hipError_t hipFreeAsync(void* pointer, hipStream_t handle) {
  const wavesmith::check::HostCallScope call;
  return api([&](Platform& platform) -> hipError_t {
    const auto stream = platform.stream(handle);
    if (!stream) return hipErrorInvalidHandle;
    const auto allocation = platform.allocations.find(pointer);
    if (!allocation || allocation->pointer() != pointer || allocation->on_host()) {
      if (pointer) tell_release_refused(*platform.memory, pointer);
      return hipErrorInvalidValue;
    }
    if (const auto noted =
            capture_node(*stream, [&](Work& work) { return work = ReleaseWork{pointer}, hipSuccess; }))
      return *noted;
    return release_in_stream_order(*stream, pointer);
  });
}

HIP_API hipError_t hipMemPoolCreate(hipMemPool_t* handle, const hipMemPoolProps* props) {
  return api([&](Platform& platform) {
    if (!handle || !props || props->allocType != hipMemAllocationTypePinned ||
        props->location.type != hipMemLocationTypeDevice)
      return hipErrorInvalidValue;
    if (props->handleTypes != hipMemHandleTypeNone &&
        props->handleTypes != hipMemHandleTypePosixFileDescriptor)
      return hipErrorInvalidValue;
    Device* const device = platform.device(props->location.id);
    if (!device) return hipErrorInvalidValue;
    auto pool = std::make_shared<MemoryPool>(platform, *device, *props);
    *handle = handle_of(*pool);
    const std::scoped_lock lock(pools().mutex);
    pools().live[*handle] = std::move(pool);
    return hipSuccess;
  });
}

HIP_API hipError_t hipMemPoolDestroy(hipMemPool_t handle) {
  return api([&](Platform&) {
    std::shared_ptr<MemoryPool> last;
    const std::scoped_lock lock(pools().mutex);
    const auto found = pools().live.find(handle);
    if (found == pools().live.end()) return hipErrorInvalidValue;
    for (const auto& [ordinal, pool] : pools().defaults)
      if (pool == found->second) return hipErrorInvalidValue;
    std::erase_if(pools().current, [&](const auto& each) { return each.second == found->second; });
    last = std::move(found->second);
    pools().live.erase(found);
    return hipSuccess;
  });
}

HIP_API hipError_t hipMemPoolTrimTo(hipMemPool_t handle, size_t keep) {
  return with_pool(handle, [&](Platform&, MemoryPool& pool) { return pool.trim(keep), hipSuccess; });
}
HIP_API hipError_t hipMemPoolSetAttribute(hipMemPool_t handle, hipMemPoolAttr which, void* value) {
  return with_pool(handle, [&](Platform&, MemoryPool& pool) {
    return value ? pool.set(which, value) : hipErrorInvalidValue;
  });
}
HIP_API hipError_t hipMemPoolGetAttribute(hipMemPool_t handle, hipMemPoolAttr which, void* value) {
  return with_pool(handle, [&](Platform&, MemoryPool& pool) {
    return value ? pool.get(which, value) : hipErrorInvalidValue;
  });
}

HIP_API hipError_t hipMemPoolSetAccess(hipMemPool_t handle, const hipMemAccessDesc* descriptions,
                                       size_t count) {
  return with_pool(handle, [&](Platform& platform, MemoryPool& pool) {
    if (!descriptions || count == 0 || count > platform.devices.size()) return hipErrorInvalidValue;
    for (size_t i = 0; i < count; ++i) {
      const auto& [location, flags] = descriptions[i];
      if (location.type != hipMemLocationTypeDevice) return hipErrorInvalidValue;
      if (!platform.device(location.id)) return hipErrorInvalidDevice;
      if (flags != hipMemAccessFlagsProtNone && flags != hipMemAccessFlagsProtRead &&
          flags != hipMemAccessFlagsProtReadWrite)
        return hipErrorInvalidValue;
      // A device cannot be kept from its own memory.
      if (location.id == pool.device.ordinal && flags != hipMemAccessFlagsProtReadWrite)
        return hipErrorInvalidDevice;
    }
    for (size_t i = 0; i < count; ++i) pool.access[descriptions[i].location.id] = descriptions[i].flags;
    return hipSuccess;
  });
}

HIP_API hipError_t hipMemPoolGetAccess(hipMemAccessFlags* flags, hipMemPool_t handle,
                                       hipMemLocation* location) {
  return with_pool(handle, [&](Platform& platform, MemoryPool& pool) {
    if (!flags || !location || location->type != hipMemLocationTypeDevice || !platform.device(location->id))
      return hipErrorInvalidValue;
    const auto found = pool.access.find(location->id);
    *flags = location->id == pool.device.ordinal ? hipMemAccessFlagsProtReadWrite
             : found == pool.access.end()        ? hipMemAccessFlagsProtNone
                                                 : found->second;
    return hipSuccess;
  });
}

HIP_API hipError_t hipDeviceGetDefaultMemPool(hipMemPool_t* handle, int ordinal) {
  return api([&](Platform& platform) -> hipError_t {
    if (!handle) return hipErrorInvalidValue;
    Device* const device = platform.device(ordinal);
    if (!device) return hipErrorInvalidDevice;  // the other two answer InvalidValue, as in ROCm
    *handle = handle_of(*default_pool(platform, *device));
    return hipSuccess;
  });
}
HIP_API hipError_t hipDeviceGetMemPool(hipMemPool_t* handle, int ordinal) {
  return with_device(ordinal, [&](Platform& platform, Device& device) {
    return handle ? (*handle = handle_of(*current_pool(platform, device)), hipSuccess) : hipErrorInvalidValue;
  });
}
HIP_API hipError_t hipDeviceSetMemPool(int ordinal, hipMemPool_t handle) {
  return with_device(ordinal, [&](Platform&, Device& device) {
    const auto pool = find_pool(handle);
    if (!pool) return hipErrorInvalidValue;
    if (&pool->device != &device) return hipErrorInvalidDevice;
    const std::scoped_lock lock(pools().mutex);
    pools().current[ordinal] = pool;
    return hipSuccess;
  });
}

// Sharing between processes. A pool's handle is a file with its properties; memory itself travels by pointer.

HIP_API hipError_t hipMemPoolExportToShareableHandle(void* out, hipMemPool_t handle,
                                                     hipMemAllocationHandleType type, unsigned flags) {
  return with_pool(handle, [&](Platform&, MemoryPool& pool) {
    if (!out || flags || type != hipMemHandleTypePosixFileDescriptor) return hipErrorInvalidValue;
    if (pool.props.handleTypes != hipMemHandleTypePosixFileDescriptor) return hipErrorInvalidValue;
    const int file = memfd_create("wavesmith-pool", 0);
    if (file < 0) return hipErrorOperatingSystem;
    const SharedPool shared{pool.props};
    if (pwrite(file, &shared, sizeof shared, 0) != static_cast<ssize_t>(sizeof shared))
      return close(file), hipErrorOperatingSystem;
    *static_cast<int*>(out) = file;
    return hipSuccess;
  });
}

HIP_API hipError_t hipMemPoolImportFromShareableHandle(hipMemPool_t* out, void* handle,
                                                       hipMemAllocationHandleType type, unsigned flags) {
  if (!out || !handle || flags || type != hipMemHandleTypePosixFileDescriptor)
    return finish(hipErrorInvalidValue);
  SharedPool shared{};
  // The handle is the descriptor itself, in a pointer's clothes.
  if (pread(static_cast<int>(reinterpret_cast<intptr_t>(handle)), &shared, sizeof shared, 0) !=
      static_cast<ssize_t>(sizeof shared))
    return finish(hipErrorInvalidValue);
  return hipMemPoolCreate(out, &shared.props);
}

HIP_API hipError_t hipMemPoolExportPointer(hipMemPoolPtrExportData* out, void* pointer) {
  return api([&](Platform& platform) {
    const auto allocation = platform.allocations.find(pointer);
    if (!out || !allocation) return hipErrorInvalidValue;
    SharedPointer shared{};
    if (const hipError_t error = share_memory(platform, *allocation, shared.memory); error != hipSuccess)
      return error;
    shared.offset = reinterpret_cast<uint64_t>(pointer) - allocation->begin;
    std::memset(out, 0, sizeof *out);
    std::memcpy(out, &shared, sizeof shared);
    return hipSuccess;
  });
}

HIP_API hipError_t hipMemPoolImportPointer(void** out, hipMemPool_t handle, hipMemPoolPtrExportData* data) {
  return with_pool(handle, [&](Platform& platform, MemoryPool& pool) {
    if (!out || !data) return hipErrorInvalidValue;
    SharedPointer shared{};
    std::memcpy(&shared, data, sizeof shared);
    void* base = nullptr;
    if (const hipError_t error = attach_memory(platform, pool.device, shared.memory, base);
        error != hipSuccess)
      return error;
    *out = static_cast<char*>(base) + shared.offset;
    return hipSuccess;
  });
}
