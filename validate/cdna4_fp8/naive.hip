// The first step: a thread makes one number of C and fetches all of its operands from memory, byte by byte.
#include "matrix_core.h"
#include "product.h"

using fp8::Bf16;
using fp8::Byte;

__global__ void naive(const Byte* a, const Byte* b, Bf16* c, int m, int n, int k) {
  const int row = blockIdx.y * blockDim.y + threadIdx.y, column = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= m || column >= n) return;
  float sum = 0;
  for (int i = 0; i < k; ++i) sum += fp8::number(a[row * k + i]) * fp8::number(b[column * k + i]);
  c[row * n + column] = {static_cast<__bf16>(sum)};
}

int main(int count, char** words) {
  const fp8::Step step{"naive", naive, dim3(16, 16), 16, 16, 1};
  return fp8::run(count, words, {step});
}
