// What the PyTorch device calls of HIP. Declared here, so that building it takes PyTorch's headers and
// nothing of ROCm's.
#pragma once

#include <cstddef>

extern "C" {
struct ihipStream_t;
struct ihipEvent_t;
struct ihipGraph;
struct hipGraphExec;
using hipStream_t = ihipStream_t*;
using hipEvent_t = ihipEvent_t*;
using hipGraph_t = ihipGraph*;
using hipGraphExec_t = hipGraphExec*;

int hipGetDeviceCount(int* count);
int hipGetDevice(int* device);
int hipSetDevice(int device);
int hipDeviceSynchronize();
int hipMalloc(void** pointer, std::size_t bytes);
int hipFree(void* pointer);
int hipHostMalloc(void** pointer, std::size_t bytes, unsigned flags);
int hipHostFree(void* pointer);
int hipMemGetInfo(std::size_t* free, std::size_t* total);
int hipMemcpyAsync(void* destination, const void* source, std::size_t bytes, int kind, hipStream_t stream);
int hipMemsetAsync(void* destination, int value, std::size_t bytes, hipStream_t stream);
int hipPointerGetAttributes(void* attributes, const void* pointer);
int hipStreamCreateWithPriority(hipStream_t* stream, unsigned flags, int priority);
int hipStreamSynchronize(hipStream_t stream);
int hipStreamQuery(hipStream_t stream);
int hipStreamWaitEvent(hipStream_t stream, hipEvent_t event, unsigned flags);
int hipStreamIsCapturing(hipStream_t stream, int* status);
int hipStreamGetCaptureInfo(hipStream_t stream, int* status, unsigned long long* number);
int hipLaunchHostFunc(hipStream_t stream, void (*function)(void*), void* user);
int hipEventCreateWithFlags(hipEvent_t* event, unsigned flags);
int hipEventDestroy(hipEvent_t event);
int hipEventRecord(hipEvent_t event, hipStream_t stream);
int hipEventQuery(hipEvent_t event);
int hipEventSynchronize(hipEvent_t event);
int hipEventElapsedTime(float* milliseconds, hipEvent_t start, hipEvent_t stop);
int hipStreamBeginCapture(hipStream_t stream, int mode);
int hipStreamEndCapture(hipStream_t stream, hipGraph_t* graph);
int hipThreadExchangeStreamCaptureMode(int* mode);
int hipGraphInstantiateWithFlags(hipGraphExec_t* made, hipGraph_t graph, unsigned long long flags);
int hipGraphLaunch(hipGraphExec_t graph, hipStream_t stream);
int hipGraphExecDestroy(hipGraphExec_t graph);
int hipGraphDestroy(hipGraph_t graph);
int hipGraphDebugDotPrint(hipGraph_t graph, const char* path, unsigned flags);
const char* hipGetErrorString(int error);
int hipGetLastError();
}

namespace wavesmith::device {

// Values of HIP's enumerations (hip_runtime_api.h).
inline constexpr int kSuccess = 0, kOutOfMemory = 2, kNotReady = 600;
inline constexpr int kMemcpyDefault = 4;
inline constexpr unsigned kStreamNonBlocking = 1, kEventDefault = 0, kEventDisableTiming = 2;
inline constexpr int kCaptureGlobal = 0, kCaptureThreadLocal = 1, kCaptureRelaxed = 2;

// Raises PyTorch's error for accelerators; `what` says which call failed. It names the assertion that stopped
// a kernel, if one did (assertions.h).
[[noreturn]] void raise_error(int error, const char* what);
inline void check(int error, const char* what) {
  if (error != kSuccess) raise_error(error, what);
}

}  // namespace wavesmith::device
