// Which lines a cache has: the least recently used one goes, whatever its address. Whoever asks knows where a
// line stands (a place that insert() gave), so nothing is searched for. A line knows when its data arrive.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace wavesmith::timing {

class Recency {
 public:
  static constexpr uint32_t kNowhere = ~uint32_t{0};

  /// Of at least one line.
  explicit Recency(uint64_t lines)
      : most_(static_cast<uint32_t>(std::max<uint64_t>(1, lines))), entries_(size_t{most_} + 1) {}

  /// When the data of the line there arrive.
  [[nodiscard]] double ready(uint32_t place) const { return entries_[place].ready; }
  /// It is the most recent one from now on.
  void touch(uint32_t place) {
    if (entries_[kEnd].older == place) return;
    unlink(place);
    put_first(place);
  }
  /// Takes in a line that is not there. `line`: a number by which the caller knows it; `gone`: called with
  /// that of the line that makes room, where there is none. Returns its place.
  template <class Gone>
  [[gnu::always_inline]] uint32_t insert(uint32_t line, double ready, Gone&& gone) {
    uint32_t place;
    if (!free_.empty()) {
      place = free_.back();
      free_.pop_back();
    } else if (used_ < most_) {
      place = ++used_;
    } else {
      place = entries_[kEnd].newer;
      gone(entries_[place].line);
      unlink(place);
    }
    Entry& one = entries_[place];
    one.line = line;
    one.ready = ready;
    put_first(place);
    return place;
  }
  void remove(uint32_t place) {
    unlink(place);
    free_.push_back(place);
  }

 private:
  static constexpr uint32_t kEnd = 0;  ///< between the newest and the oldest, which it has as its neighbours
  struct Entry {
    double ready = 0;
    uint32_t line = 0;
    uint32_t newer = kEnd, older = kEnd;
  };
  void unlink(uint32_t place) {
    Entry* const entries = entries_.data();
    const uint32_t newer = entries[place].newer, older = entries[place].older;
    entries[newer].older = older;
    entries[older].newer = newer;
  }
  void put_first(uint32_t place) {
    Entry* const entries = entries_.data();
    const uint32_t second = entries[kEnd].older;
    entries[place].newer = kEnd;
    entries[place].older = second;
    entries[second].newer = place;
    entries[kEnd].older = place;
  }
  uint32_t most_;               ///< lines
  std::vector<Entry> entries_;  ///< kEnd, then as many as there are lines
  std::vector<uint32_t> free_;
  uint32_t used_ = 0;
};

}  // namespace wavesmith::timing
