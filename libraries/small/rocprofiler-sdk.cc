// rocprofiler-sdk: the clock, and the names of its statuses. rocprofiler-sdk/fwd.h and rocprofiler.h of
// ROCm 7.0.
#include <time.h>

#include <cstdint>

#include "libraries/shim/unserved.h"

namespace {
enum Status { kSuccess = 0, kInvalidArgument = 19 };
}  // namespace

// Its clock is CLOCK_BOOTTIME in nanoseconds.
WAVESMITH_SERVED int rocprofiler_get_timestamp(uint64_t* nanoseconds) {
  if (!nanoseconds) return kInvalidArgument;
  timespec now{};
  clock_gettime(CLOCK_BOOTTIME, &now);
  *nanoseconds = static_cast<uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(now.tv_nsec);
  return kSuccess;
}

WAVESMITH_SERVED const char* rocprofiler_get_status_string(int status) {
  switch (status) {
    case kSuccess:
      return "Success";
    case 17:
      return "Not served by Wavesmith";
    case kInvalidArgument:
      return "Invalid argument";
    default:
      return "An error of rocprofiler-sdk";
  }
}
