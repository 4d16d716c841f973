// Cooperative launches on two GPUs: their grids meet, each in its own place of the whole.
#include <hip/hip_runtime.h>
// After it: HIP 5's needs what the other declares.
#include <hip/hip_cooperative_groups.h>

#include <chrono>
#include <thread>
#include <vector>

#include "check.h"

namespace groups = cooperative_groups;

constexpr int kBlocks = 6, kThreads = 128, kGrids = 2, kRounds = 5;

/// Each round every grid adds what the other one had after the round before: wrong unless they have met.
__global__ void exchange(int* values, int* ranks) {
  groups::multi_grid_group all = groups::this_multi_grid();
  const int mine = all.grid_rank(), other = 1 - mine;
  const bool first = blockIdx.x == 0 && threadIdx.x == 0;
  for (int round = 0; round < kRounds; ++round) {
    int sum = 0;
    if (first) sum = values[mine] + values[other];
    all.sync();
    if (first) values[mine] = sum + mine;
    all.sync();
  }
  if (threadIdx.x == 0) ranks[mine * kBlocks + blockIdx.x] = all.is_valid() ? (int)all.thread_rank() : -1;
  if (first) values[2 + mine] = (int)all.size() * 10 + (int)all.num_grids();
}

__global__ void store(int* out, int value) { *out = value; }
__global__ void wait_for(const int* word) {
  while (__hip_atomic_load(word, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_SYSTEM) == 0) {
  }
}

/// Memory of one GPU that a stream of the other copies to is not gone before the copy is done.
void freeing_waits_for_both() {
  constexpr size_t kSize = 4 << 20;
  int* gate;
  void *from, *to;
  hipStream_t stream;
  CHECK_HIP(hipHostMalloc((void**)&gate, sizeof(int)));
  *gate = 0;
  CHECK_HIP(hipSetDevice(1));
  CHECK_HIP(hipMalloc(&to, kSize));
  CHECK_HIP(hipSetDevice(0));
  CHECK_HIP(hipMalloc(&from, kSize));
  CHECK_HIP(hipStreamCreateWithFlags(&stream, hipStreamNonBlocking));
  wait_for<<<1, 64, 0, stream>>>(gate);
  CHECK_HIP(hipMemcpyPeerAsync(to, 1, from, 0, kSize, stream));
  std::thread opener([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    *(volatile int*)gate = 1;
  });
  CHECK_HIP(hipFree(to));
  CHECK_HIP(hipStreamQuery(stream));
  opener.join();
  CHECK_HIP(hipFree(from));
  CHECK_HIP(hipStreamDestroy(stream));
  CHECK_HIP(hipHostFree(gate));
}

/// hipMemcpyPeer does not wait for the GPUs: it takes its turn on both of them.
void peer_copies_take_their_turn() {
  int *from, *to, *word;
  CHECK_HIP(hipHostMalloc((void**)&word, sizeof(int), 0));
  *word = 0;
  CHECK_HIP(hipSetDevice(1));
  CHECK_HIP(hipMalloc(&to, sizeof(int)));
  store<<<1, 1>>>(to, 1);
  CHECK_HIP(hipSetDevice(0));
  CHECK_HIP(hipMalloc(&from, sizeof(int)));
  wait_for<<<1, 1>>>(word);
  store<<<1, 1>>>(from, 5);
  CHECK_HIP(hipMemcpyPeer(to, 1, from, 0, sizeof(int)));
  CHECK_ERROR(hipStreamQuery(nullptr), hipErrorNotReady);
  store<<<1, 1>>>(from, 6);
  CHECK_HIP(hipSetDevice(1));
  CHECK_ERROR(hipStreamQuery(nullptr), hipErrorNotReady);
  *(volatile int*)word = 1;
  int value = 0;
  CHECK_HIP(hipMemcpy(&value, to, sizeof(int), hipMemcpyDeviceToHost));
  CHECK(value == 5);
  CHECK_HIP(hipFree(to));
  CHECK_HIP(hipSetDevice(0));
  CHECK_HIP(hipDeviceSynchronize());
  CHECK_HIP(hipMemcpyPeer(from, 0, from, 0, sizeof(int)));
  CHECK_HIP(hipFree(from));
  CHECK_HIP(hipHostFree(word));
}

/// A copy from a GPU's memory to the host comes after what is in that GPU's streams, whichever GPU is the current
/// one, and before what comes into them later.
void copies_wait_for_the_streams_of_the_memory() {
  int *data, *word;
  hipStream_t stream;
  CHECK_HIP(hipHostMalloc((void**)&word, sizeof(int), 0));
  CHECK_HIP(hipSetDevice(0));
  CHECK_HIP(hipMalloc(&data, sizeof(int)));
  CHECK_HIP(hipStreamCreate(&stream));
  hipStream_t others;
  int* pinned;
  CHECK_HIP(hipHostMalloc((void**)&pinned, sizeof(int), 0));
  CHECK_HIP(hipSetDevice(1));
  CHECK_HIP(hipStreamCreateWithFlags(&others, hipStreamNonBlocking));
  for (const char* const how : {"rows", "whole", "asynchronous"}) {
    *word = 0;
    CHECK_HIP(hipSetDevice(0));
    CHECK_HIP(hipMemset(data, 0, sizeof(int)));
    wait_for<<<1, 1, 0, stream>>>(word);
    store<<<1, 1, 0, stream>>>(data, 7);
    CHECK_HIP(hipSetDevice(1));
    std::thread opener([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      *(volatile int*)word = 1;
    });
    int value = 0;
    if (how[0] == 'r') {
      CHECK_HIP(hipMemcpy2D(&value, 4, data, 4, 4, 1, hipMemcpyDeviceToHost));
    } else if (how[0] == 'w') {
      CHECK_HIP(hipMemcpy(&value, data, sizeof(int), hipMemcpyDeviceToHost));
    } else {
      *pinned = 0;
      CHECK_HIP(hipMemcpyAsync(pinned, data, sizeof(int), hipMemcpyDeviceToHost, others));
      store<<<1, 1, 0, stream>>>(data, 8);
      CHECK_HIP(hipStreamSynchronize(others));
      value = *pinned;
    }
    CHECK(value == 7);
    opener.join();
  }
  CHECK_HIP(hipStreamDestroy(others));
  CHECK_HIP(hipHostFree(pinned));
  CHECK_HIP(hipSetDevice(0));
  CHECK_HIP(hipStreamDestroy(stream));
  CHECK_HIP(hipFree(data));
  CHECK_HIP(hipHostFree(word));
}

int main() {
  int count = 0;
  CHECK_HIP(hipGetDeviceCount(&count));
  if (count < kGrids) return 77;
  freeing_waits_for_both();
  peer_copies_take_their_turn();
  copies_wait_for_the_streams_of_the_memory();
  int *values, *ranks;
  CHECK_HIP(hipHostMalloc((void**)&values, 4 * sizeof(int)));
  CHECK_HIP(hipHostMalloc((void**)&ranks, kGrids * kBlocks * sizeof(int)));
  values[0] = 3, values[1] = 5;
  int a = 3, b = 5;
  for (int round = 0; round < kRounds; ++round) {
    const int sum = a + b;
    a = sum, b = sum + 1;
  }
  hipStream_t streams[kGrids];
  hipLaunchParams launches[kGrids] = {};
  void* arguments[] = {&values, &ranks};
  for (int i = 0; i < kGrids; ++i) {
    CHECK_HIP(hipSetDevice(i));
    CHECK_HIP(hipStreamCreate(&streams[i]));
    launches[i].func = (void*)exchange;
    launches[i].gridDim = dim3(kBlocks);
    launches[i].blockDim = dim3(kThreads);
    launches[i].args = arguments;
    launches[i].stream = streams[i];
  }
  CHECK_HIP(hipLaunchCooperativeKernelMultiDevice(launches, kGrids, 0));
  for (hipStream_t stream : streams) CHECK_HIP(hipStreamSynchronize(stream));
  CHECK(values[0] == a);
  CHECK(values[1] == b);
  CHECK(values[2] == kGrids * kBlocks * kThreads * 10 + kGrids && values[3] == values[2]);
  for (int i = 0; i < kGrids * kBlocks; ++i) CHECK(ranks[i] == i * kThreads);

  // wrong calls
  CHECK_ERROR(hipLaunchCooperativeKernelMultiDevice(nullptr, kGrids, 0), hipErrorInvalidValue);
  CHECK_ERROR(hipLaunchCooperativeKernelMultiDevice(launches, 0, 0), hipErrorInvalidValue);
  CHECK_ERROR(hipLaunchCooperativeKernelMultiDevice(launches, kGrids, 4), hipErrorInvalidValue);
  launches[1].stream = streams[0];
  CHECK_ERROR(hipLaunchCooperativeKernelMultiDevice(launches, kGrids, 0), hipErrorInvalidDevice);
  launches[1].stream = nullptr;
  CHECK_ERROR(hipLaunchCooperativeKernelMultiDevice(launches, kGrids, 0), hipErrorInvalidHandle);
  launches[1].stream = streams[1];
  launches[1].gridDim = dim3(1 << 20);
  CHECK_ERROR(hipLaunchCooperativeKernelMultiDevice(launches, kGrids, 0), hipErrorCooperativeLaunchTooLarge);
  CHECK(values[0] == a);  // the other grid did not run alone

  // Launches that only go out together.
  int numbers[kGrids] = {17, 18};
  int* places[kGrids] = {&values[0], &values[1]};
  void* others[kGrids][2] = {
      {&places[0], &numbers[0]},
      {&places[1], &numbers[1]}
  };
  for (int i = 0; i < kGrids; ++i) {
    launches[i].func = (void*)store;
    launches[i].gridDim = launches[i].blockDim = dim3(1);
    launches[i].args = others[i];
  }
  CHECK_HIP(hipExtLaunchMultiKernelMultiDevice(launches, kGrids, 0));
  CHECK(values[0] == 17 && values[1] == 18);
  return finish();
}
