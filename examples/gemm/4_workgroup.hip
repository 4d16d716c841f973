// 4. Both: four waves share tiles of 128 x 32 elements of A and of B (64 x 32 where
// waves have 32 lanes). A window (tile/view.h) walks along K: its threads
// load pieces of 16 bytes into registers and store them to a shared tile, whose swizzle keeps the lanes that
// read together in different banks. Each element that comes from the caches is used twice as often as before;
// but loads, stores and products take turns, with a barrier between.
#include "gemm.h"
#include "tile/view.h"

constexpr int kDepth = 32, kWaves = 4;
constexpr Shape shape(int lanes) { return {2 * lanes, 2 * lanes, kWaves}; }

constexpr int kLanes = tile::arch::kHere.wave_lanes, kThreads = kWaves * kLanes;
constexpr int kSide = shape(kLanes).rows;
__global__ void __launch_bounds__(kThreads) gemm(Product g) {
  using namespace tile;
  using Atom = arch::Best<bf16>;
  using Tile = SharedTile<Atom, kSide, kDepth>;
  using Feed = Window<Tile, kThreads, Along::Row>;
  constexpr int kAtoms = kSide / 2 / AtomLayout<Atom>::kRows;  // two waves along each side
  __shared__ char memory[2 * Feed::kSharedBytes];
  const Tile tile_a{(SharedBytes)memory}, tile_b{(SharedBytes)memory + Feed::kSharedBytes};

  const int thread = threadIdx.x, lane = thread % kLanes, wave = arch::uniform(thread / kLanes);
  const int first_row = blockIdx.y * kSide, first_column = blockIdx.x * kSide;
  const int wave_row = wave / 2 * kSide / 2, wave_column = wave % 2 * kSide / 2;
  Feed feed_a(g.a, g.m, g.k, g.k, first_row, 0, thread), feed_b(g.b, g.n, g.k, g.k, first_column, 0, thread);
  const OperandReader<Atom, Tile> reader_a(wave_row, lane), reader_b(wave_column, lane);

  Sums<Atom, kAtoms, kAtoms> sums;
  sums.clear();
  for (int left = g.k; left > 0; left -= kDepth) {
    if (left < kDepth) feed_a.narrow(left), feed_b.narrow(left);  // what lies beyond K reads as 0
    typename Feed::Pieces a, b;
    feed_a.load(a), feed_b.load(b);
    feed_a.store(a, tile_a), feed_b.store(b, tile_b);
    arch::barrier();
    Operand<Atom, kAtoms, kDepth> operand_a, operand_b;
    for (int i = 0; i < kAtoms; ++i) reader_a.read(operand_a, i, tile_a), reader_b.read(operand_b, i, tile_b);
    for (int i = 0; i < kAtoms; ++i) sums.multiply(i, operand_a, operand_b);
    arch::barrier();
  }
  store(sums, g, first_row + wave_row, first_column + wave_column, lane);
}

int main(int argc, char** argv) { return run(gemm, shape, argc, argv); }
