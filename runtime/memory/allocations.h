// Every range of memory that the runtime knows: its kind, owner and size.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <shared_mutex>
#include <vector>

#include "base/result.h"
#include "emulate/memory/memory.h"

namespace wavesmith::runtime {

struct Allocation {
  enum class Kind : uint8_t {
    Device,      ///< hipMalloc
    Host,        ///< hipHostMalloc
    Managed,     ///< hipMallocManaged
    Registered,  ///< the program's own, by hipHostRegister
    Code,        ///< a loaded code object and its variables
  };
  uint64_t begin = 0;
  size_t size = 0;
  Kind kind = Kind::Device;
  int device = 0;
  unsigned flags = 0;
  bool synchronous = false;  ///< HIP_POINTER_ATTRIBUTE_SYNC_MEMOPS
  bool mapping = false;      ///< of virtual memory: accesses may go on into a mapping right behind it
  uint64_t id = 0;           ///< of hipPointerGetAttribute's buffer id; never used twice
  int number = -1;           ///< of the GPU in the machine that holds it, where another process allocated it

  [[nodiscard]] bool on_host() const { return kind == Kind::Host || kind == Kind::Registered; }
  [[nodiscard]] void* pointer() const { return reinterpret_cast<void*>(begin); }
};

/// What emulated memory is told of the runtime's own, which programs know nothing of. Else it is told the
/// kind.
inline constexpr emulate::Use kRuntimesOwn{.kind = UINT32_MAX};

class Allocations {
 public:
  void insert(Allocation allocation);
  /// The allocation that `pointer` lies in.
  [[nodiscard]] std::optional<Allocation> find(const void* pointer) const;
  /// Sets HIP_POINTER_ATTRIBUTE_SYNC_MEMOPS of the allocation that `pointer` lies in; false: there is none.
  bool set_synchronous(const void* pointer, bool value);
  /// Takes out the allocation that begins at `pointer`.
  std::optional<Allocation> erase(const void* pointer);
  /// Whether [pointer, pointer + size) is inside one allocation or mappings side by side, or begins outside
  /// of all of them. False: it begins inside one and runs past its end, or is larger than any memory (empty).
  [[nodiscard]] bool contains_or_foreign(const void* pointer, std::optional<size_t> size) const;
  /// Whether an allocation holds any byte of [pointer, pointer + size).
  [[nodiscard]] bool overlaps(const void* pointer, size_t size) const;
  /// Bytes of Device and Managed allocations of one device.
  [[nodiscard]] uint64_t used(int device) const;
  [[nodiscard]] std::vector<Allocation> all() const;

 private:
  mutable std::shared_mutex mutex_;
  std::map<uint64_t, Allocation> by_begin_;
  std::map<int, uint64_t> used_;
  uint64_t next_id_ = 1;
};

}  // namespace wavesmith::runtime
