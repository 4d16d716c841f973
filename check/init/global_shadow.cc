#include "check/init/global_shadow.h"

#include <algorithm>

namespace wavesmith::check::init {
namespace {

constexpr auto kRelaxed = std::memory_order_relaxed;

/// The low `count` bits.
uint64_t low(uint64_t count) { return count >= 64 ? ~uint64_t{0} : (uint64_t{1} << count) - 1; }

}  // namespace

GlobalShadow::GlobalShadow() {
  for (auto& word : undefined_) word.store(~uint64_t{0}, kRelaxed);
}

GlobalShadow::Entry* GlobalShadow::entry(uint64_t address, bool make) {
  const uint64_t number = address >> kPageBits, in_table = number & ((uint64_t{1} << kTableBits) - 1);
  if (address >> kAddressBits || tables_.size() == 0) return nullptr;
  std::atomic<Entry*>& place = tables_[number >> kTableBits];
  Entry* table = place.load(std::memory_order_acquire);
  if (!table && make) {
    const std::scoped_lock lock(mutex_);
    table = place.load(std::memory_order_acquire);
    if (!table) {
      table = made_tables_.emplace_back(size_t{1} << kTableBits).data();
      place.store(table, std::memory_order_release);
    }
  }
  return table ? table + in_table : nullptr;
}

const GlobalShadow::Page* GlobalShadow::page(uint64_t address) const {
  const Entry* const place = const_cast<GlobalShadow*>(this)->entry(address, false);
  return place ? place->load(std::memory_order_acquire) : nullptr;
}

GlobalShadow::Page* GlobalShadow::own_page(uint64_t address) {
  Entry* const place = entry(address, true);
  if (!place) return nullptr;
  Page* known = place->load(std::memory_order_acquire);
  if (known && known != &undefined_) return known;
  const std::scoped_lock lock(mutex_);
  Page& made = *made_pages_.emplace_back(std::make_unique<Page>());
  known = place->load(std::memory_order_acquire);
  while (!known || known == &undefined_) {
    for (auto& word : made) word.store(known ? ~uint64_t{0} : 0, kRelaxed);
    if (place->compare_exchange_strong(known, &made)) return &made;
  }
  return known;
}

void GlobalShadow::fill(uint64_t address, uint64_t bytes, bool undefined) {
  for (const uint64_t end = address + bytes; address < end;) {
    const uint64_t here = std::min(end, (address | (kPage - 1)) + 1) - address;
    Entry* const place = entry(address, undefined);
    Page* known = place ? place->load(std::memory_order_acquire) : nullptr;
    const bool shared = !known || known == &undefined_;
    const bool as_wanted = shared && (known == &undefined_) == undefined;
    const bool whole = here == kPage && shared && place &&
                       place->compare_exchange_strong(known, undefined ? &undefined_ : nullptr);
    if (!as_wanted && !whole)
      for (uint64_t at = address; at < address + here;) {
        const uint64_t count = std::min(address + here, (at | 63) + 1) - at;
        set(at, static_cast<uint32_t>(count), undefined ? low(count) : 0);
        at += count;
      }
    address += here;
  }
}

void GlobalShadow::copy(uint64_t to, uint64_t from, uint64_t bytes) {
  if (!any(from, bytes)) return define(to, bytes);
  // Overlapping copies go as memmove does.
  const bool backwards = to > from;
  for (uint64_t done = 0; done < bytes;) {
    const auto count = static_cast<uint32_t>(std::min<uint64_t>(64, bytes - done));
    const uint64_t at = backwards ? bytes - done - count : done;
    set(to + at, count, this->at(from + at, count));
    done += count;
  }
}

bool GlobalShadow::any(uint64_t address, uint64_t bytes) const {
  if (!used()) return false;
  for (const uint64_t end = address + bytes; address < end;) {
    const uint64_t here = std::min(end, (address | (kPage - 1)) + 1) - address;
    if (const Page* const page = this->page(address))
      for (uint64_t at = address; at < address + here;) {
        const uint64_t count = std::min(address + here, (at | 63) + 1) - at;
        if ((*page)[at % kPage / 64].load(kRelaxed) >> (at & 63) & low(count)) return true;
        at += count;
      }
    address += here;
  }
  return false;
}

uint64_t GlobalShadow::at(uint64_t address, uint32_t bytes) const {
  uint64_t found = 0;
  for (uint32_t done = 0; done < bytes;) {
    const uint64_t at = address + done, shift = at & 63;
    const auto count = static_cast<uint32_t>(std::min<uint64_t>(bytes - done, 64 - shift));
    if (const Page* const page = this->page(at))
      found |= ((*page)[at % kPage / 64].load(kRelaxed) >> shift & low(count)) << done;
    done += count;
  }
  return found;
}

void GlobalShadow::set(uint64_t address, uint32_t bytes, uint64_t undefined) {
  if (undefined) used_.store(true, kRelaxed);
  for (uint32_t done = 0; done < bytes;) {
    const uint64_t at = address + done, shift = at & 63;
    const auto count = static_cast<uint32_t>(std::min<uint64_t>(bytes - done, 64 - shift));
    const uint64_t mask = low(count) << shift, wanted = (undefined >> done & low(count)) << shift;
    const Page* const known = page(at);
    const uint64_t now = known ? (*known)[at % kPage / 64].load(kRelaxed) & mask : 0;
    if (now != wanted) {
      if (Page* const page = own_page(at)) {
        std::atomic<uint64_t>& word = (*page)[at % kPage / 64];
        if (now & ~wanted) word.fetch_and(~(now & ~wanted), kRelaxed);
        if (wanted) word.fetch_or(wanted, kRelaxed);
      }
    }
    done += count;
  }
}

}  // namespace wavesmith::check::init
