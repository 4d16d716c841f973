// 8. Ping-pong: eight waves, two on each SIMD, in two groups half a step apart. While one group multiplies,
// with a higher priority, the other one reads operands, fills the next stage and loads ahead; then they
// change places. So a SIMD's matrix core always has a wave that does nothing else, and no order of
// instructions needs to be given. The tile is 256 x 256 (128 x 128 where waves have 32 lanes): each element
// that is loaded is used twice as often once more.
#include "gemm.h"
#include "tile/arch/priority.h"
#include "tile/view.h"

constexpr int kDepth = 32, kWaves = 8;
constexpr Shape shape(int lanes) { return {4 * lanes, 4 * lanes, kWaves}; }

constexpr int kLanes = tile::arch::kHere.wave_lanes, kThreads = kWaves * kLanes;
__global__ void __launch_bounds__(kThreads) gemm(Product g) {
  using namespace tile;
  using Atom = arch::Best<bf16>;
  constexpr int kSide = shape(kLanes).rows, kRows = kSide / 2,
                kColumns = kSide / 4;  // of a wave: two by four
  using Tile = SharedTile<Atom, kSide, kDepth>;
  using Feed = Window<Tile, kThreads, Along::Row>;
  constexpr int kAtomsA = kRows / AtomLayout<Atom>::kRows, kAtomsB = kColumns / AtomLayout<Atom>::kRows;
  __shared__ char memory[4 * Feed::kSharedBytes];
  const auto tile_a = [&](int stage) {
    return Tile{(SharedBytes)memory + stage % 2 * 2 * Feed::kSharedBytes};
  };
  const auto tile_b = [&](int stage) { return Tile{tile_a(stage).memory + Feed::kSharedBytes}; };

  const int thread = threadIdx.x, lane = thread % kLanes, wave = arch::uniform(thread / kLanes);
  const int first_row = blockIdx.y * kSide, first_column = blockIdx.x * kSide;
  const int group = wave / 4, wave_row = group * kRows, wave_column = wave % 4 * kColumns;
  Feed feed_a(g.a, g.m, g.k, g.k, first_row, 0, thread), feed_b(g.b, g.n, g.k, g.k, first_column, 0, thread);
  const OperandReader<Atom, Tile> reader_a(wave_row, lane), reader_b(wave_column, lane);

  typename Feed::Pieces a, b;
  int left = g.k;
  const auto load = [&] {
    if (left < kDepth) feed_a.narrow(left), feed_b.narrow(left);
    feed_a.load(a), feed_b.load(b);
    left -= kDepth;
  };
  const auto fill = [&](int stage) {
    feed_a.store(a, tile_a(stage)), feed_b.store(b, tile_b(stage));
    load();
  };
  const auto meet = [] {
    arch::keep_order();
    arch::barrier();
    arch::keep_order();
  };

  Sums<Atom, kAtomsA, kAtomsB> sums;
  sums.clear();
  load();
  fill(0);
  meet();
  if (group == 1) meet();  // from here on this group is half a step behind
  for (int stage = 0; stage < ceiling(g.k, kDepth); ++stage) {
    Operand<Atom, kAtomsA, kDepth> operand_a;
    Operand<Atom, kAtomsB, kDepth> operand_b;
    for (int i = 0; i < kAtomsA; ++i) reader_a.read(operand_a, i, tile_a(stage));
    for (int j = 0; j < kAtomsB; ++j) reader_b.read(operand_b, j, tile_b(stage));
    fill(stage + 1);  // both groups have read what was there: the other one half a step ago
    meet();
    arch::priority<1>();
    for (int i = 0; i < kAtomsA; ++i) sums.multiply(i, operand_a, operand_b);
    arch::priority<0>();
    meet();
  }
  if (group == 0) meet();
  store(sums, g, first_row + wave_row, first_column + wave_column, lane);
}

int main(int argc, char** argv) { return run(gemm, shape, argc, argv); }
