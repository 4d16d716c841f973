// Memory's other half: ranges of addresses and pages apart from one another, as hipMemAddressReserve,
// hipMemMap and hipIpcGetMemHandle need them.
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <mutex>

#include <fmt/format.h>

#include "base/bits.h"
#include "base/zeros.h"
#include "emulate/memory/memory.h"

namespace wavesmith::emulate {
namespace {

constexpr uint64_t kPage = 4096, kGuard = 64 << 10;
uint64_t address(const void* pointer) { return reinterpret_cast<uint64_t>(pointer); }
bool close_pages(void* at, uint64_t bytes) {
  return mmap(at, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0) !=
         MAP_FAILED;
}

}  // namespace

uint64_t Memory::page_bytes() { return kPage; }

Result<void*> Memory::reserve(size_t bytes, size_t alignment, Use use) {
  if (bytes == 0 || bytes % kPage != 0 || (alignment & (alignment - 1)) != 0)
    return fail(ErrorKind::BadInput,
                "an address range is reserved in whole pages, aligned to a power of two");
  const std::scoped_lock lock(mutex_);
  const uint64_t extent = bytes + kGuard;
  const auto at = take_addresses(extent, std::max<uint64_t>(alignment, kPage));
  if (!at) return tl::unexpected(at.error());
  ranges_.emplace(*at, Range{{*at, bytes, use}, bytes, extent, true});
  return reinterpret_cast<void*>(*at);
}

Result<void> Memory::unreserve(void* pointer) {
  const std::scoped_lock lock(mutex_);
  const auto found = ranges_.find(address(pointer));
  if (found == ranges_.end() || !found->second.reserved)
    return fail(ErrorKind::BadInput, fmt::format("{} is not the beginning of a reserved range", pointer));
  close_pages(pointer, found->second.allocation.bytes);
  return_addresses(found->first, found->second.extent);
  ranges_.erase(found);
  return {};
}

Result<void> Memory::map(void* at, size_t bytes, std::shared_ptr<SharedPages> pages, uint64_t offset) {
  const std::shared_lock lock(mutex_);
  const Range* const range = holding(address(at));
  if (!range || !range->reserved || address(at) + bytes > range->allocation.address + range->allocation.bytes)
    return fail(ErrorKind::BadInput, fmt::format("{} bytes at {} are not in a reserved range", bytes, at));
  if (address(at) % kPage || bytes % kPage || offset % kPage || offset + bytes > pages->bytes())
    return fail(ErrorKind::BadInput, "pages are mapped whole, and within their size");
  if (mmap(at, bytes, PROT_NONE, MAP_SHARED | MAP_FIXED, pages->file(), static_cast<off_t>(offset)) ==
      MAP_FAILED)
    return fail(ErrorKind::OutOfMemory, fmt::format("cannot map {} bytes: {}", bytes, std::strerror(errno)));
  return {};
}

Result<void> Memory::unmap(void* at, size_t bytes) {
  const std::shared_lock lock(mutex_);
  const Range* const range = holding(address(at));
  if (!range || !range->reserved || address(at) + bytes > range->allocation.address + range->allocation.bytes)
    return fail(ErrorKind::BadInput, fmt::format("{} bytes at {} are not in a reserved range", bytes, at));
  if (!close_pages(at, bytes)) return fail(ErrorKind::Internal, "the host does not take pages back");
  return {};
}

Result<void> Memory::protect(void* at, size_t bytes, Protection protection) {
  const std::shared_lock lock(mutex_);
  const Range* const range = holding(address(at));
  if (!range || address(at) + bytes > range->allocation.address + range->allocation.bytes ||
      address(at) % kPage)
    return fail(ErrorKind::BadInput, fmt::format("{} bytes at {} are not in a reserved range", bytes, at));
  const int bits = protection == Protection::None   ? PROT_NONE
                   : protection == Protection::Read ? PROT_READ
                                                    : PROT_READ | PROT_WRITE;
  if (mprotect(at, bytes, bits) != 0)
    return fail(ErrorKind::BadInput,
                fmt::format("cannot change the access to {}: {}", at, std::strerror(errno)));
  return {};
}

Result<std::shared_ptr<SharedPages>> Memory::share(void* pointer) {
  const std::scoped_lock lock(mutex_);
  const auto found = ranges_.find(address(pointer));
  if (found == ranges_.end() || found->second.reserved)
    return fail(ErrorKind::BadInput, fmt::format("{} is not the beginning of an allocation", pointer));
  Range& range = found->second;
  if (range.pages) return range.pages;
  if (range.extent == 0)
    return fail(ErrorKind::Unsupported, "an allocation that shares its pages with others cannot be exported");
  const uint64_t bytes = round_up<uint64_t>(range.taken, kPage);
  auto pages = SharedPages::create(bytes);
  if (!pages) return pages;
  const std::span all(static_cast<const std::byte*>(pointer), bytes);
  for (uint64_t done = 0; done < bytes;) {
    const auto block = all.subspan(done, std::min<uint64_t>(bytes - done, kZeroBlock));
    // The file reads as zero already.
    const ssize_t wrote =
        only_zeros(block) ? static_cast<ssize_t>(block.size())
                          : pwrite((*pages)->file(), block.data(), block.size(), static_cast<off_t>(done));
    if (wrote <= 0) return fail(ErrorKind::OutOfMemory, "the host has no room to share the allocation");
    done += static_cast<uint64_t>(wrote);
  }
  if (mmap(pointer, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, (*pages)->file(), 0) == MAP_FAILED)
    return fail(ErrorKind::OutOfMemory, "the host has no room to share the allocation");
  range.pages = *pages;
  return pages;
}

Result<void*> Memory::attach(std::shared_ptr<SharedPages> pages, Use use) {
  const std::scoped_lock lock(mutex_);
  const uint64_t bytes = pages->bytes(), extent = bytes + kGuard;
  const auto at = take_addresses(extent, kPage);
  if (!at) return tl::unexpected(at.error());
  void* const where = reinterpret_cast<void*>(*at);
  if (mmap(where, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, pages->file(), 0) == MAP_FAILED) {
    return_addresses(*at, extent);
    return fail(ErrorKind::OutOfMemory, fmt::format("cannot map {} bytes: {}", bytes, std::strerror(errno)));
  }
  used_by(use.device) += bytes;
  ++guarded_;
  ranges_.emplace(*at, Range{{*at, bytes, use}, bytes, extent, false, std::move(pages)});
  return where;
}

}  // namespace wavesmith::emulate
