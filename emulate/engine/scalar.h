// Turns a scalar row's body into a handler.
#pragma once

#include <array>
#include <utility>

#include "emulate/engine/io.h"
#include "isa/row.h"

namespace wavesmith::emulate {

/// What a scalar body receives for a tag.
template <class Tag>
struct ScalarIo {
  using Value = typename Tag::value;
  static constexpr bool kImplicit = false;
  static Value read(Wave* wave, uint32_t offset) {
    if constexpr (Tag::type == isa::Type::F16 && std::is_same_v<Value, float>) {
      return static_cast<float>(at<_Float16>(wave, offset));
    } else {
      Value value;
      std::memcpy(&value, base(wave) + offset, sizeof value);
      return value;
    }
  }
  static void write(Wave* wave, uint32_t offset, Value value) {
    if constexpr (Tag::type == isa::Type::F16 && std::is_same_v<Value, float>)
      at<uint32_t>(wave, offset) = __builtin_bit_cast(uint16_t, static_cast<_Float16>(value));
    else if constexpr (sizeof(Value) == 2)
      at<uint32_t>(wave, offset) = static_cast<uint16_t>(value);
    else
      std::memcpy(base(wave) + offset, &value, sizeof value);
  }
};
template <>
struct ScalarIo<isa::scc> {
  static constexpr bool kImplicit = true;
  static bool read(Wave* wave, uint32_t) { return wave->s[scalar_index::kScc] != 0; }
  static void write(Wave* wave, uint32_t, bool value) { wave->s[scalar_index::kScc] = value; }
};
template <>
struct ScalarIo<isa::float_mode> {
  static constexpr bool kImplicit = true;
  static uint32_t read(Wave* wave, uint32_t) { return wave->s[scalar_index::kMode]; }
};
template <>
struct ScalarIo<isa::exec> {
  static constexpr bool kImplicit = true;
  static uint64_t read(Wave* wave, uint32_t) { return wave->exec(); }
  static void write(Wave* wave, uint32_t, uint64_t value) { wave->exec() = value; }
};
template <>
struct ScalarIo<isa::exec32> {
  static constexpr bool kImplicit = true;
  static uint32_t read(Wave* wave, uint32_t) { return wave->s[scalar_index::kExec]; }
  static void write(Wave* wave, uint32_t, uint32_t value) { wave->s[scalar_index::kExec] = value; }
};
template <>
struct ScalarIo<isa::vcc> {
  static constexpr bool kImplicit = true;
  static uint64_t read(Wave* wave, uint32_t) { return wave->scalar64(scalar_index::kVcc); }
  static void write(Wave* wave, uint32_t, uint64_t value) { wave->scalar64(scalar_index::kVcc) = value; }
};
/// The destination's former value.
template <class T>
struct ScalarIo<isa::old<T>> {
  static constexpr bool kImplicit = true;
};

template <class Body, class Signature>
struct ScalarOperation;

/// Printed sources take a, b, c, f; the first printed result d.
template <class Body, class R, class... A>
struct ScalarOperation<Body, R(A...)> {
  static constexpr auto slots() {
    std::array<int, sizeof...(A) + 1> slot{};
    int next = 0, i = 0;
    ((slot[static_cast<size_t>(i++)] = ScalarIo<A>::kImplicit ? -1 : next++), ...);
    return slot;
  }
  template <class T, size_t I>
  static auto source(const Uop* uop, Wave* wave) {
    constexpr int kSlot = slots()[I];
    if constexpr (requires { typename T::of; }) {
      return ScalarIo<typename T::of>::read(wave, uop->d);
    } else {
      return ScalarIo<T>::read(wave, kSlot == 0   ? uop->a
                                     : kSlot == 1 ? uop->b
                                     : kSlot == 2 ? uop->c
                                                  : uop->f);
    }
  }
  template <class First, class Second, class V>
  static void write(isa::out<First, Second>, const Uop* uop, Wave* wave, const V& value) {
    ScalarIo<First>::write(wave, uop->d, value.first);
    ScalarIo<Second>::write(wave, uop->e, value.second);
  }
  template <class First, class Second, class Third, class V>
  static void write(isa::out<First, Second, Third>, const Uop* uop, Wave* wave, const V& value) {
    ScalarIo<First>::write(wave, uop->d, value.first);
    ScalarIo<Second>::write(wave, uop->e, value.second);
    ScalarIo<Third>::write(wave, uop->f, value.third);
  }
  template <size_t... I>
  [[gnu::always_inline]] static void apply(const Uop* uop, Wave* wave, std::index_sequence<I...>) {
    if constexpr (requires { typename R::value; } || std::is_same_v<R, isa::scc> ||
                  std::is_same_v<R, isa::exec> || std::is_same_v<R, isa::vcc>)
      ScalarIo<R>::write(wave, uop->d, Body{}(source<A, I>(uop, wave)...));
    else
      write(R{}, uop, wave, Body{}(source<A, I>(uop, wave)...));
  }
  static void run(const Uop* uop, Wave* wave) {
    apply(uop, wave, std::index_sequence_for<A...>{});
    [[clang::musttail]] return uop[1].handler(uop + 1, wave);
  }
};

}  // namespace wavesmith::emulate
