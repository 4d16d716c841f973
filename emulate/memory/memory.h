// The devices' memory: one reserved range of host addresses, in which a device pointer is the host pointer.
//
// Every device of the process allocates from the one range, so that a kernel reaches a peer's memory as it
// reaches its own. Pages that no allocation holds are not accessible: a stray access faults (see fault.h).
// Each allocation is followed by guard space, until there are so many that the kernel's limit of mappings
// comes near; after that small ones share pages.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <shared_mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/result.h"

namespace wavesmith::emulate {

class Memory;

/// What the interpreter needs of the memory, flat.
struct MemoryMap {
  uint64_t begin = 0, end = 0;     ///< addresses that need no look-up
  const Memory* memory = nullptr;  ///< answers for all others
};

/// What the owner of an allocation says about it; the memory itself treats all uses alike.
struct Use {
  uint32_t kind = 0, flags = 0;  ///< the runtime's
  int device = 0;                ///< whose capacity it counts against
};

/// A range of addresses that kernels may touch.
struct Allocation {
  uint64_t address = 0;
  uint64_t bytes = 0;  ///< as asked for
  Use use = {};
};

/// What lies at an address.
struct Place {
  enum class Kind : uint8_t {
    Null,      ///< `distance` from address 0
    Held,      ///< in the allocation
    Reserved,  ///< in a reserved range
    Freed,     ///< in what was the allocation
    Past,      ///< `distance` past the end of the allocation, the nearest one
    Before,    ///< `distance` before the allocation, the nearest one
    Nowhere,   ///< nothing is allocated
  };
  Kind kind = Kind::Nowhere;
  Allocation allocation = {};
  uint64_t distance = 0;
};

/// Pages that several address ranges and processes may map: a memory file.
class SharedPages {
 public:
  /// Error: OutOfMemory.
  static Result<std::shared_ptr<SharedPages>> create(uint64_t bytes);
  /// The pages that another process of this user made, with its file and their serial number. Error: NotFound
  /// when it or they are gone.
  static Result<std::shared_ptr<SharedPages>> open(int process, int file, uint64_t serial, uint64_t bytes);
  ~SharedPages();
  SharedPages(const SharedPages&) = delete;
  SharedPages& operator=(const SharedPages&) = delete;
  [[nodiscard]] int file() const { return file_; }
  /// The system's number of the pages, which no others get; a file's number is soon used again.
  [[nodiscard]] uint64_t serial() const { return serial_; }
  [[nodiscard]] uint64_t bytes() const { return bytes_; }

 private:
  SharedPages(int file, uint64_t serial, uint64_t bytes) : file_(file), serial_(serial), bytes_(bytes) {}
  int file_;
  uint64_t serial_;
  uint64_t bytes_;
};

enum class Protection : uint8_t { None, Read, ReadWrite };

class Memory {
 public:
  /// `capacity` in bytes of device 0; 0: as much as the host has. Error: OutOfMemory when no range can be
  /// reserved.
  static Result<Memory*> create(uint64_t capacity);
  ~Memory();
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  void set_capacity(int device, uint64_t bytes);
  /// Whether accesses that run past the end of an allocation fault (from the next allocation on). Without,
  /// they reach memory that nobody uses: on hardware, where allocations share mapped blocks of 2 MiB, such
  /// programs seem to work.
  void guard_allocations(bool guard);
  /// Whether addresses that were released are not soon given out again, so that who uses them still is found
  /// out; more of them are remembered.
  void quarantine(bool on);
  /// Bytes that allocations of a device hold, guard space apart.
  [[nodiscard]] uint64_t used(int device = 0) const;

  /// At least 256-byte aligned (4 KiB from a page's size on, 2 MiB from 2 MiB on). Contents are undefined.
  /// Error: OutOfMemory beyond the device's capacity or the host's.
  Result<void*> allocate(size_t bytes, Use use = {});
  /// Error: BadInput for a pointer that is not the beginning of an allocation.
  Result<void> release(void* pointer);

  /// Says how many bytes of an allocation its owner has handed on, 0: none, as a pool of freed memory has.
  /// find() and place_of() go by it.
  void hand_on(const void* pointer, uint64_t bytes);

  /// The allocation or registered range that holds the address.
  [[nodiscard]] std::optional<Allocation> find(const void* pointer) const;
  /// What lies at an address, for messages: "16 bytes past the end of the 4096-byte allocation at 0x...".
  [[nodiscard]] std::string describe(uint64_t address) const;
  [[nodiscard]] Place place_of(uint64_t address) const;

  /// Makes memory of the host's own visible to kernels. Error: BadInput when a part is registered already.
  Result<void> register_host(void* pointer, size_t bytes, Use use = {});
  Result<void> unregister_host(void* pointer);
  /// All of the host's memory is visible, as on an APU or with XNACK.
  void show_host(bool all);
  /// Whether kernels may touch the range; it lies in the arena, is registered, or all is visible.
  [[nodiscard]] bool visible(uint64_t address, uint64_t bytes) const;

  /// Whether the address is one that allocations are made of, taken or not; never the host's own memory.
  [[nodiscard]] bool in_arena(const void* pointer) const {
    const auto at = reinterpret_cast<uint64_t>(pointer);
    return at >= begin_ && at < end_;
  }

  // Address ranges without memory, and memory without an address. Sizes and addresses are multiples of
  // page_bytes().
  [[nodiscard]] static uint64_t page_bytes();
  Result<void*> reserve(size_t bytes, size_t alignment, Use use = {});
  Result<void> unreserve(void* pointer);
  /// Shows pages in a reserved range; inaccessible until protect() says otherwise.
  Result<void> map(void* at, size_t bytes, std::shared_ptr<SharedPages> pages, uint64_t offset);
  Result<void> unmap(void* at, size_t bytes);
  Result<void> protect(void* at, size_t bytes, Protection protection);
  /// The pages of an allocation as shared ones, which its address goes on showing. No kernel may be writing
  /// to it.
  Result<std::shared_ptr<SharedPages>> share(void* pointer);
  /// Shared pages at an address of this process; release() takes them away again.
  Result<void*> attach(std::shared_ptr<SharedPages> pages, Use use = {});

  [[nodiscard]] const MemoryMap& map() const { return map_; }

 private:
  struct Range {
    Allocation allocation;
    uint64_t taken = 0;   ///< bytes, whatever of them is handed on
    uint64_t extent = 0;  ///< bytes of addresses, guard space and all; 0 for one of a pool
    bool reserved = false;
    std::shared_ptr<SharedPages> pages = {};
  };
  /// A region of pages that small allocations share.
  struct Pool {
    uint64_t begin, next, end;
    uint64_t live = 0;
  };
  /// Released addresses that are not given out again for now.
  struct Kept {
    uint64_t address, bytes;
    uint64_t extent;  ///< as of a Range
  };
  Memory() = default;
  Result<uint64_t> take_addresses(uint64_t bytes, uint64_t alignment);
  void return_addresses(uint64_t address, uint64_t bytes);
  Result<uint64_t> take_from_pool(uint64_t bytes);
  void return_to_pool(uint64_t address, uint64_t bytes);
  /// Makes released addresses ready to be given out.
  void give_back(const Kept& kept);
  void remember(const Allocation& gone);
  [[nodiscard]] const Range* holding(uint64_t address) const;
  uint64_t& used_by(int device);

  MemoryMap map_;
  uint64_t begin_ = 0, end_ = 0, next_ = 0;
  mutable std::shared_mutex mutex_;
  std::map<uint64_t, Range> ranges_;
  std::map<uint64_t, Allocation> registered_;
  std::map<uint64_t, uint64_t> free_by_address_;
  std::set<std::pair<uint64_t, uint64_t>> free_by_size_;
  std::map<uint64_t, Pool> pools_;
  std::unordered_map<uint64_t, std::vector<uint64_t>> pooled_;  ///< free ones by size
  size_t guarded_ = 0;
  bool guards_ = true, quarantines_ = false;
  std::deque<Kept> kept_;
  uint64_t kept_bytes_ = 0;  ///< of addresses
  std::vector<uint64_t> used_, capacity_;
  std::deque<Allocation> released_;  ///< the latest, for messages
  std::atomic<bool> all_host_ = false;
};

}  // namespace wavesmith::emulate
