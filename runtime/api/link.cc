// The linker of device code under HIP's own names: hiprtc's, with HIP's error codes.
#include "runtime/abi/launch.h"
#include "runtime/api/error.h"
#include "runtime/rtc/api.h"

using namespace wavesmith::runtime;

namespace {

hipError_t as_hip(hiprtcResult result) {
  switch (result) {
    case HIPRTC_SUCCESS:
      return hipSuccess;
    case HIPRTC_ERROR_OUT_OF_MEMORY:
      return hipErrorOutOfMemory;
    case HIPRTC_ERROR_PROGRAM_CREATION_FAILURE:
      return hipErrorFileNotFound;
    case HIPRTC_ERROR_INVALID_INPUT:
    case HIPRTC_ERROR_INVALID_OPTION:
      return hipErrorInvalidValue;
    default:
      return hipErrorInvalidConfiguration;
  }
}

hiprtcLinkState as_rtc(hipLinkState_t state) { return reinterpret_cast<hiprtcLinkState>(state); }
// The enumerations of the two interfaces have the same values.
hiprtcJIT_option* as_rtc(hipJitOption* options) { return reinterpret_cast<hiprtcJIT_option*>(options); }

}  // namespace

HIP_API hipError_t hipLinkCreate(unsigned count, hipJitOption* options, void** values,
                                 hipLinkState_t* state) {
  return plain_api([&] {
    return as_hip(
        hiprtcLinkCreate(count, as_rtc(options), values, reinterpret_cast<hiprtcLinkState*>(state)));
  });
}
HIP_API hipError_t hipLinkAddData(hipLinkState_t state, hipJitInputType type, void* data, size_t size,
                                  const char* name, unsigned count, hipJitOption* options, void** values) {
  return plain_api([&] {
    return as_hip(hiprtcLinkAddData(as_rtc(state), static_cast<hiprtcJITInputType>(type), data, size, name,
                                    count, as_rtc(options), values));
  });
}
HIP_API hipError_t hipLinkAddFile(hipLinkState_t state, hipJitInputType type, const char* path,
                                  unsigned count, hipJitOption* options, void** values) {
  return plain_api([&] {
    return as_hip(hiprtcLinkAddFile(as_rtc(state), static_cast<hiprtcJITInputType>(type), path, count,
                                    as_rtc(options), values));
  });
}
HIP_API hipError_t hipLinkComplete(hipLinkState_t state, void** binary, size_t* size) {
  return plain_api([&] { return as_hip(hiprtcLinkComplete(as_rtc(state), binary, size)); });
}
HIP_API hipError_t hipLinkDestroy(hipLinkState_t state) {
  return plain_api([&] { return as_hip(hiprtcLinkDestroy(as_rtc(state))); });
}
