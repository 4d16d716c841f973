// Elements between registers and memory: one lane, or a pack of lanes side by side.
#pragma once

#include "emulate/engine/access.h"
#include "emulate/engine/shuffle.h"
#include "isa/memory/element.h"

namespace wavesmith::emulate {

#if defined(__aarch64__)
/// Lanes of 64 bits are taken apart behind a load and put together before a store, of which the compiler
/// makes ld2 and st2; these move dword by dword, and another thread sees half a word. `volatile` keeps pieces
/// of 16 bytes.
typedef uint32_t DwordsInMemory __attribute__((vector_size(64), aligned(1), may_alias));

[[gnu::always_inline]] inline Dwords load_dwords(const std::byte* from) {
  return *reinterpret_cast<const volatile DwordsInMemory*>(from);
}
[[gnu::always_inline]] inline void store_dwords(std::byte* to, Dwords value) {
  *reinterpret_cast<volatile DwordsInMemory*>(to) = value;
}
#else
[[gnu::always_inline]] inline Dwords load_dwords(const std::byte* from) {
  Dwords value;
  std::memcpy(&value, from, sizeof value);
  return value;
}
[[gnu::always_inline]] inline void store_dwords(std::byte* to, Dwords value) {
  std::memcpy(to, &value, sizeof value);
}
#endif

/// A line of 64 bytes; past the caches when it is part of a stream and aligned.
template <bool kStream>
[[gnu::always_inline]] inline void store_line(std::byte* to, Dwords value) {
  if constexpr (kStream)
    __builtin_nontemporal_store(value, reinterpret_cast<Dwords*>(to));
  else
    store_dwords(to, value);
}

/// Sixteen lanes of kDwords dwords each, from memory order to a register each.
template <int kDwords>
[[gnu::always_inline]] inline void from_memory(const std::byte* from, Dwords (&rows)[kDwords]) {
  if constexpr (kDwords == 1) {
    rows[0] = load_dwords(from);
  } else if constexpr (kDwords == 2) {
    const Dwords a = load_dwords(from), b = load_dwords(from + 64);
    unzip(a, b, rows[0], rows[1]);
  } else if constexpr (kDwords == 3) {
    const Dwords a = load_dwords(from), b = load_dwords(from + 64), c = load_dwords(from + 128);
    // clang-format off
    const Dwords p = __builtin_shufflevector(a, b, 0, 3, 6, 9, 12, 15, 18, 21, 24, 27, 30, -1, -1, -1, -1, -1);
    const Dwords q = __builtin_shufflevector(a, b, 1, 4, 7, 10, 13, 16, 19, 22, 25, 28, 31, -1, -1, -1, -1, -1);
    const Dwords r = __builtin_shufflevector(a, b, 2, 5, 8, 11, 14, 17, 20, 23, 26, 29, -1, -1, -1, -1, -1, -1);
    rows[0] = __builtin_shufflevector(p, c, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 17, 20, 23, 26, 29);
    rows[1] = __builtin_shufflevector(q, c, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 18, 21, 24, 27, 30);
    rows[2] = __builtin_shufflevector(r, c, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 16, 19, 22, 25, 28, 31);
    // clang-format on
  } else if constexpr (kHalves) {
    Half parts[kDwords][2];
    for (int half = 0; half < 2; ++half) {
      const std::byte* const at = from + half * 128;
      const Dwords first = load_dwords(at), second = load_dwords(at + 64);
      const Half a = low_half(first), b = high_half(first), c = low_half(second), d = high_half(second);
      const Half p = low_quarters(a, c), q = high_quarters(a, c), r = low_quarters(b, d),
                 s = high_quarters(b, d);
      const Half pq = unpack_low(p, q), pq_high = unpack_high(p, q), rs = unpack_low(r, s),
                 rs_high = unpack_high(r, s);
      parts[0][half] = unpack_low_pairs(pq, rs);
      parts[1][half] = unpack_high_pairs(pq, rs);
      parts[2][half] = unpack_low_pairs(pq_high, rs_high);
      parts[3][half] = unpack_high_pairs(pq_high, rs_high);
    }
    for (int i = 0; i < kDwords; ++i) rows[i] = whole(parts[i][0], parts[i][1]);
  } else {
    const Dwords a = load_dwords(from), b = load_dwords(from + 64), c = load_dwords(from + 128),
                 d = load_dwords(from + 192);
    Dwords ab_even, ab_odd, cd_even, cd_odd;
    unzip(a, b, ab_even, ab_odd);
    unzip(c, d, cd_even, cd_odd);
    unzip(ab_even, cd_even, rows[0], rows[2]);
    unzip(ab_odd, cd_odd, rows[1], rows[3]);
  }
}

/// The inverse.
template <int kDwords, bool kStream = false>
[[gnu::always_inline]] inline void to_memory(std::byte* to, const Dwords (&rows)[kDwords]) {
  if constexpr (kDwords == 1) {
    store_line<kStream>(to, rows[0]);
  } else if constexpr (kDwords == 2) {
    store_line<kStream>(to, zip_low(rows[0], rows[1]));
    store_line<kStream>(to + 64, zip_high(rows[0], rows[1]));
  } else if constexpr (kDwords == 3) {
    // clang-format off
    const Dwords p = __builtin_shufflevector(rows[0], rows[1], 0, 16, -1, 1, 17, -1, 2, 18, -1, 3, 19, -1, 4, 20, -1, 5);
    const Dwords q = __builtin_shufflevector(rows[0], rows[1], 21, -1, 6, 22, -1, 7, 23, -1, 8, 24, -1, 9, 25, -1, 10, 26);
    const Dwords r = __builtin_shufflevector(rows[0], rows[1], -1, 11, 27, -1, 12, 28, -1, 13, 29, -1, 14, 30, -1, 15, 31, -1);
    store_line<kStream>(to, __builtin_shufflevector(p, rows[2], 0, 1, 16, 3, 4, 17, 6, 7, 18, 9, 10, 19, 12, 13, 20, 15));
    store_line<kStream>(to + 64, __builtin_shufflevector(q, rows[2], 0, 21, 2, 3, 22, 5, 6, 23, 8, 9, 24, 11, 12, 25, 14, 15));
    store_line<kStream>(to + 128, __builtin_shufflevector(r, rows[2], 26, 1, 2, 27, 4, 5, 28, 7, 8, 29, 10, 11, 30, 13, 14, 31));
    // clang-format on
  } else if constexpr (kHalves) {
    for (int half = 0; half < 2; ++half) {
      const auto row = [&](int i) { return half ? high_half(rows[i]) : low_half(rows[i]); };
      const Half p = unpack_low(row(0), row(1)), q = unpack_high(row(0), row(1)),
                 r = unpack_low(row(2), row(3)), s = unpack_high(row(2), row(3));
      const Half a = unpack_low_pairs(p, r), b = unpack_high_pairs(p, r), c = unpack_low_pairs(q, s),
                 d = unpack_high_pairs(q, s);
      store_line<kStream>(to + half * 128, whole(low_quarters(a, b), low_quarters(c, d)));
      store_line<kStream>(to + half * 128 + 64, whole(high_quarters(a, b), high_quarters(c, d)));
    }
  } else {
    const Dwords a = zip_low(rows[0], rows[2]), b = zip_high(rows[0], rows[2]);
    const Dwords c = zip_low(rows[1], rows[3]), d = zip_high(rows[1], rows[3]);
    store_line<kStream>(to, zip_low(a, c));
    store_line<kStream>(to + 64, zip_high(a, c));
    store_line<kStream>(to + 128, zip_low(b, d));
    store_line<kStream>(to + 192, zip_high(b, d));
  }
}

/// The integer of a lane's element of less than a dword.
template <class E>
using Narrow = std::conditional_t<E::kBytes == 1, std::conditional_t<E::kSigned, int8_t, uint8_t>,
                                  std::conditional_t<E::kSigned, int16_t, uint16_t>>;

/// A loaded element of less than a dword in its register: extended, or in a half of it. The other half is
/// that of `old`, or 0.
template <class E, class Word>
[[gnu::always_inline]] inline Word placed(Word extended, Word old) {
  if constexpr (E::kPart == isa::Part::Low)
    return E::kClears ? extended & 0xffffu : (old & 0xffff0000u) | (extended & 0xffffu);
  else if constexpr (E::kPart == isa::Part::High)
    return E::kClears ? extended << 16 : (old & 0xffffu) | extended << 16;
  else
    return extended;
}

/// Two and four dwords that are moved at once, wherever they lie: what a lane reads or writes is whole where
/// it is aligned, as on the GPU, whose compilers make 64-bit atomic loads and stores of these instructions
/// (LLVM AMDGPU memory model). `volatile` keeps the compiler from moving them in parts.
using TwoDwords [[gnu::aligned(1), gnu::may_alias]] = uint64_t;
typedef uint32_t FourDwords __attribute__((vector_size(16), aligned(1), may_alias));

/// One lane's dwords from memory.
template <int kDwords>
[[gnu::always_inline]] inline void read_dwords(const std::byte* from, uint32_t (&dwords)[kDwords]) {
  if constexpr (kDwords == 4) {
    const FourDwords value = *reinterpret_cast<const volatile FourDwords*>(from);
    for (int i = 0; i < 4; ++i) dwords[i] = value[i];
  } else if constexpr (kDwords >= 2) {
    const uint64_t value = *reinterpret_cast<const volatile TwoDwords*>(from);
    dwords[0] = static_cast<uint32_t>(value);
    dwords[1] = static_cast<uint32_t>(value >> 32);
    if constexpr (kDwords == 3) std::memcpy(&dwords[2], from + 8, 4);
  } else {
    std::memcpy(dwords, from, 4);
  }
}

template <int kDwords>
[[gnu::always_inline]] inline void write_dwords(std::byte* to, const uint32_t (&dwords)[kDwords]) {
  if constexpr (kDwords == 4) {
    *reinterpret_cast<volatile FourDwords*>(to) = FourDwords{dwords[0], dwords[1], dwords[2], dwords[3]};
  } else if constexpr (kDwords >= 2) {
    *reinterpret_cast<volatile TwoDwords*>(to) = dwords[0] | static_cast<uint64_t>(dwords[1]) << 32;
    if constexpr (kDwords == 3) std::memcpy(to + 8, &dwords[2], 4);
  } else {
    std::memcpy(to, dwords, 4);
  }
}

/// One lane's element from memory to its registers.
template <class E>
[[gnu::always_inline]] inline void load_lane(const std::byte* from, uint32_t* rows, int lane) {
  if constexpr (E::kBytes < 4) {
    Narrow<E> value;
    std::memcpy(&value, from, sizeof value);
    rows[lane] = placed<E>(static_cast<uint32_t>(static_cast<int32_t>(value)), rows[lane]);
  } else {
    uint32_t value[E::kDwords];
    read_dwords(from, value);
    for (int dword = 0; dword < E::kDwords; ++dword) rows[dword * kRowLanes + lane] = value[dword];
  }
}

template <class E>
[[gnu::always_inline]] inline void store_lane(std::byte* to, const uint32_t* rows, int lane) {
  if constexpr (E::kBytes < 4) {
    const auto value = static_cast<Narrow<E>>(E::kPart == isa::Part::High ? rows[lane] >> 16 : rows[lane]);
    std::memcpy(to, &value, sizeof value);
  } else {
    uint32_t value[E::kDwords];
    for (int dword = 0; dword < E::kDwords; ++dword) value[dword] = rows[dword * kRowLanes + lane];
    write_dwords(to, value);
  }
}

}  // namespace wavesmith::emulate
