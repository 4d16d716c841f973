// Which tile of D a workgroup computes, and what becomes of a product's sums: scales, addend, bias,
// activation. All of it is chosen at run time, since each element goes through it once.
#pragma once

#include "kernels/gemm/arguments.h"
#include "kernels/gemm/bands.h"
#include "kernels/library/activation.h"
#include "tile/narrow.h"
#include "tile/rounding.h"
#include "tile/typed_view.h"

namespace wavesmith::kernels {

/// A row and a column, of elements or of tiles.
struct GemmPoint {
  int row, column;
};

/// The tile's row and column among D's tiles, of the tile of that number.
TILE_DEVICE GemmPoint tile_of(const GemmArguments& g, int number) {
  const TileOfD tile = tile_of_number(number, g.band, g.rows_along_x ? g.tiles_m : g.tiles_n,
                                      g.rows_along_x ? g.tiles_n : g.tiles_m);
  return g.rows_along_x ? GemmPoint{tile.x, tile.y} : GemmPoint{tile.y, tile.x};
}

/// Which tile of D a workgroup computes.
struct GemmPlace {
  static constexpr int first_row = 0;      ///< of the rows whose tiles are counted
  static constexpr bool kSeveral = false;  ///< a workgroup computes one tile after the other
  int tile_row, tile_column, batch;

  TILE_DEVICE explicit GemmPlace(const GemmArguments& g) {
    const TileOfD tile = tile_in_bands(tile::arch::workgroup_id(), tile::arch::workgroup_id_y(), g.band,
                                       g.rows_along_x ? g.tiles_n : g.tiles_m);
    tile_row = g.rows_along_x ? tile.x : tile.y;
    tile_column = g.rows_along_x ? tile.y : tile.x;
    batch = tile::arch::workgroup_id_z();
  }
  TILE_DEVICE static constexpr bool is_empty() { return false; }
  TILE_DEVICE GemmPoint tile(const GemmArguments& /*g*/) const { return {tile_row, tile_column}; }
  TILE_DEVICE void narrow(GemmArguments& /*g*/) const {}
  /// Where the sums of the tile that starts there go, in the arguments' D.
  TILE_DEVICE static constexpr GemmPoint result(GemmArguments& /*g*/, GemmPoint start) { return start; }
};

/// A matrix of a batch: one of those that an array points to, or one of those that lie `bytes` apart.
TILE_DEVICE const void* of_batch(const GemmArguments& g, const void* first, int batch, long bytes) {
  if (g.arrays) return tile::arch::load_shared_by_lanes<const void*>(first, batch);
  return static_cast<const char*>(first) + batch * bytes;
}

/// Spares scalar registers in a loop over tiles, of which an epilogue's arguments take almost all: the
/// compiler would keep eight copies of each factor, for what it computes two by two.
TILE_DEVICE void epilogue_in_loop(GemmArguments& g) {
  g.alpha = tile::arch::in_vector(g.alpha), g.beta = tile::arch::in_vector(g.beta);
}

/// `A` is the type of A's elements: D may be of integers where A is, and of floats of 8 bits where A is.
template <class A>
struct GemmEpilogue {
  static constexpr bool kIntegers = __is_same(A, tile::i8);
  static constexpr bool kSmallFloats = __is_same(A, tile::e4m3) || __is_same(A, tile::e5m2);
  const GemmArguments& arguments;
  int first_row, first_column;
  tile::TypedView c, d, bias;

  /// Of the tile whose first row and column are those, in the matrices of a batch.
  TILE_DEVICE GemmEpilogue(const GemmArguments& g, int batch, int row, int column)
      : arguments(g),
        first_row(row),
        first_column(column),
        c(g.beta == 0 ? nullptr : of_batch(g, g.c, batch, g.batch_c * tile::size_of(type(g.type_c))),
          type(g.type_c), g.beta == 0 ? 0 : g.m, g.n, g.stride_c, row, column),
        d(of_batch(g, g.d, batch, g.batch_d * tile::size_of(type(g.type_d))), type(g.type_d), g.m, g.n,
          g.stride_d, row, column),
        bias(g.bias, type(g.type_bias), g.bias ? 1 : 0, g.n, g.n, 0, column) {}

  TILE_DEVICE void operator()(int row, int column, tile::Vector<int, 8> sums) const {
    if (d_is(tile::Type::I32))
      d.store_as_is(row, column, sums);
    else
      (*this)(row, column, tile::convert<float>(sums));
  }

  TILE_DEVICE void operator()(int row, int column, tile::Eight sums) const {
    tile::Eight values = scaled<false>(row, column, sums);
    if (tile::arch::late(arguments.beta != 0)) values += c.load(row, column) * arguments.beta;
    if (tile::arch::late(arguments.bias != nullptr)) values += bias_at(row, column);
    write(row, column, activated(arguments.activation, values));
  }

  /// Of a product that gates: the sums of the gate's columns, and those of the other half's.
  template <class Sum>
  TILE_DEVICE void operator()(int row, int column, tile::Vector<Sum, 8> gates,
                              tile::Vector<Sum, 8> others) const {
    tile::Eight gate = scaled<false>(row, column, tile::convert<float>(gates)),
                other = scaled<true>(row, column, tile::convert<float>(others));
    if (tile::arch::late(arguments.bias != nullptr)) {
      gate += bias.load(0, column);
      const long half = static_cast<long>(arguments.n) * tile::size_of(bias.type);
      other += tile::TypedView(static_cast<const char*>(arguments.bias) + half, bias.type, 1, arguments.n,
                               arguments.n, 0, first_column)
                   .load(0, column);
    }
    write(row, column, activated(arguments.activation, gate) * other);
  }

 private:
  /// Sums with alpha and the scales of their row of A and of their columns of B.
  template <bool kOther>  // half of B
  TILE_DEVICE tile::Eight scaled(int row, int column, tile::Eight sums) const {
    tile::Eight values = sums * arguments.alpha;
    if (tile::arch::late(arguments.scale_a != nullptr))
      values *= tile::arch::load_global(arguments.scale_a, at(first_row + row, arguments.rows_of_scale_a));
    if (tile::arch::late(arguments.scale_b != nullptr))
      TILE_UNROLL for (int i = 0; i < 8; ++i) values[i] *= tile::arch::load_global(
          arguments.scale_b,
          at(first_column + column + i + (kOther ? arguments.n : 0), arguments.columns_of_scale_b));
    return values;
  }
  /// Scales D's elements, and rounds and stores them.
  TILE_DEVICE void write(int row, int column, tile::Eight values) const {
    if (tile::arch::late(arguments.scale_d != nullptr))
      values *= tile::arch::load_global(arguments.scale_d, 0);
    if constexpr (kIntegers)
      if (d_is(tile::Type::I8)) return d.store_as_is(row, column, tile::to_i8(values));
    if constexpr (kSmallFloats) {
      if (d_is(tile::Type::E4M3)) return d.store_as_is(row, column, tile::to_small_float<tile::e4m3>(values));
      if (d_is(tile::Type::E5M2)) return d.store_as_is(row, column, tile::to_small_float<tile::e5m2>(values));
    }
    d.store(row, column, values);
  }
  TILE_DEVICE bool d_is(tile::Type which) const {
    return tile::arch::late(arguments.type_d) == static_cast<int>(which);
  }
  TILE_DEVICE static tile::Type type(int number) { return static_cast<tile::Type>(number); }
  /// The number of a row's or column's scale among so many, one or one for each; of what lies outside the
  /// matrix any.
  TILE_DEVICE static int at(int number, int count) { return number < count ? number : count - 1; }
  TILE_DEVICE tile::Eight bias_at(int row, int column) const {
    if (!tile::arch::late(arguments.bias_along_rows)) return bias.load(0, column);
    // One element for all eight.
    const tile::TypedView rows(arguments.bias, type(arguments.type_bias), 1, arguments.m, arguments.m, 0,
                               first_row);
    const float one = rows.load_one(0, row);
    tile::Eight values;
    TILE_UNROLL for (int i = 0; i < 8; ++i) values[i] = one;
    return values;
  }
};

/// The epilogue of GemmArguments::only_sums, which sets up D's bounds and no more. NaN of sums of elements of
/// 2 bytes have zeros where rounding looks for none.
template <class Element>
class GemmOnlySums {
 public:
  /// Of a wave's part of D that begins there.
  TILE_DEVICE GemmOnlySums(const GemmArguments& g, int batch, int row, int column)
      : stride_(static_cast<tile::u32>(g.stride_d) * kSize),
        first_(static_cast<tile::u32>(row) * stride_ + static_cast<tile::u32>(column) * kSize),
        columns_(g.n - column),
        d_(tile::arch::buffer(
            static_cast<const char*>(g.d) + batch * g.batch_d * kSize,
            static_cast<tile::u32>(g.m - 1) * stride_ + static_cast<tile::u32>(g.n) * kSize)) {}
  /// Rows beyond the last lie behind D.
  TILE_DEVICE void operator()(int row, int column, tile::Eight sums) const {
    const tile::u32 at =
        first_ + static_cast<tile::u32>(row) * stride_ + static_cast<tile::u32>(column) * kSize;
    tile::arch::store(d_, column < columns_ ? at : tile::arch::kOutside,
                      tile::rounded_to_even<Element>(sums));
  }

 private:
  static constexpr tile::u32 kSize = sizeof(Element);
  tile::u32 stride_, first_;  ///< bytes
  int columns_;
  tile::arch::Buffer d_;
};

/// Whether nothing becomes of floats but that they are multiplied by alpha and rounded to 4 or 2 bytes.
TILE_DEVICE bool is_plain(const GemmArguments& g) {
  const auto bits = [](const void* pointer) { return reinterpret_cast<tile::u64>(pointer); };
  return (bits(g.bias) | bits(g.scale_a) | bits(g.scale_b) | bits(g.scale_d)) == 0 && g.beta == 0 &&
         g.activation == static_cast<int>(Activation::None) &&
         tile::size_of(static_cast<tile::Type>(g.type_d)) > 1;
}

/// The epilogue of those, which sets up no more than D: of a tile of 64 by 64 it takes 1,000 cycles instead
/// of 2,500 (modelled, an MI355X).
class GemmPlainEpilogue {
 public:
  TILE_DEVICE GemmPlainEpilogue(const GemmArguments& g, int batch, int row, int column)
      : alpha_(g.alpha),
        d_(of_batch(g, g.d, batch, g.batch_d * tile::size_of(static_cast<tile::Type>(g.type_d))),
           static_cast<tile::Type>(g.type_d), g.m, g.n, g.stride_d, row, column) {}
  TILE_DEVICE void operator()(int row, int column, tile::Eight sums) const {
    d_.store(row, column, sums * alpha_);
  }

 private:
  float alpha_;
  tile::TypedView d_;
};

}  // namespace wavesmith::kernels
