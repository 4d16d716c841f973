// A tile of a matrix whose element type is known at run time only: what a kernel reads and writes once per
// element, such as a result, its addend and a bias, so that one kernel serves all types. Registers hold
// floats.
#pragma once

#include "tile/arch/device.h"
#include "tile/arch/numbers.h"

namespace tile {

/// As wavesmith_kernels_type numbers them; in products E4M3 and E5M2 are of the target's formats. Types of 8
/// bits and I32 are only stored, from what is rounded to them elsewhere. An element of E2M1x2 is a byte with
/// two numbers, the first in its lower bits.
enum class Type : int { F32, F16, BF16, I32, I8, E4M3, E5M2, E4M3Fnuz, E5M2Fnuz, E2M1x2 };

TILE_DEVICE constexpr int size_of(Type type) {
  return type == Type::F16 || type == Type::BF16 ? 2 : type >= Type::I8 ? 1 : 4;
}

/// Eight floats, which become one or two pieces.
using Eight = Vector<float, 8>;
/// The pieces of eight elements, of types of 2 bytes the first one.
struct Pieces {
  Piece low, high;
};

/// Rows of elements that follow each other; what lies outside reads as 0 and is not written.
struct TypedView {
  arch::Buffer buffer;
  int rows, columns;  ///< of the matrix from the tile's first on
  u32 stride;         ///< elements from row to row
  Type type;
  int aligned;  ///< eight elements of a column that is a multiple of 8 may be moved at once

  TILE_DEVICE TypedView(const void* matrix, Type type_, int all_rows, int all_columns, i64 stride_,
                        int first_row, int first_column)
      : rows(all_rows - first_row),
        columns(all_columns - first_column),
        stride(static_cast<u32>(stride_)),
        type(type_) {
    const i64 size = size_of(type);
    const i64 first = (first_row * stride_ + first_column) * size;
    const i64 bytes = ((all_rows - 1) * stride_ + all_columns) * size - first;
    const char* const base = static_cast<const char*>(matrix) + first;
    buffer = arch::buffer(base, static_cast<u32>(bytes > 0xfffffffe ? 0xfffffffe : bytes));
    aligned = columns % 8 == 0 && stride % 8 == 0 && reinterpret_cast<u64>(base) % kPieceBytes == 0;
  }

  TILE_DEVICE u32 offset(int row, int column) const {
    return row < rows && column < columns ? (row * stride + column) * size_of(type) : arch::kOutside;
  }

  TILE_DEVICE Eight load(int row, int column) const {
    Eight values[1];
    if (arch::late(aligned)) {
      load_aligned<0>(values, row, column);
    } else {
      TILE_UNROLL for (int i = 0; i < 8; ++i) {
        values[0][i] = load_one(row, column + i);
        arch::keep_order();
      }
    }
    return values[0];
  }

  /// The floats that eight elements of 2 bytes are, and such elements of floats.
  TILE_DEVICE Eight widen(Piece piece) const {
    Eight values;
    if (is(Type::F16)) {
      arch::keep_branch();
      TILE_UNROLL for (int i = 0; i < 8; ++i) values[i] =
          static_cast<float>(bits_as<Vector<f16, 8>>(piece)[i]);
    } else {
      TILE_UNROLL for (int i = 0; i < 8; ++i) values[i] =
          static_cast<float>(bits_as<Vector<bf16, 8>>(piece)[i]);
    }
    return values;
  }
  TILE_DEVICE Piece narrow(Eight values) const {
    if (is(Type::F16)) {
      arch::keep_branch();
      return arch::narrowed<f16>(values);
    }
    return arch::narrowed<bf16>(values);
  }

  /// Several eights of a row, `kApart` columns apart, where `aligned`: all loads are under way before the
  /// first is waited for.
  template <int kApart, int kCount>
  TILE_DEVICE void load_aligned(Eight (&values)[kCount], int row, int column) const {
    Pieces pieces[kCount];
    const auto place = [&](int i) { return offset(row, column + i * kApart); };
    if (is(Type::F32)) {
      load_two_pieces(pieces, place);
      TILE_UNROLL for (int i = 0; i < kCount; ++i) values[i] = bits_as<Eight>(pieces[i]);
    } else {
      load_one_piece(pieces, place);
      TILE_UNROLL for (int i = 0; i < kCount; ++i) values[i] = widen(pieces[i].low);
    }
  }

  /// Eights of rows that are `apart` rows apart, as they lie in memory (where not `aligned`, widened): what
  /// is loaded next does not wait for them. `arrived` makes floats of them.
  template <int kCount>
  TILE_DEVICE void load_pieces(Pieces (&pieces)[kCount], int row, int apart, int column) const {
    const auto place = [&](int i) { return offset(row + i * apart, column); };
    if (!arch::late(aligned)) {
      TILE_UNROLL for (int i = 0; i < kCount; ++i) pieces[i] = bits_as<Pieces>(load(row + i * apart, column));
    } else if (is(Type::F32)) {
      load_two_pieces(pieces, place);
    } else {
      load_one_piece(pieces, place);
    }
  }
  template <int kCount>
  TILE_DEVICE void arrived(Eight (&values)[kCount], const Pieces (&pieces)[kCount]) const {
    if (arch::late(aligned && type != Type::F32)) {
      TILE_UNROLL for (int i = 0; i < kCount; ++i) values[i] = widen(pieces[i].low);
    } else {
      TILE_UNROLL for (int i = 0; i < kCount; ++i) values[i] = bits_as<Eight>(pieces[i]);
    }
  }

  TILE_DEVICE float load_one(int row, int column) const {
    const u32 at = offset(row, column);
    if (is(Type::F32)) return arch::load<float>(buffer, at);
    if (is(Type::F16)) return static_cast<float>(arch::load<f16>(buffer, at));
    return static_cast<float>(arch::load<bf16>(buffer, at));
  }

  /// Eight elements of one byte.
  TILE_DEVICE Vector<u8, 8> load_bytes(int row, int column) const {
    if (arch::late(aligned)) return arch::load<Vector<u8, 8>>(buffer, offset(row, column));
    Vector<u8, 8> bytes;
    TILE_UNROLL for (int i = 0; i < 8; ++i) bytes[i] = arch::load<u8>(buffer, offset(row, column + i));
    return bytes;
  }

  /// The values that the type keeps of these.
  TILE_DEVICE Eight rounded(Eight values) const { return is(Type::F32) ? values : widen(narrow(values)); }

  TILE_DEVICE void store_aligned(int row, int column, Eight values) const {
    const u32 at = offset(row, column);
    if (is(Type::F32))
      store_aligned_pieces(at, values);
    else
      arch::store(buffer, at, narrow(values));
  }

  TILE_DEVICE void store(int row, int column, Eight values) const {
    if (arch::late(aligned)) {
      store_aligned(row, column, values);
    } else {
      TILE_UNROLL for (int i = 0; i < 8; ++i) {
        store_one(row, column + i, values[i]);
        arch::keep_order();
      }
    }
  }

  TILE_DEVICE void store_one(int row, int column, float value) const {
    const u32 at = offset(row, column);
    if (is(Type::F32))
      arch::store(buffer, at, value);
    else if (is(Type::F16))
      arch::store(buffer, at, static_cast<f16>(value));
    else
      arch::store(buffer, at, static_cast<bf16>(value));
  }

  /// Stores eight elements of 4 bytes or of one, as they are.
  template <class T>
  TILE_DEVICE void store_as_is(int row, int column, Vector<T, 8> values) const {
    const u32 at = offset(row, column);
    if (arch::late(aligned)) {
      if constexpr (sizeof(T) == 4)
        store_aligned_pieces(at, values);
      else
        arch::store(buffer, at, values);
    } else {
      TILE_UNROLL for (int i = 0; i < 8; ++i) {
        arch::store(buffer, offset(row, column + i), static_cast<T>(values[i]));
        arch::keep_order();
      }
    }
  }

 private:
  template <int kCount, class Place>
  TILE_DEVICE void load_two_pieces(Pieces (&pieces)[kCount], Place place) const {
    TILE_UNROLL for (int i = 0; i < kCount; ++i) {
      const u32 at = place(i);
      pieces[i].low = arch::load_whole_piece(buffer, at);
      pieces[i].high = arch::load_whole_piece(buffer, at == arch::kOutside ? at : at + kPieceBytes);
    }
  }
  template <int kCount, class Place>
  TILE_DEVICE void load_one_piece(Pieces (&pieces)[kCount], Place place) const {
    TILE_UNROLL for (int i = 0; i < kCount; ++i) pieces[i].low = arch::load_whole_piece(buffer, place(i));
  }
  template <class Values>
  TILE_DEVICE void store_aligned_pieces(u32 at, Values values) const {
    const Pieces two = bits_as<Pieces>(values);
    arch::store(buffer, at, two.low);
    arch::store(buffer, at == arch::kOutside ? at : at + kPieceBytes, two.high);
  }
  TILE_DEVICE bool is(Type which) const {
    return arch::late(static_cast<int>(type)) == static_cast<int>(which);
  }
};

}  // namespace tile
