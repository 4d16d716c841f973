// A hash map from line numbers to small values, for the innermost loop of the memory model: open addressing,
// linear probing, deletion by moving back what follows (Knuth, The Art of Computer Programming 3, 6.4, R).
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace wavesmith::timing {

/// 2^64 / the golden section.
inline constexpr uint64_t kGolden = 0x9e3779b97f4a7c15;

/// Which of a power of two of places a line has: Fibonacci hashing, the upper bits of the product.
inline size_t place_of_line(uint64_t line, size_t places) {
  return static_cast<size_t>((line * kGolden) >> (64 - std::countr_zero(places)));
}

template <class Value>
class LineMap {
 public:
  explicit LineMap(size_t expected = 8) : slots_(std::bit_ceil(2 * expected + 2)), shift_(shift()) {}

  /// nullptr: not there. Valid until the next insertion or removal.
  [[gnu::always_inline]] Value* find(uint64_t line) {
    Slot& slot = slots_[home(line)];
    if (slot.line == line) [[likely]]
      return &slot.value;
    return find_further(line);
  }
  /// The value of a line, `value` where there was none, and whether there was none.
  std::pair<Value*, bool> insert(uint64_t line, const Value& value) {
    if (2 * (size_ + 1) > slots_.size()) grow();
    size_t i = home(line);
    for (; slots_[i].line != kNone; i = next(i))
      if (slots_[i].line == line) return {&slots_[i].value, false};
    slots_[i] = {line, value};
    ++size_;
    return {&slots_[i].value, true};
  }
  void erase(uint64_t line) {
    size_t hole = home(line);
    for (; slots_[hole].line != line; hole = next(hole))
      if (slots_[hole].line == kNone) return;
    for (size_t i = next(hole); slots_[i].line != kNone; i = next(i)) {
      // May what stands at i move to the hole: is its home not between them?
      if (((i - home(slots_[i].line)) & (slots_.size() - 1)) >= ((i - hole) & (slots_.size() - 1))) {
        slots_[hole] = slots_[i];
        hole = i;
      }
    }
    slots_[hole].line = kNone;
    --size_;
  }
  [[nodiscard]] size_t size() const { return size_; }

 private:
  static constexpr uint64_t kNone = ~uint64_t{0};  ///< no line: addresses end before
  struct Slot {
    uint64_t line = kNone;
    Value value{};
  };
  [[gnu::noinline]] Value* find_further(uint64_t line) {
    for (size_t i = home(line);; i = next(i)) {
      if (slots_[i].line == line) return &slots_[i].value;
      if (slots_[i].line == kNone) return nullptr;
    }
  }
  /// As place_of_line() says.
  [[nodiscard]] size_t home(uint64_t line) const { return (line * kGolden) >> shift_; }
  [[nodiscard]] uint32_t shift() const {
    return 64u - static_cast<uint32_t>(std::countr_zero(slots_.size()));
  }
  [[nodiscard]] size_t next(size_t i) const { return (i + 1) & (slots_.size() - 1); }
  void grow() {
    std::vector<Slot> old(2 * slots_.size());
    old.swap(slots_);
    shift_ = shift();
    size_ = 0;
    for (const Slot& slot : old)
      if (slot.line != kNone) insert(slot.line, slot.value);
  }
  std::vector<Slot> slots_;
  uint32_t shift_;  ///< of a product: what is left of it numbers the slots
  size_t size_ = 0;
};

}  // namespace wavesmith::timing
