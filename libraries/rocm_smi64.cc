// ROCm SMI: how many GPUs there are. What it would measure on a card isn't modelled. rocm_smi.h of ROCm 7.0.
#include <cstdint>

#include "libraries/answer.h"

extern "C" int hipGetDeviceCount(int* count);

namespace {
enum Status { kSuccess = 0, kInvalidArguments = 1 };
}  // namespace

WAVESMITH_SERVED int rsmi_init(uint64_t) { return kSuccess; }
WAVESMITH_SERVED int rsmi_shut_down() { return kSuccess; }

WAVESMITH_SERVED int rsmi_num_monitor_devices(uint32_t* count) {
  if (!count) return kInvalidArguments;
  int devices = 0;
  *count = hipGetDeviceCount(&devices) == 0 ? static_cast<uint32_t>(devices) : 0;
  return kSuccess;
}

WAVESMITH_SERVED int rsmi_status_string(int status, const char** text) {
  if (!text) return kInvalidArguments;
  switch (status) {
    case 0:
      *text = "The function has been executed successfully.";
      break;
    case 1:
      *text = "An argument is invalid.";
      break;
    case 2:
      *text = "Not supported on an emulated GPU.";
      break;
    default:
      *text = "An error of ROCm SMI.";
      break;
  }
  return kSuccess;
}
