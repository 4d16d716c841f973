// Rows of the cache on their way through shared memory, each of which is a key and a value.
//
// Of keys, a lane reads pieces of a row, the operand as it is. Of values, it reads some columns of eight
// keys; transposed in registers, these are eight keys of each column.
#pragma once

#include "kernels/decode/pages.h"
#include "kernels/mla/shape.h"
#include "tile/widen.h"

namespace wavesmith::kernels {

/// The keys of a tile, in order.
template <class Shape>
struct LatentTile {
  static constexpr int kPieces = Shape::kKeySize / tile::kPieceElements<typename Shape::Element>;
  static constexpr int kRowBytes = kPieces * tile::kPieceBytes;
  static constexpr int kBytes = Shape::kKeys * kRowBytes;
  /// Pieces that change places, among themselves: rows begin in the same bank.
  static constexpr int kMoved = 8;
  static_assert(kPieces % kMoved == 0);

  tile::SharedBytes memory;

  /// Lanes that shared memory serves together read one piece of these eight keys, or several of two keys that
  /// are eight apart: bits 0, 1 and either of 2 and 3 are different.
  TILE_DEVICE static constexpr int turn(int key) {
    return (key & 1) | ((key >> 3 ^ key >> 2) & 1) << 1 | (key & 2) << 1;
  }
  TILE_DEVICE static constexpr int offset(int key, int piece) {
    return key * kRowBytes + (piece ^ turn(key)) * tile::kPieceBytes;
  }
};

/// What a thread reads of a tile: so many of the threads share a key's row.
template <class Shape>
struct LatentFeed {
  using Tile = LatentTile<Shape>;
  static constexpr int kSharing = Shape::kThreads / Shape::kKeys;
  static constexpr int kLoads = Tile::kPieces / kSharing;
  static_assert(kSharing % Tile::kMoved == 0 && kLoads * kSharing == Tile::kPieces,
                "the threads of a key have whole turns of its pieces");
  static constexpr int kLoadBytes =
      tile::kPieceElements<typename Shape::Element> * static_cast<int>(sizeof(typename Shape::Stored));
  using Load = tile::Vector<tile::u32, kLoadBytes / 4>;
  Load at[kLoads];
  int key, piece;  ///< the thread's, in a tile

  TILE_DEVICE explicit LatentFeed(int thread) : key(thread / kSharing), piece(thread % kSharing) {}

  /// Where the thread's part of a tile's row is, from the key `first` on.
  TILE_DEVICE tile::u64 row(const PagedHead& head, const Pages& pages, int entry, int first) const {
    return head.at(head.page(pages.block(entry)), pages.row(first + key)) + piece * kLoadBytes;
  }
  /// Loads a part of it, or all.
  TILE_DEVICE void load(tile::u64 row, int part = 0, int parts = 1) {
    TILE_UNROLL for (int i = part * kLoads / parts; i < (part + 1) * kLoads / parts; ++i) at[i] =
        tile::arch::load_at<Load>(row + i * kSharing * kLoadBytes);
  }
  TILE_DEVICE void store(Tile tile) const {
    using Element = typename Shape::Element;
    const tile::SharedBytes to = tile.memory + Tile::offset(key, piece);
    TILE_UNROLL for (int i = 0; i < kLoads; ++i) {
      tile::Piece wide;
      tile::repeat<4>([&](auto pair) {
        constexpr int kPair = decltype(pair)::kValue;
        wide[kPair] =
            tile::bits_as<tile::u32>(tile::two_widened<Element, typename Shape::Stored, kPair>(at[i]));
      });
      tile::shared_write(to + i * kSharing * tile::kPieceBytes, wide);
    }
  }
};

/// The keys whose scores a wave computes, and the part of their elements: what tile::OperandReader is to
/// other tiles.
template <class Shape>
struct KeyReader {
  using Layout = typename Shape::Layout;
  using Tile = LatentTile<Shape>;
  using Queries = tile::Operand<typename Shape::Atom, 1, Shape::kDepth>;
  using Scores = tile::Sums<typename Shape::Atom, 1, Shape::kOwnAtoms>;
  /// Pieces of a lane after which the order of pieces repeats.
  static constexpr int kTurn = Tile::kMoved / Layout::kGroups;
  static constexpr int kOfPart = Shape::kDepth / tile::kPieceElements<typename Shape::Element>;
  int offset[Shape::kOwnAtoms][kTurn];

  TILE_DEVICE KeyReader(int part, int lane) {
    const int first = part / Shape::kDepthParts * Shape::kOwnAtoms * Layout::kRows;
    const int piece = part % Shape::kDepthParts * kOfPart + Layout::group(lane);
    TILE_UNROLL for (int i = 0; i < Shape::kOwnAtoms; ++i) {
      const int key = Shape::Order::row(first + i * Layout::kRows + Layout::row(lane));
      TILE_UNROLL for (int p = 0; p < kTurn; ++p) offset[i][p] =
          Tile::offset(key, piece + p * Layout::kGroups);
    }
  }

  /// Scores of the rows of q. Pieces are on their way while those before are multiplied; `beside(part,
  /// parts)` is done beside each part of them.
  template <class Beside>
  TILE_DEVICE void multiply(Scores& scores, const Queries& q, Tile tile, Beside beside) const {
    using Atom = typename Shape::Atom;
    constexpr int kInPiece = tile::kPieceElements<typename Shape::Element>;
    constexpr int kSlice = Layout::kHeld > kInPiece ? Layout::kHeld / kInPiece : 1;  // pieces
    constexpr int kSlices = Queries::kPieces / kSlice;
    using Slice = tile::Operand<Atom, Shape::kOwnAtoms, kSlice * kInPiece * Layout::kGroups>;
    Slice keys[kSlices];
    const auto read = [&](int slice) {
      TILE_UNROLL for (int i = 0; i < Shape::kOwnAtoms; ++i) {
        TILE_UNROLL for (int p = 0; p < kSlice; ++p) {
          const int piece = slice * kSlice + p;
          keys[slice].at[i][p] = tile::shared_read<tile::Piece>(
              tile.memory + offset[i][piece % kTurn] + piece / kTurn * Tile::kMoved * tile::kPieceBytes);
        }
      }
    };
    TILE_UNROLL for (int slice = 0; slice < Shape::kAhead; ++slice) read(slice);
    TILE_UNROLL for (int slice = 0; slice < kSlices; ++slice) {
      tile::arch::keep_order();
      if (slice + Shape::kAhead < kSlices) read(slice + Shape::kAhead);
      beside(slice, kSlices);
      TILE_UNROLL for (int step = 0; step < Slice::kSteps; ++step) {
        const int number = slice * Slice::kSteps + step;
        TILE_UNROLL for (int i = 0; i < Shape::kOwnAtoms; ++i) scores.at[0][i] =
            Atom::multiply(keys[slice].take(i, step), q.take(0, number), scores.at[0][i]);
      }
    }
    tile::arch::keep_order();
  }
};

/// The values' part in the results of a wave.
template <class Shape>
struct ValueReader {
  using Layout = typename Shape::Layout;
  using Tile = LatentTile<Shape>;
  using Wide = tile::Vector<tile::u32, Shape::kWide / 2>;
  using Weights = tile::Operand<typename Shape::Atom, 1, Shape::kKeys>;
  using Results = tile::Sums<typename Shape::Atom, 1, Shape::kColumns>;
  static constexpr int kBlock = Layout::kRows * Shape::kWide;  ///< columns that the lanes have side by side
  static constexpr int kSize = sizeof(typename Shape::Element);
  int offset[Shape::kInGroup];  ///< of the lane's columns of each key of its group, less that key's row

  TILE_DEVICE ValueReader(int first_column, int lane) {
    const int column = first_column + Layout::row(lane) * Shape::kWide;
    const int key = lane / Layout::kRows * Shape::kInGroup;
    constexpr int kElements = tile::kPieceElements<typename Shape::Element>;
    TILE_UNROLL for (int i = 0; i < Shape::kInGroup; ++i) offset[i] =
        Tile::offset(key + i, column / kElements) + column % kElements * kSize - i * Tile::kRowBytes;
  }

  /// A lane's columns of the keys of its group, of one piece of the weights and one block of columns.
  struct Rows {
    Wide at[Shape::kInGroup];
  };
  static constexpr int kBlocks = Shape::kColumns / Shape::kWide, kReads = Shape::kPiecesOfKeys * kBlocks;
  TILE_DEVICE Rows read(int number, Tile tile) const {
    const int first = number / kBlocks * Shape::kInPiece;
    Rows rows;
    TILE_UNROLL for (int i = 0; i < Shape::kInGroup; ++i) rows.at[i] = tile::shared_read<Wide>(
        tile.memory + offset[i] + (first + i) * Tile::kRowBytes + number % kBlocks * kBlock * kSize);
    return rows;
  }

  /// Whether reads are a step ahead of products.
  static constexpr bool kAhead = Shape::kAhead > 1;

  /// Results += weights * values, of which `rows` are the first, if they are read ahead. Column c of a lane
  /// is a row of the c-th atom.
  TILE_DEVICE void multiply(Results& results, const Weights& weights, Rows rows, Tile tile) const {
    using Atom = typename Shape::Atom;
    using Values = tile::Operand<Atom, 1, Shape::kInPiece>;
    tile::repeat<kReads>([&](auto number) {
      constexpr int kNumber = decltype(number)::kValue, kPiece = kNumber / kBlocks, kOf = kNumber % kBlocks;
      Rows next;
      if constexpr (!kAhead) rows = read(kNumber, tile);
      if constexpr (kAhead && kNumber + 1 < kReads) next = read(kNumber + 1, tile);
      if constexpr (kAhead) tile::arch::keep_order();
      tile::repeat<Shape::kWide / 2>([&](auto pair) {
        constexpr int kPair = decltype(pair)::kValue;
        tile::Vector<typename Shape::Element, Shape::kInGroup> columns[2];
        TILE_UNROLL for (int i = 0; i < Shape::kInGroup; ++i) {
          const auto two =
              tile::two_widened<typename Shape::Element, typename Shape::Element, kPair>(rows.at[i]);
          columns[0][i] = two[0], columns[1][i] = two[1];
        }
        Values values[2];
        TILE_UNROLL for (int c = 0; c < 2; ++c)
            tile::put_piece(values[c], 0, 0, tile::bits_as<tile::Piece>(columns[c]));
        TILE_UNROLL for (int step = 0; step < Values::kSteps; ++step) {
          TILE_UNROLL for (int c = 0; c < 2; ++c) {
            auto& sums = results.at[0][kOf * Shape::kWide + 2 * kPair + c];
            sums = Atom::multiply(values[c].take(0, step), weights.take(0, kPiece * Values::kSteps + step),
                                  sums);
          }
        }
      });
      if constexpr (kAhead && kNumber + 1 < kReads) rows = next;
    });
  }
};

/// Scores of which each wave that shares rows has a part, in shared memory: all waves have the same sums.
template <class Shape>
struct SharedScores {
  using Atom = typename Shape::Atom;
  using Layout = typename Shape::Layout;
  using Own = tile::Sums<Atom, 1, Shape::kOwnAtoms>;
  using All = tile::Sums<Atom, 1, Shape::kAtoms>;
  using Four = tile::Vector<float, 4>;
  static constexpr int kFours = Layout::kSums / 4;
  static constexpr int kOfWave = Shape::kOwnAtoms * kFours * Layout::kLanes * tile::kPieceBytes;
  static constexpr int kBytes = Shape::kParts > 1 ? Shape::kWaves* kOfWave : 0;

  tile::SharedBytes memory;

  /// All waves meet.
  TILE_DEVICE All exchange(const Own& own, int wave, int lane) const {
    All all;
    if constexpr (Shape::kParts == 1) {
      all = own;
    } else {
      TILE_UNROLL for (int i = 0; i < Shape::kOwnAtoms * kFours; ++i) {
        Four four;
        TILE_UNROLL for (int e = 0; e < 4; ++e) four[e] = own.at[0][i / kFours][i % kFours * 4 + e];
        tile::shared_write(at(wave, i, lane), four);
      }
      tile::arch::barrier();
      const int first = wave / Shape::kParts * Shape::kParts;
      TILE_UNROLL for (int i = 0; i < Shape::kAtoms * kFours; ++i) {
        constexpr int kOwnFours = Shape::kOwnAtoms * kFours;
        Four sum = {};
        TILE_UNROLL for (int part = 0; part < Shape::kDepthParts; ++part) {
          const auto four = tile::shared_read<Four>(
              at(first + i / kOwnFours * Shape::kDepthParts + part, i % kOwnFours, lane));
          sum = part == 0 ? four : sum + four;
        }
        TILE_UNROLL for (int e = 0; e < 4; ++e) all.at[0][i / kFours][i % kFours * 4 + e] = sum[e];
      }
    }
    return all;
  }

 private:
  TILE_DEVICE tile::SharedBytes at(int wave, int four, int lane) const {
    return memory + wave * kOfWave + (four * Layout::kLanes + lane) * tile::kPieceBytes;
  }
};

}  // namespace wavesmith::kernels
