#include "runtime/api/error.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <mutex>
#include <set>
#include <string>

namespace wavesmith::runtime {
namespace {

struct Row {
  hipError_t error;
  std::string_view name, text;
};

// clang-format off
constexpr std::array kErrors = {
    Row{hipSuccess, "hipSuccess", "no error"},
    Row{hipErrorInvalidValue, "hipErrorInvalidValue", "invalid argument"},
    Row{hipErrorOutOfMemory, "hipErrorOutOfMemory", "out of memory"},
    Row{hipErrorNotInitialized, "hipErrorNotInitialized", "initialization error"},
    Row{hipErrorDeinitialized, "hipErrorDeinitialized", "driver shutting down"},
    Row{hipErrorProfilerDisabled, "hipErrorProfilerDisabled", "profiler disabled while using external profiling tool"},
    Row{hipErrorProfilerNotInitialized, "hipErrorProfilerNotInitialized", "profiler is not initialized"},
    Row{hipErrorProfilerAlreadyStarted, "hipErrorProfilerAlreadyStarted", "profiler already started"},
    Row{hipErrorProfilerAlreadyStopped, "hipErrorProfilerAlreadyStopped", "profiler already stopped"},
    Row{hipErrorInvalidConfiguration, "hipErrorInvalidConfiguration", "invalid configuration argument"},
    Row{hipErrorInvalidPitchValue, "hipErrorInvalidPitchValue", "invalid pitch argument"},
    Row{hipErrorInvalidSymbol, "hipErrorInvalidSymbol", "invalid device symbol"},
    Row{hipErrorInvalidDevicePointer, "hipErrorInvalidDevicePointer", "invalid device pointer"},
    Row{hipErrorInvalidMemcpyDirection, "hipErrorInvalidMemcpyDirection", "invalid copy direction for memcpy"},
    Row{hipErrorInsufficientDriver, "hipErrorInsufficientDriver", "driver version is insufficient for runtime version"},
    Row{hipErrorMissingConfiguration, "hipErrorMissingConfiguration", "__global__ function call is not configured"},
    Row{hipErrorPriorLaunchFailure, "hipErrorPriorLaunchFailure", "unspecified launch failure in prior launch"},
    Row{hipErrorInvalidDeviceFunction, "hipErrorInvalidDeviceFunction", "invalid device function"},
    Row{hipErrorNoDevice, "hipErrorNoDevice", "no ROCm-capable device is detected"},
    Row{hipErrorInvalidDevice, "hipErrorInvalidDevice", "invalid device ordinal"},
    Row{hipErrorInvalidImage, "hipErrorInvalidImage", "device kernel image is invalid"},
    Row{hipErrorInvalidContext, "hipErrorInvalidContext", "invalid device context"},
    Row{hipErrorContextAlreadyCurrent, "hipErrorContextAlreadyCurrent", "context is already current context"},
    Row{hipErrorMapFailed, "hipErrorMapFailed", "mapping of buffer object failed"},
    Row{hipErrorUnmapFailed, "hipErrorUnmapFailed", "unmapping of buffer object failed"},
    Row{hipErrorArrayIsMapped, "hipErrorArrayIsMapped", "array is mapped"},
    Row{hipErrorAlreadyMapped, "hipErrorAlreadyMapped", "resource already mapped"},
    Row{hipErrorNoBinaryForGpu, "hipErrorNoBinaryForGpu", "no kernel image is available for execution on the device"},
    Row{hipErrorAlreadyAcquired, "hipErrorAlreadyAcquired", "resource already acquired"},
    Row{hipErrorNotMapped, "hipErrorNotMapped", "resource not mapped"},
    Row{hipErrorNotMappedAsArray, "hipErrorNotMappedAsArray", "resource not mapped as array"},
    Row{hipErrorNotMappedAsPointer, "hipErrorNotMappedAsPointer", "resource not mapped as pointer"},
    Row{hipErrorECCNotCorrectable, "hipErrorECCNotCorrectable", "uncorrectable ECC error encountered"},
    Row{hipErrorUnsupportedLimit, "hipErrorUnsupportedLimit", "limit is not supported on this architecture"},
    Row{hipErrorContextAlreadyInUse, "hipErrorContextAlreadyInUse", "exclusive-thread device already in use by a different thread"},
    Row{hipErrorPeerAccessUnsupported, "hipErrorPeerAccessUnsupported", "peer access is not supported between these two devices"},
    Row{hipErrorInvalidKernelFile, "hipErrorInvalidKernelFile", "invalid kernel file"},
    Row{hipErrorInvalidGraphicsContext, "hipErrorInvalidGraphicsContext", "invalid OpenGL or DirectX context"},
    Row{hipErrorInvalidSource, "hipErrorInvalidSource", "device kernel image is invalid"},
    Row{hipErrorFileNotFound, "hipErrorFileNotFound", "file not found"},
    Row{hipErrorSharedObjectSymbolNotFound, "hipErrorSharedObjectSymbolNotFound", "shared object symbol not found"},
    Row{hipErrorSharedObjectInitFailed, "hipErrorSharedObjectInitFailed", "shared object initialization failed"},
    Row{hipErrorOperatingSystem, "hipErrorOperatingSystem", "OS call failed or operation not supported on this OS"},
    Row{hipErrorInvalidHandle, "hipErrorInvalidHandle", "invalid resource handle"},
    Row{hipErrorIllegalState, "hipErrorIllegalState", "the operation cannot be performed in the present state"},
    Row{hipErrorNotFound, "hipErrorNotFound", "named symbol not found"},
    Row{hipErrorNotReady, "hipErrorNotReady", "device not ready"},
    Row{hipErrorIllegalAddress, "hipErrorIllegalAddress", "an illegal memory access was encountered"},
    Row{hipErrorLaunchOutOfResources, "hipErrorLaunchOutOfResources", "too many resources requested for launch"},
    Row{hipErrorLaunchTimeOut, "hipErrorLaunchTimeOut", "the launch timed out and was terminated"},
    Row{hipErrorPeerAccessAlreadyEnabled, "hipErrorPeerAccessAlreadyEnabled", "peer access is already enabled"},
    Row{hipErrorPeerAccessNotEnabled, "hipErrorPeerAccessNotEnabled", "peer access has not been enabled"},
    Row{hipErrorSetOnActiveProcess, "hipErrorSetOnActiveProcess", "cannot set while device is active in this process"},
    Row{hipErrorContextIsDestroyed, "hipErrorContextIsDestroyed", "context is destroyed"},
    Row{hipErrorAssert, "hipErrorAssert", "device-side assert triggered"},
    Row{hipErrorHostMemoryAlreadyRegistered, "hipErrorHostMemoryAlreadyRegistered", "part or all of the requested memory range is already mapped"},
    Row{hipErrorHostMemoryNotRegistered, "hipErrorHostMemoryNotRegistered", "pointer does not correspond to a registered memory region"},
    Row{hipErrorLaunchFailure, "hipErrorLaunchFailure", "unspecified launch failure"},
    Row{hipErrorCooperativeLaunchTooLarge, "hipErrorCooperativeLaunchTooLarge", "too many blocks in cooperative launch"},
    Row{hipErrorNotSupported, "hipErrorNotSupported", "operation not supported"},
    Row{hipErrorStreamCaptureUnsupported, "hipErrorStreamCaptureUnsupported", "operation not permitted when stream is capturing"},
    Row{hipErrorStreamCaptureInvalidated, "hipErrorStreamCaptureInvalidated", "operation failed due to a previous error during capture"},
    Row{hipErrorStreamCaptureMerge, "hipErrorStreamCaptureMerge", "operation would result in a merge of separate capture sequences"},
    Row{hipErrorStreamCaptureUnmatched, "hipErrorStreamCaptureUnmatched", "capture was not ended in the same stream as it began"},
    Row{hipErrorStreamCaptureUnjoined, "hipErrorStreamCaptureUnjoined", "capturing stream has unjoined work"},
    Row{hipErrorStreamCaptureIsolation, "hipErrorStreamCaptureIsolation", "dependency created on uncaptured work in another stream"},
    Row{hipErrorStreamCaptureImplicit, "hipErrorStreamCaptureImplicit", "operation would make the legacy stream depend on a capturing blocking stream"},
    Row{hipErrorCapturedEvent, "hipErrorCapturedEvent", "operation not permitted on an event last recorded in a capturing stream"},
    Row{hipErrorStreamCaptureWrongThread, "hipErrorStreamCaptureWrongThread", "attempt to terminate a thread-local capture sequence from another thread"},
    Row{hipErrorGraphExecUpdateFailure, "hipErrorGraphExecUpdateFailure", "the graph update was not performed because it included changes which violated constraints specific to instantiated graph update"},
    Row{hipErrorInvalidChannelDescriptor, "hipErrorInvalidChannelDescriptor", "invalid channel descriptor"},
    Row{hipErrorInvalidTexture, "hipErrorInvalidTexture", "invalid texture"},
    Row{hipErrorUnknown, "hipErrorUnknown", "unknown error"},
    Row{hipErrorRuntimeMemory, "hipErrorRuntimeMemory", "runtime memory call returned error"},
    Row{hipErrorRuntimeOther, "hipErrorRuntimeOther", "runtime call other than memory returned error"},
    Row{hipErrorTbd, "hipErrorTbd", "not done yet"},
};
// clang-format on

const Row* find(hipError_t error) {
  const auto* const row =
      std::find_if(kErrors.begin(), kErrors.end(), [&](const Row& r) { return r.error == error; });
  return row == kErrors.end() ? nullptr : row;
}

struct LastReport {
  std::mutex mutex;
  std::string text;
};
LastReport& last() {
  static auto& book = *new LastReport;
  return book;
}

}  // namespace

std::string_view error_name(hipError_t error) {
  const Row* const row = find(error);
  return row ? row->name : "hipErrorUnknown";
}

std::string_view error_string(hipError_t error) {
  const Row* const row = find(error);
  return row ? row->text : "unknown error";
}

hipError_t hip_error(const Error& error) {
  switch (error.kind) {
    case ErrorKind::BadInput:
      return hipErrorInvalidImage;
    case ErrorKind::NotFound:
      return hipErrorNotFound;
    case ErrorKind::WrongTarget:
      return hipErrorNoBinaryForGpu;
    case ErrorKind::Unsupported:
      return hipErrorNotSupported;
    case ErrorKind::OutOfMemory:
      return hipErrorOutOfMemory;
    case ErrorKind::OutOfResources:
      return hipErrorLaunchOutOfResources;
    case ErrorKind::MemoryFault:
      return hipErrorIllegalAddress;
    case ErrorKind::Trap:
      return hipErrorLaunchFailure;
    case ErrorKind::Budget:
      return hipErrorLaunchTimeOut;
    case ErrorKind::Internal:
      return hipErrorUnknown;
  }
  return hipErrorUnknown;
}

void report(const Error& error) {
  std::string text = error.text();
  std::fprintf(stderr, "wavesmith: %s\n", text.c_str());
  const std::scoped_lock lock(last().mutex);
  last().text = std::move(text);
}

std::string last_report() {
  const std::scoped_lock lock(last().mutex);
  return last().text;
}

void report_once(std::string_view text) {
  static std::mutex mutex;
  static auto& seen = *new std::set<std::string, std::less<>>;
  const std::scoped_lock lock(mutex);
  if (seen.emplace(text).second)
    std::fprintf(stderr, "wavesmith: %.*s\n", static_cast<int>(text.size()), text.data());
}

hipError_t& last_error() {
  thread_local hipError_t error = hipSuccess;
  return error;
}

}  // namespace wavesmith::runtime

using namespace wavesmith::runtime;

HIP_API hipError_t hipGetLastError() {
  const hipError_t error = last_error();
  last_error() = hipSuccess;
  return error;
}

HIP_API hipError_t hipExtGetLastError() { return hipGetLastError(); }
HIP_API hipError_t hipPeekAtLastError() { return last_error(); }
HIP_API const char* hipGetErrorName(hipError_t error) { return error_name(error).data(); }
HIP_API const char* hipGetErrorString(hipError_t error) { return error_string(error).data(); }

HIP_API hipError_t hipDrvGetErrorName(hipError_t error, const char** name) {
  if (!name || !find(error)) return hipErrorInvalidValue;
  *name = error_name(error).data();
  return hipSuccess;
}

HIP_API hipError_t hipDrvGetErrorString(hipError_t error, const char** text) {
  if (!text || !find(error)) return hipErrorInvalidValue;
  *text = error_string(error).data();
  return hipSuccess;
}
