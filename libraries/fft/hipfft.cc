// hipFFT: plans and transforms (fourier.h). hipfft.h and hipfftXt.h of ROCm 7.0.
#include <cstddef>
#include <cstdint>

#include "libraries/fft/fourier.h"
#include "libraries/shim/handle.h"
#include "libraries/shim/unserved.h"

using namespace wavesmith::libraries;

namespace {

enum Status {
  kSuccess = 0,
  kInvalidPlan = 1,
  kAllocFailed = 2,
  kInvalidType = 3,
  kInvalidValue = 4,
  kExecFailed = 6,
  kInvalidSize = 8
};
constexpr int kVersion = 10020;  // major * 10000 + minor * 100 + patch: ROCm 7.0's 1.0.20

struct Plan {
  Fourier transform;
  void* stream;
  bool made;
};

/// Of a hipfftType; doubles are those with the bit.
constexpr int kR2C = 0x2a, kC2R = 0x2c, kC2C = 0x29, kTwice = 0x40;

/// hipDataType: float, double, complex float, complex double.
enum DataType { kFloat = 0, kDouble = 1, kComplexFloat = 4, kComplexDouble = 5 };

/// Layouts are those that packed numbers have where one of the embeddings is missing.
template <class Int>
int make(Plan* plan, int rank, const Int* sizes, const Int* from_embed, int64_t from_stride,
         int64_t from_distance, const Int* to_embed, int64_t to_stride, int64_t to_distance, int type,
         int64_t batches, size_t* work) {
  if (!plan) return kInvalidPlan;
  if (!sizes || rank < 1 || rank > FourierLayout::kMost || !work) return kInvalidValue;
  Fourier what{};
  switch (type & ~kTwice) {
    case kC2C:
      what.kind = FourierKind::Complex;
      break;
    case kR2C:
      what.kind = FourierKind::FromReal;
      break;
    case kC2R:
      what.kind = FourierKind::ToReal;
      break;
    default:
      return kInvalidType;
  }
  what.twice = (type & kTwice) != 0;
  what.by_default = !from_embed || !to_embed;
  what.dimensions = rank;
  what.batches = batches;
  what.from = {{}, from_stride, from_distance};
  what.to = {{}, to_stride, to_distance};
  if (batches < 1) return kInvalidSize;
  for (int i = 0; i < rank; ++i) {
    what.sizes[i] = static_cast<int64_t>(sizes[i]);
    if (what.sizes[i] < 1) return kInvalidSize;
    if (what.by_default) continue;
    what.from.embed[i] = static_cast<int64_t>(from_embed[i]);
    what.to.embed[i] = static_cast<int64_t>(to_embed[i]);
    if (what.from.embed[i] < 1 || what.to.embed[i] < 1) return kInvalidSize;
  }
  plan->transform = what;
  plan->made = true;
  *work = 0;
  return kSuccess;
}

/// In the order of x, y and z, the last one fastest.
int make_packed(Plan* plan, int rank, const int (&sizes)[3], int type, int batches, size_t* work) {
  return make<int>(plan, rank, sizes, nullptr, 1, 0, nullptr, 1, 0, type, batches, work);
}

/// Made and created at once.
template <class Make>
int create_and(void** place, Make make_it) {
  if (!place) return kInvalidValue;
  if (!create<Plan>(place)) return kAllocFailed;
  size_t work = 0;
  const int status = make_it(static_cast<Plan*>(*place), &work);
  if (status == kSuccess) return kSuccess;
  destroy(*place, kInvalidPlan);
  *place = nullptr;
  return status;
}

int run(Plan* plan, FourierKind kind, bool twice, int sign, const void* input, void* output,
        const Called& = {}) {
  if (!plan || !plan->made || plan->transform.kind != kind || plan->transform.twice != twice)
    return kInvalidPlan;
  if (!input || !output || (sign != -1 && sign != 1)) return kInvalidValue;
  Fourier what = plan->transform;
  what.sign = sign;
  what.input = const_cast<void*>(input);
  what.output = output;
  return status_of(transform(what, plan->stream), {.done = kSuccess,
                                                   .not_served = kExecFailed,
                                                   .bad_pointer = kInvalidValue,
                                                   .no_memory = kAllocFailed,
                                                   .not_launched = kExecFailed});
}

}  // namespace

WAVESMITH_SERVED int hipfftCreate(void** plan) {
  if (!plan) return kInvalidValue;
  return create<Plan>(plan) ? kSuccess : kAllocFailed;
}

WAVESMITH_SERVED int hipfftDestroy(void* plan) { return destroy(plan, kInvalidPlan); }

WAVESMITH_SERVED int hipfftSetStream(Plan* plan, void* stream) {
  if (!plan) return kInvalidPlan;
  plan->stream = stream;
  return kSuccess;
}
// Plans need no memory of the GPU's.
WAVESMITH_SERVED int hipfftSetAutoAllocation(void* plan, int) { return plan ? kSuccess : kInvalidPlan; }
WAVESMITH_SERVED int hipfftSetWorkArea(void* plan, void*) { return plan ? kSuccess : kInvalidPlan; }

WAVESMITH_SERVED int hipfftMakePlan1d(Plan* plan, int x, int type, int batches, size_t* work) {
  return make_packed(plan, 1, {x}, type, batches, work);
}
WAVESMITH_SERVED int hipfftMakePlan2d(Plan* plan, int x, int y, int type, size_t* work) {
  return make_packed(plan, 2, {x, y}, type, 1, work);
}
WAVESMITH_SERVED int hipfftMakePlan3d(Plan* plan, int x, int y, int z, int type, size_t* work) {
  return make_packed(plan, 3, {x, y, z}, type, 1, work);
}
WAVESMITH_SERVED int hipfftMakePlanMany(Plan* plan, int rank, const int* sizes, const int* from_embed,
                                        int from_stride, int from_distance, const int* to_embed,
                                        int to_stride, int to_distance, int type, int batches, size_t* work) {
  return make(plan, rank, sizes, from_embed, from_stride, from_distance, to_embed, to_stride, to_distance,
              type, batches, work);
}

WAVESMITH_SERVED int hipfftPlan1d(void** plan, int x, int type, int batches) {
  return create_and(plan, [&](Plan* p, size_t* work) { return make_packed(p, 1, {x}, type, batches, work); });
}
WAVESMITH_SERVED int hipfftPlan2d(void** plan, int x, int y, int type) {
  return create_and(plan, [&](Plan* p, size_t* work) { return make_packed(p, 2, {x, y}, type, 1, work); });
}
WAVESMITH_SERVED int hipfftPlan3d(void** plan, int x, int y, int z, int type) {
  return create_and(plan, [&](Plan* p, size_t* work) { return make_packed(p, 3, {x, y, z}, type, 1, work); });
}
WAVESMITH_SERVED int hipfftPlanMany(void** plan, int rank, const int* sizes, const int* from_embed,
                                    int from_stride, int from_distance, const int* to_embed, int to_stride,
                                    int to_distance, int type, int batches) {
  return create_and(plan, [&](Plan* p, size_t* work) {
    return make(p, rank, sizes, from_embed, from_stride, from_distance, to_embed, to_stride, to_distance,
                type, batches, work);
  });
}

WAVESMITH_SERVED int hipfftXtMakePlanMany(Plan* plan, int rank, const long long* sizes,
                                          const long long* from_embed, long long from_stride,
                                          long long from_distance, int from_type, const long long* to_embed,
                                          long long to_stride, long long to_distance, int to_type,
                                          long long batches, size_t* work, int compute_type) {
  const bool twice = compute_type == kDouble || compute_type == kComplexDouble;
  const int real = twice ? kDouble : kFloat, complex = twice ? kComplexDouble : kComplexFloat;
  const int kind = from_type == complex && to_type == complex ? kC2C
                   : from_type == real && to_type == complex  ? kR2C
                   : from_type == complex && to_type == real  ? kC2R
                                                              : 0;
  if (kind == 0)
    return WAVESMITH_UNSUPPORTED("hipfftXtMakePlanMany",
                                 "HIPFFT_INVALID_TYPE for other types than floats and doubles", kInvalidType);
  return make(plan, rank, sizes, from_embed, from_stride, from_distance, to_embed, to_stride, to_distance,
              kind | (twice ? kTwice : 0), batches, work);
}

WAVESMITH_SERVED int hipfftExecC2C(Plan* plan, const void* from, void* to, int sign) {
  return run(plan, FourierKind::Complex, false, sign, from, to);
}
WAVESMITH_SERVED int hipfftExecZ2Z(Plan* plan, const void* from, void* to, int sign) {
  return run(plan, FourierKind::Complex, true, sign, from, to);
}
WAVESMITH_SERVED int hipfftExecR2C(Plan* plan, const void* from, void* to) {
  return run(plan, FourierKind::FromReal, false, -1, from, to);
}
WAVESMITH_SERVED int hipfftExecD2Z(Plan* plan, const void* from, void* to) {
  return run(plan, FourierKind::FromReal, true, -1, from, to);
}
WAVESMITH_SERVED int hipfftExecC2R(Plan* plan, const void* from, void* to) {
  return run(plan, FourierKind::ToReal, false, 1, from, to);
}
WAVESMITH_SERVED int hipfftExecZ2D(Plan* plan, const void* from, void* to) {
  return run(plan, FourierKind::ToReal, true, 1, from, to);
}
WAVESMITH_SERVED int hipfftXtExec(Plan* plan, const void* from, void* to, int sign) {
  if (!plan) return kInvalidPlan;
  const FourierKind kind = plan->transform.kind;
  return run(plan, kind, plan->transform.twice,
             kind == FourierKind::Complex    ? sign
             : kind == FourierKind::FromReal ? -1
                                             : 1,
             from, to);
}

WAVESMITH_SERVED int hipfftGetVersion(int* version) {
  if (!version) return kInvalidValue;
  *version = kVersion;
  return kSuccess;
}
