// Pairs of records that touch the same bytes, at least one of them writing, and what the two tell each other.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "check/stream/record.h"

namespace wavesmith::check {

using Record = std::shared_ptr<const StreamRecord>;

struct Conflict {
  Record first, second;  ///< the second was asked for later
  Touch first_kind, second_kind;
  uint32_t first_site = 0, second_site = 0;
  uint64_t address = 0;
};

/// Whether the one makes atomic changes that the other looks at: it may wait for them.
bool may_tell(const StreamRecord& from, const StreamRecord& to);

/// Conflicts of two records that nothing orders, one for each pair of instructions, of the worst kind that
/// there is. `next(begin)` says up to which address the bytes from there on were other memory at the time of
/// the first than at that of the second; `begin`: they were not.
std::vector<Conflict> conflicts_of(const Record& a, const Record& b,
                                   const std::function<uint64_t(uint64_t)>& other_until);

/// Pairs of which one tells the other something, and what is ordered by them.
class Bridges {
 public:
  void add(Record from, Record to);
  /// Whether one of the two comes after the other by what others tell each other.
  [[nodiscard]] bool order(const StreamOrder& order, const StreamRecord& a, const StreamRecord& b) const;
  /// Takes out those of which nothing more can come.
  void clean(const StreamOrder& order);

 private:
  [[nodiscard]] bool leads(const StreamOrder& order, const StreamRecord& from, const StreamRecord& to) const;
  std::vector<std::pair<Record, Record>> all_;
};

}  // namespace wavesmith::check
