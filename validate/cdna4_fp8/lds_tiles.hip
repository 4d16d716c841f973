// The second step: a wave keeps a tile of each operand in LDS, as single-precision numbers, and each of its
// lanes makes one number of C. Waves share nothing: that B's tile is fetched by each of the four is what
// AMD's kernel does too, and what its time shows.
#include "matrix_core.h"
#include "product.h"

using fp8::Bf16;
using fp8::Byte;

constexpr int kWaves = 4, kRows = 4, kColumns = 16, kDepth = 16;

__global__ void lds_tiles(const Byte* a, const Byte* b, Bf16* c, int m, int n, int k) {
  __shared__ float tiles_of_a[kWaves][kRows][kDepth], tiles_of_b[kWaves][kDepth][kColumns];
  const int x = threadIdx.x, y = threadIdx.y % kRows, wave = threadIdx.y / kRows;
  auto& tile_of_a = tiles_of_a[wave];
  auto& tile_of_b = tiles_of_b[wave];
  const int row = (blockIdx.y * kWaves + wave) * kRows + y, column = blockIdx.x * kColumns + x;
  float sum = 0;
  for (int start = 0; start < k; start += kDepth) {
    tile_of_a[y][x] = fp8::number(a[row * k + start + x]);
    for (int i = y; i < kDepth; i += kRows) tile_of_b[i][x] = fp8::number(b[column * k + start + i]);
    __syncthreads();
    for (int i = 0; i < kDepth; ++i) sum += tile_of_a[y][i] * tile_of_b[i][x];
    __syncthreads();
  }
  c[row * n + column] = {static_cast<__bf16>(sum)};
}

int main(int count, char** words) {
  const dim3 block(kColumns, kWaves * kRows);
  const fp8::Step step{"lds_tiles", lds_tiles, block, kWaves * kRows, kColumns, kDepth};
  return fp8::run(count, words, {step});
}
