// A set of registers, made once for an instruction and compared with what a wave keeps of each register.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "isa/effects.h"

namespace wavesmith::check {

/// Registers as bits, 64 in a word, of which only words with any are kept. Those that most instructions have
/// stand in the object itself.
class RegisterWords {
 public:
  static constexpr size_t kWords = (size_t{isa::reg::kCount} + 63) / 64;

  void add(isa::RegisterRange range) {
    for (uint32_t r = range.first; r < uint32_t{range.first} + range.count && r < isa::reg::kCount; ++r)
      bits_of(static_cast<uint8_t>(r / 64)) |= uint64_t{1} << r % 64;
  }
  /// Whether the bit of any of them is set in `words`, which go as far as they do.
  [[nodiscard]] bool meet(std::span<const uint64_t> words) const {
    uint64_t common = 0;
    for (size_t i = 0; i < used_; ++i) common |= bits_[i] & words[numbers_[i]];
    if (more_) [[unlikely]]
      for (const auto& [number, bits] : *more_) common |= bits & words[number];
    return common != 0;
  }

 private:
  struct Word {
    uint8_t number;
    uint64_t bits;
  };
  uint64_t& bits_of(uint8_t number) {
    for (size_t i = 0; i < used_; ++i)
      if (numbers_[i] == number) return bits_[i];
    if (used_ < kOwn) {
      numbers_[used_] = number;
      return bits_[used_++];
    }
    if (!more_) more_ = std::make_unique<std::vector<Word>>();
    for (Word& word : *more_)
      if (word.number == number) return word.bits;
    return more_->emplace_back(Word{number, 0}).bits;
  }

  static constexpr size_t kOwn = 4;
  uint8_t used_ = 0;
  std::array<uint8_t, kOwn> numbers_{};
  std::array<uint64_t, kOwn> bits_{};
  std::unique_ptr<std::vector<Word>> more_;
};

}  // namespace wavesmith::check
