// AMD SMI: the names of its statuses. amdsmi.h of ROCm 7.0.
#include "libraries/answer.h"

namespace {
enum Status { kSuccess = 0, kInvalid = 1 };
}  // namespace

WAVESMITH_SERVED int amdsmi_status_code_to_string(int status, const char** text) {
  if (!text) return kInvalid;
  switch (status) {
    case 0:
      *text = "AMDSMI_STATUS_SUCCESS";
      break;
    case 1:
      *text = "AMDSMI_STATUS_INVAL";
      break;
    case 2:
      *text = "AMDSMI_STATUS_NOT_SUPPORTED";
      break;
    default:
      *text = "an error of AMD SMI";
      break;
  }
  return kSuccess;
}
