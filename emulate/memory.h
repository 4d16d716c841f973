// The device's memory: one reserved range of host addresses, in which a device pointer is the host pointer.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>

#include "base/result.h"

namespace wavesmith::emulate {

/// What the interpreter needs of the memory, flat.
struct MemoryMap {
  uint64_t begin = 0, end = 0;
};

/// Allocations in a reserved range; pages that are not allocated fault when touched.
class Memory {
 public:
  static Result<Memory*> create(uint64_t capacity);
  Result<void*> allocate(size_t bytes);
  Result<void> release(void* pointer);
  [[nodiscard]] const MemoryMap& map() const { return map_; }

 private:
  MemoryMap map_;
  uint64_t next_ = 0;
  std::mutex mutex_;
  std::map<uint64_t, size_t> allocations_;
};

}  // namespace wavesmith::emulate
