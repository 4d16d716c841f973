// Products of a warpgroup: four warps multiply tiles that lie in shared memory, 64 rows of A by all of B,
// with the sums in registers. A warp's sums are those of tile::Sums, of two atoms of rows, so that what a
// kernel does with sums is the same as where each warp multiplies for itself.
#pragma once

#include "tile/arch/ptx_warpgroup.h"
#include "tile/registers.h"
#include "tile/rounding.h"

namespace tile {

inline constexpr int kWarpgroupThreads = 128, kWarpgroupRows = 64;

/// The sums that a warp has of `kColumns` columns.
template <class Atom, int kColumns>
using WarpgroupSums = Sums<Atom, 2, kColumns / AtomLayout<Atom>::kRows>;

/// Tiles in shared memory whose rows are 128 bytes, the pieces of a row in an order that depends on the row
/// (SWIZZLE_128B of the copy engine's). They begin at a multiple of 1,024 bytes.
struct Rows128 {
  static constexpr int kRowBytes = 128, kAlignment = 1024;  ///< of eight rows, after which the order repeats

  TILE_DEVICE static int offset(int row, int piece) {
    return row * kRowBytes + (piece ^ row % 8) * kPieceBytes;
  }

  /// As a product takes them, from an address within the first row on: rows along K ...
  TILE_DEVICE static u64 along_k(u32 address) { return describe(address, kPieceBytes); }
  /// ... or columns along K, of which the next 64 elements of each row are `apart` bytes further.
  TILE_DEVICE static u64 across_k(u32 address, u32 apart) { return describe(address, apart); }

 private:
  // PTX ISA, "Matrix-descriptor" of wgmma: sizes in pieces, and at bit 62 the order of pieces.
  TILE_DEVICE static u64 describe(u32 address, u32 leading) {
    return (address & 0x3ffff) / kPieceBytes | static_cast<u64>(leading / kPieceBytes) << 16 |
           static_cast<u64>(kAlignment / kPieceBytes) << 32 | 1UL << 62;
  }
};
/// The step in a tile's description that takes a product so many bytes further.
constexpr u64 further(int bytes) { return static_cast<u64>(bytes / kPieceBytes); }

namespace detail {

/// One instruction: 32 bytes along K. `more`: is added to the sums.
template <class Atom, int kColumns>
TILE_DEVICE void multiply_rows(WarpgroupSums<Atom, kColumns>& sums, u64 a, u64 b, int more) {
  constexpr auto kA = Atom::kA;
  constexpr bool kBf16 = kA == arch::MatrixElement::Bf16, kF16 = kA == arch::MatrixElement::F16;
  static_assert(kBf16 || kF16 || (kA == arch::MatrixElement::Fp8 && Atom::kB == kA));
#define TILE_MULTIPLY(columns)                          \
  if constexpr (kColumns == columns) {                  \
    if constexpr (kBf16)                                \
      ptx::multiply_##columns##_bf16(sums, a, b, more); \
    else if constexpr (kF16)                            \
      ptx::multiply_##columns##_f16(sums, a, b, more);  \
    else                                                \
      ptx::multiply_##columns##_e4m3(sums, a, b, more); \
  }
  TILE_MULTIPLY(128)
  TILE_MULTIPLY(256)
#undef TILE_MULTIPLY
}

template <class Atom, int kColumns>
TILE_DEVICE void multiply_held(WarpgroupSums<Atom, kColumns>& sums, const u32 (&a)[4], u64 b) {
  constexpr bool kBf16 = Atom::kA == arch::MatrixElement::Bf16;
  static_assert(kBf16 || Atom::kA == arch::MatrixElement::F16);
  static_assert(kColumns == 64 || kColumns == 128);
  if constexpr (kColumns == 64 && kBf16)
    ptx::multiply_held_64_bf16(sums, a, b);
  else if constexpr (kColumns == 64)
    ptx::multiply_held_64_f16(sums, a, b);
  else if constexpr (kBf16)
    ptx::multiply_held_128_bf16(sums, a, b);
  else
    ptx::multiply_held_128_f16(sums, a, b);
}

}  // namespace detail

/// Values that are computed by here: the compiler moves nothing of them past products that are under way.
template <class Atom, int kRows, int kColumns>
TILE_DEVICE void keep_sums(Sums<Atom, kRows, kColumns>& sums) {
  TILE_UNROLL for (int i = 0; i < kRows; ++i) {
    TILE_UNROLL for (int j = 0; j < kColumns; ++j) {
      TILE_UNROLL for (int e = 0; e < AtomLayout<Atom>::kSums; ++e) ptx::keep(sums.at[i][j][e]);
    }
  }
}

/// Sets off sums (+)= A * B transposed, of rows of `kBytes` of K, 128 of which are a tile; the next 128 of A
/// and B are so much further.
template <class Atom, int kColumns, int kBytes, int kNextA = 0, int kNextB = 0>
TILE_DEVICE void set_off(WarpgroupSums<Atom, kColumns>& sums, u64 a, u64 b, bool add) {
  constexpr int kStep = 32, kSteps = kBytes / kStep, kInRow = Rows128::kRowBytes / kStep;
  TILE_UNROLL for (int i = 0; i < kSteps; ++i) {
    const int row = i / kInRow, in_row = i % kInRow * kStep;
    detail::multiply_rows<Atom, kColumns>(sums, a + further(row * kNextA + in_row),
                                          b + further(row * kNextB + in_row), i > 0 || add);
  }
}

/// Sums rounded to elements, which the next product takes as its A.
template <class Atom, int kDepth>
struct WarpgroupOperand {
  static constexpr int kSteps = kDepth / 16;
  u32 at[kSteps][4];

  TILE_DEVICE explicit WarpgroupOperand(const WarpgroupSums<Atom, kDepth>& sums) {
    using Element = typename Atom::Element;
    TILE_UNROLL for (int step = 0; step < kSteps; ++step) {
      Vector<float, 8> values;
      TILE_UNROLL for (int i = 0; i < 8; ++i) values[i] = sums.at[i / 2 % 2][2 * step + i / 4][i % 2];
      const Piece piece = rounded<Element>(values);
      TILE_UNROLL for (int i = 0; i < 4; ++i) at[step][i] = piece[i];
    }
  }
};

/// Sets off sums += A * B, with A in registers and `kDepth` rows of B, whose columns 64 to 127 are `apart`
/// bytes behind the first.
template <class Atom, int kColumns, int kDepth>
TILE_DEVICE void set_off(WarpgroupSums<Atom, kColumns>& sums, const WarpgroupOperand<Atom, kDepth>& a,
                         u64 b) {
  TILE_UNROLL for (int step = 0; step < kDepth / 16; ++step) {
    detail::multiply_held<Atom, kColumns>(sums, a.at[step], b + further(step * 16 * Rows128::kRowBytes));
  }
}

}  // namespace tile
