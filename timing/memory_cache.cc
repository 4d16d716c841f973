#include "timing/memory_cache.h"

#include <algorithm>

namespace wavesmith::timing {

Cache::Cache(uint64_t bytes, uint32_t line) : most_(std::max<uint64_t>(1, bytes / std::max(1u, line))) {}

double* Cache::find(uint64_t line) {
  const auto found = at_.find(line);
  if (found == at_.end()) return nullptr;
  order_.splice(order_.begin(), order_, found->second);
  return &found->second->ready;
}

void Cache::insert(uint64_t line, double ready) {
  if (double* const known = find(line)) {
    *known = ready;
    return;
  }
  if (at_.size() < most_) {
    order_.push_front({line, ready});
  } else {  // The oldest one's place.
    at_.erase(order_.back().line);
    order_.splice(order_.begin(), order_, std::prev(order_.end()));
    order_.front() = {line, ready};
  }
  at_[line] = order_.begin();
}

void Cache::evict(uint64_t line) {
  const auto found = at_.find(line);
  if (found == at_.end()) return;
  order_.erase(found->second);
  at_.erase(found);
}

}  // namespace wavesmith::timing
