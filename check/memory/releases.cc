#include "check/memory/releases.h"

#include <iterator>

namespace wavesmith::check {
namespace {

/// As many as the emulated memory keeps from being given out again.
constexpr size_t kRemembered = 8192;

}  // namespace

void Releases::note(uint64_t address, uint64_t bytes) {
  forget(address, bytes);
  const std::scoped_lock lock(mutex_);
  const uint64_t number = count_.fetch_add(1, std::memory_order_relaxed) + 1;
  by_address_[address] = {bytes, host_call(), number};
  by_number_[number] = address;
  if (by_number_.size() <= kRemembered) return;
  by_address_.erase(by_number_.begin()->second);
  by_number_.erase(by_number_.begin());
}

void Releases::forget(uint64_t address, uint64_t bytes) {
  const std::scoped_lock lock(mutex_);
  auto at = by_address_.upper_bound(address);
  if (at != by_address_.begin() && address - std::prev(at)->first < std::prev(at)->second.bytes) --at;
  while (at != by_address_.end() && at->first < address + bytes) {
    by_number_.erase(at->second.number);
    at = by_address_.erase(at);
  }
}

std::optional<Release> Releases::find(uint64_t address) const {
  const std::scoped_lock lock(mutex_);
  const auto after = by_address_.upper_bound(address);
  if (after == by_address_.begin()) return std::nullopt;
  const auto& [begin, release] = *std::prev(after);
  return address - begin < release.bytes ? std::optional(release) : std::nullopt;
}

}  // namespace wavesmith::check
