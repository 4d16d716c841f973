// hipSOLVER: eigenvalues (spectrum.h). hipsolver-functions.h and hipsolver-compat.h of ROCm 7.0.
#include "libraries/shim/answer.h"
#include "libraries/solver/hipsolver_answers.h"
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
  if (!handle) return kAnswers.bad_handle;
  if (vectors_of(mode) < 0) return kAnswers.bad_operation;
  return run_syev(kAnswers, handle, type, vectors_of(mode) != 0, part, n, Matrices{a, lda, int64_t{lda} * n},
                  values, n, info, count, {}, parameters ? &parameters->residual : nullptr);
}

/// hipsolverEigRange_t.
constexpr int kAll = 221, kByValue = 222, kByPlace = 223;

/// `found` is there at once.
int run_syevdx(void* handle, Number type, int mode, int by, int part, int n, void* a, int lda, double low,
               double high, int first, int last, int* found, void* values, int* info, const Called& = {}) {
  if (!handle) return kAnswers.bad_handle;
  if (vectors_of(mode) < 0 || by < kAll || by > kByPlace) return kAnswers.bad_operation;
  if (!found) return kInvalidValue;
  using By = EigenRange::By;
  const EigenRange range{
      by == kAll ? By::All : by == kByValue ? By::Value : By::Place, low, high, first, last, found};
  const int status = run_syev(kAnswers, handle, type, vectors_of(mode) != 0, part, n, Matrices{a, lda},
                              values, n, info, 1, range);
  if (status != kSuccess) return status;
  return hipStreamSynchronize(handle_of(handle)->stream) == 0 ? kSuccess : kAnswers.not_launched;
}

/// hipsolverEigType_t.
int run_sygv(void* handle, Number type, int form, int mode, int part, int n, void* a, int lda, void* b,
             int ldb, void* values, int* info, Parameters* parameters = nullptr, const Called& = {}) {
  constexpr int kAx = 211;
  if (!handle) return kAnswers.bad_handle;
  if (vectors_of(mode) < 0) return kAnswers.bad_operation;
  return run_sygv(kAnswers, handle, type, form - kAx + 1, vectors_of(mode) != 0, part, n, a, lda, b, ldb,
                  values, info, parameters ? &parameters->residual : nullptr);
}

}  // namespace

// Of both faces of hipSOLVER. Work that is under way may write into parameters still, so their end waits for
// it. Eigen's method has no tolerance and no sweeps, and sorts always.
#define PARAMETERS(face)                                                                                   \
  WAVESMITH_SERVED int face##CreateSyevjInfo(void** info) {                                                \
    if (!info) return kInvalidValue;                                                                       \
    return create<Parameters>(info) ? kSuccess : kAllocFailed;                                             \
  }                                                                                                        \
  WAVESMITH_SERVED int face##DestroySyevjInfo(void* info) {                                                \
    if (info && hipDeviceSynchronize() != 0) return kAnswers.not_launched;                                 \
    return destroy(info, kInvalidValue);                                                                   \
  }                                                                                                        \
  WAVESMITH_SERVED int face##XsyevjSetTolerance(void* info, double) {                                      \
    return info ? kSuccess : kInvalidValue;                                                                \
  }                                                                                                        \
  WAVESMITH_SERVED int face##XsyevjSetMaxSweeps(void* info, int sweeps) {                                  \
    return info && sweeps > 0 ? kSuccess : kInvalidValue;                                                  \
  }                                                                                                        \
  WAVESMITH_SERVED int face##XsyevjSetSortEig(void* info, int) { return info ? kSuccess : kInvalidValue; } \
  WAVESMITH_SERVED int face##XsyevjGetResidual(void* handle, Parameters* info, double* residual) {         \
    if (!handle) return kAnswers.bad_handle;                                                               \
    if (!info || !residual) return kInvalidValue;                                                          \
    if (hipStreamSynchronize(handle_of(handle)->stream) != 0) return kAnswers.not_launched;                \
    *residual = info->residual;                                                                            \
    return kSuccess;                                                                                       \
  }                                                                                                        \
  WAVESMITH_SERVED int face##XsyevjGetSweeps(void* handle, void* info, int* sweeps) {                      \
    if (!handle) return kAnswers.bad_handle;                                                               \
    if (!info || !sweeps) return kInvalidValue;                                                            \
    *sweeps = 0;                                                                                           \
    return kSuccess;                                                                                       \
  }
PARAMETERS(hipsolver)
PARAMETERS(hipsolverDn)

// `syevd` and others are other names where numbers are complex.
#define EIGENVALUES(face, letter, type, syevd, syevj, sygvd, sygvj)                                          \
  WAVESMITH_SERVED int face##letter##syevd##_bufferSize(void* handle, int, int, int, const void*, int,       \
                                                        const void*, int* size) {                            \
    return no_room(handle, size);                                                                            \
  }                                                                                                          \
  WAVESMITH_SERVED int face##letter##syevd(void* handle, int mode, int part, int n, void* a, int lda,        \
                                           void* values, void*, int, int* info) {                            \
    return run_syev(handle, type, mode, part, n, a, lda, values, info, 1);                                   \
  }                                                                                                          \
  WAVESMITH_SERVED int face##letter##syevj##_bufferSize(void* handle, int, int, int, const void*, int,       \
                                                        const void*, int* size, void*) {                     \
    return no_room(handle, size);                                                                            \
  }                                                                                                          \
  WAVESMITH_SERVED int face##letter##syevj(void* handle, int mode, int part, int n, void* a, int lda,        \
                                           void* values, void*, int, int* info, Parameters* p) {             \
    return run_syev(handle, type, mode, part, n, a, lda, values, info, 1, p);                                \
  }                                                                                                          \
  WAVESMITH_SERVED int face##letter##syevj##Batched_bufferSize(void* handle, int, int, int, const void*,     \
                                                               int, const void*, int* size, void*, int) {    \
    return no_room(handle, size);                                                                            \
  }                                                                                                          \
  WAVESMITH_SERVED int face##letter##syevj##Batched(void* handle, int mode, int part, int n, void* a,        \
                                                    int lda, void* values, void*, int, int* info,            \
                                                    Parameters* p, int count) {                              \
    return run_syev(handle, type, mode, part, n, a, lda, values, info, count, p);                            \
  }                                                                                                          \
  WAVESMITH_SERVED int face##letter##sygvd##_bufferSize(void* handle, int, int, int, int, void*, int, void*, \
                                                        int, void*, int* size) {                             \
    return no_room(handle, size);                                                                            \
  }                                                                                                          \
  WAVESMITH_SERVED int face##letter##sygvd(void* handle, int form, int mode, int part, int n, void* a,       \
                                           int lda, void* b, int ldb, void* values, void*, int, int* info) { \
    return run_sygv(handle, type, form, mode, part, n, a, lda, b, ldb, values, info);                        \
  }                                                                                                          \
  WAVESMITH_SERVED int face##letter##sygvj##_bufferSize(void* handle, int, int, int, int, void*, int, void*, \
                                                        int, void*, int* size, void*) {                      \
    return no_room(handle, size);                                                                            \
  }                                                                                                          \
  WAVESMITH_SERVED int face##letter##sygvj(void* handle, int form, int mode, int part, int n, void* a,       \
                                           int lda, void* b, int ldb, void* values, void*, int, int* info,   \
                                           Parameters* p) {                                                  \
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
    return no_room(handle, size);                                                                            \
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
