// All tiles of keys by turns: the waves are two groups, of which one multiplies, weights by V and Q by the
// next tile of K, while the other weighs. Then they change places. So a SIMD's matrix core always has a wave
// that does little else.
//
// A turn ends where all waves meet; the second group is a turn behind. K and V come past the registers to a
// ring of stages in shared memory (CDNA4), whose loads are set off some rounds ahead, to where both groups
// have read all that an earlier round left.
//
// The group that weighs has the longer list of instructions, nearly all of them the VALU's, of which matrix
// instructions take a quarter of the time. So the other group does what else there is, in the cycles between
// its products: it sets off loads and reads K and V, after each product what TurnsOrder says.
#pragma once

#include "kernels/attention/feed.h"
#include "tile/arch/priority.h"

namespace wavesmith::kernels {

/// After which product of a turn a piece of K or V is read. Products are counted from the turn's first: those
/// of weights by V, then those of Q by K.
template <class Shape>
struct TurnsOrder {
  using Layout = typename Shape::Layout;
  static constexpr int kAcross = Shape::kKeys / Layout::kRows, kSteps = Shape::kKeySize / Layout::kDepth;
  static constexpr int kOfV = Shape::kColumns * (Shape::kKeys / Layout::kDepth), kOfK = kAcross * kSteps;
  static_assert(Shape::kAtoms == 1 && Layout::kHeld == tile::kPieceElements<typename Shape::Atom::Element>,
                "each product takes a piece that no other does");
  static constexpr int kLast = kAcross;                  ///< products that are begun when all have met
  static constexpr int kProducts = kOfV + kOfK - kLast;  ///< before

  /// K comes 192 cycles before its product: 6 products of 32 rows, which take 32 cycles, or 12 of 16. With 5
  /// or 8 a kernel of heads of 128 takes 1 % and 3 % longer (modelled).
  static constexpr int kLead = 6 * 32 / Layout::kRows;
  static constexpr int kFirstK = kOfV > kLead ? kOfV - kLead : 0;
  /// Registers beside results, Q, scores, K and V: with fewer the compiler spills.
  static constexpr int kOthers = 56;
  static constexpr int kPieces =
      (256 - kOthers - (Shape::kColumns + kAcross) * Layout::kSums - kSteps * 4) / 4;  ///< of K and V
  /// As many pieces of V as there are registers for follow those before them, three products later; the
  /// others come where K has become less, some products before all meet, which waits for them.
  static constexpr int kFirstV = 3, kEarlyV = kPieces - kLead < kOfV ? kPieces - kLead : kOfV;
  static constexpr int kLateV = kProducts - 6;
  static_assert(kFirstK + kOfK <= kProducts && kFirstV + kEarlyV <= kProducts);
  static_assert(kEarlyV == kOfV || (kLateV >= kOfV && kLateV + kOfV - kEarlyV <= kProducts));

  /// Products of 16 rows leave no cycles for V: the group that weighs reads it, which has fewer scores then.
  static constexpr bool kReadsV = Layout::kRows == 32;
  /// Rounds from setting off loads to reading: one less where the second group still reads V while the first
  /// sets off the next loads.
  static constexpr int kAhead = kReadsV ? 3 : 2;

  static constexpr int k_after(int product) { return product - kFirstK; }
  static constexpr int v_after(int product) {
    const int early = product - kFirstV;
    return early < kEarlyV ? early : product < kLateV ? -1 : product - kLateV + kEarlyV;
  }
};

template <class Shape, class OfWave>
TILE_DEVICE void attend_by_turns(OfWave& queries, int thread, tile::SharedBytes memory) {
  using namespace tile;
  using Atom = typename Shape::Atom;
  using Order = TurnsOrder<Shape>;
  using Feed = TurnsFeed<Shape>;
  constexpr int kAcross = Order::kAcross, kColumns = Shape::kColumns, kPair = Feed::kOfK + Feed::kOfV;
  static_assert(Shape::kParts == 1, "waves that share rows would have to multiply at once");
  static_assert(Feed::kParts <= Order::kProducts);
  int key = queries.first_key();
  const int end = queries.sight.end(queries.place.first_row, Shape::kRows);
  const bool second = queries.wave >= Shape::kWaves / 2;
  Feed feed(queries, key, thread, memory);
  feed.load_all();
  queries.load();
  // The compiler knows of these loads alone: it would wait for all others with them.
  keep_here(queries.q);
  repeat<Order::kAhead - 1>([&](auto) { feed.load_all(); });
  typename OfWave::Scores scores;
  typename OfWave::Weights weights;
  Operand<Atom, kAcross, Shape::kKeySize> k;
  Operand<Atom, kColumns, Shape::kKeys> v;

  const auto after = [&](auto product) {
    constexpr int kProduct = decltype(product)::kValue;
    constexpr int kPieceK = Order::k_after(kProduct), kPieceV = Order::v_after(kProduct);
    arch::keep_order();
    feed.template load<kProduct>();
    if constexpr (kPieceK >= 0 && kPieceK < Order::kOfK) feed.read_k(k, kPieceK);
    if constexpr (Order::kReadsV && kPieceV >= 0 && kPieceV < Order::kOfV) feed.read_v(v, kPieceV);
    arch::keep_order();
  };
  const auto multiply = [&](auto weighed) {
    arch::priority<1>();
    repeat<Order::kOfV>([&](auto product) {
      constexpr int kColumn = decltype(product)::kValue % kColumns,
                    kStep = decltype(product)::kValue / kColumns;
      if constexpr (decltype(weighed)::kValue != 0)
        queries.o.add(0, kColumn, v.take(kColumn, kStep), weights, kStep);
      after(product);
    });
    scores.clear();
    repeat<Order::kOfK - Order::kLast>([&](auto product) {
      constexpr int kColumn = decltype(product)::kValue % kAcross,
                    kStep = decltype(product)::kValue / kAcross;
      scores.add(0, kColumn, k.take(kColumn, kStep), queries.q, kStep);
      after(Constant<Order::kOfV + decltype(product)::kValue>{});
    });
    if constexpr (Order::kReadsV) feed.advance();
    feed.template meet<Order::kReadsV ? 2 * kPair : kPair + Feed::kOfV>();
    // The other group begins while the last products are under way.
    scores.template multiply<Order::kSteps - 1>(0, queries.q, k);
    arch::priority<0>();
    arch::keep_order();
  };
  const auto weigh = [&] {
    if constexpr (!Order::kReadsV) {
      repeat<Order::kOfV>([&](auto piece) { feed.read_v(v, decltype(piece)::kValue); });
      feed.advance();
    }
    queries.settle(scores, key);
    weights = queries.weigh(scores);
    keep_here(weights);
    key += Shape::kKeys;
    feed.template meet<kPair*(Order::kAhead - 1)>();
  };
  feed.template meet<kPair*(Order::kAhead - 1)>();
  if (second) arch::barrier();
  multiply(Constant<0>{});
  weigh();
  while (key < end) {
    multiply(Constant<1>{});
    weigh();
  }
  queries.o.multiply(0, weights, v);
  if (!second) arch::barrier();
  arch::wait_loads<0>();  // results go where the loads went
}

}  // namespace wavesmith::kernels
