#include "timing/memory/cache.h"

#include <algorithm>
#include <bit>

#include "timing/memory/line_map.h"

namespace wavesmith::timing {

Cache::Cache(uint64_t bytes, uint32_t line)
    : most_(std::max<uint64_t>(1, bytes / std::max(1u, line))), buckets_(std::bit_ceil(2 * most_), kEnd) {}

/// Where the chain of the lines begins that share a place.
uint32_t& Cache::bucket(uint64_t line) { return buckets_[place_of_line(line, buckets_.size())]; }

uint32_t Cache::entry_of(uint64_t line) {
  uint32_t entry = bucket(line);
  while (entry != kEnd && entries_[entry].line != line) entry = entries_[entry].next;
  return entry;
}

void Cache::leave_bucket(uint32_t entry) {
  uint32_t* at = &bucket(entries_[entry].line);
  while (*at != entry) at = &entries_[*at].next;
  *at = entries_[entry].next;
}

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

void Cache::make_newest(uint32_t entry) {
  if (entry == newest_) return;
  unlink(entry);
  put_first(entry);
}

double* Cache::find(uint64_t line) {
  const uint32_t entry = entry_of(line);
  if (entry == kEnd) return nullptr;
  make_newest(entry);
  return &entries_[entry].ready;
}

void Cache::insert(uint64_t line, double ready) {
  if (double* const known = find(line)) {
    *known = ready;
    return;
  }
  insert_new(line, ready);
}

void Cache::insert_new(uint64_t line, double ready) {
  uint32_t entry;
  if (!free_.empty()) {
    entry = free_.back();
    free_.pop_back();
  } else if (entries_.size() < most_) {
    entry = static_cast<uint32_t>(entries_.size());
    entries_.emplace_back();
  } else {  // The oldest one's place.
    entry = oldest_;
    unlink(entry);
    leave_bucket(entry);
  }
  uint32_t& first = bucket(line);
  entries_[entry].line = line;
  entries_[entry].ready = ready;
  entries_[entry].next = first;
  first = entry;
  put_first(entry);
}

void Cache::evict(uint64_t line) {
  const uint32_t entry = entry_of(line);
  if (entry == kEnd) return;
  unlink(entry);
  leave_bucket(entry);
  free_.push_back(entry);
}

}  // namespace wavesmith::timing
