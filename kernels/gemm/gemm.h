// C = A * B, the tile of a workgroup by the product of panels. Both operands come as rows along K.
#pragma once

#include "kernels/gemm/epilogue.h"
#include "kernels/gemm/feed.h"
#include "tile/arch/here.h"
#include "tile/registers.h"
#include "tile/view.h"

namespace wavesmith::kernels {

using tile::Access;
using tile::Along;

/// The sums of a wave, to which products are added as they are.
template <class Atom, int kRows, int kColumns>
struct GemmProducts {
  tile::Sums<Atom, kRows, kColumns> sums;

  TILE_DEVICE GemmProducts(const GemmArguments& /*g*/, int /*batch*/, int /*row*/, int /*column*/,
                           int /*lane*/) {
    sums.clear();
  }
  /// At the beginning and the end of the loop's first or second step.
  template <int kParity>
  TILE_DEVICE void begin() {}
  template <int kParity>
  TILE_DEVICE void end() {}
  template <int kParity, class OperandA, class OperandB>
  TILE_DEVICE void multiply(int row, const OperandA& a, const OperandB& b) {
    sums.multiply(row, a, b);
  }
};

/// Of products of matrices whose elements are of types A and B.
template <class A_, class B_, int kRows_, int kColumns_, int kDepth_, int kWaveRows_, int kWaveColumns_,
          int kSlots_ = 0, bool kGates = false>
struct GemmShape {
  using Arguments = GemmArguments;  ///< of the kernel
  using A = A_;
  using Atom = tile::arch::Best<B_, A_>;  // sums are given B first
  static constexpr int kRows = kRows_, kColumns = kColumns_, kDepth = kDepth_;
  static constexpr int kWaveRows = kWaveRows_,
                       kWaveColumns = kWaveColumns_;  ///< waves along rows and columns
  static constexpr int kSlots = kSlots_;              ///< as of GemmFeed
  static constexpr bool kDirect = kSlots > kTwoSteps;
  /// Parts of a stage along K, which registers hold one after the other: where a stage is whole lines of the
  /// caches, a part of it is what registers hold.
  static constexpr int kParts = kDirect && kDepth * sizeof(typename Atom::Element) > 64 ? 2 : 1;
  static constexpr int kThreads = kWaveRows * kWaveColumns * tile::arch::kHere.wave_lanes;
  /// Tiles past registers whose steps take so little time that the epilogue's counts: 1,000 cycles are a
  /// tenth of 1,024 cubed of mxfp4.
  static constexpr bool kShort =
      kDirect && !kGates && kRows * kColumns < 256 * 256 && __is_same(typename Atom::Sum, float);
  /// Small tiles of elements of 2 bytes, of which products of few steps have many, end as shortly where D is
  /// the sums alone.
  static constexpr bool kOnlySums = !kDirect && !kGates && kRows * kColumns <= 128 * 128 &&
                                    sizeof(typename Atom::Element) == 2 &&
                                    __is_same(typename Atom::Sum, float);
  using Columns = GemmColumns<kGates ? kColumns / kWaveColumns / 2 : 0>;  ///< of B
  // Of a wave.
  template <int kAtomRows, int kAtomColumns>
  using Products = GemmProducts<Atom, kAtomRows, kAtomColumns>;
  using Place = GemmPlace;
  template <class TileA, class TileB, Along kAlongA, Along kAlongB, Access kAccess>
  using Feed = typename GemmFeed<TileA, TileB, kThreads, kAlongA, kAlongB, kAccess, kSlots, Atom::kScaled,
                                 Columns>::Type;
};

/// How the tile of a matrix is written whose elements lie together that way.
constexpr tile::Written written(Along along) {
  return along == Along::Row ? tile::Written::ByRows : tile::Written::ByColumns;
}

/// Tiles, operands and their readers, of numbers alone or of numbers with scales.
template <class Atom, bool kScaled>
struct GemmParts {
  template <int kRows, int kColumns, tile::Written kWritten>
  using Tile = tile::SharedTile<Atom, kRows, kColumns, kWritten>;
  template <int kAtoms, int kColumns>
  using Operand = tile::Operand<Atom, kAtoms, kColumns>;
  template <class Tile>
  using Reader = tile::OperandReader<Atom, Tile>;
};
template <class Atom>
struct GemmParts<Atom, true> {
  template <int kRows, int kColumns, tile::Written>
  using Tile = tile::ScaledTile<Atom, kRows, kColumns>;
  template <int kAtoms, int kColumns>
  using Operand = tile::ScaledOperand<Atom, kAtoms, kColumns>;
  template <class Tile>
  using Reader = tile::ScaledReader<Atom, Tile>;
};

/// Spreads a step's reads and writes of shared memory and its loads among its products, `kPer` of these for
/// each.
template <int kPer, int kReads, int kStores, int kLoads>
TILE_DEVICE void interleave() {
  using namespace tile;
  if constexpr (kPer > 0) {
    TILE_UNROLL for (int i = 0; i < (kReads > kStores ? kReads : kStores); ++i) {
      if (i < kStores) {
        arch::order<arch::kMatrix, kPer>();
        arch::order<arch::kSharedWrite, 1>();
      }
      if (i < kReads) {
        arch::order<arch::kMatrix, kPer>();
        arch::order<arch::kSharedRead, 1>();
      }
      if (i < kLoads) arch::order<arch::kGlobalLoad, 1>();
    }
  }
}

/// A tile's matrices in shared memory and how they come there.
template <class Shape, Along kAlongA, Along kAlongB, Access kAccess>
struct GemmStages {
  using Parts = GemmParts<typename Shape::Atom, Shape::Atom::kScaled>;
  using TileA = typename Parts::template Tile<Shape::kRows, Shape::kDepth, written(kAlongA)>;
  using TileB = typename Parts::template Tile<Shape::kColumns, Shape::kDepth, written(kAlongB)>;
  using Feed = typename Shape::template Feed<TileA, TileB, kAlongA, kAlongB, kAccess>;
  static_assert(Feed::kBytes <= tile::arch::kHere.shared_bytes, "the stages do not fit into shared memory");
};

/// Computes the tile at a place.
template <class Shape, class Stages>
TILE_DEVICE void gemm_tile(typename Shape::Arguments arguments, const typename Shape::Place& place,
                           tile::SharedBytes memory) {
  using namespace tile;
  using Atom = typename Shape::Atom;
  using Layout = AtomLayout<Atom>;
  using Parts = typename Stages::Parts;
  using TileA = typename Stages::TileA;
  using TileB = typename Stages::TileB;
  using Feed = typename Stages::Feed;
  constexpr int kRows = Shape::kRows / Shape::kWaveRows / Layout::kRows;  // atoms of a wave
  constexpr int kColumns = Shape::kColumns / Shape::kWaveColumns / Layout::kRows;

  const int thread = arch::thread_id(), lane = thread % Layout::kLanes;
  const int wave = arch::uniform(thread / Layout::kLanes);
  place.narrow(arguments);
  constexpr int kHalves = Shape::Columns::kHalves;
  const auto start = [&](const auto& g) {
    const GemmPoint tile = place.tile(g);
    return GemmPoint{place.first_row + tile.row * Shape::kRows, tile.column * (Shape::kColumns / kHalves)};
  };
  const auto [first_row, first_column] = start(arguments);

  constexpr long kSize = sizeof(typename Atom::Element);
  const void* const matrix_a = of_batch(arguments, arguments.a, place.batch, arguments.batch_a * kSize);
  const void* const matrix_b = of_batch(arguments, arguments.b, place.batch, arguments.batch_b * kSize);
  Feed feed(arguments, matrix_a, matrix_b, first_row, first_column, thread, memory);
  const int wave_row = wave / Shape::kWaveColumns * (Shape::kRows / Shape::kWaveRows);
  const int wave_column = wave % Shape::kWaveColumns * (Shape::kColumns / Shape::kWaveColumns);
  const typename Parts::template Reader<TileA> reader_a(wave_row, lane);
  const typename Parts::template Reader<TileB> reader_b(wave_column, lane);

  const auto tile_a = [&](GemmStage stage) { return TileA{memory + stage.a}; };
  const auto tile_b = [&](GemmStage stage) { return TileB{memory + stage.b}; };

  typename Shape::template Products<kRows, kColumns> products(arguments, place.batch, first_row + wave_row,
                                                              first_column + wave_column, lane);
  constexpr int kParts = Shape::kParts, kDepth = Shape::kDepth / kParts;
  typename Parts::template Operand<kRows, kDepth> a;
  typename Parts::template Operand<kColumns, kDepth> b[2];

  GemmStage stage = Feed::first();  // whose operands are in registers
  arch::barrier();
  TILE_UNROLL for (int i = 0; i < kRows; ++i) reader_a.read(a, i, tile_a(stage));
  TILE_UNROLL for (int j = 0; j < kColumns; ++j) reader_b.read(b[0], j, tile_b(stage));

  // A step multiplies what is in registers. While it does so the operands of the next step come from shared
  // memory, and those of later stages are on their way there.
  const auto step = [&](auto parity) {
    constexpr int kNow = decltype(parity)::kValue, kNext = 1 - kNow;
    constexpr bool kLast = kParts == 1 || kNow == 1;  // of the stage's parts
    constexpr int kPart = kParts == 1 ? 0 : kNext;    // that is next
    constexpr int kBefore = (kRows + 3) / 4;  // rows of products that are under way while the waves meet
    constexpr int kProducts = kColumns * (kDepth / Layout::kDepth);  // of a row
    products.template begin<kNow>();
    if constexpr (kLast) {
      TILE_UNROLL for (int i = 0; i < kBefore; ++i) products.template multiply<kNow>(i, a, b[kNow]);
      if constexpr (Shape::kDirect) arch::keep_order();
      feed.wait();
      arch::barrier();
      const GemmStage now = stage;
      stage = Feed::template next<kNext>(now);
      feed.template advance<kNow>(now);
      if constexpr (Feed::kStages == 1) arch::barrier();
    }
    TILE_UNROLL for (int j = 0; j < kColumns; ++j) reader_b.template read<kPart>(b[kNext], j, tile_b(stage));
    TILE_UNROLL for (int i = 0; i < kRows; ++i) {
      if (!kLast || i >= kBefore) products.template multiply<kNow>(i, a, b[kNow]);
      reader_a.template read<kPart>(a, i, tile_a(stage));
    }

    products.template end<kNow>();

    constexpr int kReads = kRows * decltype(reader_a)::template kReads<kParts> +
                           kColumns * decltype(reader_b)::template kReads<kParts>;
    constexpr bool kAmong = kLast && Feed::kStages > 1;  // the products
    constexpr int kStores = kAmong ? Feed::kStores : 0, kLoads = kAmong ? Feed::kLoads : 0;
    constexpr int kPer = (kProducts * (kRows - (kLast ? kBefore : 0))) / (kReads + kStores);
    interleave<kPer, kReads, kStores, kLoads>();
  };
  if constexpr (Feed::kStages == 1) {
    for (int steps = ceiling(arguments.k, kDepth); steps > 0; steps -= 2) {
      step(Constant<0>{});
      if (steps == 1) break;
      step(Constant<1>{});
    }
  } else {
    for (int pairs = ceiling(arguments.k, 2 * kDepth); pairs > 0; --pairs) {
      step(Constant<0>{});
      step(Constant<1>{});
    }
  }

  feed.finish();
  arch::barrier();
  constexpr int kPart = Feed::kBytes / (Shape::kWaveRows * Shape::kWaveColumns);
  if constexpr (Shape::kOnlySums && __is_same(typename Shape::Place, GemmPlace)) {
    if (arch::argument_again(arguments).only_sums) {
      const auto late = arch::argument_again(arguments);
      const auto [row, column] = start(late);
      const GemmOnlySums<typename Atom::Element> epilogue(late, place.batch, row + wave_row,
                                                          column + wave_column);
      return for_each_eight<kPart>(products.sums, memory + wave * kPart, lane, epilogue);
    }
  }
  auto late = arch::argument_again(arguments);
  place.narrow(late);
  const GemmPoint result = place.result(late, start(late));
  if constexpr (Shape::kShort) {
    if (is_plain(late)) {
      const GemmPlainEpilogue epilogue(late, place.batch, result.row, result.column);
      return for_each_eight<kPart>(
          products.sums, memory + wave * kPart, lane,
          [&](int row, int column, Eight eight) { epilogue(wave_row + row, wave_column + column, eight); });
    }
  }
  const GemmEpilogue<typename Shape::A> epilogue(late, place.batch, result.row, result.column);
  if constexpr (Shape::Place::kSeveral) epilogue_in_loop(late);
  for_each_eight<kPart, kHalves>(products.sums, memory + wave * kPart, lane,
                                 [&](int row, int column, auto... eights) {
                                   epilogue(wave_row + row, wave_column / kHalves + column, eights...);
                                 });
}

template <class Shape, Along kAlongA, Along kAlongB, Access kAccess>
TILE_DEVICE void gemm(const typename Shape::Arguments& arguments) {
  using namespace tile;
  using Place = typename Shape::Place;
  using Stages = GemmStages<Shape, kAlongA, kAlongB, kAccess>;
  TILE_SHARED static char memory[Stages::Feed::kBytes];
  arch::fetch_argument<typename Shape::Arguments>();
  if constexpr (Place::kSeveral) {
    for (Place place(arguments); !place.is_empty(); place.advance(arch::argument_again(arguments))) {
      gemm_tile<Shape, Stages>(arch::argument_again(arguments), place, (SharedBytes)memory);
      arch::barrier();  // all sums have left shared memory
    }
  } else {
    const Place place(arguments);
    if (!place.is_empty()) gemm_tile<Shape, Stages>(arguments, place, (SharedBytes)memory);
  }
}

}  // namespace wavesmith::kernels
