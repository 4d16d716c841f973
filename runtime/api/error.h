// HIP's error codes: their mapping from ours, the last error of each thread, and the wrapper of every API
// function.
#pragma once

#include <new>
#include <string>
#include <string_view>

#include "base/result.h"
#include "runtime/abi/error.h"

/// Precedes the definition of a function of HIP's API.
#define HIP_API extern "C" __attribute__((visibility("default")))

namespace wavesmith::runtime {

/// Maps a failure to the HIP error that the real runtime returns.
hipError_t hip_error(const Error& error);

/// HIP's name of an error ("hipErrorInvalidValue") and what it means.
std::string_view error_name(hipError_t error);
std::string_view error_string(hipError_t error);

/// Prints a failure on stderr, in one line.
void report(const Error& error);
/// The last line of report(); empty if there was none.
std::string last_report();
/// Prints each text at most once per process.
void report_once(std::string_view text);

/// The calling thread's last error, which hipGetLastError returns.
hipError_t& last_error();

/// Remembers a failure for hipGetLastError and returns `error`. hipErrorNotReady is no failure: libraries
/// poll streams and events and then query the last error of a launch.
inline hipError_t finish(hipError_t error) {
  if (error != hipSuccess && error != hipErrorNotReady) last_error() = error;
  return error;
}

/// Runs the body of an API function that needs no device. No exception gets out.
template <class Body>
hipError_t plain_api(Body body) {
  try {
    return finish(body());
  } catch (const std::bad_alloc&) {
    return finish(hipErrorOutOfMemory);
  } catch (...) {
    return finish(hipErrorUnknown);
  }
}

}  // namespace wavesmith::runtime
