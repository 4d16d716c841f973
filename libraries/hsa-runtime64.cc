// HSA's runtime: the names of its statuses (hsa_init answers that there is none). hsa.h.
#include "libraries/answer.h"

namespace {
enum Status { kSuccess = 0, kError = 0x1000, kInvalidArgument = 0x1001 };
}  // namespace

WAVESMITH_SERVED int hsa_status_string(int status, const char** text) {
  if (!text) return kInvalidArgument;
  *text = status == kSuccess ? "HSA_STATUS_SUCCESS"
          : status == kError ? "HSA_STATUS_ERROR"
                             : "an error of HSA";
  return kSuccess;
}
