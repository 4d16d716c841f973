// Allocation in a stream's order, and the pools behind it.
#include <hip/hip_runtime.h>

#include <vector>

#include "check.h"

__global__ void fill(int* data, int count, int value) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) data[i] = value + i;
}

/// Runs until the host says so.
__global__ void wait_for(const int* word) {
  while (__hip_atomic_load(word, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_SYSTEM) == 0) {
  }
}

/// Memory that waits for its turn to be freed serves work that comes after it, and no other.
void reuse_before_the_turn(hipMemPool_t pool) {
  constexpr size_t kSize = 3 << 20;
  int* gate;
  CHECK_HIP(hipHostMalloc(reinterpret_cast<void**>(&gate), sizeof(int)));
  *gate = 0;
  hipStream_t first, second;
  CHECK_HIP(hipStreamCreateWithFlags(&first, hipStreamNonBlocking));
  CHECK_HIP(hipStreamCreateWithFlags(&second, hipStreamNonBlocking));
  hipEvent_t event;
  CHECK_HIP(hipEventCreate(&event));
  void *a, *same, *other, *after;
  CHECK_HIP(hipMallocFromPoolAsync(&a, kSize, pool, first));
  wait_for<<<1, 64, 0, first>>>(gate);
  CHECK_HIP(hipFreeAsync(a, first));
  CHECK_ERROR(hipFreeAsync(a, first), hipErrorInvalidValue);  // freed before
  CHECK_HIP(hipMallocFromPoolAsync(&same, kSize, pool, first));
  CHECK(same == a);
  CHECK_HIP(hipMemsetAsync(same, 7, kSize, first));
  CHECK_HIP(hipFreeAsync(same, first));
  CHECK_HIP(hipMallocFromPoolAsync(&other, kSize, pool, second));
  CHECK(other != a);
  CHECK_HIP(hipEventRecord(event, first));
  CHECK_HIP(hipStreamWaitEvent(second, event, 0));
  CHECK_HIP(hipMallocFromPoolAsync(&after, kSize, pool, second));
  CHECK(after == a);
  std::vector<unsigned char> bytes(kSize);
  CHECK_HIP(hipMemsetAsync(after, 9, kSize, second));
  *gate = 1;
  CHECK_HIP(hipMemcpyAsync(bytes.data(), after, kSize, hipMemcpyDeviceToHost, second));
  CHECK_HIP(hipStreamSynchronize(second));
  for (const unsigned char byte : bytes) CHECK(byte == 9);
  CHECK_HIP(hipFreeAsync(after, second));
  CHECK_HIP(hipFreeAsync(other, second));
  CHECK_HIP(hipStreamDestroy(first));
  CHECK_HIP(hipStreamDestroy(second));
  CHECK_HIP(hipEventDestroy(event));
  CHECK_HIP(hipHostFree(gate));
  CHECK_HIP(hipDeviceSynchronize());
}

uint64_t number(hipMemPool_t pool, hipMemPoolAttr which) {
  uint64_t value = 0;
  CHECK_HIP(hipMemPoolGetAttribute(pool, which, &value));
  return value;
}

/// Memory that a captured graph allocates and frees on each launch.
void memory_of_a_graph(hipStream_t stream) {
  const int count = 3000;
  std::vector<int> host(count);
  hipGraph_t graph;
  hipGraphExec_t exec;
  int* data = nullptr;
  int* kept;
  CHECK_HIP(hipMalloc(&kept, count * sizeof(int)));
  CHECK_HIP(hipStreamBeginCapture(stream, hipStreamCaptureModeGlobal));
  CHECK_HIP(hipMallocAsync(reinterpret_cast<void**>(&data), count * sizeof(int), stream));
  fill<<<(count + 255) / 256, 256, 0, stream>>>(data, count, 40);
  CHECK_HIP(hipMemcpyAsync(kept, data, count * sizeof(int), hipMemcpyDeviceToDevice, stream));
  CHECK_HIP(hipFreeAsync(data, stream));
  CHECK_HIP(hipStreamEndCapture(stream, &graph));
  CHECK_HIP(hipGraphInstantiate(&exec, graph, nullptr, nullptr, 0));
  CHECK_HIP(hipGraphDestroy(graph));
  for (int run = 0; run < 2; ++run) {
    CHECK_HIP(hipMemset(kept, 0, count * sizeof(int)));
    CHECK_HIP(hipGraphLaunch(exec, stream));
    CHECK_HIP(hipStreamSynchronize(stream));
    CHECK_HIP(hipMemcpy(host.data(), kept, count * sizeof(int), hipMemcpyDeviceToHost));
    for (int i = 0; i < count; ++i) CHECK(host[i] == 40 + i);
  }
  CHECK_HIP(hipGraphExecDestroy(exec));
  CHECK_HIP(hipFree(kept));
}

int main() {
  hipStream_t stream;
  CHECK_HIP(hipStreamCreate(&stream));
  const int count = 3000;
  std::vector<int> host(count);
  for (int round = 0; round < 5; ++round) {
    int* data = nullptr;
    CHECK_HIP(hipMallocAsync(reinterpret_cast<void**>(&data), count * sizeof(int), stream));
    fill<<<(count + 255) / 256, 256, 0, stream>>>(data, count, round);
    CHECK_HIP(hipMemcpyAsync(host.data(), data, count * sizeof(int), hipMemcpyDeviceToHost, stream));
    CHECK_HIP(hipFreeAsync(data, stream));
    CHECK_HIP(hipStreamSynchronize(stream));
    for (int i = 0; i < count; ++i) CHECK(host[i] == round + i);
    CHECK_ERROR(hipFreeAsync(data, stream), hipErrorInvalidValue);  // freed before
  }

  hipMemPoolProps props{};
  props.allocType = hipMemAllocationTypePinned;
  props.location.type = hipMemLocationTypeDevice;
  props.location.id = 0;
  hipMemPool_t pool;
  CHECK_HIP(hipMemPoolCreate(&pool, &props));
  CHECK_ERROR(hipMemPoolCreate(&pool, nullptr), hipErrorInvalidValue);
  reuse_before_the_turn(pool);
  CHECK(number(pool, hipMemPoolAttrReservedMemCurrent) == 0);
  uint64_t none = 0;
  CHECK_HIP(hipMemPoolSetAttribute(pool, hipMemPoolAttrUsedMemHigh, &none));
  void *a, *b;
  CHECK_ERROR(hipMallocFromPoolAsync(&a, ~size_t{0}, pool, stream), hipErrorOutOfMemory);
  CHECK_HIP(hipMallocFromPoolAsync(&a, 1 << 20, pool, stream));
  CHECK_HIP(hipMallocFromPoolAsync(&b, 1 << 20, pool, stream));
  CHECK(a != b && number(pool, hipMemPoolAttrUsedMemCurrent) == 2 << 20);
  // With no threshold, what is freed goes back to the device.
  CHECK_HIP(hipFreeAsync(a, stream));
  CHECK_HIP(hipStreamSynchronize(stream));
  CHECK(number(pool, hipMemPoolAttrUsedMemCurrent) == 1 << 20);
  CHECK(number(pool, hipMemPoolAttrReservedMemCurrent) == 1 << 20);
  CHECK(number(pool, hipMemPoolAttrUsedMemHigh) == 2 << 20);
  // With one, it stays and is used again.
  uint64_t threshold = 1 << 30;
  CHECK_HIP(hipMemPoolSetAttribute(pool, hipMemPoolAttrReleaseThreshold, &threshold));
  CHECK_HIP(hipFreeAsync(b, stream));
  CHECK_HIP(hipStreamSynchronize(stream));
  CHECK(number(pool, hipMemPoolAttrUsedMemCurrent) == 0);
  CHECK(number(pool, hipMemPoolAttrReservedMemCurrent) == 1 << 20);
  CHECK_ERROR(hipMemset(b, 0, 4), hipErrorInvalidValue);  // kept by the pool, but nobody's
  CHECK_HIP(hipMallocFromPoolAsync(&a, 1 << 20, pool, stream));
  CHECK(a == b);
  CHECK_HIP(hipFree(a));  // any way of freeing will do
  CHECK(number(pool, hipMemPoolAttrUsedMemCurrent) == 0);
  CHECK_HIP(hipMemPoolTrimTo(pool, 0));
  CHECK(number(pool, hipMemPoolAttrReservedMemCurrent) == 0);
  uint64_t zero = 0, one = 1;
  CHECK_HIP(hipMemPoolSetAttribute(pool, hipMemPoolAttrUsedMemHigh, &zero));
  CHECK(number(pool, hipMemPoolAttrUsedMemHigh) == 0);
  CHECK_ERROR(hipMemPoolSetAttribute(pool, hipMemPoolAttrUsedMemHigh, &one), hipErrorInvalidValue);
  CHECK_ERROR(hipMemPoolSetAttribute(pool, hipMemPoolAttrUsedMemCurrent, &one), hipErrorInvalidValue);

  hipMemPool_t present, default_pool;
  CHECK_ERROR(hipDeviceGetDefaultMemPool(nullptr, 0), hipErrorInvalidValue);
  CHECK_ERROR(hipDeviceGetDefaultMemPool(&default_pool, -1), hipErrorInvalidDevice);
  CHECK_ERROR(hipDeviceGetMemPool(&default_pool, 99), hipErrorInvalidValue);
  CHECK_HIP(hipDeviceGetDefaultMemPool(&default_pool, 0));
  CHECK_HIP(hipDeviceGetMemPool(&present, 0));
  CHECK(present == default_pool);
  CHECK_HIP(hipDeviceSetMemPool(0, pool));
  CHECK_HIP(hipDeviceGetMemPool(&present, 0));
  CHECK(present == pool);
  CHECK_ERROR(hipMemPoolDestroy(default_pool), hipErrorInvalidValue);
  CHECK_HIP(hipMemPoolDestroy(pool));
  CHECK_ERROR(hipMemPoolDestroy(pool), hipErrorInvalidValue);
  CHECK_HIP(hipDeviceGetMemPool(&present, 0));
  CHECK(present == default_pool);
  CHECK_ERROR(hipMallocAsync(nullptr, 4, stream), hipErrorInvalidValue);
  CHECK_ERROR(hipMallocAsync(&a, size_t{1} << 50, stream), hipErrorOutOfMemory);
  memory_of_a_graph(stream);
  CHECK_HIP(hipStreamDestroy(stream));
  return finish();
}
