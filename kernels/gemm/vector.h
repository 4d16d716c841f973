// C = A * B of floats by vector instructions, for targets without matrix instructions for them: each lane
// computes kLaneRows by kLaneColumns sums, for each k from so many rows of A and columns of B in registers.
#pragma once

#include "kernels/gemm/epilogue.h"
#include "tile/arch/lanes.h"
#include "tile/panel.h"

namespace wavesmith::kernels {

using tile::Access;
using tile::Along;

/// `kAtOnce`: steps whose operands are loaded together. Two take whole lines of 64 bytes of rows along K.
template <class A_, class B_, int kRows_, int kColumns_, int kDepth_, int kWaveRows_, int kWaveColumns_,
          int kAtOnce_ = 1>
struct GemmShape {
  using Arguments = GemmArguments;
  static constexpr int kRows = kRows_, kColumns = kColumns_, kDepth = kDepth_;
  static constexpr int kWaveRows = kWaveRows_,
                       kWaveColumns = kWaveColumns_;  ///< waves along rows and columns
  static constexpr int kAtOnce = kAtOnce_;
  static constexpr int kLanes = tile::arch::kHere.wave_lanes;
  static constexpr int kThreads = kWaveRows * kWaveColumns * kLanes;
  /// Eight lanes along columns, each with eight of them: what shared memory serves at once.
  static constexpr int kLaneColumns = 8, kLaneRows = kRows / kWaveRows / (kLanes / 8);
  static_assert(kColumns == kWaveColumns * 64 && kLaneRows % 8 == 0, "a lane has whole eights");
};

template <class Shape, Along kAlongA, Along kAlongB, Access kAccess>
TILE_DEVICE void gemm(const GemmArguments& arguments) {
  using namespace tile;
  static_assert(kAccess == Access::Dwords, "floats are dwords");
  using PanelA = Panel<Shape::kRows, Shape::kDepth>;
  using PanelB = Panel<Shape::kColumns, Shape::kDepth>;
  using WindowA = PanelWindow<PanelA, Shape::kThreads, kAlongA>;
  using WindowB = PanelWindow<PanelB, Shape::kThreads, kAlongB>;
  constexpr int kRows = Shape::kLaneRows, kColumns = Shape::kLaneColumns;
  constexpr int kBytes = PanelA::kBytes + PanelB::kBytes;
  TILE_SHARED static char memory[2 * kBytes];

  const int thread = arch::thread_id(), lane = thread % Shape::kLanes;
  const int wave = arch::uniform(thread / Shape::kLanes);
  const GemmPlace place(arguments);
  const int first_row = place.tile_row * Shape::kRows, first_column = place.tile_column * Shape::kColumns;
  const auto row_of = [&](int of) {
    return (wave / Shape::kWaveColumns * (Shape::kLanes / 8) + of / 8) * kRows;
  };
  const auto column_of = [&](int of) { return (wave % Shape::kWaveColumns * 8 + of % 8) * kColumns; };
  int row = row_of(lane), column = column_of(lane), number = thread;

  constexpr long kSize = sizeof(float);
  const void* const matrix_a = of_batch(arguments, arguments.a, place.batch, arguments.batch_a * kSize);
  const void* const matrix_b = of_batch(arguments, arguments.b, place.batch, arguments.batch_b * kSize);
  WindowA window_a(matrix_a, arguments.m, arguments.k, arguments.stride_a, first_row, thread);
  WindowB window_b(matrix_b, arguments.n, arguments.k, arguments.stride_b, first_column, thread);

  struct Loaded {
    typename WindowA::Pieces a;
    typename WindowB::Pieces b;
  } loaded[Shape::kAtOnce];
  int left = arguments.k;  // columns that are not loaded yet
  const auto load = [&] {
    TILE_UNROLL for (Loaded& pieces : loaded) {
      window_a.load(pieces.a, left);
      window_b.load(pieces.b, left);
      left -= Shape::kDepth;
    }
  };
  const auto store = [&](int number, int buffer) {
    Loaded& pieces = loaded[number];
    if (left < 0) {
      window_a.clear_beyond(pieces.a, left + (Shape::kAtOnce - number) * Shape::kDepth);
      window_b.clear_beyond(pieces.b, left + (Shape::kAtOnce - number) * Shape::kDepth);
    }
    const SharedBytes at = (SharedBytes)memory + buffer;
    window_a.store(pieces.a, PanelA{at});
    window_b.store(pieces.b, PanelB{at + PanelA::kBytes});
  };

  struct Operands {
    Vector<float, 4> a[kRows / 4], b[kColumns / 4];
  } now, next;
  // Where the lane reads: the even pieces of its rows and the odd ones, in the panels that are multiplied.
  SharedBytes at_a[2], at_b[2];
  TILE_UNROLL for (int odd = 0; odd < 2; ++odd) {
    at_a[odd] = (SharedBytes)memory + PanelA::row_offset(row + 4 * odd);
    at_b[odd] = (SharedBytes)memory + PanelA::kBytes + PanelB::row_offset(column + 4 * odd);
  }
  const auto read = [&](Operands& into, int k) {
    TILE_UNROLL for (int i = 0; i < kRows / 4; ++i) into.a[i] =
        shared_read<Vector<float, 4>>(at_a[i % 2] + PanelA::column_offset(k) + i / 2 * 2 * kPieceBytes);
    TILE_UNROLL for (int j = 0; j < kColumns / 4; ++j) into.b[j] =
        shared_read<Vector<float, 4>>(at_b[j % 2] + PanelB::column_offset(k) + j / 2 * 2 * kPieceBytes);
  };
  float sums[kRows][kColumns] = {};
  // Two by two along a diagonal: neighbours in registers, of which two instructions may be issued at once.
  const auto multiply = [&](const Operands& of) {
    TILE_UNROLL for (int i = 0; i < kRows; i += 2) {
      TILE_UNROLL for (int j = 0; j < kColumns; j += 2) {
        TILE_UNROLL for (int cross = 0; cross < 2; ++cross) {
          TILE_UNROLL for (int e = 0; e < 2; ++e) {
            const int r = i + e, c = j + (e ^ cross);
            sums[r][c] = __builtin_fmaf(of.a[r / 4][r % 4], of.b[c / 4][c % 4], sums[r][c]);
          }
        }
      }
      arch::keep_here(sums[i]);
      arch::keep_here(sums[i + 1]);
      arch::keep_order();
    }
  };

  load();
  store(0, 0);
  if constexpr (Shape::kAtOnce == 1) load();
  arch::barrier();
  read(now, 0);
  // A step multiplies one panel while the next goes to the other half of shared memory, and those after that
  // are on their way.
  int other = kBytes;  // half, from the one that is multiplied
  for (int rounds = ceiling(arguments.k, Shape::kAtOnce * Shape::kDepth); rounds > 0; --rounds) {
    TILE_UNROLL for (int k = 0; k < Shape::kAtOnce * Shape::kDepth; ++k) {
      if ((k + 1) % Shape::kDepth > 0) {
        read(k % 2 ? now : next, k % Shape::kDepth + 1);
      } else {
        const int number = (k + 1) / Shape::kDepth % Shape::kAtOnce;  // of the panels that are stored
        store(number, other > 0 ? other : 0);
        if (number == Shape::kAtOnce - 1) load();
        arch::barrier();
        TILE_UNROLL for (int odd = 0; odd < 2; ++odd) at_a[odd] += other, at_b[odd] += other;
        other = -other;
        read(now, 0);
      }
      multiply(k % 2 ? next : now);
    }
  }

  // Sums by way of the lane's own part of shared memory: the epilogue stands in the code once.
  arch::barrier();
  if constexpr (Shape::kAtOnce > 1) {  // no registers are left to hold these meanwhile
    const int again = arch::lane_id();
    row = row_of(again), column = column_of(again), number = wave * Shape::kLanes + again;
  }
  const GemmArguments late = arch::argument_again(arguments);
  const GemmEpilogue<float> epilogue(late, place.batch, first_row, first_column);
  constexpr int kFit =
      2 * kBytes / (Shape::kThreads * 32) < kRows ? 2 * kBytes / (Shape::kThreads * 32) : kRows;
  const SharedBytes own = (SharedBytes)memory + number * 16;
  constexpr int kApart = Shape::kThreads * 16;
  TILE_KEEP_LOOP
  for (int first = 0; first < kRows; first += kFit) {
    TILE_UNROLL for (int i = 0; i < kRows; ++i) {
      if (i / kFit * kFit != first) continue;
      struct Two {
        Piece low, high;
      };
      Eight eight;
      TILE_UNROLL for (int e = 0; e < 8; ++e) eight[e] = sums[i][e];
      const Two two = bits_as<Two>(eight);
      shared_write(own + i % kFit * 2 * kApart, two.low);
      shared_write(own + (i % kFit * 2 + 1) * kApart, two.high);
    }
    TILE_KEEP_LOOP
    for (int i = 0; i < kFit; ++i) {
      struct Two {
        Piece low, high;
      } two;
      two.low = shared_read<Piece>(own + i * 2 * kApart);
      two.high = shared_read<Piece>(own + (i * 2 + 1) * kApart);
      epilogue(row + first + i, column, bits_as<Eight>(two));
    }
  }
}

}  // namespace wavesmith::kernels
