// hipSOLVER: handles, and the factorisations of factor.h. hipsolver-types.h and hipsolver-functions.h of
// ROCm 7.0.
#include "libraries/answer.h"
#include "libraries/factor_entry.h"
#include "libraries/handle.h"

using namespace wavesmith::libraries;

namespace {
enum Status { kSuccess = 0, kNotInitialized = 1, kAllocFailed = 2, kInvalidValue = 3 };
constexpr FactorAnswers kAnswers{.bad_handle = 9,  // hipsolverStatus_t
                                 .bad_operation = 10,
                                 .bad_size = 3,
                                 .bad_pointer = 3,
                                 .no_memory = 2,
                                 .not_launched = 6};

/// No memory of the caller's is needed.
int no_room(void* handle, int* size) {
  if (!handle) return kAnswers.bad_handle;
  if (!size) return kInvalidValue;
  *size = 0;
  return kSuccess;
}

int run_potrf_batch(void* handle, Number type, int part, int n, void** matrices, int lda, int* info,
                    int count) {
  if (!handle) return kAnswers.bad_handle;
  if (part != 121 && part != 122) return kAnswers.bad_operation;
  if (n < 0 || lda < std::max(1, n) || count < 0 || !info || (count > 0 && !matrices)) return kInvalidValue;
  if (count == 0) return kSuccess;
  return launch(kAnswers, handle,
                CholeskyBatch{
                    {type, part == 121, n, nullptr, lda, info},
                    matrices, count
  });
}
}  // namespace

WAVESMITH_SERVED int hipsolverCreate(void** handle) {
  if (!handle) return kInvalidValue;
  return create(handle) ? kSuccess : kAllocFailed;
}

WAVESMITH_SERVED int hipsolverDestroy(void* handle) { return destroy(handle, kNotInitialized); }

WAVESMITH_SERVED int hipsolverSetStream(void* handle, void* stream) {
  return set(handle, &Handle::stream, stream, kNotInitialized);
}

WAVESMITH_SERVED int hipsolverGetStream(void* handle, void** stream) {
  return get(handle, &Handle::stream, stream, kNotInitialized, kInvalidValue);
}

#define FACTORISATIONS(letter, type)                                                                         \
  WAVESMITH_SERVED int hipsolver##letter##potrf_bufferSize(void* handle, int, int, void*, int, int* size) {  \
    return no_room(handle, size);                                                                            \
  }                                                                                                          \
  WAVESMITH_SERVED int hipsolver##letter##potrf(void* handle, int part, int n, void* a, int lda, void*, int, \
                                                int* info) {                                                 \
    return run_potrf(kAnswers, handle, type, part, n, a, lda, info);                                         \
  }                                                                                                          \
  WAVESMITH_SERVED int hipsolverDn##letter##potrfBatched(void* handle, int part, int n, void** matrices,     \
                                                         int lda, int* info, int count) {                    \
    return run_potrf_batch(handle, type, part, n, matrices, lda, info, count);                               \
  }                                                                                                          \
  WAVESMITH_SERVED int hipsolver##letter##getrf_bufferSize(void* handle, int, int, void*, int, int* size) {  \
    return no_room(handle, size);                                                                            \
  }                                                                                                          \
  WAVESMITH_SERVED int hipsolver##letter##getrf(void* handle, int m, int n, void* a, int lda, void*, int,    \
                                                int* pivots, int* info) {                                    \
    return run_getrf(kAnswers, handle, type, m, n, a, lda, pivots, info);                                    \
  }
FACTORISATIONS(S, Number::F32)
FACTORISATIONS(D, Number::F64)
FACTORISATIONS(C, Number::C32)
FACTORISATIONS(Z, Number::C64)
