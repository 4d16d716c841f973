// The last step: 256x256 numbers of C by eight waves, two on each SIMD, which take turns: while one
// multiplies, the other reads from LDS and starts loads, and a barrier is where they swap (HipKittens, arXiv
// 2511.08083). One of the two begins a barrier later than the other. A step of K has four turns, each a
// quarter of the wave's part of C; tiles come in halves, each loaded again as soon as all waves have read it,
// up to seven of them ahead.
#include "matrix_core.h"
#include "product.h"

using fp8::Bf16;
using fp8::Byte;
using fp8::kChunk, fp8::kChunks, fp8::kDepth, fp8::kLanes, fp8::kRowsOfLoad, fp8::kSide;

constexpr int kBlock = 256, kHalf = kBlock / 2;  ///< rows of a tile, and of a half
constexpr int kWaves = 8, kAcross = 4;  ///< in two rows of four: those that share a SIMD are above each other
constexpr int kDown = 4, kBeside = 2;   ///< products in a quarter
constexpr int kPartRows = kDown * kSide, kPartColumns = kBeside * kSide;
constexpr int kLoads = kHalf / (kWaves * kRowsOfLoad);  ///< of a wave, for a half

struct Tiles {
  Byte a[2][kHalf * kDepth], b[2][kHalf * kDepth];
};

/// Where a wave's loads of one operand come from.
class Source {
 public:
  __device__ Source(const Byte* matrix, int row, int k, int wave, int lane)
      : matrix_(matrix + static_cast<size_t>(row) * k), k_(k), wave_(wave) {
    const int own = wave * kRowsOfLoad + lane / kChunks;
    at_ = own * k + fp8::place<true>(own, lane % kChunks) * kChunk;
  }
  /// Starts loading a half; beyond the end of K nothing is read, so that the last steps have no other waits.
  __device__ void fetch(Byte* to, int half, int start) const {
    const auto rows = fp8::buffer_of(matrix_ + half * kHalf * k_, start < k_ ? kHalf * k_ : 0);
#pragma unroll
    for (int i = 0; i < kLoads; ++i)
      fp8::load_to_lds(rows, at_ + start + i * kWaves * kRowsOfLoad * k_,
                       to + (i * kWaves + wave_) * kRowsOfLoad * kDepth);
  }

 private:
  const Byte* matrix_;
  int k_, wave_, at_;
};

/// Nothing moves from one turn to the next.
__device__ inline void swap_turns() {
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_sched_barrier(0);
}

using Sums = fp8::Result[kDown][kBeside];

__device__ inline void multiply(fp8::Pending (&a)[kDown], fp8::Pending (&b)[kBeside], Sums& sums) {
  swap_turns();
  fp8::wait_for_reads();
  // Before the other wave's reads and loads, wherever both could issue.
  __builtin_amdgcn_s_setprio(1);
  fp8::Operand rows[kDown], columns[kBeside];
#pragma unroll
  for (int y = 0; y < kDown; ++y) rows[y] = fp8::arrived(a[y]);
#pragma unroll
  for (int x = 0; x < kBeside; ++x) columns[x] = fp8::arrived(b[x]);
#pragma unroll
  for (int y = 0; y < kDown; ++y)
#pragma unroll
    for (int x = 0; x < kBeside; ++x) sums[y][x] = fp8::multiply(rows[y], columns[x], sums[y][x]);
  __builtin_amdgcn_s_setprio(0);
  swap_turns();
}

__global__ __launch_bounds__(kWaves* kLanes) void ping_pong(const Byte* a, const Byte* b, Bf16* c, int m,
                                                            int n, int k) {
  __shared__ __attribute__((aligned(16))) Tiles tiles[2];
  const int wave = __builtin_amdgcn_readfirstlane(threadIdx.x / kLanes), y = wave / kAcross,
            x = wave % kAcross;
  const int row = blockIdx.y * kBlock, column = blockIdx.x * kBlock;
  const fp8::Lane lane(threadIdx.x % kLanes);
  const Source of_a(a, row, k, wave, threadIdx.x % kLanes), of_b(b, column, k, wave, threadIdx.x % kLanes);
  const auto read_a = [&](fp8::Pending(&to)[kDown], const Tiles& from, int half) {
    fp8::read<true>(to, fp8::address(from.a[half] + y * kPartRows * kDepth), lane);
  };
  const auto read_b = [&](fp8::Pending(&to)[kBeside], const Tiles& from, int half) {
    fp8::read<true>(to, fp8::address(from.b[half] + x * kPartColumns * kDepth), lane);
  };

  // In the order in which the loop goes on: all of the first step, and of the second what it does not load.
  of_b.fetch(tiles[0].b[0], 0, 0), of_a.fetch(tiles[0].a[0], 0, 0);
  of_b.fetch(tiles[0].b[1], 1, 0), of_a.fetch(tiles[0].a[1], 1, 0);
  of_b.fetch(tiles[1].b[0], 0, kDepth), of_a.fetch(tiles[1].a[0], 0, kDepth);
  of_b.fetch(tiles[1].b[1], 1, kDepth);
  fp8::wait_for_loads<3 * kLoads>();
  swap_turns();
  if (y == 1) swap_turns();

  Sums sums[2][2] = {};
  fp8::Pending rows[kDown], left[kBeside], right[kBeside];
  for (int start = 0, current = 0; start < k; start += kDepth, current ^= 1) {
    Tiles &tile = tiles[current], &next = tiles[current ^ 1];
    read_b(left, tile, 0);
    read_a(rows, tile, 0);
    of_a.fetch(next.a[1], 1, start + kDepth);
    fp8::wait_for_reads<2 * kDown>();  // B's half is overwritten in the other wave's next turn
    multiply(rows, left, sums[0][0]);

    read_b(right, tile, 1);
    of_b.fetch(tile.b[0], 0, start + 2 * kDepth);
    multiply(rows, right, sums[0][1]);

    read_a(rows, tile, 1);
    of_a.fetch(tile.a[0], 0, start + 2 * kDepth);
    multiply(rows, left, sums[1][0]);

    of_b.fetch(tile.b[1], 1, start + 2 * kDepth);
    fp8::wait_for_loads<3 * kLoads>();  // the next step's are there
    multiply(rows, right, sums[1][1]);
  }
  if (y == 0) swap_turns();
  fp8::wait_for_loads();

#pragma unroll
  for (int down = 0; down < 2; ++down)
#pragma unroll
    for (int beside = 0; beside < 2; ++beside)
#pragma unroll
      for (int i = 0; i < kDown * kBeside * 4; ++i) {
        const int product = i / 4 / kBeside,
                  to_row = down * kHalf + y * kPartRows + product * kSide + lane.result_row(i % 4),
                  to_column = beside * kHalf + x * kPartColumns + i / 4 % kBeside * kSide + lane.row;
        c[(row + to_row) * n + column + to_column] = {
            static_cast<__bf16>(sums[down][beside][product][i / 4 % kBeside][i % 4])};
      }
}

int main(int count, char** words) {
  const fp8::Step step{"ping_pong", ping_pong, dim3(kWaves * kLanes), kBlock, kBlock, kDepth};
  return fp8::run(count, words, {step});
}
