// AMD SMI: the names of its statuses. amdsmi.h of ROCm 7.0.
#include "libraries/answer.h"

namespace {
enum Status { kSuccess = 0, kInvalid = 1 };
}  // namespace

WAVESMITH_SERVED int amdsmi_status_code_to_string(int status, const char** text) {
  if (!text) return kInvalid;
  static constexpr const char* kNames[] = {"AMDSMI_STATUS_SUCCESS", "AMDSMI_STATUS_INVAL",
                                           "AMDSMI_STATUS_NOT_SUPPORTED"};
  *text = wavesmith::libraries::name_of(kNames, status, "an error of AMD SMI");
  return kSuccess;
}
