// hipSOLVER: handles, and the factorisations of factor.h, qr.h and spectrum.h. hipsolver-types.h and
// hipsolver-functions.h of ROCm 7.0.
#include "libraries/answer.h"
#include "libraries/factor_entry.h"
#include "libraries/handle.h"
#include "libraries/operations.h"
#include "libraries/orthogonal_entry.h"

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
  if (part != kUpper && part != kLower) return kAnswers.bad_operation;
  if (n < 0 || lda < std::max(1, n) || count < 0 || !info || (count > 0 && !matrices)) return kInvalidValue;
  if (count == 0) return kSuccess;
  return launch(kAnswers, handle,
                CholeskyBatch{
                    {type, part == kUpper, n, nullptr, lda, info},
                    matrices, count
  });
}

/// hipsolverEigMode_t; -1 for none of them.
int vectors_of(int mode) {
  constexpr int kNone = 201, kVectors = 202;
  return mode == kVectors ? 1 : mode == kNone ? 0 : -1;
}

int run_syev(void* handle, Number type, int mode, int part, int n, void* a, int lda, void* values, int* info,
             int count) {
  if (!handle) return kAnswers.bad_handle;
  if (vectors_of(mode) < 0) return kAnswers.bad_operation;
  return run_syev(kAnswers, handle, type, vectors_of(mode) != 0, part, n, Matrices{a, lda, int64_t{lda} * n},
                  values, n, info, count);
}

/// Of gesvd's letters; InPlace for what it does not know, which it does not have twice.
Vectors vectors_of(char job) {
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
              void* values, void* u, int ldu, void* v, int ldv, int* info) {
  const auto known = [](signed char job) { return job == 'A' || job == 'S' || job == 'O' || job == 'N'; };
  if (!handle) return kAnswers.bad_handle;
  if (!known(left) || !known(right)) return kInvalidValue;
  return run_gesvd(kAnswers, handle,
                   SingularValues{
                       type,
                       vectors_of(static_cast<char>(left)),
                       vectors_of(static_cast<char>(right)),
                       false,
                       m,
                       n,
                       {a, lda},
                       values,
                       0,
                       {u, ldu},
                       {v, ldv},
                       info
  });
}

/// gesvdj: V itself. A batch's matrices follow each other; its U and V are square.
int run_gesvdj(void* handle, Number type, int mode, bool some, int m, int n, void* a, int lda, void* values,
               void* u, int ldu, void* v, int ldv, int* info, int count) {
  if (!handle) return kAnswers.bad_handle;
  if (vectors_of(mode) < 0) return kAnswers.bad_operation;
  const Vectors vectors = vectors_of(mode) == 0 ? Vectors::None : some ? Vectors::Some : Vectors::All;
  return run_gesvd(kAnswers, handle,
                   SingularValues{
                       type,
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
                       count
  });
}

/// Tolerances and numbers of sweeps of Jacobi's methods: nothing is set here that would be asked for.
int create_parameters(void** place) {
  if (!place) return kInvalidValue;
  return create(place) ? kSuccess : kAllocFailed;
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

WAVESMITH_SERVED int hipsolverCreateSyevjInfo(void** info) { return create_parameters(info); }
WAVESMITH_SERVED int hipsolverDestroySyevjInfo(void* info) { return destroy(info, kInvalidValue); }
WAVESMITH_SERVED int hipsolverCreateGesvdjInfo(void** info) { return create_parameters(info); }
WAVESMITH_SERVED int hipsolverDestroyGesvdjInfo(void* info) { return destroy(info, kInvalidValue); }

// `orgqr` and others are other names where numbers are complex.
#define ORTHOGONAL(letter, type, orgqr, ormqr, syevd, syevj, sytrd)                                          \
  WAVESMITH_SERVED int hipsolver##letter##geqrf_bufferSize(void* handle, int, int, void*, int, int* size) {  \
    return no_room(handle, size);                                                                            \
  }                                                                                                          \
  WAVESMITH_SERVED int hipsolver##letter##geqrf(void* handle, int m, int n, void* a, int lda, void* scales,  \
                                                void*, int, int* info) {                                     \
    return run_geqrf(kAnswers, handle, type, m, n, {a, lda}, {scales, 1}, info);                             \
  }                                                                                                          \
  WAVESMITH_SERVED int hipsolver##letter##orgqr##_bufferSize(void* handle, int, int, int, const void*, int,  \
                                                             const void*, int* size) {                       \
    return no_room(handle, size);                                                                            \
  }                                                                                                          \
  WAVESMITH_SERVED int hipsolver##letter##orgqr(void* handle, int m, int n, int k, void* a, int lda,         \
                                                const void* scales, void*, int, int* info) {                 \
    return run_orgqr(kAnswers, handle, type, m, n, k, a, lda, scales, info);                                 \
  }                                                                                                          \
  WAVESMITH_SERVED int hipsolver##letter##ormqr##_bufferSize(                                                \
      void* handle, int, int, int, int, int, const void*, int, const void*, const void*, int, int* size) {   \
    return no_room(handle, size);                                                                            \
  }                                                                                                          \
  WAVESMITH_SERVED int hipsolver##letter##ormqr(void* handle, int side, int operation, int m, int n, int k,  \
                                                const void* a, int lda, const void* scales, void* c,         \
                                                int ldc, void*, int, int* info) {                            \
    return run_ormqr(kAnswers, handle, type, side, operation, m, n, k, a, lda, scales, c, ldc, info);        \
  }                                                                                                          \
  WAVESMITH_SERVED int hipsolverDn##letter##sytrd##_bufferSize(                                              \
      void* handle, int, int, const void*, int, const void*, const void*, const void*, int* size) {          \
    return no_room(handle, size);                                                                            \
  }                                                                                                          \
  WAVESMITH_SERVED int hipsolverDn##letter##sytrd(void* handle, int part, int n, void* a, int lda,           \
                                                  void* diagonal, void* beside, void* scales, void*, int,    \
                                                  int* info) {                                               \
    return run_sytrd(kAnswers, handle, type, part, n, a, lda, diagonal, beside, scales, info);               \
  }                                                                                                          \
  WAVESMITH_SERVED int hipsolver##letter##syevd##_bufferSize(void* handle, int, int, int, const void*, int,  \
                                                             const void*, int* size) {                       \
    return no_room(handle, size);                                                                            \
  }                                                                                                          \
  WAVESMITH_SERVED int hipsolver##letter##syevd(void* handle, int mode, int part, int n, void* a, int lda,   \
                                                void* values, void*, int, int* info) {                       \
    return run_syev(handle, type, mode, part, n, a, lda, values, info, 1);                                   \
  }                                                                                                          \
  WAVESMITH_SERVED int hipsolver##letter##syevj##_bufferSize(void* handle, int, int, int, const void*, int,  \
                                                             const void*, int* size, void*) {                \
    return no_room(handle, size);                                                                            \
  }                                                                                                          \
  WAVESMITH_SERVED int hipsolver##letter##syevj(void* handle, int mode, int part, int n, void* a, int lda,   \
                                                void* values, void*, int, int* info, void*) {                \
    return run_syev(handle, type, mode, part, n, a, lda, values, info, 1);                                   \
  }                                                                                                          \
  WAVESMITH_SERVED int hipsolver##letter##syevj##Batched_bufferSize(                                         \
      void* handle, int, int, int, const void*, int, const void*, int* size, void*, int) {                   \
    return no_room(handle, size);                                                                            \
  }                                                                                                          \
  WAVESMITH_SERVED int hipsolver##letter##syevj##Batched(void* handle, int mode, int part, int n, void* a,   \
                                                         int lda, void* values, void*, int, int* info,       \
                                                         void*, int count) {                                 \
    return run_syev(handle, type, mode, part, n, a, lda, values, info, count);                               \
  }                                                                                                          \
  WAVESMITH_SERVED int hipsolver##letter##gesvd_bufferSize(void* handle, signed char, signed char, int, int, \
                                                           int* size) {                                      \
    return no_room(handle, size);                                                                            \
  }                                                                                                          \
  WAVESMITH_SERVED int hipsolver##letter##gesvd(void* handle, signed char left, signed char right, int m,    \
                                                int n, void* a, int lda, void* values, void* u, int ldu,     \
                                                void* v, int ldv, void*, int, void*, int* info) {            \
    return run_gesvd(handle, type, left, right, m, n, a, lda, values, u, ldu, v, ldv, info);                 \
  }                                                                                                          \
  WAVESMITH_SERVED int hipsolver##letter##gesvdj_bufferSize(void* handle, int, int, int, int, const void*,   \
                                                            int, const void*, const void*, int, const void*, \
                                                            int, int* size, void*) {                         \
    return no_room(handle, size);                                                                            \
  }                                                                                                          \
  WAVESMITH_SERVED int hipsolver##letter##gesvdj(void* handle, int mode, int some, int m, int n, void* a,    \
                                                 int lda, void* values, void* u, int ldu, void* v, int ldv,  \
                                                 void*, int, int* info, void*) {                             \
    return run_gesvdj(handle, type, mode, some != 0, m, n, a, lda, values, u, ldu, v, ldv, info, 1);         \
  }                                                                                                          \
  WAVESMITH_SERVED int hipsolver##letter##gesvdjBatched_bufferSize(                                          \
      void* handle, int, int, int, const void*, int, const void*, const void*, int, const void*, int,        \
      int* size, void*, int) {                                                                               \
    return no_room(handle, size);                                                                            \
  }                                                                                                          \
  WAVESMITH_SERVED int hipsolver##letter##gesvdjBatched(void* handle, int mode, int m, int n, void* a,       \
                                                        int lda, void* values, void* u, int ldu, void* v,    \
                                                        int ldv, void*, int, int* info, void*, int count) {  \
    return run_gesvdj(handle, type, mode, false, m, n, a, lda, values, u, ldu, v, ldv, info, count);         \
  }
ORTHOGONAL(S, Number::F32, orgqr, ormqr, syevd, syevj, sytrd)
ORTHOGONAL(D, Number::F64, orgqr, ormqr, syevd, syevj, sytrd)
ORTHOGONAL(C, Number::C32, ungqr, unmqr, heevd, heevj, hetrd)
ORTHOGONAL(Z, Number::C64, ungqr, unmqr, heevd, heevj, hetrd)
