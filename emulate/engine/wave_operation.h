// Runs the bodies of wave rows (isa/wave.h). Printed results take a micro-operation's d and (in place) a;
// printed sources a, b, c; an immediate, or the modifiers of a scalar float, e.
#pragma once

#include <array>
#include <utility>

#include "emulate/engine/collect.h"
#include "emulate/engine/io.h"
#include "emulate/engine/packed_flags.h"
#include "isa/small_float_pack.h"
#include "isa/wave.h"

namespace wavesmith::emulate {

template <class T>
struct WaveSlot {
  static constexpr bool kPrinted = true;
};
template <>
struct WaveSlot<isa::exec> {
  static constexpr bool kPrinted = false;
};
template <>
struct WaveSlot<isa::m0> {
  static constexpr bool kPrinted = false;
};
template <>
struct WaveSlot<isa::immediate> {
  static constexpr bool kPrinted = false;
};

template <class Body, class Signature>
struct WaveOperation;

template <class Body, class R, class... A>
struct WaveOperation<Body, R(A...)> {
  static constexpr auto slots() {
    std::array<int, sizeof...(A) + 1> slot{};
    int next = 0, i = 0;
    ((slot[static_cast<size_t>(i++)] = WaveSlot<A>::kPrinted ? next++ : -1), ...);
    return slot;
  }
  static isa::Lanes lanes(Wave* wave, uint32_t offset) {
    return {reinterpret_cast<uint32_t*>(base(wave) + offset), static_cast<int>(wave->lanes)};
  }
  template <class T, size_t I>
  static auto source(const Uop* uop, Wave* wave) {
    [[maybe_unused]] const uint32_t offset = slots()[I] == 0 ? uop->a : slots()[I] == 1 ? uop->b : uop->c;
    if constexpr (std::is_same_v<T, isa::row>)
      return lanes(wave, offset);
    else if constexpr (std::is_same_v<T, isa::exec>)
      return wave->exec();
    else if constexpr (std::is_same_v<T, isa::m0>)
      return wave->s[scalar_index::kM0];
    else if constexpr (std::is_same_v<T, isa::immediate>)
      return uop->e;
    else if constexpr (std::is_same_v<T, isa::f32>)
      return scalar_float(at<float>(wave, offset), uop->e);
    else if constexpr (std::is_same_v<T, isa::f16>)
      return scalar_float(
          isa::decode_pack<kF16>(Pack<uint32_t>(flushed(at<uint32_t>(wave, offset), 6, wave)))[0], uop->e);
    else
      return at<uint32_t>(wave, offset);
  }
  /// An f16 whose denormals become zeros unless MODE's bit keeps them.
  static uint32_t flushed(uint32_t code, int bit, const Wave* wave) {
    const bool keeps = (wave->s[scalar_index::kMode] >> bit & 1) != 0;
    return keeps || (code & 0x7c00) != 0 ? code : code & 0x8000u;
  }
  static float scalar_float(float value, uint32_t modifiers) {
    if ((modifiers & kScalarAbsolute) != 0) value = __builtin_fabsf(value);
    return (modifiers & kScalarNegate) != 0 ? -value : value;
  }
  template <class Tag>
  static float finished(float value, uint32_t modifiers, const Wave* wave) {
    if (output_modifier_counts<Tag>(wave)) {
      if ((modifiers & kScalarTwice) != 0) value *= 2;
      if ((modifiers & kScalarFourfold) != 0) value *= 4;
      if ((modifiers & kScalarHalf) != 0) value *= 0.5f;
    }
    if ((modifiers & kScalarClamp) != 0) value = value > 0 ? value < 1 ? value : 1.0f : 0.0f;
    return value;
  }
  template <size_t... I>
  static void call(isa::f32, const Uop* uop, Wave* wave, std::index_sequence<I...>) {
    at<float>(wave, uop->d) = finished<isa::f32>(Body{}(source<A, I>(uop, wave)...), uop->e, wave);
  }
  template <size_t... I>
  static void call(isa::f16, const Uop* uop, Wave* wave, std::index_sequence<I...>) {
    const Pack<float> value(finished<isa::f16>(Body{}(source<A, I>(uop, wave)...), uop->e, wave));
    at<uint32_t>(wave, uop->d) = flushed(isa::encode_f16_pack(value)[0], 7, wave);
  }
  template <size_t... I>
  static void call(isa::row, const Uop* uop, Wave* wave, std::index_sequence<I...>) {
    Body{}(lanes(wave, uop->d), source<A, I>(uop, wave)...);
  }
  template <size_t... I>
  static void call(isa::out<isa::row_in_place, isa::row_in_place>, const Uop* uop, Wave* wave,
                   std::index_sequence<I...>) {
    Body{}(lanes(wave, uop->d), lanes(wave, uop->a), source<A, I>(uop, wave)...);
  }
  template <size_t... I>
  static void call(isa::u32, const Uop* uop, Wave* wave, std::index_sequence<I...>) {
    at<uint32_t>(wave, uop->d) = Body{}(source<A, I>(uop, wave)...);
  }
  static void run(const Uop* uop, Wave* wave) {
    call(R{}, uop, wave, std::index_sequence_for<A...>{});
    [[clang::musttail]] return uop[1].handler(uop + 1, wave);
  }
};

template <class Signature, class Body>
void Collector::operator()(isa::WaveSignature<Signature>, std::string_view names, Body, isa::Facts facts) {
  Implementation implementation{isa::make_row<Signature>(isa::Shape::Wave, names, facts)};
  implementation.handlers[0][0] = implementation.handlers[1][0] = WaveOperation<Body, Signature>::run;
  table.push_back(implementation);
}

}  // namespace wavesmith::emulate
