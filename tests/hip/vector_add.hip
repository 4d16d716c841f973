// The first program that everybody writes.
#include <hip/hip_runtime.h>

#include <vector>

#include "check.h"

__global__ void add(const float* a, const float* b, float* out, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) out[i] = a[i] + b[i];
}

int main() {
  const int count = 100'003;  // no multiple of the block
  std::vector<float> a(count), b(count), out(count, -1);
  for (int i = 0; i < count; ++i) a[i] = 0.5f * i, b[i] = 1000.0f - i;
  float *da, *db, *dout;
  CHECK_HIP(hipMalloc(&da, count * sizeof(float)));
  CHECK_HIP(hipMalloc(&db, count * sizeof(float)));
  CHECK_HIP(hipMalloc(&dout, count * sizeof(float)));
  CHECK_HIP(hipMemcpy(da, a.data(), count * sizeof(float), hipMemcpyHostToDevice));
  CHECK_HIP(hipMemcpy(db, b.data(), count * sizeof(float), hipMemcpyHostToDevice));
  add<<<(count + 255) / 256, 256>>>(da, db, dout, count);
  CHECK_HIP(hipGetLastError());
  CHECK_HIP(hipMemcpy(out.data(), dout, count * sizeof(float), hipMemcpyDeviceToHost));
  for (int i = 0; i < count; ++i) CHECK(out[i] == a[i] + b[i]);
  CHECK_HIP(hipFree(da));
  CHECK_HIP(hipFree(db));
  CHECK_HIP(hipFree(dout));
  return finish();
}
