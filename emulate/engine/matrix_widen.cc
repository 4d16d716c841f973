// A, B: registers to floats. Each element of 16 lanes becomes one pack; where it goes is the plan's business.
#include "emulate/engine/matrix_widen.h"

#include "emulate/engine/io.h"
#include "isa/small_float_pack.h"

namespace wavesmith::emulate {
namespace {

using isa::bits;
using Words = Pack<uint32_t>;
using Floats = Pack<float>;
/// 32 16-bit values: the halves of 16 registers.
using Halves = uint16_t __attribute__((ext_vector_type(32)));

[[gnu::always_inline]] inline Words load(const std::byte* registers, int index, int pack) {
  return *reinterpret_cast<const Words*>(registers + index * kRowBytes +
                                         pack * static_cast<int>(sizeof(Words)));
}
[[gnu::always_inline]] inline void put(float* floats, uint16_t to, Floats value) {
  *reinterpret_cast<Floats*>(floats + 16 * to) = value;
}

/// The f16 values in the low and in the high halves.
struct Pair {
  Floats low, high;
};
[[gnu::always_inline]] inline Pair split_f16(Words word) {
  return {isa::decode_pack<kF16>(word), isa::decode_pack<kF16>(word >> 16)};
}

/// One element at a time: Decode{}(register, element) gives a pack.
template <int kPerRegister, class Decode>
void each(const MatrixPlan::Input& input, const std::byte* registers, float* floats, Decode decode) {
  for (int pack = 0; pack < input.packs; ++pack) {
    const uint16_t* to = input.to[pack];
    for (int r = 0; r < input.registers; ++r, to += kPerRegister) {
      const Words word = load(registers, r, input.from[pack]);
#pragma clang loop unroll(full)
      for (int e = 0; e < kPerRegister; ++e) put(floats, to[e], decode(word, e));
    }
  }
}

/// Formats of 8 bits: element e of a register.
template <FloatFormat F>
void each_byte(const MatrixPlan::Input& input, const std::byte* registers, float* floats) {
  each<4>(input, registers, floats,
          [](Words word, int e) { return isa::decode_pack<F>(word >> (8 * e) & 0xffu); });
}

/// OCP formats of 8 bits, which are f16 with bits left out: e5m2 is its upper byte, e4m3 the same with an
/// exponent that is 8 less. Both bytes of each half become f16 in 16-bit arithmetic, then the host's
/// conversion does the rest.
template <bool kBf8>
void each_ocp_byte(const MatrixPlan::Input& input, const std::byte* registers, float* floats) {
  const auto to_f16 = [](Halves high_byte) {  // the code in bits 8 to 15
    if constexpr (kBf8) return high_byte;
    const Halves magnitude = high_byte & uint16_t{0x7f00};
    const Halves value = (high_byte & uint16_t{0x8000}) | (magnitude >> 1);
    return magnitude == uint16_t{0x7f00} ? Halves(0x7e00) : value;
  };
  const float scale = kBf8 ? 1.0f : 256.0f;
  for (int pack = 0; pack < input.packs; ++pack) {
    const uint16_t* to = input.to[pack];
    for (int r = 0; r < input.registers; ++r, to += 4) {
      const Halves word = bits<Halves>(load(registers, r, input.from[pack]));
      const Pair even = split_f16(bits<Words>(to_f16(word << uint16_t{8}))),
                 odd = split_f16(bits<Words>(to_f16(word & uint16_t{0xff00})));
      put(floats, to[0], even.low * scale);
      put(floats, to[1], odd.low * scale);
      put(floats, to[2], even.high * scale);
      put(floats, to[3], odd.high * scale);
    }
  }
}

void each_f16(const MatrixPlan::Input& input, const std::byte* registers, float* floats) {
  for (int pack = 0; pack < input.packs; ++pack) {
    const uint16_t* to = input.to[pack];
    for (int r = 0; r < input.registers; ++r, to += 2) {
      const Pair pair = split_f16(load(registers, r, input.from[pack]));
      put(floats, to[0], pair.low);
      put(floats, to[1], pair.high);
    }
  }
}

/// Formats of 6 bits: sixteen in three registers, some across two of them.
template <FloatFormat F>
void each_six_bits(const MatrixPlan::Input& input, const std::byte* registers, float* floats) {
  for (int pack = 0; pack < input.packs; ++pack)
    for (int e = 0; e < MatrixPlan::kElements; ++e) {
      const int bit = 6 * e, r = bit / 32, shift = bit % 32;
      Words code = load(registers, r, input.from[pack]) >> static_cast<uint32_t>(shift);
      if (shift > 26) code |= load(registers, r + 1, input.from[pack]) << static_cast<uint32_t>(32 - shift);
      put(floats, input.to[pack][e], isa::decode_pack<F>(code & 0x3fu));
    }
}

template <int kBits, bool kSigned>
void each_integer(const MatrixPlan::Input& input, const std::byte* registers, float* floats) {
  each<32 / kBits>(input, registers, floats, [](Words word, int e) {
    const Words top = word << static_cast<uint32_t>(32 - kBits - kBits * e);
    return convert<float>(kSigned ? bits<Pack<int32_t>>(top) >> (32 - kBits)
                                  : bits<Pack<int32_t>>(top >> (32 - kBits)));
  });
}

/// To nearest even with 10 bits of fraction, infinity and NaN as they are.
Floats round_to_xf32(Floats value) {
  const Words word = bits<Words>(value);
  const Words rounded = (word + 0xfffu + (word >> 13 & 1u)) & ~0x1fffu;
  return bits<Floats>((word & 0x7f800000u) == 0x7f800000u ? word : rounded);
}

}  // namespace

void widen(const MatrixPlan::Input& input, const std::byte* registers, float* floats) {
  switch (input.widening) {
    case Widening::F32:
      return each<1>(input, registers, floats, [](Words word, int) { return bits<Floats>(word); });
    case Widening::Xf32:
      return each<1>(input, registers, floats,
                     [](Words word, int) { return round_to_xf32(bits<Floats>(word)); });
    case Widening::F16:
      return each_f16(input, registers, floats);
    case Widening::Bf16:
      return each<2>(input, registers, floats,
                     [](Words word, int e) { return bits<Floats>(e ? word & 0xffff0000u : word << 16); });
    case Widening::Fp8:
      return each_ocp_byte<false>(input, registers, floats);
    case Widening::Bf8:
      return each_ocp_byte<true>(input, registers, floats);
    case Widening::Fp8Fnuz:
      return each_byte<kFp8Fnuz>(input, registers, floats);
    case Widening::Bf8Fnuz:
      return each_byte<kBf8Fnuz>(input, registers, floats);
    case Widening::Fp6:
      return each_six_bits<kFp6>(input, registers, floats);
    case Widening::Bf6:
      return each_six_bits<kBf6>(input, registers, floats);
    case Widening::Fp4:
      return each<8>(input, registers, floats,
                     [](Words word, int e) { return isa::decode_pack<kFp4>(word >> (4 * e) & 0xfu); });
    case Widening::I8:
      return each_integer<8, true>(input, registers, floats);
    case Widening::U8:
      return each_integer<8, false>(input, registers, floats);
    case Widening::I4:
      return each_integer<4, true>(input, registers, floats);
    case Widening::U4:
      return each_integer<4, false>(input, registers, floats);
    case Widening::F64:
      return;  // matrix_f64.cc
  }
}

}  // namespace wavesmith::emulate
