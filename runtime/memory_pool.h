// Pools: device memory that is allocated and freed in a stream's order.
//
// Allocating takes effect at once, which any order allows; freeing waits for its turn in the stream. What is
// freed stays with the pool as far as its release threshold goes, and serves the next allocations of the same
// size.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "runtime/abi/memory.h"
#include "runtime/platform.h"

namespace wavesmith::runtime {

class MemoryPool {
 public:
  MemoryPool(Platform& platform, Device& device, const hipMemPoolProps& props)
      : device(device), props(props), platform_(platform) {}
  ~MemoryPool();
  MemoryPool(const MemoryPool&) = delete;
  MemoryPool& operator=(const MemoryPool&) = delete;

  Result<void*> allocate(size_t size);
  /// Takes memory back; false when the pool did not give it.
  bool release(void* pointer);
  /// Gives memory that is not in use back to the device, until `keep` bytes are left.
  void trim(size_t keep);
  hipError_t get(hipMemPoolAttr which, void* value);
  hipError_t set(hipMemPoolAttr which, const void* value);

  Device& device;
  const hipMemPoolProps props;
  std::map<int, hipMemAccessFlags> access;  ///< of devices that are not the pool's own

 private:
  struct Live {
    size_t size;
    uint64_t id;  ///< the allocation's: hipFree may have taken it, and its address may be another's by now
  };
  void forget_freed();
  void trim_locked(size_t keep);
  [[nodiscard]] uint64_t reserved() const { return used_ + kept_; }

  Platform& platform_;
  std::mutex mutex_;
  std::unordered_map<void*, Live> live_;
  std::multimap<size_t, void*> free_;
  uint64_t threshold_ = 0, used_ = 0, kept_ = 0, used_high_ = 0, reserved_high_ = 0;
  int reuse_[3] = {1, 1, 1};  ///< hints that are remembered
};

/// The pool of a handle; empty for anything that is none.
std::shared_ptr<MemoryPool> find_pool(hipMemPool_t handle);
hipMemPool_t handle_of(const MemoryPool& pool);
std::shared_ptr<MemoryPool> default_pool(Platform& platform, Device& device);
/// The one that hipMallocAsync takes from.
std::shared_ptr<MemoryPool> current_pool(Platform& platform, Device& device);

}  // namespace wavesmith::runtime
