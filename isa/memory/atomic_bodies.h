// What atomics do, where a name is better than a lambda: the engine has the host's own instruction for some
// of these.
#pragma once

#include <cstdint>

#include "isa/pack.h"

namespace wavesmith::isa {

struct Exchange {
  template <class T>
  T operator()(T, T data) const {
    return data;
  }
};
struct Add {
  template <class T>
  T operator()(T old, T data) const {
    return old + data;
  }
};
struct Subtract {
  template <class T>
  T operator()(T old, T data) const {
    return old - data;
  }
};
struct And {
  template <class T>
  T operator()(T old, T data) const {
    return old & data;
  }
};
struct Or {
  template <class T>
  T operator()(T old, T data) const {
    return old | data;
  }
};
struct Xor {
  template <class T>
  T operator()(T old, T data) const {
    return old ^ data;
  }
};

/// IEEE 754-2019 minimumNumber: a NaN loses to a number, -0 is less than +0.
struct MinimumNumber {
  template <class T>
  T operator()(T old, T data) const {
    if (old != old) return data;
    if (data != data) return old;
    if (old == data) return __builtin_signbit(old) ? old : data;
    return data < old ? data : old;
  }
};
struct MaximumNumber {
  template <class T>
  T operator()(T old, T data) const {
    if (old != old) return data;
    if (data != data) return old;
    if (old == data) return __builtin_signbit(old) ? data : old;
    return data > old ? data : old;
  }
};

struct CompareSwap {
  template <class T>
  T operator()(T old, T data, T compare) const {
    return old == compare ? data : old;
  }
};

/// Each dword is exchanged when the data's bit 31 is set; that bit does not reach memory.
struct ConditionalExchange {
  uint64_t operator()(uint64_t old, uint64_t data) const {
    constexpr uint64_t kLow = 0xffffffffu;
    const uint64_t low = data >> 31 & 1 ? data & 0x7fffffffu : old & kLow;
    const uint64_t high = data >> 63 ? data >> 32 & 0x7fffffffu : old >> 32;
    return high << 32 | low;
  }
};

struct AddF16Pair {
  static uint32_t half(uint32_t a, uint32_t b) {
    const auto sum = static_cast<float>(bits<_Float16>(static_cast<uint16_t>(a))) +
                     static_cast<float>(bits<_Float16>(static_cast<uint16_t>(b)));
    return bits<uint16_t>(
        static_cast<_Float16>(sum));  // a sum of two f16 is exact enough in float to be rounded once
  }
  uint32_t operator()(uint32_t old, uint32_t data) const {
    return half(old, data) | half(old >> 16, data >> 16) << 16;
  }
};

struct AddBf16Pair {
  static uint32_t half(uint32_t a, uint32_t b) {
    const float sum = bits<float>(a << 16) + bits<float>(b << 16);
    const auto word = bits<uint32_t>(sum);
    if (sum != sum) return word >> 16 | 0x40;
    return (word + 0x7fffu + (word >> 16 & 1)) >> 16;
  }
  uint32_t operator()(uint32_t old, uint32_t data) const {
    return half(old & 0xffff, data & 0xffff) | half(old >> 16, data >> 16) << 16;
  }
};

}  // namespace wavesmith::isa
