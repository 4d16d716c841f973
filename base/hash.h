// FNV-1a, the hash of the project: the same on every host and in every run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <type_traits>

namespace wavesmith {

/// 64-bit FNV-1a over the bytes that are added. Source: http://www.isthe.com/chongo/tech/comp/fnv/
class Hash {
 public:
  constexpr Hash() = default;
  /// Continues from an earlier value.
  explicit constexpr Hash(uint64_t before) : value_(before) {}
  constexpr Hash& add(std::string_view text) {
    for (const char c : text) mix(static_cast<uint8_t>(c));
    return *this;
  }
  constexpr Hash& add(std::span<const uint8_t> bytes) {
    for (const uint8_t byte : bytes) mix(byte);
    return *this;
  }
  /// Adds the bytes of a value that has no padding.
  template <class T>
    requires std::has_unique_object_representations_v<T>
  Hash& add_value(const T& value) {
    return add(std::span(reinterpret_cast<const uint8_t*>(&value), sizeof value));
  }
  /// Separates what was added from what follows, so that "ab", "c" and "a", "bc" differ.
  constexpr Hash& separate() {
    mix(0x100);
    return *this;
  }
  [[nodiscard]] constexpr uint64_t value() const { return value_; }

 private:
  constexpr void mix(uint64_t byte) { value_ = (value_ ^ byte) * 0x100000001b3; }

  uint64_t value_ = 0xcbf29ce484222325;
};

constexpr uint64_t hash_of(std::string_view text) { return Hash().add(text).value(); }

}  // namespace wavesmith
