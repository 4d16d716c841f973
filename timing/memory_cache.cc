#include "timing/memory_cache.h"

#include <algorithm>

namespace wavesmith::timing {

Cache::Cache(uint64_t bytes, uint32_t line) : most_(std::max<uint64_t>(1, bytes / std::max(1u, line))) {}

void Cache::unlink(uint32_t entry) {
  const Entry& one = entries_[entry];
  (one.newer == kEnd ? newest_ : entries_[one.newer].older) = one.older;
  (one.older == kEnd ? oldest_ : entries_[one.older].newer) = one.newer;
}

void Cache::put_first(uint32_t entry) {
  entries_[entry].newer = kEnd;
  entries_[entry].older = newest_;
  (newest_ == kEnd ? oldest_ : entries_[newest_].newer) = entry;
  newest_ = entry;
}

double* Cache::find(uint64_t line) {
  const uint32_t* const found = at_.find(line);
  if (!found) return nullptr;
  if (*found != newest_) {
    unlink(*found);
    put_first(*found);
  }
  return &entries_[*found].ready;
}

void Cache::insert(uint64_t line, double ready) {
  if (double* const known = find(line)) {
    *known = ready;
    return;
  }
  uint32_t entry;
  if (at_.size() >= most_) {  // The oldest one's place.
    entry = oldest_;
    unlink(entry);
    at_.erase(entries_[entry].line);
  } else if (!free_.empty()) {
    entry = free_.back();
    free_.pop_back();
  } else {
    entry = static_cast<uint32_t>(entries_.size());
    entries_.emplace_back();
  }
  entries_[entry].line = line;
  entries_[entry].ready = ready;
  put_first(entry);
  at_.insert(line, entry);
}

void Cache::evict(uint64_t line) {
  const uint32_t* const found = at_.find(line);
  if (!found) return;
  unlink(*found);
  free_.push_back(*found);
  at_.erase(line);
}

}  // namespace wavesmith::timing
