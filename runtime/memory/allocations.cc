#include "runtime/memory/allocations.h"

#include <iterator>
#include <mutex>

namespace wavesmith::runtime {
namespace {

bool counts(const Allocation& allocation) {
  return allocation.kind == Allocation::Kind::Device || allocation.kind == Allocation::Kind::Managed;
}

}  // namespace

void Allocations::insert(Allocation allocation) {
  const std::unique_lock lock(mutex_);
  allocation.id = next_id_++;
  if (counts(allocation)) used_[allocation.device] += allocation.size;
  by_begin_[allocation.begin] = allocation;
}

std::optional<Allocation> Allocations::find(const void* pointer) const {
  const auto at = reinterpret_cast<uint64_t>(pointer);
  const std::shared_lock lock(mutex_);
  auto after = by_begin_.upper_bound(at);
  if (after == by_begin_.begin()) return std::nullopt;
  const Allocation& allocation = std::prev(after)->second;
  return at - allocation.begin < allocation.size ? std::optional(allocation) : std::nullopt;
}

bool Allocations::set_synchronous(const void* pointer, bool value) {
  const auto at = reinterpret_cast<uint64_t>(pointer);
  const std::unique_lock lock(mutex_);
  auto after = by_begin_.upper_bound(at);
  if (after == by_begin_.begin()) return false;
  Allocation& allocation = std::prev(after)->second;
  if (at - allocation.begin >= allocation.size) return false;
  allocation.synchronous = value;
  return true;
}

std::optional<Allocation> Allocations::erase(const void* pointer) {
  const std::unique_lock lock(mutex_);
  const auto found = by_begin_.find(reinterpret_cast<uint64_t>(pointer));
  if (found == by_begin_.end()) return std::nullopt;
  const Allocation allocation = found->second;
  if (counts(allocation)) used_[allocation.device] -= allocation.size;
  by_begin_.erase(found);
  return allocation;
}

bool Allocations::contains_or_foreign(const void* pointer, std::optional<size_t> bytes) const {
  if (!bytes) return false;
  size_t size = *bytes;
  auto allocation = find(pointer);
  if (!allocation) return true;
  size_t here = allocation->size - (reinterpret_cast<uint64_t>(pointer) - allocation->begin);
  while (size > here) {
    if (!allocation->mapping) return false;
    size -= here;
    allocation = find(reinterpret_cast<void*>(allocation->begin + allocation->size));
    if (!allocation || !allocation->mapping) return false;
    here = allocation->size;
  }
  return true;
}

bool Allocations::overlaps(const void* pointer, size_t size) const {
  if (find(pointer)) return true;
  const std::shared_lock lock(mutex_);
  const auto at = reinterpret_cast<uint64_t>(pointer);
  const auto next = by_begin_.lower_bound(at);
  return next != by_begin_.end() && next->first - at < size;
}

uint64_t Allocations::used(int device) const {
  const std::shared_lock lock(mutex_);
  const auto found = used_.find(device);
  return found == used_.end() ? 0 : found->second;
}

std::vector<Allocation> Allocations::all() const {
  const std::shared_lock lock(mutex_);
  std::vector<Allocation> list;
  for (const auto& [begin, allocation] : by_begin_) list.push_back(allocation);
  return list;
}

}  // namespace wavesmith::runtime
