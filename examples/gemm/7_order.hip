// 7. Operands ahead, in a given order: while a stage is multiplied, the next one's operands come from shared
// memory into registers, and the stage after that goes there. arch::order says how many matrix instructions
// stand between two accesses of memory, so that the compiler does not put these in a lump in front of the
// products, and the wave always has a product to issue.
#include "gemm.h"
#include "tile/view.h"

constexpr int kWaves = 4;
constexpr Shape shape(int lanes) { return {2 * lanes, 2 * lanes, kWaves}; }

constexpr int kLanes = tile::arch::kHere.wave_lanes, kThreads = kWaves * kLanes;
constexpr int kSide = shape(kLanes).rows, kDepth = kLanes;
__global__ void __launch_bounds__(kThreads) gemm(Product g) {
  using namespace tile;
  using Atom = arch::Best<bf16>;
  using Tile = SharedTile<Atom, kSide, kDepth>;
  using Feed = Window<Tile, kThreads, Along::Row>;
  using Reader = OperandReader<Atom, Tile>;
  constexpr int kAtoms = kSide / 2 / AtomLayout<Atom>::kRows;
  __shared__ char memory[4 * Feed::kSharedBytes];
  const auto tile_a = [&](int stage) {
    return Tile{(SharedBytes)memory + stage % 2 * 2 * Feed::kSharedBytes};
  };
  const auto tile_b = [&](int stage) { return Tile{tile_a(stage).memory + Feed::kSharedBytes}; };

  const int thread = threadIdx.x, lane = thread % kLanes, wave = arch::uniform(thread / kLanes);
  const int first_row = blockIdx.y * kSide, first_column = blockIdx.x * kSide;
  const int wave_row = wave / 2 * kSide / 2, wave_column = wave % 2 * kSide / 2;
  Feed feed_a(g.a, g.m, g.k, g.k, first_row, 0, thread), feed_b(g.b, g.n, g.k, g.k, first_column, 0, thread);
  const Reader reader_a(wave_row, lane), reader_b(wave_column, lane);

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
  Operand<Atom, kAtoms, kDepth> operand_a[2], operand_b[2];
  const auto read = [&](int stage, auto parity) {
    constexpr int kOf = decltype(parity)::kValue;
    for (int i = 0; i < kAtoms; ++i)
      reader_a.read(operand_a[kOf], i, tile_a(stage)), reader_b.read(operand_b[kOf], i, tile_b(stage));
  };

  Sums<Atom, kAtoms, kAtoms> sums;
  sums.clear();
  load();
  fill(0);
  fill(1);
  arch::barrier();
  read(0, Constant<0>{});
  const auto step = [&](int stage, auto parity) {
    constexpr int kNow = decltype(parity)::kValue;
    constexpr int kReads = 2 * kAtoms * Reader::kPieces, kStores = 2 * Feed::kCount;
    constexpr int kProducts = kAtoms * kAtoms * (kDepth / AtomLayout<Atom>::kShape.k);
    arch::barrier();  // all have read `stage` into registers, and written the next
    read(stage + 1, Constant<1 - kNow>{});
    fill(stage + 2);
    for (int i = 0; i < kAtoms; ++i) sums.multiply(i, operand_a[kNow], operand_b[kNow]);
    constexpr int kBetween = kProducts / (kReads + kStores) > 0 ? kProducts / (kReads + kStores) : 1;
    tile::repeat<kReads>(
        [](auto) { arch::order<arch::kSharedRead, 1>(), arch::order<arch::kMatrix, kBetween>(); });
    tile::repeat<kStores>([](auto) {
      arch::order<arch::kSharedWrite, 1>(), arch::order<arch::kMatrix, kBetween>();
      arch::order<arch::kGlobalLoad, 1>();
    });
  };
  for (int stage = 0; stage < ceiling(g.k, kDepth); stage += 2) {  // what is beyond K is 0
    step(stage, Constant<0>{});
    step(stage + 1, Constant<1>{});
  }
  store(sums, g, first_row + wave_row, first_column + wave_column, lane);
}

int main(int argc, char** argv) { return run(gemm, shape, argc, argv); }
