#include "runtime/memory/pool.h"

#include <algorithm>
#include <atomic>
#include <cstring>

#include "runtime/observe/check.h"

namespace wavesmith::runtime {
namespace {

constexpr size_t kGranule = 256;

}  // namespace

MemoryPool::~MemoryPool() { trim(0); }

void MemoryPool::forget_freed() {
  const auto gone = [&](void* pointer, uint64_t id) {
    const auto now = platform_.allocations.find(pointer);
    return !now || now->id != id;
  };
  std::erase_if(live_, [&](const auto& entry) {
    if (!gone(entry.first, entry.second.id)) return false;
    used_ -= entry.second.size;
    return true;
  });
  std::erase_if(freed_, [&](const Freed& freed) {
    if (freed.done || !gone(freed.pointer, freed.id)) return false;
    kept_ -= freed.size;
    return true;
  });
}

/// Whether work that `stream` gets from now on comes after everything that uses the freed memory.
bool MemoryPool::serves(const Freed& freed, const Stream& stream) const {
  if (freed.stream == stream.id) return true;
  if (freed.done) return reuse_[1] != 0;
  return reuse_[0] != 0 && freed.operation && stream.follows(freed.stream, freed.operation);
}

void* MemoryPool::use_again(size_t bytes, const Stream& stream, bool& before_its_turn) {
  const auto found = std::ranges::find_if(
      freed_, [&](const Freed& freed) { return freed.size == bytes && serves(freed, stream); });
  if (found == freed_.end()) return nullptr;
  const Freed again = *found;
  freed_.erase(found);
  kept_ -= bytes;
  before_its_turn = !again.done;
  if (again.done)
    platform_.allocations.insert(
        {reinterpret_cast<uint64_t>(again.pointer), bytes, Allocation::Kind::Device, device.ordinal, 0});
  tell_allocated(again.pointer, bytes);
  return again.pointer;
}

Result<void*> MemoryPool::allocate(size_t size, const Stream& stream) {
  if (size > device.gpu.memory_bytes) return fail(ErrorKind::OutOfMemory, "more than the device has");
  const std::scoped_lock lock(mutex_);
  forget_freed();
  const size_t bytes = (size + kGranule - 1) / kGranule * kGranule;
  if (props.maxSize && used_ + bytes > props.maxSize)
    return fail(ErrorKind::OutOfMemory, "the pool is at its maximal size");
  bool before_its_turn = false;
  void* pointer = use_again(bytes, stream, before_its_turn);
  if (!pointer) {
    auto made = platform_.allocate(device, bytes, Allocation::Kind::Device);
    if (!made && !freed_.empty()) {
      trim_locked(0);
      made = platform_.allocate(device, bytes, Allocation::Kind::Device);
    }
    if (!made) return made;
    pointer = *made;
  }
  // What kernels of the memory's former use may touch still, its new use may not be smaller than.
  platform_.memory->hand_on(pointer, before_its_turn ? bytes : size);
  live_[pointer] = {bytes, platform_.allocations.find(pointer)->id};
  used_ += bytes;
  used_high_ = std::max(used_high_, used_);
  reserved_high_ = std::max(reserved_high_, reserved());
  return pointer;
}

MemoryPool::Announced MemoryPool::announce(void* pointer, const Stream& stream, uint64_t& number) {
  static std::atomic<uint64_t> announcements{0};
  const std::scoped_lock lock(mutex_);
  forget_freed();
  const auto found = live_.find(pointer);
  if (found == live_.end())
    return std::ranges::any_of(freed_, [&](const Freed& freed) { return freed.pointer == pointer; })
               ? Announced::Before
               : Announced::NotOurs;
  number = ++announcements;
  const auto [size, id] = found->second;
  live_.erase(found);
  freed_.push_back({.pointer = pointer, .size = size, .id = id, .number = number, .stream = stream.id});
  used_ -= size;
  kept_ += size;
  return Announced::Yes;
}

void MemoryPool::enqueued(uint64_t number, uint64_t operation) {
  const std::scoped_lock lock(mutex_);
  for (Freed& freed : freed_)
    if (freed.number == number) freed.operation = operation;
}

void MemoryPool::freed(uint64_t number) {
  const std::scoped_lock lock(mutex_);
  forget_freed();
  for (Freed& freed : freed_)
    if (freed.number == number) {
      tell_released(freed.pointer, freed.size);
      platform_.memory->hand_on(freed.pointer, 0);
      platform_.allocations.erase(freed.pointer);
      freed.done = true;
    }
}

void MemoryPool::trim(size_t keep) {
  const std::scoped_lock lock(mutex_);
  forget_freed();
  trim_locked(keep);
}

void MemoryPool::trim_to_threshold() {
  const std::scoped_lock lock(mutex_);
  if (freed_.empty() || reserved() <= threshold_) return;
  forget_freed();
  trim_locked(threshold_);
}

void MemoryPool::trim_locked(size_t keep) {
  std::erase_if(freed_, [&](const Freed& freed) {
    if (!freed.done || reserved() <= keep) return false;
    kept_ -= freed.size;
    (void)platform_.memory->release(freed.pointer);
    return true;
  });
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
