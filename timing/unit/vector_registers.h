// What is known of a wave's vector registers: from which cycle on something may be done with what stands in
// them. An instruction says the same of all registers that it writes (a matrix instruction of up to 32), so
// they share one record of it, which goes when the last of them is overwritten.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "timing/unit/op.h"

namespace wavesmith::timing {

inline constexpr size_t kVectors = 512;

/// Cycles at which something may be done with the registers that an instruction has written; 0: at once.
struct VectorWrite {
  uint64_t result = 0;               ///< read by the VALU
  uint64_t memory = 0;               ///< read by memory instructions, or overwritten by loads
  uint64_t matrix = 0;               ///< a matrix result: read as anything but the next C
  uint64_t accumulate = 0;           ///< read as the next C
  uint16_t writer = 0, written = 0;  ///< the registers of that result
};

class VectorRegisters {
 public:
  /// Of registers that have no number together.
  static constexpr uint16_t kNoSet = 0;

  VectorRegisters() : writes_(1) { writes_[0].uses = kVectors; }

  /// What wrote register `r`.
  [[nodiscard]] const VectorWrite& operator[](uint32_t r) const { return writes_[of_[r]]; }

  /// Hands `visit` what wrote the registers, once for neighbours that one instruction wrote.
  template <class Visit>
  void each(RegisterRange range, Visit&& visit) const {
    if (range.count == 1 || all_of(range, of_[range.first])) return visit(writes_[of_[range.first]]);
    uint32_t before = kVectors + 1;
    for (uint32_t r = range.first, end = r + range.count; r < end; ++r) {
      if (of_[r] == before) continue;
      before = of_[r];
      visit(writes_[before]);
    }
  }

  /// What wrote all registers of a set and nothing else, if one of its registers is `first`; nullptr: they
  /// may have been written otherwise.
  [[nodiscard]] [[gnu::always_inline]] const VectorWrite* written(uint32_t first, uint16_t set,
                                                                  uint16_t count) const {
    const Record& record = writes_[of_[first]];
    return record.set == set && record.uses == count ? &record : nullptr;
  }

  /// The registers are overwritten, all by one instruction: what is to be known of them, for the caller to
  /// say. Each register stands in `ranges` once, `count` of them; `set` is these ranges' number among those
  /// that are overwritten together, from 1 on, or kNoSet.
  [[gnu::always_inline]] VectorWrite& overwrite(std::span<const RegisterRange> ranges, uint16_t set,
                                                uint16_t count) {
    // In a loop they mostly were the last time too.
    Record& last = writes_[of_[ranges[0].first]];
    if (last.set == set && last.uses == count) return last;
    return overwrite_others(ranges, set, count);
  }

  /// The cycle from which on the registers that a VALU instruction reads may be overwritten by loads.
  void read(RegisterRange range, uint64_t cycle) {
    std::fill_n(read_.begin() + range.first, range.count, cycle);
  }
  [[nodiscard]] uint64_t read(uint32_t r) const { return read_[r]; }

 private:
  struct Record : VectorWrite {
    uint16_t uses = 0;        ///< registers that it is of
    uint16_t set = kWithout;  ///< of them and others
  };
  static constexpr uint16_t kWithout = 0xffff;
  [[gnu::noinline]] VectorWrite& overwrite_others(std::span<const RegisterRange> ranges, uint16_t set,
                                                  uint16_t count) {
    const uint16_t fresh = unused();
    for (const RegisterRange& range : ranges)
      for (uint32_t r = range.first, end = r + range.count; r < end; ++r) {
        if (--writes_[of_[r]].uses == 0) free_.push_back(of_[r]);
        of_[r] = fresh;
      }
    writes_[fresh].uses = count;
    writes_[fresh].set = set == kNoSet ? kWithout : set;
    return writes_[fresh];
  }
  /// Whether that is the record of all registers of a range, four at a time.
  [[nodiscard]] bool all_of(RegisterRange range, uint16_t record) const {
    const uint16_t* of = &of_[range.first];
    uint32_t left = range.count;
    for (const uint64_t four = record * 0x0001'0001'0001'0001u; left >= 4; left -= 4, of += 4) {
      uint64_t here;
      std::memcpy(&here, of, sizeof here);
      if (here != four) return false;
    }
    for (; left != 0; --left, ++of)
      if (*of != record) return false;
    return true;
  }
  uint16_t unused() {
    if (free_.empty()) {
      writes_.emplace_back();
      return static_cast<uint16_t>(writes_.size() - 1);
    }
    const uint16_t record = free_.back();
    free_.pop_back();
    return record;
  }
  std::array<uint16_t, kVectors> of_ = {};  ///< each register's record
  std::vector<Record> writes_;              ///< the first: of what was never written
  std::vector<uint16_t> free_;              ///< records that no register has
  std::array<uint64_t, kVectors> read_ = {};
};

}  // namespace wavesmith::timing
