// Runs the bodies of packed rows (isa/packed.h). One handler serves both wave sizes. Beside the offsets of
// the registers a micro-operation holds
//   e: where a part<> starts, in bits; or of pairs of registers and of mixed operands the flags below; or the
//   immediate, f: where an insert<> goes, in bits.
#pragma once

#include <tuple>

#include "base/small_float.h"
#include "emulate/engine/collect.h"
#include "emulate/engine/io.h"
#include "emulate/engine/lane.h"
#include "emulate/engine/packed_flags.h"
#include "isa/packed.h"

namespace wavesmith::emulate {

using isa::Parts;

template <class T>
struct PackedRoles {
  static constexpr bool kPair = false, kSlot = true;
};
template <class T>
struct PackedRoles<isa::two<T>> {
  static constexpr bool kPair = true, kSlot = true;
};
template <class T>
struct PackedRoles<isa::old<T>> {
  static constexpr bool kPair = PackedRoles<T>::kPair, kSlot = false;
};
template <>
struct PackedRoles<isa::overflow_mode> {
  static constexpr bool kPair = false, kSlot = false;
};
template <>
struct PackedRoles<isa::immediate> {
  static constexpr bool kPair = false, kSlot = false;
};

/// A pair of it takes two registers, not the halves of one.
template <class T>
inline constexpr bool kWholeRegister =
    T::type == isa::Type::F32 || T::type == isa::Type::U32 || T::type == isa::Type::I32;

/// Reads source number kIndex of a tag.
template <class Tag, int kIndex>
struct PackedSource {
  [[gnu::always_inline]] static auto load(std::byte* row, int pack, const Uop*) {
    return Io<Tag>::load(row, pack);
  }
};
template <class T, int kIndex>
struct PackedSource<isa::two<T>, kIndex> {
  [[gnu::always_inline]] static auto load(std::byte* row, int pack, const Uop* uop) {
    if constexpr (kWholeRegister<T>) {
      const uint32_t flags = uop->e >> kIndex;
      const auto low = dwords(row + (flags & kPairLowFromSecond) * kRowBytes, pack);
      const auto high = dwords(row + (flags / kPairHighFromSecond & 1) * kRowBytes, pack);
      const uint32_t negate_low = flags / kPairNegateLow & 1, negate_high = flags / kPairNegateHigh & 1;
      return Parts{Io<T>::unpack(low ^ negate_low << 31), Io<T>::unpack(high ^ negate_high << 31)};
    } else {
      const auto word = dwords(row, pack);
      return Parts{Io<T>::unpack(word), Io<T>::unpack(word >> 16)};
    }
  }
};
template <class T, int kIndex>
struct PackedSource<isa::whole<T>, kIndex> : PackedSource<T, kIndex> {};
template <int kBits, int kIndex>
struct PackedSource<isa::part<kBits>, kIndex> {
  [[gnu::always_inline]] static auto load(std::byte* row, int pack, const Uop* uop) {
    return dwords(row, pack) >> uop->e;
  }
};
template <int kDwords, int kIndex>
struct PackedSource<isa::dwords_of<kDwords>, kIndex> {
  [[gnu::always_inline]] static auto load(std::byte* row, int pack, const Uop*) {
    isa::Registers<kDwords> registers;
#pragma clang loop unroll(disable)
    for (int i = 0; i < kDwords; ++i) registers.dword[i] = dwords(row + i * kRowBytes, pack);
    return registers;
  }
};
template <int kIndex>
struct PackedSource<isa::mixed, kIndex> {
  [[gnu::always_inline]] static auto load(std::byte* row, int pack, const Uop* uop) {
    const uint32_t flags = uop->e >> (kMixedBits * kIndex);
    auto word = dwords(row, pack);
    if (flags & kMixedF16) {
      if (flags & kMixedHigh) word >>= 16;
      word = __builtin_bit_cast(Pack<uint32_t>, Io<isa::f16>::unpack(word));
    }
    if (flags & kMixedAbsolute) word &= 0x7fffffffu;
    if (flags & kMixedNegate) word ^= 0x80000000u;
    return __builtin_bit_cast(Pack<float>, word);
  }
};

/// Writes a result of a tag.
template <class Tag>
struct PackedResult {
  static constexpr bool kFloat = Tag::type == isa::Type::F32;
  template <class V>
  [[gnu::always_inline]] static void store(std::byte* row, int pack, const V& value, Mask mask, const Uop*) {
    Io<Tag>::template store_value<false>(row, pack, value, mask);
  }
};
template <class T>
struct PackedResult<isa::two<T>> {
  static constexpr bool kFloat = std::is_same_v<typename T::value, float>;
  template <class V>
  [[gnu::always_inline]] static void store(std::byte* row, int pack, const V& value, Mask mask, const Uop*) {
    if constexpr (kWholeRegister<T>) {
      Io<T>::template store_value<false>(row, pack, value.low, mask);
      Io<T>::template store_value<false>(row + kRowBytes, pack, value.high, mask);
    } else {
      emulate::store<false>(row, pack, Io<T>::pack(value.low) | Io<T>::pack(value.high) << 16, mask);
    }
  }
};
template <int kBits>
struct PackedResult<isa::insert<kBits>> {
  static constexpr bool kFloat = false;
  template <class V>
  [[gnu::always_inline]] static void store(std::byte* row, int pack, const V& value, Mask mask,
                                           const Uop* uop) {
    constexpr uint32_t kField = (1u << kBits) - 1;
    const auto kept = dwords(row, pack) & ~(kField << uop->f);
    emulate::store<false>(row, pack, kept | (value & kField) << uop->f, mask);
  }
};

template <int kDwords>
struct PackedResult<isa::dwords_of<kDwords>> {
  static constexpr bool kFloat = false;
  [[gnu::always_inline]] static void store(std::byte* row, int pack, const isa::Registers<kDwords>& registers,
                                           Mask mask, const Uop*) {
#pragma clang loop unroll(disable)
    for (int i = 0; i < kDwords; ++i)
      emulate::store<false>(row + i * kRowBytes, pack, registers.dword[i], mask);
  }
};

/// The clamp of a float result; a NaN becomes 0 (MODE.DX10_CLAMP, which compute kernels set).
template <class V>
[[gnu::always_inline]] inline V clamp_float(V value) {
  value = value > 0.0f ? value : V(0.0f);
  return value < 1.0f ? value : V(1.0f);
}

template <bool kClamp, class Body, class Signature>
struct PackedOperation;

template <bool kClamp, class Body, class R, class... A>
struct PackedOperation<kClamp, Body, R(A...)> {
  static constexpr bool kByHalves = PackedRoles<R>::kPair && (PackedRoles<A>::kPair || ...);

  static constexpr auto slots() {
    std::array<int, sizeof...(A) + 1> slot{};
    int next = 0, i = 0;
    ((slot[static_cast<size_t>(i++)] = PackedRoles<A>::kSlot ? next++ : -1), ...);
    return slot;
  }
  template <class T, size_t I>
  [[gnu::always_inline]] static auto source(const Uop* uop, Wave* wave, int pack) {
    constexpr int kSlot = slots()[I];
    if constexpr (std::is_same_v<T, isa::immediate>) {
      return uop->e;
    } else if constexpr (std::is_same_v<T, isa::overflow_mode>) {
      constexpr int kFp16Ovfl = 23;
      return (wave->s[scalar_index::kMode] >> kFp16Ovfl & 1) != 0 ? Overflow::Saturate : Overflow::Special;
    } else if constexpr (IsOld<T>::value) {
      return PackedSource<typename T::of, 0>::load(base(wave) + uop->d, pack, uop);
    } else {
      return PackedSource<T, kSlot>::load(base(wave) + (kSlot == 0   ? uop->a
                                                        : kSlot == 1 ? uop->b
                                                                     : uop->c),
                                          pack, uop);
    }
  }
  template <class... V>
  [[gnu::always_inline]] static auto call(const V&... values) {
    if constexpr (requires { Body{}(std::bool_constant<kClamp>{}, values...); })
      return Body{}(std::bool_constant<kClamp>{}, values...);
    else if constexpr (kClamp && PackedResult<R>::kFloat)
      return clamped(Body{}(values...));
    else
      return Body{}(values...);
  }
  template <class V>
  [[gnu::always_inline]] static auto clamped(const V& value) {
    if constexpr (requires { value.low; })
      return Parts{clamp_float(value.low), clamp_float(value.high)};
    else
      return clamp_float(value);
  }
  template <class V>
  [[gnu::always_inline]] static auto low(const V& value) {
    if constexpr (requires { value.low; })
      return value.low;
    else
      return value;
  }
  template <class V>
  [[gnu::always_inline]] static auto high(const V& value) {
    if constexpr (requires { value.high; })
      return value.high;
    else
      return value;
  }
  template <class... V>
  [[gnu::always_inline]] static auto apply(const V&... values) {
    if constexpr (kByHalves)
      return Parts{call(low(values)...), call(high(values)...)};
    else
      return call(values...);
  }
  /// Whether `clamp` means something: a float result, or a body with one argument more than sources.
  template <size_t... I>
  static constexpr bool heeds_clamp(std::index_sequence<I...>) {
    if constexpr (PackedResult<R>::kFloat)
      return true;
    else if constexpr (kByHalves)
      return requires { Body{}(std::bool_constant<kClamp>{}, low(source<A, I>(nullptr, nullptr, 0))...); };
    else
      return requires { Body{}(std::bool_constant<kClamp>{}, source<A, I>(nullptr, nullptr, 0)...); };
  }

  template <size_t... I>
  [[gnu::always_inline]] static void all(const Uop* uop, Wave* wave, std::index_sequence<I...>) {
    const uint64_t exec = wave->exec();
    const int packs = static_cast<int>(wave->lanes) / kPackLanes;
    for (int pack = 0; pack < packs; ++pack) {
      const auto value = apply(source<A, I>(uop, wave, pack)...);
      PackedResult<R>::store(base(wave) + uop->d, pack, value, mask_of(exec, pack), uop);
    }
  }
  static constexpr bool heeds_clamp() { return heeds_clamp(std::index_sequence_for<A...>{}); }
  static void run(const Uop* uop, Wave* wave) {
    all(uop, wave, std::index_sequence_for<A...>{});
    [[clang::musttail]] return uop[1].handler(uop + 1, wave);
  }
};

template <class Signature, class Body>
void Collector::operator()(isa::PackedSignature<Signature>, std::string_view names, Body, isa::Facts facts) {
  Implementation implementation{isa::make_row<Signature>(isa::Shape::Packed, names, facts)};
  implementation.handlers[0][0] = PackedOperation<false, Body, Signature>::run;
  if constexpr (PackedOperation<true, Body, Signature>::heeds_clamp())
    implementation.handlers[0][1] = PackedOperation<true, Body, Signature>::run;
  table.push_back(implementation);
}

}  // namespace wavesmith::emulate
