// How operands of each type are read from and written to a wave's registers, a pack of lanes at a time.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "emulate/engine/shuffle.h"
#include "emulate/run/wave.h"
#include "isa/pack.h"
#include "isa/small_float_pack.h"
#include "isa/types.h"

namespace wavesmith::emulate {

using isa::convert;
using isa::kPackLanes;
using isa::Mask;
using isa::Pack;

/// True where storing under a mask costs no more than storing: the host has masked stores.
#if defined(__AVX512F__)
inline constexpr bool kMaskedStores = true;
#else
inline constexpr bool kMaskedStores = false;
#endif

[[gnu::always_inline]] inline std::byte* base(Wave* wave) { return reinterpret_cast<std::byte*>(wave); }

template <class T>
[[gnu::always_inline]] inline T& at(Wave* wave, uint32_t offset) {
  return *reinterpret_cast<T*>(base(wave) + offset);
}

/// The pack-th sixteen lanes' mask of a lane mask.
[[gnu::always_inline]] inline Mask mask_of(uint64_t bits, int pack) {
  return __builtin_bit_cast(Mask, static_cast<uint16_t>(bits >> (kPackLanes * pack)));
}
[[gnu::always_inline]] inline uint64_t bits_of(Mask mask, int pack) {
  return static_cast<uint64_t>(__builtin_bit_cast(uint16_t, mask)) << (kPackLanes * pack);
}

[[gnu::always_inline]] inline Pack<uint32_t>& dwords(std::byte* row, int pack) {
  return *reinterpret_cast<Pack<uint32_t>*>(row + static_cast<size_t>(pack) * sizeof(Pack<uint32_t>));
}

/// Stores a pack of dwords; all lanes, or those of the mask.
template <bool kFull>
[[gnu::always_inline]] inline void store(std::byte* row, int pack, Pack<uint32_t> value, Mask mask) {
  Pack<uint32_t>& to = dwords(row, pack);
  if constexpr (kFull)
    to = value;
  else
    to = mask ? value : to;
}

struct TwoDwordPacks {
  Dwords first, second;
};
/// The lanes of a 64-bit value, from its two rows.
[[gnu::always_inline]] inline Pack<uint64_t> join(Pack<uint32_t> low, Pack<uint32_t> high) {
  if constexpr (kHalves)
    return __builtin_bit_cast(Pack<uint64_t>, TwoDwordPacks{zip_low(low, high), zip_high(low, high)});
  else
    return convert<uint64_t>(low) | convert<uint64_t>(high) << 32;
}
/// Its two rows.
[[gnu::always_inline]] inline void split(Pack<uint64_t> value, Pack<uint32_t>& low, Pack<uint32_t>& high) {
  if constexpr (kHalves) {
    const auto packs = __builtin_bit_cast(TwoDwordPacks, value);
    unzip(packs.first, packs.second, low, high);
  } else {
    low = convert<uint32_t>(value);
    high = convert<uint32_t>(value >> 32);
  }
}

/// Whether the output modifier (omod) of a float result counts: the hardware ignores it in IEEE mode and
/// where denormals are kept (ISA manuals, "Output modifiers").
template <class Tag>
[[gnu::always_inline]] inline bool output_modifier_counts(const Wave* wave) {
  constexpr uint32_t kKept = 1u << (Tag::type == isa::Type::F32 ? 5 : 7), kIeee = 1u << 9;
  return (wave->s[scalar_index::kMode] & (kKept | kIeee)) == 0;
}

/// Type tag to registers. load: from a row; broadcast: from a scalar or constant; store: to a row, under a
/// mask.
template <class Tag>
struct Io {
  using Value = typename Tag::value;
  static constexpr bool kWide = Tag::dwords == 2;

  [[gnu::always_inline]] static Pack<Value> unpack(Pack<uint32_t> word) {
    if constexpr (Tag::type == isa::Type::F16 && std::is_same_v<Value, float>)
      return isa::decode_pack<kF16>(word);
    else if constexpr (Tag::type == isa::Type::BF16)
      return __builtin_bit_cast(Pack<float>, word << 16);
    else if constexpr (sizeof(Value) == 2)
      return __builtin_bit_cast(Pack<Value>, convert<uint16_t>(word));
    else
      return __builtin_bit_cast(Pack<Value>, word);
  }
  [[gnu::always_inline]] static Pack<Value> load(std::byte* row, int pack) {
    if constexpr (kWide)
      return __builtin_bit_cast(Pack<Value>, join(dwords(row, pack), dwords(row + kRowBytes, pack)));
    else
      return unpack(dwords(row, pack));
  }
  [[gnu::always_inline]] static Pack<Value> broadcast(const std::byte* scalar) {
    if constexpr (kWide) {
      Value value;
      std::memcpy(&value, scalar, 8);
      return Pack<Value>(value);
    } else {
      uint32_t value;
      std::memcpy(&value, scalar, 4);
      return unpack(Pack<uint32_t>(value));
    }
  }
  /// A 16-bit result as the low half of a dword.
  template <class V>
  [[gnu::always_inline]] static Pack<uint32_t> pack(V value) {
    if constexpr (Tag::type == isa::Type::F16 && std::is_same_v<V, Pack<float>>)
      return isa::encode_f16_pack(value);
    else if constexpr (Tag::type == isa::Type::F16 && std::is_same_v<Value, float>)
      return convert<uint32_t>(__builtin_bit_cast(Pack<uint16_t>, convert<_Float16>(value)));
    else if constexpr (Tag::type == isa::Type::BF16) {
      const auto word = __builtin_bit_cast(Pack<uint32_t>, value);
      const auto rounded = (word + 0x7fffu + ((word >> 16) & 1u)) >> 16;
      const auto quiet = (word >> 16) | 0x40u;
      return isa::lanes(value != value) ? quiet : rounded;
    } else if constexpr (sizeof(Value) == 2)
      return convert<uint32_t>(__builtin_bit_cast(Pack<uint16_t>, value));
    else
      return __builtin_bit_cast(Pack<uint32_t>, value);
  }
  template <bool kFull, class V>
  [[gnu::always_inline]] static void store_value(std::byte* row, int pack_index, V value, Mask mask) {
    if constexpr (kWide) {
      Pack<uint32_t> low, high;
      split(__builtin_bit_cast(Pack<uint64_t>, value), low, high);
      store<kFull>(row, pack_index, low, mask);
      store<kFull>(row + kRowBytes, pack_index, high, mask);
    } else {
      store<kFull>(row, pack_index, pack(value), mask);
    }
  }
};

}  // namespace wavesmith::emulate
