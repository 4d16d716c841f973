#include "emulate/memory/memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <mutex>

#include <fmt/format.h>

#include "base/bits.h"
#include "emulate/run/wave.h"

namespace wavesmith::emulate {
namespace {

constexpr uint64_t kPage = 4096, kHugePage = uint64_t{2} << 20;
/// Where processes have addresses: below this; the interpreter's apertures lie above.
#if defined(__x86_64__)
constexpr uint64_t kHostEnd = uint64_t{1} << 47;
#else
constexpr uint64_t kHostEnd = kPrivateAperture;
#endif
/// The range that is asked for, and the least that is good enough.
constexpr uint64_t kReserve = uint64_t{1} << 43, kLeastReserve = uint64_t{1} << 35;
/// Allocations with mappings of their own. Linux allows 65,530 mappings; each of these takes two.
constexpr size_t kMostGuarded = 12'000;
constexpr uint64_t kSmall = 64 << 10, kPoolBytes = uint64_t{64} << 20, kPoolUnit = 256;
constexpr size_t kRemembered = 256;
/// The same with a quarantine, and its most addresses.
constexpr size_t kQuarantined = 8192;
constexpr uint64_t kQuarantinedPart = 4;  ///< of all addresses

void* pointer(uint64_t address) { return reinterpret_cast<void*>(address); }
uint64_t address(const void* pointer) { return reinterpret_cast<uint64_t>(pointer); }

/// Guard space behind an allocation.
constexpr uint64_t guard(uint64_t bytes) { return bytes < kHugePage ? 64 << 10 : kHugePage; }

/// Gives pages back and makes them inaccessible.
bool close_pages(uint64_t at, uint64_t bytes) {
  return mmap(pointer(at), bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1,
              0) != MAP_FAILED;
}

bool open_pages(uint64_t at, uint64_t bytes) {
  if (mprotect(pointer(at), bytes, PROT_READ | PROT_WRITE) != 0) return false;
  if (bytes >= kHugePage) madvise(pointer(at), bytes, MADV_HUGEPAGE);
  return true;
}

}  // namespace

Result<std::shared_ptr<SharedPages>> SharedPages::create(uint64_t bytes) {
  const int file = memfd_create("wavesmith", MFD_CLOEXEC);
  struct stat information{};
  if (file < 0 || ftruncate(file, static_cast<off_t>(round_up(bytes, kPage))) != 0 ||
      fstat(file, &information) != 0) {
    if (file >= 0) close(file);
    return fail(ErrorKind::OutOfMemory,
                fmt::format("cannot make {} bytes of shared memory: {}", bytes, std::strerror(errno)));
  }
  return std::shared_ptr<SharedPages>(new SharedPages(file, information.st_ino, round_up(bytes, kPage)));
}

Result<std::shared_ptr<SharedPages>> SharedPages::open(int process, int file, uint64_t serial,
                                                       uint64_t bytes) {
  const std::string path = fmt::format("/proc/{}/fd/{}", process, file);
  const int opened = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
  if (opened < 0) return fail(ErrorKind::NotFound, "the process that shared this memory is gone", path);
  struct stat information{};
  if (fstat(opened, &information) != 0 || information.st_ino != serial) {
    close(opened);
    return fail(ErrorKind::NotFound, "the memory that was shared is gone", path);
  }
  if (information.st_size < static_cast<off_t>(bytes)) {
    close(opened);
    return fail(ErrorKind::BadInput, "the handle does not name memory of this size", path);
  }
  return std::shared_ptr<SharedPages>(new SharedPages(opened, serial, round_up(bytes, kPage)));
}

SharedPages::~SharedPages() { close(file_); }

Result<Memory*> Memory::create(uint64_t capacity) {
  std::unique_ptr<Memory> memory(new Memory);
  for (uint64_t size = kReserve; size >= kLeastReserve; size /= 2) {
    void* const range = mmap(nullptr, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (range == MAP_FAILED) continue;
    memory->begin_ = address(range);
    memory->end_ = memory->begin_ + size;
    break;
  }
  if (memory->begin_ == 0)
    return fail(ErrorKind::OutOfMemory, "cannot reserve address space for the device's memory", {},
                "allow the process more virtual memory (ulimit -v)");
  memory->next_ = round_up(memory->begin_ + kHugePage, kHugePage);
  memory->map_ = {memory->begin_, memory->end_, memory.get()};
  memory->set_capacity(0, capacity);
  return memory.release();
}

Memory::~Memory() { munmap(pointer(begin_), end_ - begin_); }

void Memory::guard_allocations(bool guard) {
  const std::scoped_lock lock(mutex_);
  guards_ = guard;
}

void Memory::quarantine(bool on) {
  const std::scoped_lock lock(mutex_);
  quarantines_ = on;
}

void Memory::set_capacity(int device, uint64_t bytes) {
  const std::scoped_lock lock(mutex_);
  const auto count = static_cast<size_t>(device) + 1;
  if (capacity_.size() < count) capacity_.resize(count), used_.resize(count);
  capacity_[count - 1] = bytes;
}

uint64_t& Memory::used_by(int device) {
  const auto count = static_cast<size_t>(device) + 1;
  if (used_.size() < count) capacity_.resize(count), used_.resize(count);
  return used_[count - 1];
}

uint64_t Memory::used(int device) const {
  const std::shared_lock lock(mutex_);
  return static_cast<size_t>(device) < used_.size() ? used_[static_cast<size_t>(device)] : 0;
}

Result<uint64_t> Memory::take_addresses(uint64_t bytes, uint64_t alignment) {
  const auto no_room = [&] {
    return fail(ErrorKind::OutOfMemory, fmt::format("no address range of {} bytes is left", bytes));
  };
  if (bytes > end_ - begin_) return no_room();
  // The smallest free range that is surely large enough, then fresh addresses.
  const uint64_t wanted = alignment > kPage ? bytes + alignment : bytes;
  const auto found = free_by_size_.lower_bound({wanted, 0});
  if (found != free_by_size_.end()) {
    const auto [size, from] = *found;
    free_by_size_.erase(found);
    free_by_address_.erase(from);
    const uint64_t at = round_up(from, alignment);
    if (at > from) return_addresses(from, at - from);
    if (from + size > at + bytes) return_addresses(at + bytes, from + size - at - bytes);
    return at;
  }
  const uint64_t at = round_up(next_, alignment);
  if (at + bytes > end_ || at + bytes < at) {
    if (kept_.empty()) return no_room();
    for (const Kept& kept : std::exchange(kept_, {})) give_back(kept);
    kept_bytes_ = 0;
    return take_addresses(bytes, alignment);
  }
  if (at > next_) return_addresses(next_, at - next_);
  next_ = at + bytes;
  return at;
}

void Memory::return_addresses(uint64_t at, uint64_t bytes) {
  auto after = free_by_address_.lower_bound(at);
  if (after != free_by_address_.end() && after->first == at + bytes) {
    bytes += after->second;
    free_by_size_.erase({after->second, after->first});
    after = free_by_address_.erase(after);
  }
  if (after != free_by_address_.begin()) {
    const auto before = std::prev(after);
    if (before->first + before->second == at) {
      at = before->first;
      bytes += before->second;
      free_by_size_.erase({before->second, before->first});
      free_by_address_.erase(before);
    }
  }
  free_by_address_[at] = bytes;
  free_by_size_.insert({bytes, at});
}

Result<uint64_t> Memory::take_from_pool(uint64_t bytes) {
  // A unit of space lies between neighbours; it is not protected, but a nearest allocation can be told.
  const uint64_t size = round_up(bytes, kPoolUnit) + kPoolUnit;
  std::vector<uint64_t>& free = pooled_[size];
  if (!free.empty()) {
    const uint64_t at = free.back();
    free.pop_back();
    std::prev(pools_.upper_bound(at))->second.live++;
    return at;
  }
  Pool* pool = pools_.empty() ? nullptr : &pools_.rbegin()->second;
  for (auto& [begin, candidate] : pools_)
    if (candidate.next + size <= candidate.end) pool = &candidate;
  if (!pool || pool->next + size > pool->end) {
    const auto at = take_addresses(kPoolBytes + guard(kPoolBytes), kHugePage);
    if (!at) return at;
    if (mprotect(pointer(*at), kPoolBytes, PROT_READ | PROT_WRITE) != 0)
      return fail(ErrorKind::OutOfMemory, "the host gives no more memory");
    pool = &(pools_[*at] = Pool{*at, *at, *at + kPoolBytes});
  }
  const uint64_t at = pool->next;
  pool->next += size;
  pool->live++;
  return at;
}

void Memory::return_to_pool(uint64_t at, uint64_t bytes) {
  const uint64_t size = round_up(bytes, kPoolUnit) + kPoolUnit;
  const auto found = std::prev(pools_.upper_bound(at));
  Pool& pool = found->second;
  pooled_[size].push_back(at);
  if (--pool.live > 0) return;
  for (auto& [unused, free] : pooled_)
    std::erase_if(free, [&](uint64_t one) { return one >= pool.begin && one < pool.end; });
  close_pages(pool.begin, kPoolBytes);
  return_addresses(pool.begin, kPoolBytes + guard(kPoolBytes));
  pools_.erase(found);
}

Result<void*> Memory::allocate(size_t bytes, Use use) {
  const std::scoped_lock lock(mutex_);
  const auto refuse = [&](const char* why) {
    return fail(ErrorKind::OutOfMemory, fmt::format("cannot allocate {} bytes: {}", bytes, why));
  };
  uint64_t& used = used_by(use.device);
  const uint64_t capacity = capacity_[static_cast<size_t>(use.device)];
  if (bytes > kReserve || (capacity && (bytes > capacity || used > capacity - bytes)))
    return refuse(capacity ? "the device's memory is exhausted" : "no device has so much");
  Range range{{0, bytes, use}};
  if (bytes <= kSmall && guarded_ >= kMostGuarded) {
    const auto at = take_from_pool(bytes);
    if (!at) return tl::unexpected(at.error());
    range.allocation.address = *at;
  } else {
    const uint64_t size = round_up<uint64_t>(bytes ? bytes : 1, kPage);
    const uint64_t extent = size + guard(size);
    const auto at = take_addresses(extent, size >= kHugePage ? kHugePage : kPage);
    if (!at) return tl::unexpected(at.error());
    if (!open_pages(*at, guards_ ? size : extent)) {
      return_addresses(*at, extent);
      return refuse("the host gives no more memory");
    }
    range.allocation.address = *at;
    range.extent = extent;
    ++guarded_;
  }
  used += bytes;
  range.taken = bytes;
  const uint64_t at = range.allocation.address;
  ranges_.emplace(at, std::move(range));
  return pointer(at);
}

Result<void> Memory::release(void* memory) {
  const std::scoped_lock lock(mutex_);
  const auto found = ranges_.find(address(memory));
  if (found == ranges_.end() || found->second.reserved)
    return fail(ErrorKind::BadInput, fmt::format("{} is not the beginning of an allocation", memory));
  const Range& range = found->second;
  const Allocation& allocation = range.allocation;
  if (range.extent != 0) {
    if (!close_pages(allocation.address, range.extent))
      return fail(ErrorKind::Internal, "the host does not take pages back");
    --guarded_;
  }
  const Kept kept{allocation.address, range.taken, range.extent};
  if (quarantines_) {
    kept_.push_back(kept);
    kept_bytes_ += kept.extent;
    while (kept_.size() > kQuarantined || kept_bytes_ > (end_ - begin_) / kQuarantinedPart) {
      give_back(kept_.front());
      kept_bytes_ -= kept_.front().extent;
      kept_.pop_front();
    }
  } else {
    give_back(kept);
  }
  used_by(allocation.use.device) -= range.taken;
  if (allocation.bytes) remember(allocation);
  ranges_.erase(found);
  return {};
}

void Memory::give_back(const Kept& kept) {
  if (kept.extent)
    return_addresses(kept.address, kept.extent);
  else
    return_to_pool(kept.address, kept.bytes);
}

void Memory::remember(const Allocation& gone) {
  released_.push_back(gone);
  if (released_.size() > (quarantines_ ? kQuarantined : kRemembered)) released_.pop_front();
}

void Memory::hand_on(const void* memory, uint64_t bytes) {
  const std::scoped_lock lock(mutex_);
  const auto found = ranges_.find(address(memory));
  if (found == ranges_.end()) return;
  Allocation& allocation = found->second.allocation;
  if (bytes == 0 && allocation.bytes) remember(allocation);
  allocation.bytes = std::min(bytes, found->second.taken);
}

const Memory::Range* Memory::holding(uint64_t at) const {
  const auto after = ranges_.upper_bound(at);
  if (after == ranges_.begin()) return nullptr;
  const Range& range = std::prev(after)->second;
  return at - range.allocation.address < range.allocation.bytes ? &range : nullptr;
}

std::optional<Allocation> Memory::find(const void* where) const {
  const std::shared_lock lock(mutex_);
  const uint64_t at = address(where);
  if (const Range* range = holding(at)) return range->allocation;
  const auto after = registered_.upper_bound(at);
  if (after == registered_.begin()) return std::nullopt;
  const Allocation& candidate = std::prev(after)->second;
  if (at - candidate.address < candidate.bytes) return candidate;
  return std::nullopt;
}

std::string Memory::describe(uint64_t at) const {
  const auto [kind, allocation, distance] = place_of(at);
  const std::string text =
      fmt::format("the {}-byte allocation at {:#x}", allocation.bytes, allocation.address);
  switch (kind) {
    case Place::Kind::Null:
      return at ? fmt::format("{} bytes from a null pointer", at) : std::string("a null pointer");
    case Place::Kind::Held:
      return "in " + text;
    case Place::Kind::Reserved:
      return fmt::format("in the reserved range at {:#x}, where nothing is mapped", allocation.address);
    case Place::Kind::Freed:
      return fmt::format("in {}, which was freed", text);
    case Place::Kind::Past:
      return fmt::format("{} bytes past the end of {}", distance, text);
    case Place::Kind::Before:
      return fmt::format("{} bytes before {}", distance, text);
    case Place::Kind::Nowhere:
      break;
  }
  return "nothing is allocated";
}

Place Memory::place_of(uint64_t at) const {
  const std::shared_lock lock(mutex_);
  if (at < (64 << 10)) return {Place::Kind::Null, {}, at};
  if (const Range* range = holding(at))
    return {range->reserved ? Place::Kind::Reserved : Place::Kind::Held, range->allocation};
  const Allocation *before = nullptr, *after = nullptr;
  const auto consider = [&](const Allocation& a) {
    if (a.address <= at && (!before || a.address > before->address)) before = &a;
    if (a.address > at && (!after || a.address < after->address)) after = &a;
  };
  if (const auto next = ranges_.upper_bound(at); true) {
    if (next != ranges_.end()) consider(next->second.allocation);
    if (next != ranges_.begin()) consider(std::prev(next)->second.allocation);
  }
  if (const auto next = registered_.upper_bound(at); true) {
    if (next != registered_.end()) consider(next->second);
    if (next != registered_.begin()) consider(std::prev(next)->second);
  }
  // What was released explains an access better than a neighbour does, unless some of it was given out again:
  // then the access is past the end of what lives there now.
  for (auto gone = released_.rbegin(); gone != released_.rend(); ++gone)
    if (at - gone->address < gone->bytes && !(before && before->address >= gone->address && before->bytes))
      return {Place::Kind::Freed, *gone};
  const uint64_t past = before ? at - before->address - before->bytes : 0,
                 ahead = after ? after->address - at : 0;
  if (before && (!after || past <= ahead)) return {Place::Kind::Past, *before, past};
  if (after) return {Place::Kind::Before, *after, ahead};
  return {};
}

Result<void> Memory::register_host(void* where, size_t bytes, Use use) {
  const std::scoped_lock lock(mutex_);
  const uint64_t at = address(where);
  if (bytes == 0 || !where) return fail(ErrorKind::BadInput, "an empty range cannot be registered");
  const auto after = registered_.lower_bound(at);
  const bool overlaps =
      (after != registered_.end() && after->first < at + bytes) ||
      (after != registered_.begin() && std::prev(after)->first + std::prev(after)->second.bytes > at);
  if (overlaps) return fail(ErrorKind::BadInput, fmt::format("memory at {} is registered already", where));
  registered_[at] = {at, bytes, use};
  return {};
}

Result<void> Memory::unregister_host(void* where) {
  const std::scoped_lock lock(mutex_);
  if (registered_.erase(address(where)) == 0)
    return fail(ErrorKind::BadInput, fmt::format("memory at {} is not registered", where));
  return {};
}

void Memory::show_host(bool all) {
  const std::scoped_lock lock(mutex_);
  all_host_ = all;
  map_.begin = all ? 64 << 10 : begin_;
  map_.end = all ? std::max(kHostEnd, end_) : end_;
}

bool Memory::visible(uint64_t at, uint64_t bytes) const {
  if (at + bytes < at) return false;
  if (at >= begin_ && at + bytes <= end_) return true;
  if (all_host_) return at >= (64 << 10) && at + bytes <= std::max(kHostEnd, end_);
  const std::shared_lock lock(mutex_);
  const auto after = registered_.upper_bound(at);
  if (after == registered_.begin()) return false;
  const Allocation& candidate = std::prev(after)->second;
  return at + bytes <= candidate.address + candidate.bytes;
}

}  // namespace wavesmith::emulate
