// Which lines a cache has: the least recently used one goes, whatever its address. Whoever asks knows where a
// line stands (a place that insert() gave), so nothing is searched for. A line knows when its data arrive.
//
// The places form a ring, each beside the one that was used next; behind the newest comes the oldest. So a
// new line takes the oldest one's place, and the ring need only be turned. Places without a line are the
// oldest.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace wavesmith::timing {

inline constexpr uint32_t kNowhere = 0;  ///< the place of a line that is not there

/// `Name`: by which the caller knows a line; Name() is none's.
template <class Name>
class Recency {
 public:
  /// Of at least one line.
  explicit Recency(uint64_t lines) : entries_(std::max<uint64_t>(1, lines) + 1) {
    newest_ = static_cast<uint32_t>(entries_.size() - 1);
    for (uint32_t place = 1; place <= newest_; ++place)
      entries_[place].newer = place == newest_ ? 1 : place + 1,
      entries_[place].older = place == 1 ? newest_ : place - 1;
  }

  /// When the data of the line there arrive.
  [[nodiscard]] double ready(uint32_t place) const { return entries_[place].ready; }
  /// It is the most recent one from now on.
  [[gnu::always_inline]] void touch(uint32_t place) {
    if (place == newest_) return;
    make_oldest(place);
    newest_ = place;
  }
  /// Takes in a line that is not there. `gone`: called with the line that makes room, where there is none.
  /// Returns its place.
  template <class Gone>
  [[gnu::always_inline]] uint32_t insert(Name line, double ready, Gone&& gone) {
    Entry* const entries = entries_.data();
    const uint32_t place = entries[newest_].newer;
    newest_ = place;
    Entry& one = entries[place];
    if (one.line != Name()) gone(one.line);
    one.line = line;
    one.ready = ready;
    return place;
  }
  void remove(uint32_t place) {
    if (place == newest_)
      newest_ = entries_[place].older;
    else
      make_oldest(place);
    entries_[place].line = Name();
  }

 private:
  struct alignas(32) Entry {  // so that a shift finds it
    double ready = 0;
    Name line = {};
    uint32_t newer = 0, older = 0;
  };
  /// One that is not the newest: to where the ring begins.
  [[gnu::always_inline]] void make_oldest(uint32_t place) {
    Entry* const entries = entries_.data();
    const uint32_t oldest = entries[newest_].newer;
    if (place == oldest) return;
    const uint32_t newer = entries[place].newer, older = entries[place].older;
    entries[newer].older = older;
    entries[older].newer = newer;
    entries[place].newer = oldest;
    entries[place].older = newest_;
    entries[oldest].older = place;
    entries[newest_].newer = place;
  }
  std::vector<Entry> entries_;  ///< nowhere, then as many as there are lines
  uint32_t newest_;
};

}  // namespace wavesmith::timing
