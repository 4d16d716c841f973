// Pools: device memory that is allocated and freed in a stream's order.
//
// Allocating takes effect at once, which any order allows. Freed memory stays with the pool: it serves the
// next allocation of the same size in the same stream, even before its turn to be freed has come, and other
// streams when that cannot disturb what still runs. What is above the release threshold goes back to the
// device when the program synchronizes next.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "runtime/abi/memory.h"
#include "runtime/device/platform.h"

namespace wavesmith::runtime {

class MemoryPool {
 public:
  MemoryPool(Platform& platform, Device& device, const hipMemPoolProps& props)
      : device(device), props(props), platform_(platform) {}
  ~MemoryPool();
  MemoryPool(const MemoryPool&) = delete;
  MemoryPool& operator=(const MemoryPool&) = delete;

  /// Allocates memory for work of that stream.
  Result<void*> allocate(size_t size, const Stream& stream);

  enum class Announced { Yes, NotOurs, Before };
  /// Announces that memory will be freed in stream order. Yes: the caller has to call freed() with `number`
  /// then.
  Announced announce(void* pointer, const Stream& stream, uint64_t& number);
  /// Sets the operation in the stream that will free the announced memory.
  void enqueued(uint64_t number, uint64_t operation);
  /// Frees announced memory; does nothing if it has been reused in the meantime.
  void freed(uint64_t number);
  /// Returns unused memory to the device, down to `keep` bytes.
  void trim(size_t keep);
  /// The same, down to the release threshold.
  void trim_to_threshold();
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
  /// Memory that the program has freed.
  struct Freed {
    void* pointer;
    size_t size;
    uint64_t id;             ///< the allocation's, until it is done
    uint64_t number;         ///< the announcement's
    uint64_t stream;         ///< the stream's in whose order it is freed
    uint64_t operation = 0;  ///< the place in it
    bool done = false;       ///< its turn has come
  };
  /// nullptr: there is none. `before_its_turn`: work that used it before may still run.
  void* use_again(size_t bytes, const Stream& stream, bool& before_its_turn);
  [[nodiscard]] bool serves(const Freed& freed, const Stream& stream) const;
  void forget_freed();
  void trim_locked(size_t keep);
  [[nodiscard]] uint64_t reserved() const { return used_ + kept_; }

  Platform& platform_;
  std::mutex mutex_;
  std::unordered_map<void*, Live> live_;
  std::vector<Freed> freed_;
  uint64_t threshold_ = 0, used_ = 0, kept_ = 0, used_high_ = 0, reserved_high_ = 0;
  int reuse_[3] = {1, 1, 1};  ///< by what other streams may be served: events, idleness, waits put in (never)
};

/// The pool of a handle; empty for anything that is none.
std::shared_ptr<MemoryPool> find_pool(hipMemPool_t handle);
/// Trims all pools to their thresholds, after the program has synchronized.
void trim_pools();
hipMemPool_t handle_of(const MemoryPool& pool);
std::shared_ptr<MemoryPool> default_pool(Platform& platform, Device& device);
/// The pool from which hipMallocAsync allocates.
std::shared_ptr<MemoryPool> current_pool(Platform& platform, Device& device);

}  // namespace wavesmith::runtime
