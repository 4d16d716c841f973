#include "check/init/handed_over.h"

#include <algorithm>

namespace wavesmith::check::init {

HandedOver::Ranges::const_iterator HandedOver::first_behind(uint64_t address) const {
  auto at = ranges_.upper_bound(address);
  if (at != ranges_.begin() && std::prev(at)->second.end > address) --at;
  return at;
}

void HandedOver::cut(uint64_t address, uint64_t end) {
  for (auto at = first_behind(address); at != ranges_.end() && at->first < end;) {
    const uint64_t begin = at->first;
    const Range range = at->second;
    at = ranges_.erase(at);
    if (begin < address) ranges_[begin] = {address, range.key};
    if (range.end > end) at = ranges_.insert_or_assign(end, range).first;
  }
}

void HandedOver::add(uint64_t address, uint64_t bytes, const Findings::Key& key, const Findings::Order& order,
                     const std::function<Finding()>& make) {
  const std::scoped_lock lock(mutex_);
  const auto entry = entries_.find(key);
  if (entry == entries_.end())
    entries_.emplace(key, Entry{order, make()});
  else if (order < entry->second.order)
    entry->second = {order, make()};
  cut(address, address + bytes);
  if (ranges_.size() < kMost) ranges_[address] = {address + bytes, key};
  used_ = true;
}

void HandedOver::read(uint64_t address, uint64_t bytes, const GlobalShadow& global, Findings& findings) {
  if (!used_) return;
  const std::scoped_lock lock(mutex_);
  for (auto at = first_behind(address); at != ranges_.end() && at->first < address + bytes; ++at) {
    const uint64_t begin = std::max(address, at->first), end = std::min(address + bytes, at->second.end);
    if (!global.any(begin, end - begin)) continue;
    const Entry& entry = entries_.at(at->second.key);
    findings.add(at->second.key, entry.order, [&] { return entry.finding; });
  }
}

void HandedOver::forget(uint64_t address, uint64_t bytes) {
  if (!used_) return;
  const std::scoped_lock lock(mutex_);
  cut(address, address + bytes);
}

bool HandedOver::any(uint64_t address, uint64_t bytes) const {
  if (!used_) return false;
  const std::scoped_lock lock(mutex_);
  const auto at = first_behind(address);
  return at != ranges_.end() && at->first < address + bytes;
}

}  // namespace wavesmith::check::init
