// The loop over a wave's lanes: turns a row's body into handlers.
#pragma once

#include <array>
#include <tuple>
#include <type_traits>
#include <utility>

#include "emulate/engine/io.h"
#include "isa/row.h"

namespace wavesmith::emulate {

template <class T>
struct IsMask : std::false_type {};
template <>
struct IsMask<isa::bit> : std::true_type {};
template <>
struct IsMask<isa::vcc> : std::true_type {};
template <>
struct IsMask<isa::exec> : std::true_type {};
template <class T>
struct IsOld : std::false_type {};
template <class T>
struct IsOld<isa::old<T>> : std::true_type {};
template <class T>
struct IsTwo : std::false_type {};
template <class T>
struct IsTwo<isa::two<T>> : std::true_type {};

/// A row's results as a list, whether it has one or several.
template <class R>
struct ResultList {
  using type = isa::out<R>;
};
template <class... R>
struct ResultList<isa::out<R...>> {
  using type = isa::out<R...>;
};

/// Whether a row's body is for halves.
template <class Signature>
struct HasHalves;
template <class R, class... A>
struct HasHalves<R(A...)> {
  static constexpr bool value = (IsTwo<A>::value || ...);
};

/// v_cmpx_* share the handlers of v_cmp_*: the translator says where the lanes' mask goes.
template <class Signature>
struct HandlerSignature {
  using type = Signature;
};
template <class... A>
struct HandlerSignature<isa::exec(A...)> {
  using type = isa::bit(A...);
};
template <class... A>
struct HandlerSignature<isa::out<isa::bit, isa::exec>(A...)> {
  using type = isa::bit(A...);
};

/// Whether a row reads and writes nothing but f32: its signs can be changed on the way.
template <class Signature>
struct OnlySingles : std::false_type {};
template <class... A>
struct OnlySingles<isa::f32(A...)>
    : std::bool_constant<((std::is_same_v<A, isa::f32> || std::is_same_v<A, isa::old<isa::f32>>) && ...)> {};

/// kWaveLanes is 64 or 32; 0 stands for either, in a loop that is not unrolled.
template <int kWaveLanes, bool kScalarFirst, class Body, class Signature, bool kSigns = false>
struct LaneOperation;

/// Sources take the micro-operation's a, b, c, f in order (a former destination takes d); results d, e.
template <int kWaveLanes, bool kScalarFirst, class Body, class R, class... A, bool kSigns>
struct LaneOperation<kWaveLanes, kScalarFirst, Body, R(A...), kSigns> {
  static constexpr int kPacks = kWaveLanes / kPackLanes;

  /// Which of a, b, c, f each source takes.
  static constexpr auto slots() {
    std::array<int, sizeof...(A) + 1> slot{};
    int next = 0, i = 0;
    ((slot[static_cast<size_t>(i++)] = IsOld<A>::value || std::is_same_v<A, isa::lane_number> ? -1 : next++),
     ...);
    return slot;
  }
  [[gnu::always_inline]] static uint32_t offset(const Uop* uop, int slot) {
    return slot < 0 ? uop->d : slot == 0 ? uop->a : slot == 1 ? uop->b : slot == 2 ? uop->c : uop->f;
  }

  struct Sources {
    std::byte* rows[sizeof...(A) + 1];
    uint64_t masks[sizeof...(A) + 1];
    uint32_t signs;
  };

  /// Source bits with the signs that the micro-operation asks for.
  template <int kSlot>
  [[gnu::always_inline]] static Pack<uint32_t> with_signs(Pack<uint32_t> word, uint32_t signs) {
    const uint32_t keep = ~((signs >> (8 + kSlot) & 1) << 31), flip = (signs >> kSlot & 1) << 31;
    return (word & Pack<uint32_t>(keep)) ^ Pack<uint32_t>(flip);
  }

  template <class T, size_t I>
  [[gnu::always_inline]] static auto source(const Sources& sources, int pack) {
    if constexpr (IsMask<T>::value) {
      return mask_of(sources.masks[I], pack);
    } else if constexpr (IsOld<T>::value) {
      return source<typename T::of, I>(sources, pack);
    } else if constexpr (std::is_same_v<T, isa::lane_number>) {
      constexpr Pack<uint32_t> kNumbers = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
      return kNumbers + static_cast<uint32_t>(kPackLanes * pack);
    } else if constexpr (kSigns && slots()[I] >= 0) {
      return Io<T>::unpack(with_signs<slots()[I]>(dwords(sources.rows[I], pack), sources.signs));
    } else if constexpr (kScalarFirst && slots()[I] == 0) {
      return Io<T>::broadcast(sources.rows[I]);
    } else {
      return Io<T>::load(sources.rows[I], pack);
    }
  }

  template <class T, bool kFull, class V>
  [[gnu::always_inline]] static void result(std::byte* row, uint64_t& bits, int pack, V value, Mask mask) {
    if constexpr (IsMask<T>::value)
      bits |= bits_of(value, pack);
    else
      Io<T>::template store_value<kFull>(row, pack, value, mask);
  }

  template <bool kFull, class... T, size_t... I>
  [[gnu::always_inline]] static void pack_of(isa::out<T...>, std::index_sequence<I...>,
                                             const Sources& sources, std::byte* d, std::byte* e,
                                             uint64_t (&bits)[2], int pack, uint64_t exec) {
    const Mask mask = mask_of(exec, pack);
    auto value = Body{}(source<A, I>(sources, pack)...);
    if constexpr (sizeof...(T) == 1) {
      (result<T, kFull>(d, bits[0], pack, value, mask), ...);
    } else {
      using First = std::tuple_element_t<0, std::tuple<T...>>;
      using Second = std::tuple_element_t<1, std::tuple<T...>>;
      result<First, kFull>(d, bits[0], pack, value.first, mask);
      result<Second, kFull>(e, bits[1], pack, value.second, mask);
    }
  }

  template <class T>
  [[gnu::always_inline]] static void write_bits(Wave* wave, uint32_t offset, uint64_t bits, uint64_t exec) {
    if constexpr (IsMask<T>::value) {
      if (kWaveLanes == 64 || (kWaveLanes == 0 && wave->lanes == 64))
        at<uint64_t>(wave, offset) = bits & exec;
      else
        at<uint32_t>(wave, offset) = static_cast<uint32_t>(bits & exec);
    }
  }

  template <bool kFull, class Results, size_t... I>
  [[gnu::always_inline]] static void all(const Uop* uop, Wave* wave, uint64_t exec,
                                         std::index_sequence<I...> indices) {
    Sources sources;
    ((sources.rows[I] = base(wave) + offset(uop, slots()[I])), ...);
    ((sources.masks[I] = IsMask<A>::value ? at<uint64_t>(wave, offset(uop, slots()[I])) : 0), ...);
    sources.signs = kSigns ? uop->e : 0;
    std::byte* const d = base(wave) + uop->d;
    std::byte* const e = base(wave) + uop->e;
    uint64_t bits[2] = {};
    if constexpr (kWaveLanes == 0) {
      const int packs = static_cast<int>(wave->lanes / kPackLanes);
#pragma clang loop unroll(disable)
      for (int pack = 0; pack < packs; ++pack)
        pack_of<kFull>(Results{}, indices, sources, d, e, bits, pack, exec);
    } else {
#pragma clang loop unroll(full)
      for (int pack = 0; pack < kPacks; ++pack)
        pack_of<kFull>(Results{}, indices, sources, d, e, bits, pack, exec);
    }
    finish(Results{}, uop, wave, bits, exec);
  }
  template <class First, class... Rest>
  [[gnu::always_inline]] static void finish(isa::out<First, Rest...>, const Uop* uop, Wave* wave,
                                            const uint64_t (&bits)[2], uint64_t exec) {
    write_bits<First>(wave, uop->d, bits[0], exec);
    (write_bits<Rest>(wave, uop->e, bits[1], exec), ...);
  }

  static void run(const Uop* uop, Wave* wave) {
    using Results = typename ResultList<R>::type;
    constexpr auto kIndices = std::index_sequence_for<A...>{};
    const uint64_t exec = wave->exec();
    if constexpr (IsMask<R>::value) {
      all<true, Results>(uop, wave, exec, kIndices);
    } else if constexpr (kMaskedStores || kWaveLanes == 0) {
      all<false, Results>(uop, wave, exec, kIndices);
    } else {
      constexpr uint64_t kEvery = kWaveLanes == 64 ? ~uint64_t{0} : 0xffffffffu;
      if (exec == kEvery) [[likely]]
        all<true, Results>(uop, wave, exec, kIndices);
      else
        all<false, Results>(uop, wave, exec, kIndices);
    }
    [[clang::musttail]] return uop[1].handler(uop + 1, wave);
  }
};

/// Packed 16-bit operations: the body is applied to the low halves and to the high halves.
template <class T>
struct Io<isa::two<T>> {
  struct Halves {
    Pack<typename T::value> low, high;
  };
  [[gnu::always_inline]] static Halves split(Pack<uint32_t> word) {
    return {Io<T>::unpack(word), Io<T>::unpack(word >> 16)};
  }
  [[gnu::always_inline]] static Halves load(std::byte* row, int pack) { return split(dwords(row, pack)); }
  [[gnu::always_inline]] static Halves broadcast(const std::byte* scalar) {
    uint32_t value;
    std::memcpy(&value, scalar, 4);
    return split(Pack<uint32_t>(value));
  }
  template <bool kFull, class V>
  [[gnu::always_inline]] static void store_value(std::byte* row, int pack_index, V value, Mask mask) {
    store<kFull>(row, pack_index, Io<T>::pack(value.low) | Io<T>::pack(value.high) << 16, mask);
  }
};

/// Applies a body to halves: what packed rows pass as their body.
template <class Body>
struct BothHalves {
  template <class... H>
  [[gnu::always_inline]] auto operator()(H... halves) const {
    auto low = Body{}(halves.low...);
    auto high = Body{}(halves.high...);
    return ResultHalves<decltype(low)>{low, high};
  }
  template <class V>
  struct ResultHalves {
    V low, high;
  };
};

}  // namespace wavesmith::emulate
