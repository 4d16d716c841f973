// hipSOLVER: eigenvalues (spectrum.h). hipsolver-functions.h and hipsolver-compat.h of ROCm 7.0.
#include "libraries/shim/unserved.h"
#include "libraries/solver/hipsolver_statuses.h"
#include "libraries/solver/orthogonal_entry.h"

extern "C" int hipDeviceSynchronize();
extern "C" int hipStreamSynchronize(void* stream);

using namespace wavesmith::libraries;

namespace {

/// What is asked of Jacobi's method, which is not what computes here, and the residual that is left.
struct Parameters {
  double residual;
};

int run_syev(void* handle, Number type, int mode, int part, int n, void* a, int lda, void* values, int* info,
             int count, Parameters* parameters = nullptr, const Called& = {}) {
  if (!handle) return kStatuses.bad_handle;
  if (vectors_of(mode) < 0) return kStatuses.bad_operation;
  return run_syev(kStatuses, handle, type, vectors_of(mode) != 0, part, n, Matrices{a, lda, int64_t{lda} * n},
                  values, n, info, count, {}, parameters ? &parameters->residual : nullptr);
}

/// hipsolverEigRange_t.
constexpr int kAll = 221, kByValue = 222, kByIndex = 223;

/// `found` is there at once.
int run_syevdx(void* handle, Number type, int mode, int by, int part, int n, void* a, int lda, double low,
               double high, int first, int last, int* found, void* values, int* info, const Called& = {}) {
  if (!handle) return kStatuses.bad_handle;
  if (vectors_of(mode) < 0 || by < kAll || by > kByIndex) return kStatuses.bad_operation;
  if (!found) return kInvalidValue;
  using Kind = EigenRange::Kind;
  const EigenRange range{
      by == kAll ? Kind::All : by == kByValue ? Kind::Value : Kind::Index, low, high, first, last, found};
  const int status = run_syev(kStatuses, handle, type, vectors_of(mode) != 0, part, n, Matrices{a, lda},
                              values, n, info, 1, range);
  if (status != kSuccess) return status;
  return hipStreamSynchronize(handle_of(handle)->stream) == 0 ? kSuccess : kStatuses.not_launched;
}

/// hipsolverEigType_t.
int run_sygv(void* handle, Number type, int form, int mode, int part, int n, void* a, int lda, void* b,
             int ldb, void* values, int* info, Parameters* parameters = nullptr, const Called& = {}) {
  constexpr int kAx = 211;
  if (!handle) return kStatuses.bad_handle;
  if (vectors_of(mode) < 0) return kStatuses.bad_operation;
  return run_sygv(kStatuses, handle, type, form - kAx + 1, vectors_of(mode) != 0, part, n, a, lda, b, ldb,
                  values, info, parameters ? &parameters->residual : nullptr);
}

}  // namespace

// Of both of hipSOLVER's APIs. Enqueued work may still write into parameters, so their end waits for
// it. Eigen's method has no tolerance and no sweeps, and sorts always.
#define PARAMETERS(api)                                                                                   \
  WAVESMITH_SERVED int api##CreateSyevjInfo(void** info) {                                                \
    if (!info) return kInvalidValue;                                                                      \
    return create<Parameters>(info) ? kSuccess : kAllocFailed;                                            \
  }                                                                                                       \
  WAVESMITH_SERVED int api##DestroySyevjInfo(void* info) {                                                \
    if (info && hipDeviceSynchronize() != 0) return kStatuses.not_launched;                               \
    return destroy(info, kInvalidValue);                                                                  \
  }                                                                                                       \
  WAVESMITH_SERVED int api##XsyevjSetTolerance(void* info, double) {                                      \
    return info ? kSuccess : kInvalidValue;                                                               \
  }                                                                                                       \
  WAVESMITH_SERVED int api##XsyevjSetMaxSweeps(void* info, int sweeps) {                                  \
    return info && sweeps > 0 ? kSuccess : kInvalidValue;                                                 \
  }                                                                                                       \
  WAVESMITH_SERVED int api##XsyevjSetSortEig(void* info, int) { return info ? kSuccess : kInvalidValue; } \
  WAVESMITH_SERVED int api##XsyevjGetResidual(void* handle, Parameters* info, double* residual) {         \
    if (!handle) return kStatuses.bad_handle;                                                             \
    if (!info || !residual) return kInvalidValue;                                                         \
    if (hipStreamSynchronize(handle_of(handle)->stream) != 0) return kStatuses.not_launched;              \
    *residual = info->residual;                                                                           \
    return kSuccess;                                                                                      \
  }                                                                                                       \
  WAVESMITH_SERVED int api##XsyevjGetSweeps(void* handle, void* info, int* sweeps) {                      \
    if (!handle) return kStatuses.bad_handle;                                                             \
    if (!info || !sweeps) return kInvalidValue;                                                           \
    *sweeps = 0;                                                                                          \
    return kSuccess;                                                                                      \
  }
PARAMETERS(hipsolver)
PARAMETERS(hipsolverDn)

// `syevd` and others are other names where numbers are complex.
#define EIGENVALUES(api, letter, type, syevd, syevj, sygvd, sygvj)                                           \
  WAVESMITH_SERVED int api##letter##syevd##_bufferSize(void* handle, int, int, int, const void*, int,        \
                                                       const void*, int* size) {                             \
    return no_workspace(handle, size);                                                                       \
  }                                                                                                          \
  WAVESMITH_SERVED int api##letter##syevd(void* handle, int mode, int part, int n, void* a, int lda,         \
                                          void* values, void*, int, int* info) {                             \
    return run_syev(handle, type, mode, part, n, a, lda, values, info, 1);                                   \
  }                                                                                                          \
  WAVESMITH_SERVED int api##letter##syevj##_bufferSize(void* handle, int, int, int, const void*, int,        \
                                                       const void*, int* size, void*) {                      \
    return no_workspace(handle, size);                                                                       \
  }                                                                                                          \
  WAVESMITH_SERVED int api##letter##syevj(void* handle, int mode, int part, int n, void* a, int lda,         \
                                          void* values, void*, int, int* info, Parameters* p) {              \
    return run_syev(handle, type, mode, part, n, a, lda, values, info, 1, p);                                \
  }                                                                                                          \
  WAVESMITH_SERVED int api##letter##syevj##Batched_bufferSize(void* handle, int, int, int, const void*, int, \
                                                              const void*, int* size, void*, int) {          \
    return no_workspace(handle, size);                                                                       \
  }                                                                                                          \
  WAVESMITH_SERVED int api##letter##syevj##Batched(void* handle, int mode, int part, int n, void* a,         \
                                                   int lda, void* values, void*, int, int* info,             \
                                                   Parameters* p, int count) {                               \
    return run_syev(handle, type, mode, part, n, a, lda, values, info, count, p);                            \
  }                                                                                                          \
  WAVESMITH_SERVED int api##letter##sygvd##_bufferSize(void* handle, int, int, int, int, void*, int, void*,  \
                                                       int, void*, int* size) {                              \
    return no_workspace(handle, size);                                                                       \
  }                                                                                                          \
  WAVESMITH_SERVED int api##letter##sygvd(void* handle, int form, int mode, int part, int n, void* a,        \
                                          int lda, void* b, int ldb, void* values, void*, int, int* info) {  \
    return run_sygv(handle, type, form, mode, part, n, a, lda, b, ldb, values, info);                        \
  }                                                                                                          \
  WAVESMITH_SERVED int api##letter##sygvj##_bufferSize(void* handle, int, int, int, int, void*, int, void*,  \
                                                       int, void*, int* size, void*) {                       \
    return no_workspace(handle, size);                                                                       \
  }                                                                                                          \
  WAVESMITH_SERVED int api##letter##sygvj(void* handle, int form, int mode, int part, int n, void* a,        \
                                          int lda, void* b, int ldb, void* values, void*, int, int* info,    \
                                          Parameters* p) {                                                   \
    return run_sygv(handle, type, form, mode, part, n, a, lda, b, ldb, values, info, p);                     \
  }
EIGENVALUES(hipsolver, S, Number::F32, syevd, syevj, sygvd, sygvj)
EIGENVALUES(hipsolver, D, Number::F64, syevd, syevj, sygvd, sygvj)
EIGENVALUES(hipsolver, C, Number::C32, heevd, heevj, hegvd, hegvj)
EIGENVALUES(hipsolver, Z, Number::C64, heevd, heevj, hegvd, hegvj)
EIGENVALUES(hipsolverDn, S, Number::F32, syevd, syevj, sygvd, sygvj)
EIGENVALUES(hipsolverDn, D, Number::F64, syevd, syevj, sygvd, sygvj)
EIGENVALUES(hipsolverDn, C, Number::C32, heevd, heevj, hegvd, hegvj)
EIGENVALUES(hipsolverDn, Z, Number::C64, heevd, heevj, hegvd, hegvj)

#define OF_A_RANGE(letter, type, real, syevdx)                                                               \
  WAVESMITH_SERVED int hipsolverDn##letter##syevdx##_bufferSize(void* handle, int, int, int, int,            \
                                                                const void*, int, real, real, int, int,      \
                                                                int*, const void*, int* size) {              \
    return no_workspace(handle, size);                                                                       \
  }                                                                                                          \
  WAVESMITH_SERVED int hipsolverDn##letter##syevdx(void* handle, int mode, int by, int part, int n, void* a, \
                                                   int lda, real low, real high, int first, int last,        \
                                                   int* found, void* values, void*, int, int* info) {        \
    return run_syevdx(handle, type, mode, by, part, n, a, lda, static_cast<double>(low),                     \
                      static_cast<double>(high), first, last, found, values, info);                          \
  }
OF_A_RANGE(S, Number::F32, float, syevdx)
OF_A_RANGE(D, Number::F64, double, syevdx)
OF_A_RANGE(C, Number::C32, float, heevdx)
OF_A_RANGE(Z, Number::C64, double, heevdx)
