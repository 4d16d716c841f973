#include "emulate/memory.h"

#include <fmt/format.h>
#include <sys/mman.h>

namespace wavesmith::emulate {
namespace {
constexpr uint64_t kPage = 4096;
constexpr uint64_t kReserve = uint64_t{1} << 42;
}  // namespace

Result<Memory*> Memory::create(uint64_t) {
  void* const range = mmap(nullptr, kReserve, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (range == MAP_FAILED)
    return fail(ErrorKind::OutOfMemory, "cannot reserve address space for the device's memory");
  auto* memory = new Memory;
  memory->map_ = {reinterpret_cast<uint64_t>(range), reinterpret_cast<uint64_t>(range) + kReserve};
  memory->next_ = memory->map_.begin + kPage;
  return memory;
}

Result<void*> Memory::allocate(size_t bytes) {
  const std::scoped_lock lock(mutex_);
  const uint64_t size = (bytes + kPage - 1) / kPage * kPage;
  const uint64_t at = next_;
  if (mprotect(reinterpret_cast<void*>(at), size, PROT_READ | PROT_WRITE) != 0)
    return fail(ErrorKind::OutOfMemory, fmt::format("cannot allocate {} bytes", bytes));
  next_ = at + size + kPage;
  allocations_[at] = size;
  return reinterpret_cast<void*>(at);
}

Result<void> Memory::release(void* pointer) {
  const std::scoped_lock lock(mutex_);
  const auto found = allocations_.find(reinterpret_cast<uint64_t>(pointer));
  if (found == allocations_.end())
    return fail(ErrorKind::BadInput, "free of a pointer that is not allocated");
  mmap(pointer, found->second, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
  allocations_.erase(found);
  return {};
}

}  // namespace wavesmith::emulate
