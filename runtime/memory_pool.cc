#include "runtime/memory_pool.h"

#include <algorithm>
#include <cstring>

namespace wavesmith::runtime {
namespace {

constexpr size_t kGranule = 256;

}  // namespace

MemoryPool::~MemoryPool() { trim(0); }

void MemoryPool::forget_freed() {
  std::erase_if(live_, [&](const auto& entry) {
    const auto now = platform_.allocations.find(entry.first);
    if (now && now->id == entry.second.id) return false;
    used_ -= entry.second.size;
    return true;
  });
}

Result<void*> MemoryPool::allocate(size_t size) {
  const std::scoped_lock lock(mutex_);
  forget_freed();
  const size_t bytes = (size + kGranule - 1) / kGranule * kGranule;
  if (props.maxSize && used_ + bytes > props.maxSize)
    return fail(ErrorKind::OutOfMemory, "the pool is at its maximal size");
  void* pointer = nullptr;
  if (const auto kept = free_.find(bytes); kept != free_.end()) {
    pointer = kept->second;
    free_.erase(kept);
    kept_ -= bytes;
    platform_.allocations.insert(
        {reinterpret_cast<uint64_t>(pointer), bytes, Allocation::Kind::Device, device.ordinal, 0});
  } else {
    auto made = platform_.allocate(device, bytes, Allocation::Kind::Device);
    if (!made && !free_.empty()) {
      trim_locked(0);
      made = platform_.allocate(device, bytes, Allocation::Kind::Device);
    }
    if (!made) return made;
    pointer = *made;
  }
  live_[pointer] = {bytes, platform_.allocations.find(pointer)->id};
  used_ += bytes;
  used_high_ = std::max(used_high_, used_);
  reserved_high_ = std::max(reserved_high_, reserved());
  return pointer;
}

bool MemoryPool::release(void* pointer) {
  const std::scoped_lock lock(mutex_);
  forget_freed();
  const auto found = live_.find(pointer);
  if (found == live_.end()) return false;
  const size_t size = found->second.size;
  live_.erase(found);
  used_ -= size;
  if (reserved() + size > threshold_) return platform_.release(pointer).has_value();
  platform_.allocations.erase(pointer);
  free_.emplace(size, pointer);
  kept_ += size;
  return true;
}

void MemoryPool::trim(size_t keep) {
  const std::scoped_lock lock(mutex_);
  forget_freed();
  trim_locked(keep);
}

void MemoryPool::trim_locked(size_t keep) {
  while (!free_.empty() && reserved() > keep) {
    const auto largest = std::prev(free_.end());
    kept_ -= largest->first;
    (void)platform_.memory->release(largest->second);
    free_.erase(largest);
  }
}

hipError_t MemoryPool::get(hipMemPoolAttr which, void* value) {
  const std::scoped_lock lock(mutex_);
  forget_freed();
  const auto put = [&](auto number) { return std::memcpy(value, &number, sizeof number), hipSuccess; };
  switch (which) {
    case hipMemPoolReuseFollowEventDependencies:
    case hipMemPoolReuseAllowOpportunistic:
    case hipMemPoolReuseAllowInternalDependencies:
      return put(reuse_[which - hipMemPoolReuseFollowEventDependencies]);
    case hipMemPoolAttrReleaseThreshold:
      return put(threshold_);
    case hipMemPoolAttrReservedMemCurrent:
      return put(reserved());
    case hipMemPoolAttrReservedMemHigh:
      return put(reserved_high_);
    case hipMemPoolAttrUsedMemCurrent:
      return put(used_);
    case hipMemPoolAttrUsedMemHigh:
      return put(used_high_);
  }
  return hipErrorInvalidValue;
}

hipError_t MemoryPool::set(hipMemPoolAttr which, const void* value) {
  const std::scoped_lock lock(mutex_);
  forget_freed();
  uint64_t wide = 0;
  switch (which) {
    case hipMemPoolReuseFollowEventDependencies:
    case hipMemPoolReuseAllowOpportunistic:
    case hipMemPoolReuseAllowInternalDependencies:
      std::memcpy(&reuse_[which - hipMemPoolReuseFollowEventDependencies], value, sizeof(int));
      return hipSuccess;
    case hipMemPoolAttrReleaseThreshold:
      std::memcpy(&threshold_, value, sizeof threshold_);
      return hipSuccess;
    // High-water marks may be set to zero only, which brings them down to what is.
    case hipMemPoolAttrReservedMemHigh:
      std::memcpy(&wide, value, sizeof wide);
      if (wide) return hipErrorInvalidValue;
      reserved_high_ = reserved();
      return hipSuccess;
    case hipMemPoolAttrUsedMemHigh:
      std::memcpy(&wide, value, sizeof wide);
      if (wide) return hipErrorInvalidValue;
      used_high_ = used_;
      return hipSuccess;
    default:
      return hipErrorInvalidValue;
  }
}

hipMemPool_t handle_of(const MemoryPool& pool) {
  return reinterpret_cast<hipMemPool_t>(const_cast<MemoryPool*>(&pool));
}

}  // namespace wavesmith::runtime
