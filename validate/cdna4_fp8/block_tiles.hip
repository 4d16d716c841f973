// The steps with two buffers in LDS: while a workgroup multiplies one pair of tiles, all of its waves fetch
// the next one. What changes from step to step is the workgroup's part of C and how many waves make it.
#include "matrix_core.h"
#include "product.h"

using fp8::Bf16;
using fp8::Byte;
using fp8::kChunk, fp8::kChunks, fp8::kDepth, fp8::kLanes, fp8::kRowsOfLoad, fp8::kSide;

/// A workgroup's part of C, in parts of a wave, which it makes one after the other: each wave every
/// `kWaves`th one, row by row.
template <int kBlockRows, int kBlockColumns, int kPartRows, int kPartColumns, int kWavesOf,
          bool kSwizzledTiles = true>
struct Shape {
  static constexpr int kRows = kBlockRows, kColumns = kBlockColumns, kWaves = kWavesOf;
  static constexpr bool kSwizzled = kSwizzledTiles;
  static constexpr int kAcross = kColumns / kPartColumns, kParts = kRows / kPartRows * kAcross / kWaves;
  static constexpr int kProductsDown = kPartRows / kSide, kProductsAcross = kPartColumns / kSide;
  static __device__ int row(int wave, int part) { return (part * kWaves + wave) / kAcross * kPartRows; }
  static __device__ int column(int wave, int part) { return (part * kWaves + wave) % kAcross * kPartColumns; }
};

/// A pair of tiles.
template <class S>
struct Tiles {
  Byte a[S::kRows * kDepth], b[S::kColumns * kDepth];
};

/// All waves' loads of one tile, in strips of 8 rows.
template <class S, int kRows>
__device__ void fetch(__amdgpu_buffer_rsrc_t matrix, int row, int k, int start, Byte* tile, int wave,
                      int lane) {
#pragma unroll
  for (int i = 0; i < kRows / (S::kWaves * kRowsOfLoad); ++i) {
    const int first = (i * S::kWaves + wave) * kRowsOfLoad, own = first + lane / kChunks;
    const int at = (row + own) * k + start + fp8::place<S::kSwizzled>(own, lane % kChunks) * kChunk;
    fp8::load_to_lds(matrix, at, tile + first * kDepth);
  }
}

/// Sums of a wave's part; rows are taken four products at a time, the next while the last are multiplied.
template <class S>
__device__ void multiply(const Tiles<S>& tiles, int row, int column, fp8::Lane lane,
                         fp8::Result (&sums)[S::kProductsDown][S::kProductsAcross]) {
  constexpr int kAtOnce = S::kProductsDown < 4 ? S::kProductsDown : 4, kGroups = S::kProductsDown / kAtOnce;
  static_assert(kGroups <= 2);
  const unsigned a = fp8::address(tiles.a + row * kDepth), b = fp8::address(tiles.b + column * kDepth);
  fp8::Pending pending_b[S::kProductsAcross], pending_a[2][kAtOnce];
  fp8::read<S::kSwizzled>(pending_b, b, lane);
  fp8::read<S::kSwizzled>(pending_a[0], a, lane);
  fp8::wait_for_reads();
  fp8::Operand columns[S::kProductsAcross];
#pragma unroll
  for (int x = 0; x < S::kProductsAcross; ++x) columns[x] = fp8::arrived(pending_b[x]);
#pragma unroll
  for (int group = 0; group < kGroups; ++group) {
    fp8::Operand rows[kAtOnce];
#pragma unroll
    for (int y = 0; y < kAtOnce; ++y) rows[y] = fp8::arrived(pending_a[group][y]);
    if (group + 1 < kGroups) fp8::read<S::kSwizzled, kAtOnce, kAtOnce>(pending_a[group + 1], a, lane);
#pragma unroll
    for (int y = 0; y < kAtOnce; ++y)
#pragma unroll
      for (int x = 0; x < S::kProductsAcross; ++x) {
        fp8::Result& sum = sums[group * kAtOnce + y][x];
        sum = fp8::multiply(rows[y], columns[x], sum);
      }
    if (group + 1 < kGroups) fp8::wait_for_reads();
  }
}

template <class S>
__global__ __launch_bounds__(S::kWaves* kLanes) void block_tiles(const Byte* a, const Byte* b, Bf16* c, int m,
                                                                 int n, int k) {
  __shared__ __attribute__((aligned(16))) Tiles<S> tiles[2];
  const int wave = __builtin_amdgcn_readfirstlane(threadIdx.x / kLanes), thread = threadIdx.x % kLanes;
  const int row = blockIdx.y * S::kRows, column = blockIdx.x * S::kColumns;
  const __amdgpu_buffer_rsrc_t buffer_of_a = fp8::buffer_of(a, m * k), buffer_of_b = fp8::buffer_of(b, n * k);
  const fp8::Lane lane(thread);
  const auto fetch_tiles = [&](int to, int start) {
    fetch<S, S::kRows>(buffer_of_a, row, k, start, tiles[to].a, wave, thread);
    fetch<S, S::kColumns>(buffer_of_b, column, k, start, tiles[to].b, wave, thread);
  };
  fp8::Result sums[S::kParts][S::kProductsDown][S::kProductsAcross] = {};
  fetch_tiles(0, 0);
  fp8::wait_for_loads();
  __syncthreads();
  for (int start = 0, current = 0; start < k; start += kDepth, current ^= 1) {
    const bool more = start + kDepth < k;
    if (more) fetch_tiles(current ^ 1, start + kDepth);
#pragma unroll
    for (int part = 0; part < S::kParts; ++part)
      multiply<S>(tiles[current], S::row(wave, part), S::column(wave, part), lane, sums[part]);
    if (more) {
      fp8::wait_for_loads();
      __syncthreads();
    }
  }
#pragma unroll
  for (int part = 0; part < S::kParts; ++part)
#pragma unroll
    for (int y = 0; y < S::kProductsDown; ++y)
#pragma unroll
      for (int i = 0; i < 4; ++i)
#pragma unroll
        for (int x = 0; x < S::kProductsAcross; ++x) {
          const int to_row = row + S::row(wave, part) + y * kSide + lane.result_row(i),
                    to_column = column + S::column(wave, part) + x * kSide + lane.row;
          c[to_row * n + to_column] = {static_cast<__bf16>(sums[part][y][x][i])};
        }
}

template <class S>
fp8::Step step(const char* name) {
  return {name, block_tiles<S>, dim3(S::kWaves * kLanes), S::kRows, S::kColumns, kDepth};
}

int main(int count, char** words) {
  return fp8::run(
      count, words,
      {step<Shape<64, 64, 32, 32, 4, false>>("double_buffer_straight"),
       step<Shape<64, 64, 32, 32, 4>>("double_buffer"), step<Shape<128, 128, 64, 32, 8>>("block_128_8_waves"),
       step<Shape<256, 256, 128, 64, 8>>("block_256_8_waves"),
       step<Shape<256, 256, 64, 32, 16>>("block_256_16_waves")});
}
