// Memory and events across processes, by handle.
#include <unistd.h>

#include <cstring>

#include "runtime/abi/memory.h"
#include "runtime/api/version.h"
#include "runtime/memory/shareable.h"
#include "runtime/stream/event.h"
#include "runtime/stream/ipc_event.h"

using namespace wavesmith::runtime;

namespace {

struct MemoryHandle {
  SharedMemory memory;
  uint64_t offset;
};
static_assert(sizeof(MemoryHandle) <= sizeof(hipIpcMemHandle_t));

struct EventHandle {
  uint64_t magic;
  int process, file;
  uint64_t serial;
};
static_assert(sizeof(EventHandle) <= sizeof(hipIpcEventHandle_t));
constexpr uint64_t kEventMagic = 0x57535f49'50435f45;

}  // namespace

HIP_API hipError_t hipIpcGetMemHandle(hipIpcMemHandle_t* out, void* pointer) {
  return api([&](Platform& platform) {
    if (!out || !pointer) return hipErrorInvalidValue;
    const auto allocation = platform.allocations.find(pointer);
    if (!allocation || allocation->kind != Allocation::Kind::Device) return hipErrorInvalidValue;
    MemoryHandle handle{};
    if (const hipError_t error = share_memory(platform, *allocation, handle.memory); error != hipSuccess)
      return error;
    handle.offset = reinterpret_cast<uint64_t>(pointer) - allocation->begin;
    std::memset(out, 0, sizeof *out);
    std::memcpy(out, &handle, sizeof handle);
    return hipSuccess;
  });
}

HIP_API hipError_t hipIpcOpenMemHandle(void** out, hipIpcMemHandle_t in, unsigned flags) {
  return api([&](Platform& platform) {
    // The only flag there is was 0 in HIP 5's headers.
    if (!out || flags != (hip_major() < 6 ? 0 : hipIpcMemLazyEnablePeerAccess)) return hipErrorInvalidValue;
    MemoryHandle handle{};
    std::memcpy(&handle, &in, sizeof handle);
    if (handle.memory.process == getpid()) return hipErrorInvalidContext;
    void* base = nullptr;
    if (const hipError_t error = attach_memory(platform, platform.current(), handle.memory, base);
        error != hipSuccess)
      return error;
    *out = static_cast<char*>(base) + handle.offset;
    return hipSuccess;
  });
}

HIP_API hipError_t hipIpcCloseMemHandle(void* pointer) {
  return api([&](Platform& platform) {
    const auto allocation = platform.allocations.find(pointer);
    return allocation ? detach_memory(platform, allocation->pointer()) : hipErrorInvalidValue;
  });
}

HIP_API hipError_t hipIpcGetEventHandle(hipIpcEventHandle_t* out, hipEvent_t event_handle) {
  return api([&](Platform&) {
    const auto event = find_event(event_handle);
    if (!out || !event_handle) return hipErrorInvalidValue;
    if (!event) return hipErrorInvalidHandle;
    if (!(event->flags & hipEventInterprocess)) return hipErrorInvalidConfiguration;
    const std::scoped_lock lock(event->mutex);
    if (!event->shared) event->shared = create_shared_event();
    if (!event->shared) return hipErrorOperatingSystem;
    const auto& pages = *event->shared->pages;
    const EventHandle handle{kEventMagic, getpid(), pages.file(), pages.serial()};
    std::memset(out, 0, sizeof *out);
    std::memcpy(out, &handle, sizeof handle);
    return hipSuccess;
  });
}

HIP_API hipError_t hipIpcOpenEventHandle(hipEvent_t* out, hipIpcEventHandle_t in) {
  return api([&](Platform&) {
    if (!out) return hipErrorInvalidValue;
    EventHandle handle{};
    std::memcpy(&handle, &in, sizeof handle);
    if (handle.magic != kEventMagic) return hipErrorInvalidValue;
    if (handle.process == getpid()) return hipErrorInvalidContext;
    auto shared = open_shared_event(handle.process, handle.file, handle.serial);
    if (!shared) return hipErrorInvalidValue;
    make_event(Platform::current_ordinal(), hipEventInterprocess | hipEventDisableTiming, out)->shared =
        std::move(shared);
    return hipSuccess;
  });
}
