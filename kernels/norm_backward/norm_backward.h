// The gradients of RMSNorm and LayerNorm: of X row by row, and the sums over rows that those of weight and
// bias are made of.
#pragma once

#include "kernels/norm_backward/arguments.h"
#include "kernels/rows/access.h"
#include "kernels/rows/configurations.h"
#include "tile/math.h"

namespace wavesmith::kernels {

/// Where waves that share a row meet: sums of a row have places of their own, and those of the next row
/// others, so that one barrier for each is enough.
class RowMeeting {
 public:
  static constexpr int kMostWaves = 16, kSums = 3, kFloats = 2 * kSums * 2 * kMostWaves;

  TILE_DEVICE explicit RowMeeting(float* memory) : at_((tile::SharedBytes)memory) {}
  TILE_DEVICE void next_row() { odd_ ^= 1; }

  /// Two sums over the lanes of a row at once.
  template <int kLanes>
  TILE_DEVICE tile::Vector<float, 2> sums(int number, float first, float second) const {
    using namespace tile;
    constexpr int kWave = arch::kHere.wave_lanes, kTogether = kLanes < kWave ? kLanes : kWave;
    Vector<float, 2> both = {reduce_lanes<kTogether>(first, Sum{}), reduce_lanes<kTogether>(second, Sum{})};
    if constexpr (kLanes > kWave) {
      constexpr int kWaves = kLanes / kWave;
      const SharedBytes place = at_ + (odd_ * kSums + number) * kMostWaves * 8;
      shared_write(place + arch::thread_id() / kWave * 8, both);
      arch::barrier();
      float firsts[kWaves], seconds[kWaves];
      TILE_UNROLL for (int wave = 0; wave < kWaves; ++wave) {
        both = shared_read<Vector<float, 2>>(place + wave * 8);
        firsts[wave] = both[0], seconds[wave] = both[1];
      }
      both = {reduce_values(firsts, Sum{}), reduce_values(seconds, Sum{})};
    }
    return both;
  }

 private:
  tile::SharedBytes at_;
  int odd_ = 0;
};

/// What the rows of a norm's gradient are read from and written to.
struct NormBackwardPlaces {
  RowsPlace x, dy, added, dx, weight;

  TILE_DEVICE NormBackwardPlaces(const NormBackwardArguments& g, int rows_of_workgroup)
      : x{g.x, g.type_x, g.stride_x, g.rows, g.columns},
        dy{g.dy, g.type_dy, g.stride_dy, g.rows, g.columns},
        added{g.added, g.type_added, g.stride_added, g.rows, g.columns},
        dx{g.dx, g.type_dx, g.stride_dx, g.rows, g.columns},
        weight{g.weight, g.type_weight, 0, rows_of_workgroup, g.columns} {}
};

/// The places(). Where scalar registers are scarce the argument is read again for them.
template <bool kScarce>
TILE_DEVICE NormBackwardPlaces places_of(const NormBackwardArguments& g, int rows_of_workgroup) {
  if constexpr (kScarce)
    return {tile::arch::argument_again(g), rows_of_workgroup};
  else
    return {g, rows_of_workgroup};
}

/// A number of each row; 0 behind the last, and where there are none.
TILE_DEVICE float number_of_row(const float* numbers, int rows, int row) {
  return tile::arch::load<float>(tile::arch::buffer(numbers, numbers ? rows * 4u : 0), row * 4u);
}

/// 1 where an element is in the row, otherwise 0: of unaligned rows an eight may end behind it.
template <class Shape>
TILE_DEVICE void clear_behind(tile::Eight& values, int column, int columns) {
  if constexpr (Shape::kAligned) {
    if (column >= columns) values = 0;
  } else {
    TILE_UNROLL for (int i = 0; i < 8; ++i) values[i] = column + i < columns ? values[i] : 0;
  }
}

/// Eight sums of a workgroup's rows, in memory: aligned, and with no bound but the pitch.
struct SumsPlace {
  tile::arch::Buffer buffer;

  TILE_DEVICE SumsPlace(float* parts, int pitch)
      : buffer(tile::arch::buffer(parts + static_cast<long>(tile::arch::workgroup_id()) * pitch,
                                  parts ? pitch * 4u : 0)) {}
  TILE_DEVICE tile::Eight load(int column) const {
    const tile::Pieces two = {tile::arch::load_piece(buffer, column * 4u),
                              tile::arch::load_piece(buffer, column * 4u + tile::kPieceBytes)};
    return tile::bits_as<tile::Eight>(two);
  }
  TILE_DEVICE void store(int column, const tile::Eight& sums) const {
    const auto two = tile::bits_as<tile::Pieces>(sums);
    tile::arch::store(buffer, column * 4u, two.low);
    tile::arch::store(buffer, column * 4u + tile::kPieceBytes, two.high);
  }
};

/// Writes the sums of a workgroup, those of its rows of lanes added in shared memory.
template <class Shape>
TILE_DEVICE void store_sums(const tile::KnownRow<Shape>& sums, float* parts, int pitch, float* memory) {
  using namespace tile;
  if (!parts) return;
  const SumsPlace to(parts, pitch);
  if constexpr (Shape::kRows == 1) {
    TILE_UNROLL for (int i = 0; i < Shape::kParts; ++i)
        to.store(Shape::column() + i * Shape::kStep, sums.at[i]);
  } else {
    constexpr int kWidth = Shape::kParts * Shape::kStep;
    const auto at = [&](int row, int column) { return (SharedBytes)memory + (row * kWidth + column) * 4; };
    arch::barrier();
    TILE_UNROLL for (int i = 0; i < Shape::kParts; ++i) {
      const auto two = bits_as<Pieces>(sums.at[i]);
      const SharedBytes place = at(arch::thread_id() / Shape::kLanes, Shape::column() + i * Shape::kStep);
      shared_write(place, two.low);
      shared_write(place + kPieceBytes, two.high);
    }
    arch::barrier();
    for (int column = arch::thread_id(); column < kWidth; column += Shape::kThreads) {
      float rows[Shape::kRows];
      TILE_UNROLL for (int row = 0; row < Shape::kRows; ++row) rows[row] =
          shared_read<float>(at(row, column));
      arch::store(to.buffer, column * 4u, reduce_values(rows, Sum{}));
    }
  }
}

/// The rows' numbers: given, or those of the norm.
struct RowStatistics {
  float mean, factor;
};

/// Of rows that are kept: X becomes the rows' distances from the mean, 0 behind them.
template <class Shape>
TILE_DEVICE float centre_kept(const NormBackwardArguments& g, const RowMeeting& meeting, RowStatistics given,
                              bool inside, tile::KnownRow<Shape>& x) {
  using namespace tile;
  const float per_column = 1 / static_cast<float>(g.columns);
  float mean = given.mean;
  if (g.centred && !g.factors) {
    float total = 0;
    TILE_UNROLL for (int i = 0; i < Shape::kParts; ++i) total += sum_of(x.at[i]);
    mean = meeting.sums<Shape::kLanes>(0, total, 0)[0] * per_column;
  }
  TILE_UNROLL for (int i = 0; i < Shape::kParts; ++i) {
    x.at[i] -= mean;
    clear_behind<Shape>(x.at[i], Shape::column() + i * Shape::kStep, g.columns);
  }
  if (g.factors) return given.factor;
  float squares = 0;
  TILE_UNROLL for (int i = 0; i < Shape::kParts; ++i) squares += squares_of(x.at[i]);
  squares = meeting.sums<Shape::kLanes>(1, squares, 0)[0];
  return inside ? reciprocal_root(squares * per_column + g.epsilon) : 0;
}

/// Rows that are kept in registers, with the sums of their columns. The next rows are under way while these
/// are computed.
template <class Shape, class Access>
TILE_DEVICE void norm_backward_kept(const NormBackwardArguments& g) {
  using namespace tile;
  constexpr int kSummed = Shape::kRows == 1 ? 0 : Shape::kRows * Shape::kParts * Shape::kStep;
  constexpr int kFloats = kSummed > RowMeeting::kFloats ? kSummed : RowMeeting::kFloats;
  TILE_SHARED static float memory[kFloats];
  constexpr bool kKnown = !__is_same(Access, AnyAccess<Shape>);
  RowMeeting meeting(memory);
  const auto places = [&]() __attribute__((always_inline)) {
    return places_of<!Shape::kAligned>(g, Shape::kRows);
  };
  const float per_column = 1 / static_cast<float>(g.columns);
  struct Arriving {
    typename Access::Arriving x, dy;
    RowStatistics of_row;
  };
  const auto load = [&](int first_row) __attribute__((always_inline)) {
    const int row = first_row + arch::thread_id() / Shape::kLanes;
    const auto there = [&](RowsPlace place) __attribute__((always_inline)) {
      if (kKnown && first_row >= g.rows) place.data = nullptr;
      return place;
    };
    return Arriving{Access::load(there(places().x), first_row),
                    Access::load(there(places().dy), first_row),
                    {number_of_row(g.means, g.rows, row), number_of_row(g.factors, g.rows, row)}};
  };

  KnownRow<Shape> of_weight, of_bias;
  TILE_UNROLL for (int i = 0; i < Shape::kParts; ++i) of_weight.at[i] = 0, of_bias.at[i] = 0;
  const int step = g.workgroups * Shape::kRows;
  // Without a weight the factor is 1: what is read of none is 0.
  const float offset = g.weight ? g.weight_offset : 1;
  Arriving arriving = load(arch::workgroup_id() * Shape::kRows);
  for (int first_row = arch::workgroup_id() * Shape::kRows; first_row < g.rows; first_row += step) {
    KnownRow<Shape> normal, above;
    TILE_UNROLL for (int i = 0; i < Shape::kParts; ++i) {
      normal.at[i] = Access::value(arriving.x, i);
      above.at[i] = Access::value(arriving.dy, i);
    }
    const RowStatistics given = arriving.of_row;
    typename Access::Arriving weight;
    if constexpr (kKnown) {
      // Behind the last rows nothing is read, without a branch: behind one, whoever waits for the weight
      // would wait for the next rows, too.
      weight = Access::load(places().weight, 0);
      arriving = load(first_row + step);
    } else {
      if (first_row + step < g.rows) arriving = load(first_row + step);
      weight = Access::load(places().weight, 0);
    }
    const bool inside = first_row + arch::thread_id() / Shape::kLanes < g.rows;
    const float factor = centre_kept<Shape>(g, meeting, given, inside, normal);
    float products = 0, total = 0;
    TILE_UNROLL for (int i = 0; i < Shape::kParts; ++i) {
      normal.at[i] *= factor;
      of_weight.at[i] += above.at[i] * normal.at[i];
      of_bias.at[i] += above.at[i];
      above.at[i] *= Access::value(weight, i) + offset;
      products += sum_of(above.at[i] * normal.at[i]);
      total += sum_of(above.at[i]);
    }
    if (g.dx) {
      const Vector<float, 2> sums = meeting.sums<Shape::kLanes>(2, products, total);
      const float along = sums[0] * per_column, mean = g.centred ? sums[1] * per_column : 0;
      TILE_UNROLL for (int i = 0; i < Shape::kParts; ++i) above.at[i] =
          factor * (above.at[i] - normal.at[i] * along - mean);
      if (g.added) {
        const typename Access::Arriving added = Access::load(places().added, first_row);
        TILE_UNROLL for (int i = 0; i < Shape::kParts; ++i) above.at[i] += Access::value(added, i);
      }
      Access::store(places().dx, first_row, above);
    }
    meeting.next_row();
  }
  store_sums<Shape>(of_weight, g.weight_parts, g.pitch, memory);
  store_sums<Shape>(of_bias, g.bias_parts, g.pitch, memory);
}

/// Longer rows, one per workgroup at a time, which are read again in each pass. Each lane adds to its
/// columns' sums in memory.
template <class Shape>
TILE_DEVICE void norm_backward_again(const NormBackwardArguments& g) {
  using namespace tile;
  static_assert(Shape::kRows == 1);
  using One = RowShape<Shape::kThreads, Shape::kLanes, 1, Shape::kAligned>;
  using Access = AnyAccess<One>;
  TILE_SHARED static float memory[RowMeeting::kFloats];
  RowMeeting meeting(memory);
  const float per_column = 1 / static_cast<float>(g.columns);
  const float offset = g.weight ? g.weight_offset : 1;
  using Places = NormBackwardPlaces;
  const auto places = [&]() __attribute__((always_inline)) { return places_of<true>(g, 1); };
  const auto eight = [&](RowsPlace Places::* place, int row, int column) __attribute__((always_inline)) {
    return load_eight<Shape>(Access::view(places().*place, row), 0, column);
  };
  const auto each = [&](auto use) __attribute__((always_inline)) {
    for (int column = Shape::column(); column < g.columns; column += Shape::kStep) use(column);
  };
  const auto distances = [&](int row, int column, float mean) __attribute__((always_inline)) {
    Eight values = eight(&Places::x, row, column) - mean;
    clear_behind<Shape>(values, column, g.columns);
    return values;
  };
  const auto add = [&](float* NormBackwardArguments::* parts, bool first, int column, const Eight& more)
                       __attribute__((always_inline)) {
                         const NormBackwardArguments a = arch::argument_again(g);
                         if (a.*parts == nullptr) return;
                         const SumsPlace sums(a.*parts, a.pitch);
                         sums.store(column, first ? more : more + sums.load(column));
                       };
  for (int row = arch::workgroup_id(); row < g.rows; row += g.workgroups) {
    float mean = number_of_row(g.means, g.rows, row), factor = number_of_row(g.factors, g.rows, row);
    if (!g.factors) {
      float total = 0, squares = 0;
      if (g.centred) {
        each([&](int column) __attribute__((always_inline)) { total += sum_of(distances(row, column, 0)); });
        mean = meeting.sums<Shape::kLanes>(0, total, 0)[0] * per_column;
      }
      each([&](int column)
               __attribute__((always_inline)) { squares += squares_of(distances(row, column, mean)); });
      squares = meeting.sums<Shape::kLanes>(1, squares, 0)[0];
      factor = reciprocal_root(squares * per_column + g.epsilon);
    }
    const bool first = row == arch::workgroup_id();
    float products = 0, all = 0;
    each([&](int column) __attribute__((always_inline)) {
      const Eight normal = distances(row, column, mean) * factor, above = eight(&Places::dy, row, column);
      const Eight scaled = above * (eight(&Places::weight, 0, column) + offset);
      products += sum_of(scaled * normal);
      all += sum_of(scaled);
      add(&NormBackwardArguments::weight_parts, first, column, above * normal);
      add(&NormBackwardArguments::bias_parts, first, column, above);
    });
    if (g.dx) {
      const Vector<float, 2> sums = meeting.sums<Shape::kLanes>(2, products, all);
      const float along = sums[0] * per_column, middle = g.centred ? sums[1] * per_column : 0;
      each([&](int column) __attribute__((always_inline)) {
        const Eight normal = distances(row, column, mean) * factor;
        const Eight scaled = eight(&Places::dy, row, column) * (eight(&Places::weight, 0, column) + offset);
        Eight result = factor * (scaled - normal * along - middle);
        if (places().added.data) result += eight(&Places::added, row, column);
        store_eight<Shape>(Access::view(places().dx, row), 0, column, result);
      });
    }
    meeting.next_row();
  }
}

/// The sums of all workgroups in the order of their numbers: 32 rows of threads take every 32nd, four columns
/// each.
TILE_DEVICE void norm_backward_sums(const NormBackwardSumsArguments& g) {
  using namespace tile;
  constexpr int kAcross = kNormSumsColumns / 4, kDown = kRowThreads / kAcross, kAtOnce = 4;
  TILE_SHARED static float memory[kDown * kNormSumsColumns];
  const auto at = [&](int row, int column) {
    return (SharedBytes)memory + (row * kNormSumsColumns + column) * 4;
  };
  const bool second = arch::workgroup_id_y() != 0;
  const int thread = arch::thread_id(), first_column = arch::workgroup_id() * kNormSumsColumns;
  const int column = thread % kAcross * 4, row = thread / kAcross;
  const float* const parts = second ? g.second_parts : g.first_parts;
  const u32 pitch = g.pitch * 4u;
  const arch::Buffer buffer = arch::buffer(parts, g.parts * pitch);
  const bool inside = first_column + column < g.pitch;
  Vector<float, 4> sums = 0;
  for (int part = row; part < g.parts; part += kAtOnce * kDown) {
    Piece pieces[kAtOnce];
    TILE_UNROLL for (int i = 0; i < kAtOnce; ++i) {
      const bool there = inside && part + i * kDown < g.parts;
      const u32 offset = (part + i * kDown) * pitch + (first_column + column) * 4u;
      pieces[i] = arch::load_piece(buffer, there ? offset : arch::kOutside);
    }
    TILE_UNROLL for (int i = 0; i < kAtOnce; ++i) sums += bits_as<Vector<float, 4>>(pieces[i]);
  }
  shared_write(at(row, column), bits_as<Piece>(sums));
  arch::barrier();
  if (thread >= kNormSumsColumns) return;
  float rows[kDown];
  TILE_UNROLL for (int i = 0; i < kDown; ++i) rows[i] = shared_read<float>(at(i, thread));
  const TypedView to(second ? g.second : g.first, static_cast<Type>(second ? g.second_type : g.first_type), 1,
                     g.columns, g.columns, 0, 0);
  to.store_one(0, first_column + thread, reduce_values(rows, Sum{}));
}

}  // namespace wavesmith::kernels
