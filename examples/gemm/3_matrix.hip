// 3. Matrix instructions: a wave has 64 x 64 elements of C (32 x 32 where it has 32 lanes), as atoms
// (tile/atom.h), and reads its operands from global memory as the atoms want them: each lane 16 bytes of a
// row. The view (load_operand) has bounds, so there is no code for edges. The matrix cores are fed by the
// caches, and wait for them.
#include "gemm.h"
#include "tile/view.h"

constexpr int kDepth = 32;
constexpr Shape shape(int lanes) { return {lanes, lanes, 1}; }

constexpr int kLanes = tile::arch::kHere.wave_lanes, kSide = shape(kLanes).rows;
__global__ void __launch_bounds__(kLanes) gemm(Product g) {
  using namespace tile;
  using Atom = arch::Best<bf16>;
  constexpr int kAtoms = kSide / AtomLayout<Atom>::kRows;
  const int lane = threadIdx.x, row = blockIdx.y * kSide, column = blockIdx.x * kSide;

  Sums<Atom, kAtoms, kAtoms> sums;
  sums.clear();
  for (int first = 0; first < g.k; first += kDepth) {
    Operand<Atom, kAtoms, kDepth> a, b;
    load_operand(a, g.a + first, g.m, g.k - first, g.k, row, lane);
    load_operand(b, g.b + first, g.n, g.k - first, g.k, column, lane);
    for (int i = 0; i < kAtoms; ++i) sums.multiply(i, a, b);
  }
  store(sums, g, row, column, lane);
}

int main(int argc, char** argv) { return run(gemm, shape, argc, argv); }
