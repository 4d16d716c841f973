// hipSOLVER: handles, the factorisations of factor.h and qr.h, the solutions that they give, and singular
// values (spectrum.h). hipsolver-types.h and hipsolver-functions.h of ROCm 7.0.
#include "libraries/blas/operations.h"
#include "libraries/shim/handle.h"
#include "libraries/shim/unserved.h"
#include "libraries/solver/factor_batch_entry.h"
#include "libraries/solver/hipsolver_statuses.h"
#include "libraries/solver/least_squares.h"
#include "libraries/solver/orthogonal_entry.h"

using namespace wavesmith::libraries;

namespace {
/// Of gesvd's letters; InPlace for what it does not know, which it does not have twice.
Vectors vectors_of_letter(char job) {
  switch (job) {
    case 'A':
      return Vectors::All;
    case 'S':
      return Vectors::Some;
    case 'N':
      return Vectors::None;
    default:
      return Vectors::InPlace;
  }
}

int run_gesvd(void* handle, Number type, signed char left, signed char right, int m, int n, void* a, int lda,
              void* values, void* u, int ldu, void* v, int ldv, int* info, const Called& = {}) {
  const auto known = [](signed char job) { return job == 'A' || job == 'S' || job == 'O' || job == 'N'; };
  if (!handle) return kStatuses.bad_handle;
  if (!known(left) || !known(right)) return kInvalidValue;
  return run_gesvd(kStatuses, handle,
                   SingularValues{type,
                                  vectors_of_letter(static_cast<char>(left)),
                                  vectors_of_letter(static_cast<char>(right)),
                                  false,
                                  m,
                                  n,
                                  {a, lda},
                                  values,
                                  0,
                                  {u, ldu},
                                  {v, ldv},
                                  info});
}

/// gesvdj: V itself. A batch's matrices follow each other; its U and V are square.
int run_gesvdj(void* handle, Number type, int mode, bool some, int m, int n, void* a, int lda, void* values,
               void* u, int ldu, void* v, int ldv, int* info, int count, const Called& = {}) {
  if (!handle) return kStatuses.bad_handle;
  if (vectors_of(mode) < 0) return kStatuses.bad_operation;
  const Vectors vectors = vectors_of(mode) == 0 ? Vectors::None : some ? Vectors::Some : Vectors::All;
  return run_gesvd(kStatuses, handle,
                   SingularValues{type,
                                  vectors,
                                  vectors,
                                  true,
                                  m,
                                  n,
                                  {a, lda, int64_t{lda} * n},
                                  values,
                                  std::min(m, n),
                                  {u, ldu, int64_t{ldu} * m},
                                  {v, ldv, int64_t{ldv} * n},
                                  info,
                                  count});
}

struct ClearInfo {
  int* info;
  void run() const { *info = 0; }
  void report_work(const WorkReporter&) const {}  // part of what is before it
};
/// Of solutions by a factor, `info` has nothing to tell.
int solved(int status, void* handle, int* info, const Called& = {}) {
  if (status != kSuccess || !info) return status;
  return launch(kStatuses, handle, ClearInfo{info});
}

/// The solution is not refined: there are no iterations.
int run_gels(void* handle, const LeastSquares& s, int* iterations, const Called& = {}) {
  if (!handle) return kStatuses.bad_handle;
  const int64_t rows = std::max<int64_t>(1, s.m);
  if (s.m < 0 || s.n < 0 || s.columns < 0 || s.lda < rows || s.ldb < rows ||
      s.ldx < std::max<int64_t>(1, s.n))
    return kInvalidValue;
  if (!s.info || (s.m > 0 && s.n > 0 && !s.a) || (s.m > 0 && s.columns > 0 && !s.b) ||
      (s.n > 0 && s.columns > 0 && !s.x) || !lies_in_memory(s.a, s.type, s.m, s.n, s.lda) ||
      !lies_in_memory(s.b, s.type, s.m, s.columns, s.ldb) ||
      !lies_in_memory(s.x, s.type, s.n, s.columns, s.ldx))
    return kInvalidValue;
  if (iterations) *iterations = 0;
  return launch(kStatuses, handle, s);
}
}  // namespace

// Of both APIs: `hipsolver`, and `hipsolverDn`, which has the functions that a program ported from elsewhere
// expects.
#define HANDLES(api)                                                                           \
  WAVESMITH_SERVED int api##Create(void** handle) {                                            \
    if (!handle) return kInvalidValue;                                                         \
    return create(handle) ? kSuccess : kAllocFailed;                                           \
  }                                                                                            \
  WAVESMITH_SERVED int api##Destroy(void* handle) { return destroy(handle, kNotInitialized); } \
  WAVESMITH_SERVED int api##SetStream(void* handle, void* stream) {                            \
    return set(handle, &Handle::stream, stream, kNotInitialized);                              \
  }                                                                                            \
  WAVESMITH_SERVED int api##GetStream(void* handle, void** stream) {                           \
    return get(handle, &Handle::stream, stream, kNotInitialized, kInvalidValue);               \
  }
HANDLES(hipsolver)
HANDLES(hipsolverDn)

// Where both have the same arguments.
#define FACTORISATIONS(api, letter, type)                                                                   \
  WAVESMITH_SERVED int api##letter##potrf_bufferSize(void* handle, int, int, void*, int, int* size) {       \
    return no_workspace(handle, size);                                                                      \
  }                                                                                                         \
  WAVESMITH_SERVED int api##letter##potrf(void* handle, int part, int n, void* a, int lda, void*, int,      \
                                          int* info) {                                                      \
    return run_potrf(kStatuses, handle, type, part, n, a, lda, info);                                       \
  }                                                                                                         \
  WAVESMITH_SERVED int api##letter##getrf_bufferSize(void* handle, int, int, void*, int, int* size) {       \
    return no_workspace(handle, size);                                                                      \
  }                                                                                                         \
  WAVESMITH_SERVED int api##letter##letter##gels(void* handle, int m, int n, int columns, void* a, int lda, \
                                                 void* b, int ldb, void* x, int ldx, void*, size_t,         \
                                                 int* iterations, int* info) {                              \
    return run_gels(handle, {type, m, n, columns, a, lda, b, ldb, x, ldx, info}, iterations);               \
  }
FACTORISATIONS(hipsolver, S, Number::F32)
FACTORISATIONS(hipsolver, D, Number::F64)
FACTORISATIONS(hipsolver, C, Number::C32)
FACTORISATIONS(hipsolver, Z, Number::C64)
FACTORISATIONS(hipsolverDn, S, Number::F32)
FACTORISATIONS(hipsolverDn, D, Number::F64)
FACTORISATIONS(hipsolverDn, C, Number::C32)
FACTORISATIONS(hipsolverDn, Z, Number::C64)

#define OF_ONE_FACE(letter, type)                                                                            \
  WAVESMITH_SERVED int hipsolverDn##letter##potrfBatched(void* handle, int part, int n, void** matrices,     \
                                                         int lda, int* info, int count) {                    \
    return run_potrf_batch(kStatuses, handle, type, part, n, matrices, lda, info, count);                    \
  }                                                                                                          \
  WAVESMITH_SERVED int hipsolver##letter##potrfBatched_bufferSize(void* handle, int, int, void**, int,       \
                                                                  int* size, int) {                          \
    return no_workspace(handle, size);                                                                       \
  }                                                                                                          \
  WAVESMITH_SERVED int hipsolver##letter##potrfBatched(void* handle, int part, int n, void** matrices,       \
                                                       int lda, void*, int, int* info, int count) {          \
    return run_potrf_batch(kStatuses, handle, type, part, n, matrices, lda, info, count);                    \
  }                                                                                                          \
  WAVESMITH_SERVED int hipsolver##letter##getrf(void* handle, int m, int n, void* a, int lda, void*, int,    \
                                                int* pivots, int* info) {                                    \
    return run_getrf(kStatuses, handle, type, m, n, a, lda, pivots, info);                                   \
  }                                                                                                          \
  WAVESMITH_SERVED int hipsolver##letter##potrs_bufferSize(void* handle, int, int, int, void*, int, void*,   \
                                                           int, int* size) {                                 \
    return no_workspace(handle, size);                                                                       \
  }                                                                                                          \
  WAVESMITH_SERVED int hipsolver##letter##potrs(void* handle, int part, int n, int columns, void* a,         \
                                                int lda, void* b, int ldb, void*, int, int* info) {          \
    return solved(run_potrs(kStatuses, handle, type, part, n, columns, a, lda, b, ldb, -1), handle, info);   \
  }                                                                                                          \
  WAVESMITH_SERVED int hipsolver##letter##getrs_bufferSize(void* handle, int, int, int, void*, int, int*,    \
                                                           void*, int, int* size) {                          \
    return no_workspace(handle, size);                                                                       \
  }                                                                                                          \
  WAVESMITH_SERVED int hipsolver##letter##getrs(void* handle, int operation, int n, int columns, void* a,    \
                                                int lda, int* pivots, void* b, int ldb, void*, int,          \
                                                int* info) {                                                 \
    return solved(run_getrs(kStatuses, handle, type, operation, n, columns, a, lda, pivots, b, ldb), handle, \
                  info);                                                                                     \
  }                                                                                                          \
  WAVESMITH_SERVED int hipsolver##letter##letter##gels_bufferSize(void* handle, int, int, int, void*, int,   \
                                                                  void*, int, void*, int, size_t* size) {    \
    return no_workspace(handle, size);                                                                       \
  }                                                                                                          \
  WAVESMITH_SERVED int hipsolver##letter##gesvd_bufferSize(void* handle, signed char, signed char, int, int, \
                                                           int* size) {                                      \
    return no_workspace(handle, size);                                                                       \
  }                                                                                                          \
  WAVESMITH_SERVED int hipsolverDn##letter##getrf(void* handle, int m, int n, void* a, int lda, void*,       \
                                                  int* pivots, int* info) {                                  \
    return run_getrf(kStatuses, handle, type, m, n, a, lda, pivots, info);                                   \
  }                                                                                                          \
  WAVESMITH_SERVED int hipsolverDn##letter##potrs(void* handle, int part, int n, int columns, const void* a, \
                                                  int lda, void* b, int ldb, int* info) {                    \
    return solved(run_potrs(kStatuses, handle, type, part, n, columns, a, lda, b, ldb, -1), handle, info);   \
  }                                                                                                          \
  WAVESMITH_SERVED int hipsolverDn##letter##getrs(void* handle, int operation, int n, int columns,           \
                                                  const void* a, int lda, const int* pivots, void* b,        \
                                                  int ldb, int* info) {                                      \
    return solved(run_getrs(kStatuses, handle, type, operation, n, columns, a, lda, pivots, b, ldb), handle, \
                  info);                                                                                     \
  }                                                                                                          \
  WAVESMITH_SERVED int hipsolverDn##letter##letter##gels_bufferSize(                                         \
      void* handle, int, int, int, void*, int, void*, int, void*, int, void*, size_t* size) {                \
    return no_workspace(handle, size);                                                                       \
  }                                                                                                          \
  WAVESMITH_SERVED int hipsolverDn##letter##gesvd_bufferSize(void* handle, int, int, int* size) {            \
    return no_workspace(handle, size);                                                                       \
  }
OF_ONE_FACE(S, Number::F32)
OF_ONE_FACE(D, Number::F64)
OF_ONE_FACE(C, Number::C32)
OF_ONE_FACE(Z, Number::C64)

// Tolerances and numbers of sweeps of Jacobi's method, which is not what computes here.
#define PARAMETERS(api)                                                                            \
  WAVESMITH_SERVED int api##CreateGesvdjInfo(void** info) {                                        \
    if (!info) return kInvalidValue;                                                               \
    return create(info) ? kSuccess : kAllocFailed;                                                 \
  }                                                                                                \
  WAVESMITH_SERVED int api##DestroyGesvdjInfo(void* info) { return destroy(info, kInvalidValue); } \
  WAVESMITH_SERVED int api##XgesvdjSetTolerance(void* info, double) {                              \
    return info ? kSuccess : kInvalidValue;                                                        \
  }                                                                                                \
  WAVESMITH_SERVED int api##XgesvdjSetMaxSweeps(void* info, int sweeps) {                          \
    return info && sweeps > 0 ? kSuccess : kInvalidValue;                                          \
  }                                                                                                \
  WAVESMITH_SERVED int api##XgesvdjSetSortEig(void* info, int) { return info ? kSuccess : kInvalidValue; }
PARAMETERS(hipsolver)
PARAMETERS(hipsolverDn)

// `orgqr` and others are other names where numbers are complex.
#define ORTHOGONAL(api, letter, type, orgqr, ormqr, sytrd)                                                   \
  WAVESMITH_SERVED int api##letter##geqrf_bufferSize(void* handle, int, int, void*, int, int* size) {        \
    return no_workspace(handle, size);                                                                       \
  }                                                                                                          \
  WAVESMITH_SERVED int api##letter##geqrf(void* handle, int m, int n, void* a, int lda, void* scales, void*, \
                                          int, int* info) {                                                  \
    return run_geqrf(kStatuses, handle, type, m, n, {a, lda}, {scales, 1}, info);                            \
  }                                                                                                          \
  WAVESMITH_SERVED int api##letter##orgqr##_bufferSize(void* handle, int, int, int, const void*, int,        \
                                                       const void*, int* size) {                             \
    return no_workspace(handle, size);                                                                       \
  }                                                                                                          \
  WAVESMITH_SERVED int api##letter##orgqr(void* handle, int m, int n, int k, void* a, int lda,               \
                                          const void* scales, void*, int, int* info) {                       \
    return run_orgqr(kStatuses, handle, type, m, n, k, a, lda, scales, info);                                \
  }                                                                                                          \
  WAVESMITH_SERVED int api##letter##ormqr##_bufferSize(void* handle, int, int, int, int, int, const void*,   \
                                                       int, const void*, const void*, int, int* size) {      \
    return no_workspace(handle, size);                                                                       \
  }                                                                                                          \
  WAVESMITH_SERVED int api##letter##ormqr(void* handle, int side, int operation, int m, int n, int k,        \
                                          const void* a, int lda, const void* scales, void* c, int ldc,      \
                                          void*, int, int* info) {                                           \
    return run_ormqr(kStatuses, handle, type, side, operation, m, n, k, a, lda, scales, c, ldc, info);       \
  }                                                                                                          \
  WAVESMITH_SERVED int api##letter##sytrd##_bufferSize(void* handle, int, int, const void*, int,             \
                                                       const void*, const void*, const void*, int* size) {   \
    return no_workspace(handle, size);                                                                       \
  }                                                                                                          \
  WAVESMITH_SERVED int api##letter##sytrd(void* handle, int part, int n, void* a, int lda, void* diagonal,   \
                                          void* beside, void* scales, void*, int, int* info) {               \
    return run_sytrd(kStatuses, handle, type, part, n, a, lda, diagonal, beside, scales, info);              \
  }                                                                                                          \
  WAVESMITH_SERVED int api##letter##gesvd(void* handle, signed char left, signed char right, int m, int n,   \
                                          void* a, int lda, void* values, void* u, int ldu, void* v,         \
                                          int ldv, void*, int, void*, int* info) {                           \
    return run_gesvd(handle, type, left, right, m, n, a, lda, values, u, ldu, v, ldv, info);                 \
  }                                                                                                          \
  WAVESMITH_SERVED int api##letter##gesvdj_bufferSize(void* handle, int, int, int, int, const void*, int,    \
                                                      const void*, const void*, int, const void*, int,       \
                                                      int* size, void*) {                                    \
    return no_workspace(handle, size);                                                                       \
  }                                                                                                          \
  WAVESMITH_SERVED int api##letter##gesvdj(void* handle, int mode, int some, int m, int n, void* a, int lda, \
                                           void* values, void* u, int ldu, void* v, int ldv, void*, int,     \
                                           int* info, void*) {                                               \
    return run_gesvdj(handle, type, mode, some != 0, m, n, a, lda, values, u, ldu, v, ldv, info, 1);         \
  }                                                                                                          \
  WAVESMITH_SERVED int api##letter##gesvdjBatched_bufferSize(void* handle, int, int, int, const void*, int,  \
                                                             const void*, const void*, int, const void*,     \
                                                             int, int* size, void*, int) {                   \
    return no_workspace(handle, size);                                                                       \
  }                                                                                                          \
  WAVESMITH_SERVED int api##letter##gesvdjBatched(void* handle, int mode, int m, int n, void* a, int lda,    \
                                                  void* values, void* u, int ldu, void* v, int ldv, void*,   \
                                                  int, int* info, void*, int count) {                        \
    return run_gesvdj(handle, type, mode, false, m, n, a, lda, values, u, ldu, v, ldv, info, count);         \
  }
ORTHOGONAL(hipsolver, S, Number::F32, orgqr, ormqr, sytrd)
ORTHOGONAL(hipsolver, D, Number::F64, orgqr, ormqr, sytrd)
ORTHOGONAL(hipsolver, C, Number::C32, ungqr, unmqr, hetrd)
ORTHOGONAL(hipsolver, Z, Number::C64, ungqr, unmqr, hetrd)
ORTHOGONAL(hipsolverDn, S, Number::F32, orgqr, ormqr, sytrd)
ORTHOGONAL(hipsolverDn, D, Number::F64, orgqr, ormqr, sytrd)
ORTHOGONAL(hipsolverDn, C, Number::C32, ungqr, unmqr, hetrd)
ORTHOGONAL(hipsolverDn, Z, Number::C64, ungqr, unmqr, hetrd)
