// The steps from the first matrix instruction to LDS without bank conflicts. A wave makes 16x16 numbers of C
// from tiles of its own in LDS; four waves make a workgroup, which shares nothing but its barriers.
#include "matrix_core.h"
#include "product.h"

using fp8::Bf16;
using fp8::Byte;
using fp8::kChunk, fp8::kChunks, fp8::kDepth, fp8::kLanes, fp8::kRowsOfLoad, fp8::kSide;

constexpr int kWaves = 2;  ///< in each direction

/// How a tile of 16 rows comes to LDS.
enum class Load { Bytes, Chunks, Direct };

struct Matrix {
  const Byte* data;
  __amdgpu_buffer_rsrc_t buffer;
  int rows, k;
  __device__ Matrix(const Byte* data, int rows, int k)
      : data(data), buffer(fp8::buffer_of(data, rows * k)), rows(rows), k(k) {}
};

/// One by one, in steps that the compiler does not know (it would have eight in flight), and each of them
/// checked against the matrix's edges, as AMD's do before they are vectors.
__device__ void fetch_bytes(const Matrix& matrix, int row, int start, Byte* tile, int lane) {
  for (int i = lane; i < kSide * kDepth; i += blockDim.x) {
    const int at_row = row + i / kDepth, at_k = start + i % kDepth;
    tile[i] = at_row < matrix.rows && at_k < matrix.k ? matrix.data[at_row * matrix.k + at_k] : 0;
  }
}

/// The tile of 16 rows that begins at `row` and `start`.
template <Load kLoad, bool kSwizzled>
__device__ void fetch(const Matrix& matrix, int row, int start, Byte* tile, int lane) {
  if constexpr (kLoad == Load::Bytes) return fetch_bytes(matrix, row, start, tile, lane);
#pragma unroll
  for (int first = 0; first < kSide; first += kRowsOfLoad) {
    const int own = first + lane / kChunks, chunk = lane % kChunks;
    // Direct loads put lanes side by side: what moves is the chunk that a lane fetches.
    const int at = (row + own) * matrix.k + start + fp8::place<kSwizzled>(own, chunk) * kChunk;
    if constexpr (kLoad == Load::Direct)
      fp8::load_to_lds(matrix.buffer, at, tile + first * kDepth);
    else
      *reinterpret_cast<fp8::Chunk*>(tile + own * kDepth + chunk * kChunk) =
          *reinterpret_cast<const fp8::Chunk*>(matrix.data + at);
  }
}

template <bool kSwizzled>
__device__ fp8::Operand operand(const Byte* tile, fp8::Lane lane) {
  const auto chunk = [&](int which) {
    return *reinterpret_cast<const fp8::Chunk*>(tile + lane.row * kDepth +
                                                fp8::place<kSwizzled>(lane.row, which) * kChunk);
  };
  return fp8::joined(chunk(lane.chunk), chunk(lane.chunk + kChunks / 2));
}

template <Load kLoad, bool kSwizzled>
__global__ void wave_tiles(const Byte* a, const Byte* b, Bf16* c, int m, int n, int k) {
  __shared__ __attribute__((aligned(16))) Byte tiles[2][kWaves * kWaves][kSide * kDepth];
  const int wave = __builtin_amdgcn_readfirstlane(threadIdx.y);
  Byte *const tile_of_a = tiles[0][wave], *const tile_of_b = tiles[1][wave];
  const int row = (blockIdx.y * kWaves + wave / kWaves) * kSide,
            column = (blockIdx.x * kWaves + wave % kWaves) * kSide;
  const Matrix matrix_a(a, m, k), matrix_b(b, n, k);
  const fp8::Lane lane(threadIdx.x);
  fp8::Result sum = {0, 0, 0, 0};
  for (int start = 0; start < k; start += kDepth) {
    fetch<kLoad, kSwizzled>(matrix_a, row, start, tile_of_a, threadIdx.x);
    fetch<kLoad, kSwizzled>(matrix_b, column, start, tile_of_b, threadIdx.x);
    if constexpr (kLoad == Load::Direct) fp8::wait_for_loads();
    __syncthreads();
    sum = fp8::multiply(operand<kSwizzled>(tile_of_a, lane), operand<kSwizzled>(tile_of_b, lane), sum);
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < 4; ++i)
    c[(row + lane.result_row(i)) * n + column + lane.row] = {static_cast<__bf16>(sum[i])};
}

int main(int count, char** words) {
  const auto step = [](const char* name, fp8::GemmFunction kernel) {
    return fp8::Step{name, kernel, dim3(kLanes, kWaves * kWaves), kWaves * kSide, kWaves * kSide, kDepth};
  };
  return fp8::run(
      count, words,
      {step("mfma", wave_tiles<Load::Bytes, false>), step("vector_loads", wave_tiles<Load::Chunks, false>),
       step("direct_to_lds", wave_tiles<Load::Direct, false>),
       step("swizzle", wave_tiles<Load::Direct, true>)});
}
