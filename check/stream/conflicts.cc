#include "check/stream/conflicts.h"

#include <algorithm>
#include <set>
#include <utility>

namespace wavesmith::check {
namespace {

using enum Touch;

/// Ways to touch that do not go together, the worst first.
constexpr std::pair<Touch, Touch> kConflicts[] = {
    {Write, Write},  {Write, Read},    {Read, Write},     {Write, CoherentRead}, {CoherentRead, Write},
    {Write, Atomic}, {Atomic, Write},  {Write, Exchange}, {Exchange, Write},     {Read, Atomic},
    {Atomic, Read},  {Read, Exchange}, {Exchange, Read}};

bool is_before_or_same(const StreamOrder& order, const StreamRecord& a, const StreamRecord& b) {
  return &a == &b || order.is_before(a.work, b.work);
}

}  // namespace

bool may_tell(const StreamRecord& from, const StreamRecord& to) {
  for (const Touch tells : {Atomic, Exchange, Write}) {
    if (tells == Write && from.stores_show_scope) continue;
    for (const Touch hears : {Exchange, CoherentRead})
      if (from.touched.of(tells).meets(to.touched.of(hears))) return true;
  }
  return false;
}

std::vector<Conflict> conflicts_of(const Record& a, const Record& b,
                                   const std::function<uint64_t(uint64_t)>& other_until) {
  constexpr size_t kMost = 8;
  std::vector<Conflict> found;
  for (const auto& [first, second] : kConflicts) {
    const TouchedBytes& one = a->touched.of(first);
    const TouchedBytes& other = b->touched.of(second);
    std::set<std::pair<uint32_t, uint32_t>> known;
    one.common(other, [&](uint64_t begin, uint64_t end) -> uint64_t {
      while (begin < end) {
        const uint64_t until = other_until(begin);
        if (until == begin) break;
        begin = until;
      }
      if (begin >= end) return begin;
      const uint32_t first_site = one.site_at(begin), second_site = other.site_at(begin);
      if (known.emplace(first_site, second_site).second)
        found.push_back({a, b, first, second, first_site, second_site, begin});
      return found.size() < kMost ? end : UINT64_MAX;
    });
    if (!found.empty()) return found;
  }
  return found;
}

void Bridges::add(Record from, Record to) {
  constexpr size_t kMost = 2048;
  if (all_.size() >= kMost) all_.erase(all_.begin());
  all_.emplace_back(std::move(from), std::move(to));
}

bool Bridges::order(const StreamOrder& order, const StreamRecord& a, const StreamRecord& b) const {
  return leads(order, a, b) || leads(order, b, a);
}

bool Bridges::leads(const StreamOrder& order, const StreamRecord& from, const StreamRecord& to) const {
  std::vector<const StreamRecord*> reached{&from};
  std::vector<bool> seen(all_.size());
  for (size_t i = 0; i < reached.size(); ++i) {
    if (i > 0 && is_before_or_same(order, *reached[i], to)) return true;
    for (size_t each = 0; each < all_.size(); ++each) {
      if (seen[each] || !is_before_or_same(order, *reached[i], *all_[each].first)) continue;
      seen[each] = true;
      reached.push_back(all_[each].second.get());
    }
  }
  return false;
}

void Bridges::clean(const StreamOrder& order) {
  std::erase_if(all_, [&](const auto& pair) {
    return order.is_past(pair.first->work) && order.is_past(pair.second->work);
  });
}

}  // namespace wavesmith::check
