// The order of work: in one stream, across streams by events, with the default streams, and against the host.
#include <hip/hip_runtime.h>

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include "check.h"

__global__ void add_one(int* value) { *value += 1; }
__global__ void copy_value(const int* from, int* to) { *to = *from; }
__global__ void wait_for(volatile int* flag) {
  while (*flag == 0) __builtin_amdgcn_s_sleep(8);
}
__global__ void raise(volatile int* flag) { *flag = 1; }

int get(const int* device) {
  int value = -1;
  CHECK_HIP(hipMemcpy(&value, device, sizeof value, hipMemcpyDeviceToHost));
  return value;
}

int* zeroed(size_t count = 1) {
  int* memory;
  CHECK_HIP(hipMalloc((void**)&memory, count * sizeof(int)));
  CHECK_HIP(hipMemset(memory, 0, count * sizeof(int)));
  CHECK_HIP(hipStreamSynchronize(nullptr));  // other streams use it, and a fill does not hold the host
  return memory;
}

void in_order_within_a_stream() {
  int* value = zeroed();
  hipStream_t stream;
  CHECK_HIP(hipStreamCreate(&stream));
  for (int i = 0; i < 1000; ++i) add_one<<<1, 1, 0, stream>>>(value);
  int now = 0;
  CHECK_HIP(hipMemcpyAsync(&now, value, sizeof now, hipMemcpyDeviceToHost, stream));
  CHECK_HIP(hipStreamSynchronize(stream));
  CHECK(now == 1000);
  CHECK_HIP(hipStreamQuery(stream));
  CHECK_HIP(hipStreamDestroy(stream));
  CHECK_HIP(hipFree(value));
}

void events_order_streams_and_measure_time() {
  int *value = zeroed(), *copy = zeroed();
  hipStream_t first, second;
  CHECK_HIP(hipStreamCreateWithFlags(&first, hipStreamNonBlocking));
  CHECK_HIP(hipStreamCreateWithFlags(&second, hipStreamNonBlocking));
  hipEvent_t start, stop;
  CHECK_HIP(hipEventCreate(&start));
  CHECK_HIP(hipEventCreate(&stop));
  CHECK_HIP(hipEventRecord(start, first));
  for (int i = 0; i < 200; ++i) add_one<<<1, 1, 0, first>>>(value);
  CHECK_HIP(hipEventRecord(stop, first));
  CHECK_HIP(hipStreamWaitEvent(second, stop, 0));
  copy_value<<<1, 1, 0, second>>>(value, copy);
  CHECK_HIP(hipStreamSynchronize(second));
  CHECK_HIP(hipEventSynchronize(stop));
  CHECK(get(copy) == 200);
  float milliseconds = -1;
  CHECK_HIP(hipEventElapsedTime(&milliseconds, start, stop));
  CHECK(milliseconds > 0);
  CHECK_HIP(hipEventDestroy(start));
  CHECK_HIP(hipEventDestroy(stop));
  CHECK_HIP(hipStreamDestroy(first));
  CHECK_HIP(hipStreamDestroy(second));
}

void the_default_stream_orders_blocking_streams() {
  int *value = zeroed(), *copy = zeroed();
  hipStream_t before, after;
  CHECK_HIP(hipStreamCreate(&before));
  CHECK_HIP(hipStreamCreate(&after));
  for (int round = 1; round <= 50; ++round) {
    for (int i = 0; i < 5; ++i) add_one<<<1, 1, 0, before>>>(value);
    add_one<<<1, 1>>>(value);  // waits for both
    copy_value<<<1, 1, 0, after>>>(value, copy);
    CHECK_HIP(hipStreamSynchronize(after));
    CHECK(get(copy) == 6 * round);
  }
  CHECK_HIP(hipStreamDestroy(before));
  CHECK_HIP(hipStreamDestroy(after));
}

void streams_run_side_by_side() {
  int* flag = zeroed();
  hipStream_t waiting, raising;
  CHECK_HIP(hipStreamCreateWithFlags(&waiting, hipStreamNonBlocking));
  CHECK_HIP(hipStreamCreateWithFlags(&raising, hipStreamNonBlocking));
  wait_for<<<1, 64, 0, waiting>>>(flag);
  CHECK_ERROR(hipStreamQuery(waiting), hipErrorNotReady);
  CHECK_HIP(hipGetLastError());  // an answer, not a failure
  raise<<<1, 1, 0, raising>>>(flag);
  CHECK_HIP(hipStreamSynchronize(waiting));
  CHECK_HIP(hipStreamSynchronize(raising));
  CHECK_HIP(hipStreamDestroy(waiting));
  CHECK_HIP(hipStreamDestroy(raising));
}

void a_kernel_runs_while_the_host_goes_on() {
  int* flag;
  CHECK_HIP(hipHostMalloc((void**)&flag, sizeof(int), 0));
  *flag = 0;
  wait_for<<<1, 64>>>(flag);
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  *(volatile int*)flag = 1;
  CHECK_HIP(hipDeviceSynchronize());
  CHECK_HIP(hipHostFree(flag));
}

void fills_and_copies_within_the_device_do_not_hold_the_host() {
  int *gate, *from = zeroed(1000), *to = zeroed(1000);
  CHECK_HIP(hipHostMalloc((void**)&gate, sizeof(int), 0));
  *gate = 0;
  hipStream_t blocking;
  CHECK_HIP(hipStreamCreate(&blocking));
  wait_for<<<1, 64, 0, blocking>>>(gate);
  CHECK_ERROR(hipStreamQuery(nullptr), hipErrorNotReady);  // what blocking streams do is in its order
  CHECK_HIP(hipMemset(from, 0x11, 1000 * sizeof(int)));
  CHECK_HIP(hipMemcpy(to, from, 1000 * sizeof(int), hipMemcpyDeviceToDevice));
  CHECK_ERROR(hipStreamQuery(nullptr), hipErrorNotReady);
  *(volatile int*)gate = 1;
  CHECK(get(to + 999) == 0x11111111);
  CHECK_HIP(hipStreamQuery(nullptr));
  CHECK_HIP(hipStreamDestroy(blocking));
  CHECK_HIP(hipHostFree(gate));
  CHECK_HIP(hipFree(from));
  CHECK_HIP(hipFree(to));
}

std::atomic<int> called{0};

void host_functions_are_called_in_their_turn() {
  int* value = zeroed();
  hipStream_t stream;
  CHECK_HIP(hipStreamCreate(&stream));
  struct Seen {
    int* value;
    int then = -1;
  } seen{value};
  for (int i = 0; i < 10; ++i) add_one<<<1, 1, 0, stream>>>(value);
  CHECK_HIP(hipLaunchHostFunc(
      stream, [](void* user) { static_cast<Seen*>(user)->then = *static_cast<Seen*>(user)->value; }, &seen));
  for (int i = 0; i < 10; ++i) add_one<<<1, 1, 0, stream>>>(value);
  CHECK_HIP(hipStreamAddCallback(
      stream,
      [](hipStream_t, hipError_t status, void* user) { called += status == hipSuccess && user == &called; },
      &called, 0));
  CHECK_HIP(hipStreamSynchronize(stream));
  CHECK(seen.then == 10);
  CHECK(called == 1);
  CHECK(get(value) == 20);
  CHECK_HIP(hipStreamDestroy(stream));
}

void many_threads_use_their_own_streams() {
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([&] {
      int* value = zeroed();
      for (int i = 0; i < 100; ++i) add_one<<<1, 1, 0, hipStreamPerThread>>>(value);
      int now = 0;
      CHECK_HIP(hipMemcpyAsync(&now, value, sizeof now, hipMemcpyDeviceToHost, hipStreamPerThread));
      CHECK_HIP(hipStreamSynchronize(hipStreamPerThread));
      wrong += now != 100;
      CHECK_HIP(hipFree(value));
    });
  for (std::thread& thread : threads) thread.join();
  CHECK(wrong == 0);
}

/// A value in memory that one stream waits for and another one writes.
void a_stream_waits_for_a_value_in_memory() {
  uint32_t* flag;
  CHECK_HIP(hipExtMallocWithFlags(reinterpret_cast<void**>(&flag), 8, hipMallocSignalMemory));
  CHECK_HIP(hipMemset(flag, 0, 8));
  hipStream_t a, b;
  CHECK_HIP(hipStreamCreateWithFlags(&a, hipStreamNonBlocking));
  CHECK_HIP(hipStreamCreateWithFlags(&b, hipStreamNonBlocking));
  CHECK_HIP(hipStreamWaitValue32(a, flag, 7, hipStreamWaitValueEq, 0xff));
  CHECK_HIP(hipStreamWriteValue32(a, flag, 9, 0));
  CHECK_HIP(hipStreamWriteValue32(b, flag, 0x107, 0));
  CHECK_HIP(hipStreamSynchronize(a));
  CHECK_HIP(hipStreamSynchronize(b));
  uint32_t value = 0;
  CHECK_HIP(hipMemcpy(&value, flag, 4, hipMemcpyDeviceToHost));
  CHECK(value == 9);
  CHECK_ERROR(hipStreamWaitValue32(a, nullptr, 7, hipStreamWaitValueEq, ~0u), hipErrorInvalidValue);
  CHECK_ERROR(hipStreamWaitValue32(a, flag, 7, 9, ~0u), hipErrorInvalidValue);
  CHECK_HIP(hipStreamDestroy(a));
  CHECK_HIP(hipStreamDestroy(b));
  CHECK_HIP(hipFree(flag));
}

int main() {
  in_order_within_a_stream();
  events_order_streams_and_measure_time();
  the_default_stream_orders_blocking_streams();
  streams_run_side_by_side();
  a_kernel_runs_while_the_host_goes_on();
  fills_and_copies_within_the_device_do_not_hold_the_host();
  host_functions_are_called_in_their_turn();
  many_threads_use_their_own_streams();
  a_stream_waits_for_a_value_in_memory();
  return finish();
}
