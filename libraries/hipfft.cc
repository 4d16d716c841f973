// hipFFT: the version, and plans, which can be made and destroyed: programs end themselves when a plan cannot
// be made (XLA), and report a transform that fails. hipfft.h of ROCm 7.0.
#include <cstddef>

#include "libraries/answer.h"
#include "libraries/handle.h"

using namespace wavesmith::libraries;

namespace {
enum Status { kSuccess = 0, kInvalidPlan = 1, kAllocFailed = 2, kInvalidValue = 4 };
constexpr int kVersion = 10020;  // major * 10000 + minor * 100 + patch: ROCm 7.0's 1.0.20

/// Of a plan that needs no memory beside.
int made(void* plan, size_t* work) {
  if (!plan) return kInvalidPlan;
  if (!work) return kInvalidValue;
  *work = 0;
  return kSuccess;
}
}  // namespace

WAVESMITH_SERVED int hipfftCreate(void** plan) {
  if (!plan) return kInvalidValue;
  return create(plan) ? kSuccess : kAllocFailed;
}

WAVESMITH_SERVED int hipfftDestroy(void* plan) { return destroy(plan, kInvalidPlan); }

WAVESMITH_SERVED int hipfftSetStream(void* plan, void*) { return plan ? kSuccess : kInvalidPlan; }
WAVESMITH_SERVED int hipfftSetAutoAllocation(void* plan, int) { return plan ? kSuccess : kInvalidPlan; }
WAVESMITH_SERVED int hipfftSetWorkArea(void* plan, void*) { return plan ? kSuccess : kInvalidPlan; }

WAVESMITH_SERVED int hipfftMakePlan1d(void* plan, int, int, int, size_t* work) { return made(plan, work); }
WAVESMITH_SERVED int hipfftMakePlan2d(void* plan, int, int, int, size_t* work) { return made(plan, work); }
WAVESMITH_SERVED int hipfftMakePlan3d(void* plan, int, int, int, int, size_t* work) {
  return made(plan, work);
}
WAVESMITH_SERVED int hipfftMakePlanMany(void* plan, int, int*, int*, int, int, int*, int, int, int, int,
                                        size_t* work) {
  return made(plan, work);
}

WAVESMITH_SERVED int hipfftGetVersion(int* version) {
  if (!version) return kInvalidValue;
  *version = kVersion;
  return kSuccess;
}
