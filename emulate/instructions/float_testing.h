// For tests of floating-point instructions: references that are written as arithmetic on floats.
#pragma once

#include <bit>

#include "emulate/instructions/lane_testing.h"

namespace wavesmith::emulate {

template <class T>
struct Bits;
template <>
struct Bits<float> {
  static float of(uint64_t x) { return std::bit_cast<float>(static_cast<uint32_t>(x)); }
  static uint64_t back(float x) { return std::bit_cast<uint32_t>(x); }
};
template <>
struct Bits<double> {
  static double of(uint64_t x) { return std::bit_cast<double>(x); }
  static uint64_t back(double x) { return std::bit_cast<uint64_t>(x); }
};
template <>
struct Bits<_Float16> {
  static _Float16 of(uint64_t x) { return std::bit_cast<_Float16>(static_cast<uint16_t>(x)); }
  static uint64_t back(_Float16 x) { return std::bit_cast<uint16_t>(x); }
};
template <class T, class F>
LaneReference floats(F f) {
  return [f](uint64_t a, uint64_t b, uint64_t c, uint64_t old) {
    return Bits<T>::back(f(Bits<T>::of(a), Bits<T>::of(b), Bits<T>::of(c), Bits<T>::of(old)));
  };
}
/// In f32, f64 and f16, which is computed in double and rounded at once.
template <class F>
LaneReference f32(F f) {
  return floats<float>(f);
}
template <class F>
LaneReference f64(F f) {
  return floats<double>(f);
}
template <class F>
LaneReference f16(F f) {
  return floats<_Float16>([f](_Float16 a, _Float16 b, _Float16 c, _Float16 old) {
    return static_cast<_Float16>(
        f(static_cast<double>(a), static_cast<double>(b), static_cast<double>(c), static_cast<double>(old)));
  });
}

inline LaneOptions of32(isa::Generations in = isa::kEvery) {
  return {.generations = in, .mask = 0xffffffff, .float_bits = 32};
}
inline LaneOptions of64(isa::Generations in = isa::kEvery) {
  return {.generations = in, .mask = ~uint64_t{0}, .float_bits = 64};
}
inline LaneOptions of16(isa::Generations in = isa::kEvery) {
  return {.generations = in, .mask = 0xffff, .float_bits = 16};
}
/// Results that are integers, of sources that are floats of some width.
inline LaneOptions integer_of(int bits, isa::Generations in = isa::kEvery, uint64_t mask = 0xffffffff) {
  return {.generations = in, .mask = mask, .float_bits = bits, .integer_result = true};
}

}  // namespace wavesmith::emulate
