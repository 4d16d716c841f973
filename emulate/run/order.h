// In which order workgroups begin and waves take their turns: the natural one, or one that a seed chooses, by
// which programs show whether their results depend on it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <numeric>

namespace wavesmith::emulate {

class Order {
 public:
  /// 0: the natural order.
  explicit Order(uint64_t seed = 0) : seed_(seed) {}
  [[nodiscard]] bool natural() const { return seed_ == 0; }

  /// The one of `count` that comes at `place`; `salt` gives each set an order of its own.
  [[nodiscard]] uint64_t at(uint64_t place, uint64_t count, uint64_t salt = 0) const {
    if (natural() || count < 2) return place;
    const uint64_t random = mix(seed_ + 0x9e37'79b9'7f4a'7c15 * salt);
    // A step that has no divisor in common with the count visits each once.
    uint64_t step = (random >> 32) % count;
    while (std::gcd(step, count) != 1) step = (step + 1) % count;
    __extension__ using Wide = unsigned __int128;
    return static_cast<uint64_t>((Wide{place} * step + random % count) % count);
  }

 private:
  /// The finaliser of SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators").
  static uint64_t mix(uint64_t x) {
    x = (x ^ x >> 30) * 0xbf58'476d'1ce4'e5b9;
    x = (x ^ x >> 27) * 0x94d0'49bb'1331'11eb;
    return x ^ x >> 31;
  }
  uint64_t seed_;
};

}  // namespace wavesmith::emulate
