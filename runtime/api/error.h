// HIP's error codes: how ours map to them, what each thread remembers, and the wrapper that every API
// function runs in.
#pragma once

#include <new>
#include <string>
#include <string_view>

#include "base/result.h"
#include "runtime/abi/error.h"

/// Before the definition of a function of HIP's API.
#define HIP_API extern "C" __attribute__((visibility("default")))

namespace wavesmith::runtime {

/// The HIP error that the real runtime returns for such a failure.
hipError_t hip_error(const Error& error);

/// HIP's name of an error ("hipErrorInvalidValue") and what it means.
std::string_view error_name(hipError_t error);
std::string_view error_string(hipError_t error);

/// Says on stderr what went wrong, in one line.
void report(const Error& error);
/// What report() said last; empty when it never did.
std::string last_report();
/// The same, at most once in a process for each text.
void report_once(std::string_view text);

/// The calling thread's last error, which hipGetLastError returns.
hipError_t& last_error();

/// Remembers a failure for hipGetLastError; passes `error` on. That work goes on is an answer and no failure:
/// libraries poll streams and events and then ask for the last error to learn how a launch went.
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
