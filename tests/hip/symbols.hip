// Variables of the device: by symbol, by address, managed ones.
#include <hip/hip_runtime.h>

#include "check.h"

__device__ int counter = 5;
__device__ float table[16];
__constant__ int factor = 3;
__managed__ int shared_value = 10;
__managed__ int shared_array[64];

__global__ void work(int* out) {
  const int i = threadIdx.x;
  table[i % 16] = i % 16 * 0.5f;
  shared_array[i] = i * factor;
  if (i == 0) {
    counter += factor;
    shared_value += counter;
    *out = counter;
  }
}

int main() {
  int* out;
  CHECK_HIP(hipMalloc((void**)&out, sizeof(int)));
  const int seven = 7;
  CHECK_HIP(hipMemcpyToSymbol(HIP_SYMBOL(factor), &seven, sizeof seven, 0, hipMemcpyHostToDevice));
  CHECK(shared_value == 10);
  shared_value = 100;
  work<<<1, 64>>>(out);
  CHECK_HIP(hipDeviceSynchronize());
  int now = 0;
  CHECK_HIP(hipMemcpyFromSymbol(&now, HIP_SYMBOL(counter), sizeof now, 0, hipMemcpyDeviceToHost));
  CHECK(now == 12);
  CHECK(shared_value == 112);
  for (int i = 0; i < 64; ++i) CHECK(shared_array[i] == 7 * i);
  float half[2];
  CHECK_HIP(
      hipMemcpyFromSymbol(half, HIP_SYMBOL(table), sizeof half, 3 * sizeof(float), hipMemcpyDeviceToHost));
  CHECK(half[0] == 1.5f && half[1] == 2.0f);
  CHECK_ERROR(
      hipMemcpyFromSymbol(half, HIP_SYMBOL(table), sizeof half, 15 * sizeof(float), hipMemcpyDeviceToHost),
      hipErrorInvalidValue);
  void* address;
  size_t size = 0;
  CHECK_HIP(hipGetSymbolAddress(&address, HIP_SYMBOL(table)));
  CHECK_HIP(hipGetSymbolSize(&size, HIP_SYMBOL(table)));
  CHECK(size == sizeof table);
  CHECK_HIP(hipMemcpy(half, address, sizeof(float), hipMemcpyDeviceToHost));
  CHECK(half[0] == 0);
  CHECK_ERROR(hipGetSymbolAddress(&address, &seven), hipErrorInvalidSymbol);
  return finish();
}
