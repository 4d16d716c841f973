// Signatures of instructions that work across the lanes of a wave. A body sees whole registers as Lanes and
// scalars as they are; it gets its results in registers as Lanes to write to, in front of its sources, and
// returns a scalar result:
//
//   v(wave<u32(row, exec)>, "v_readfirstlane_b32", [](Lanes source, uint64_t exec) { ... });
//   v(wave<row(u32, u32)>, "v_writelane_b32", [](Lanes d, uint32_t value, uint32_t lane) { ... });
#pragma once

#include <cstdint>

#include "isa/packed.h"
#include "isa/row.h"

namespace wavesmith::isa {

/// A register of all lanes. The next registers follow it, 64 lanes further each.
struct Lanes {
  static constexpr int kStride = 64;
  uint32_t* first;
  int count;  ///< lanes of the wave: 32 or 64

  uint32_t& operator[](int lane) const { return first[lane]; }
  /// The register that is `registers` further on.
  [[nodiscard]] Lanes further(uint32_t registers) const {
    return {first + kStride * static_cast<size_t>(registers), count};
  }
};

/// A whole register; as a result it keeps what the body does not write.
struct row {};
/// A register that is read and written; stands among the results.
struct row_in_place {};
/// M0, implicit.
struct m0 {};

template <class Signature>
struct WaveSignature {};
template <class Signature>
inline constexpr WaveSignature<Signature> wave{};

namespace detail {

template <>
struct RoleOf<row> : PrintedRole<Type::Row> {};
template <>
struct RoleOf<row_in_place> {
  static constexpr Role write{Role::Use::Write, Type::Row, true, true};
};
template <>
struct RoleOf<m0> {
  static constexpr Role read{Role::Use::Read, Type::M0, false, false};
};

}  // namespace detail

}  // namespace wavesmith::isa
