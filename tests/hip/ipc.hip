// Two processes, one memory.
#include <hip/hip_runtime.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <vector>

#include "check.h"

constexpr int kCount = 5000;

__global__ void add(int* data, int count, int value) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) data[i] += value;
}

template <class T>
void send(int pipe, const T& value) {
  CHECK(write(pipe, &value, sizeof value) == static_cast<ssize_t>(sizeof value));
}
template <class T>
T receive(int pipe) {
  T value{};
  CHECK(read(pipe, &value, sizeof value) == static_cast<ssize_t>(sizeof value));
  return value;
}

int* open_memory(const hipIpcMemHandle_t& handle) {
  void* at = nullptr;
  CHECK_HIP(hipIpcOpenMemHandle(&at, handle, hipIpcMemLazyEnablePeerAccess));
  return static_cast<int*>(at);
}

/// Memory of the other process, and what it allocated after freeing that.
void reads_memory_and_its_successor(int in, int out) {
  const auto handle = receive<hipIpcMemHandle_t>(in);
  int *const first = open_memory(handle), value = 0;
  CHECK_HIP(hipMemcpy(&value, first, sizeof value, hipMemcpyDeviceToHost));
  CHECK(value == 0x01010101);
  send(out, failures);
  const auto next = receive<hipIpcMemHandle_t>(in);
  int* const second = open_memory(next);
  CHECK(second != first);
  CHECK_HIP(hipMemcpy(&value, second, sizeof value, hipMemcpyDeviceToHost));
  CHECK(value == 0x02020202);
  CHECK_HIP(hipIpcCloseMemHandle(first));
  void* gone = nullptr;
  CHECK_ERROR(hipIpcOpenMemHandle(&gone, handle, hipIpcMemLazyEnablePeerAccess), hipErrorInvalidValue);
  CHECK_HIP(hipIpcCloseMemHandle(second));
  send(out, failures);
}

/// Allocates, frees and allocates the same again. The handles differ although the address may not.
void shares_memory_and_its_successor(int out, int in) {
  hipIpcMemHandle_t handles[2];
  for (int i = 0; i < 2; ++i) {
    int* memory;
    CHECK_HIP(hipMalloc(&memory, 1024));
    CHECK_HIP(hipMemset(memory, i + 1, 1024));
    CHECK_HIP(hipIpcGetMemHandle(&handles[i], memory));
    send(out, handles[i]);
    CHECK(receive<int>(in) == 0);
    CHECK_HIP(hipFree(memory));
  }
  CHECK(memcmp(&handles[0], &handles[1], sizeof handles[0]) != 0);
}

/// Adds to the other process's memory, twice opened.
int other_process(int in, int out) {
  const auto handle = receive<hipIpcMemHandle_t>(in);
  const auto inner = receive<hipIpcMemHandle_t>(in);
  int *data = nullptr, *again = nullptr, *half = nullptr;
  CHECK_HIP(hipIpcOpenMemHandle(reinterpret_cast<void**>(&data), handle, hipIpcMemLazyEnablePeerAccess));
  CHECK_HIP(hipIpcOpenMemHandle(reinterpret_cast<void**>(&again), handle, hipIpcMemLazyEnablePeerAccess));
  CHECK_HIP(hipIpcOpenMemHandle(reinterpret_cast<void**>(&half), inner, hipIpcMemLazyEnablePeerAccess));
  CHECK(data == again && half == data + kCount / 2);
  add<<<(kCount + 255) / 256, 256>>>(data, kCount, 100);
  CHECK_HIP(hipDeviceSynchronize());
  CHECK_HIP(hipIpcCloseMemHandle(data));
  CHECK_HIP(hipIpcCloseMemHandle(again));
  CHECK_HIP(hipIpcCloseMemHandle(half));
  CHECK_ERROR(hipIpcCloseMemHandle(data), hipErrorInvalidValue);
  hipIpcMemHandle_t wrong{};
  CHECK_ERROR(hipIpcOpenMemHandle(reinterpret_cast<void**>(&data), wrong, hipIpcMemLazyEnablePeerAccess),
              hipErrorInvalidValue);
  CHECK_ERROR(hipIpcOpenMemHandle(reinterpret_cast<void**>(&data), handle, 7), hipErrorInvalidValue);
  // An event of the other process: recorded here, waited for there.
  hipEvent_t event;
  CHECK_HIP(hipIpcOpenEventHandle(&event, receive<hipIpcEventHandle_t>(in)));
  CHECK_HIP(hipEventRecord(event, nullptr));
  CHECK_HIP(hipEventSynchronize(event));
  CHECK_HIP(hipEventDestroy(event));
  send(out, failures);
  reads_memory_and_its_successor(in, out);
  return failures != 0;
}

int main() {
  int there[2], back[2];
  CHECK(pipe(there) == 0 && pipe(back) == 0);
  const pid_t child = fork();  // before the first call, as with any GPU
  if (child == 0) return other_process(there[0], back[1]);
  close(back[1]);  // so that a child that dies is noticed

  int* data;
  CHECK_HIP(hipMalloc(&data, kCount * sizeof(int)));
  std::vector<int> host(kCount);
  for (int i = 0; i < kCount; ++i) host[i] = i;
  CHECK_HIP(hipMemcpy(data, host.data(), kCount * sizeof(int), hipMemcpyHostToDevice));
  hipIpcMemHandle_t handle, inner;
  CHECK_HIP(hipIpcGetMemHandle(&handle, data));
  CHECK_HIP(hipIpcGetMemHandle(&inner, data + kCount / 2));
  CHECK_ERROR(hipIpcGetMemHandle(nullptr, data), hipErrorInvalidValue);
  int* own = nullptr;
  CHECK_ERROR(hipIpcOpenMemHandle(reinterpret_cast<void**>(&own), handle, hipIpcMemLazyEnablePeerAccess),
              hipErrorInvalidContext);
  CHECK_ERROR(hipIpcGetMemHandle(&inner, host.data()), hipErrorInvalidValue);
  CHECK_HIP(hipIpcGetMemHandle(&inner, data + kCount / 2));
  send(there[1], handle);
  send(there[1], inner);
  hipEvent_t event, timed;
  hipIpcEventHandle_t event_handle;
  CHECK_HIP(hipEventCreate(&timed));
  CHECK_ERROR(hipIpcGetEventHandle(nullptr, timed), hipErrorInvalidValue);
  CHECK_ERROR(hipIpcGetEventHandle(&event_handle, nullptr), hipErrorInvalidValue);
  CHECK_ERROR(hipIpcGetEventHandle(&event_handle, timed), hipErrorInvalidConfiguration);
  CHECK_HIP(hipEventDestroy(timed));
  CHECK_HIP(hipEventCreateWithFlags(&event, hipEventInterprocess | hipEventDisableTiming));
  CHECK_HIP(hipIpcGetEventHandle(&event_handle, event));
  send(there[1], event_handle);
  CHECK(receive<int>(back[0]) == 0);
  CHECK_HIP(hipEventQuery(event));  // the other process recorded it, and it was reached
  CHECK_HIP(hipStreamWaitEvent(nullptr, event, 0));
  CHECK_HIP(hipDeviceSynchronize());
  CHECK_HIP(hipEventDestroy(event));
  shares_memory_and_its_successor(there[1], back[0]);
  int status = -1;
  waitpid(child, &status, 0);
  CHECK(status == 0);
  CHECK_HIP(hipMemcpy(host.data(), data, kCount * sizeof(int), hipMemcpyDeviceToHost));
  for (int i = 0; i < kCount; ++i) CHECK(host[i] == i + 100);
  CHECK_HIP(hipFree(data));
  return finish();
}
