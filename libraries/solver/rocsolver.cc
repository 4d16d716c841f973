// rocSOLVER: the version, and the factorisations of factor.h, qr.h and spectrum.h (its handles are
// rocBLAS's). rocsolver-functions.h of ROCm 7.0.
#include <dlfcn.h>

#include <cstddef>
#include <cstring>

#include "libraries/shim/unserved.h"
#include "libraries/solver/factor_batch_entry.h"
#include "libraries/solver/orthogonal_entry.h"

using namespace wavesmith::libraries;

namespace {
enum Status { kSuccess = 0, kInvalidPointer = 3, kInvalidSize = 4 };
constexpr char kVersion[] = "3.30.0";                // ROCm 7.0's
constexpr FactorStatuses kStatuses{.bad_handle = 1,  // rocblas_status
                                   .bad_operation = 11,
                                   .bad_size = 4,
                                   .bad_pointer = 3,
                                   .no_memory = 5,
                                   .not_launched = 6,
                                   .always_pivots = true};

/// Adapts the program's rocblas_handle to ours: AMD's rocBLAS is asked for the stream of its own handles.
/// Null when it is not loaded.
class HandleAdapter {
 public:
  explicit HandleAdapter(void* handle) : handle_(handle) {
    if (!handle || handle_of(handle)->mark == kRocblasMark) return;
    using GetStream = int (*)(void*, void**);
    handle_ = nullptr;
    for (const char* name : {"librocblas.so.5", "librocblas.so.4"})
      if (void* const rocblas = dlopen(name, RTLD_NOLOAD | RTLD_LAZY)) {
        const auto get_stream = reinterpret_cast<GetStream>(dlsym(rocblas, "rocblas_get_stream"));
        if (!handle_ && get_stream && get_stream(handle, &own_.stream) == kSuccess) handle_ = &own_;
        dlclose(rocblas);
      }
  }
  HandleAdapter(const HandleAdapter&) = delete;
  HandleAdapter& operator=(const HandleAdapter&) = delete;
  operator void*() const { return handle_; }

 private:
  Handle own_;
  void* handle_;
};

/// rocblas_svect; -1 for none of them.
int vectors_of(int svect) {
  constexpr int kAll = 191, kNone = 194;
  return svect < kAll || svect > kNone ? -1 : svect - kAll;
}

/// rocblas_evect: whether there shall be eigenvectors of the matrix itself; -1 for what syev does not know.
int eigenvectors_of(int evect) {
  constexpr int kOriginal = 211, kNone = 213;
  return evect == kOriginal ? 1 : evect == kNone ? 0 : -1;
}

int run_gesvd(void* handle, Number type, int left, int right, int m, int n, Matrices a, void* values,
              int64_t stride_values, void* u, int ldu, int64_t stride_u, void* v, int ldv, int64_t stride_v,
              int* info, int count, const Called& = {}) {
  if (!handle) return kStatuses.bad_handle;
  if (vectors_of(left) < 0 || vectors_of(right) < 0) return kStatuses.bad_operation;
  return run_gesvd(
      kStatuses, HandleAdapter(handle),
      SingularValues{type, static_cast<Vectors>(vectors_of(left)), static_cast<Vectors>(vectors_of(right)),
                     false, m, n, a, values, stride_values, Matrices{u, ldu, stride_u},
                     Matrices{v, ldv, stride_v}, info, count});
}

int run_syev(void* handle, Number type, int evect, int part, int n, Matrices a, void* values,
             int64_t stride_values, int* info, int count, const Called& = {}) {
  if (!handle) return kStatuses.bad_handle;
  if (eigenvectors_of(evect) < 0) return kStatuses.bad_operation;
  return run_syev(kStatuses, HandleAdapter(handle), type, eigenvectors_of(evect) != 0, part, n, a, values,
                  stride_values, info, count);
}

/// rocblas_eform and rocblas_evect.
int run_sygv(void* handle, Number type, int form, int evect, int part, int n, void* a, int lda, void* b,
             int ldb, void* values, int* info, const Called& = {}) {
  constexpr int kAx = 221;
  if (!handle) return kStatuses.bad_handle;
  if (eigenvectors_of(evect) < 0) return kStatuses.bad_operation;
  return run_sygv(kStatuses, HandleAdapter(handle), type, form - kAx + 1, eigenvectors_of(evect) != 0, part,
                  n, a, lda, b, ldb, values, info);
}
}  // namespace

WAVESMITH_SERVED int rocsolver_get_version_string_size(size_t* size) {
  if (!size) return kInvalidPointer;
  *size = sizeof kVersion;
  return kSuccess;
}

WAVESMITH_SERVED int rocsolver_get_version_string(char* text, size_t size) {
  if (!text) return kInvalidPointer;
  if (size < sizeof kVersion) return kInvalidSize;
  std::memcpy(text, kVersion, sizeof kVersion);
  return kSuccess;
}

#define FACTORISATIONS(letter, type)                                                                         \
  WAVESMITH_SERVED int rocsolver_##letter##potrf(void* handle, int part, int n, void* a, int lda,            \
                                                 int* info) {                                                \
    return run_potrf(kStatuses, HandleAdapter(handle), type, part, n, a, lda, info);                         \
  }                                                                                                          \
  WAVESMITH_SERVED int rocsolver_##letter##getrf(void* handle, int m, int n, void* a, int lda, int* pivots,  \
                                                 int* info) {                                                \
    return run_getrf(kStatuses, HandleAdapter(handle), type, m, n, a, lda, pivots, info);                    \
  }                                                                                                          \
  WAVESMITH_SERVED int rocsolver_##letter##potf2(void* handle, int part, int n, void* a, int lda,            \
                                                 int* info) {                                                \
    return run_potrf(kStatuses, HandleAdapter(handle), type, part, n, a, lda, info);                         \
  }                                                                                                          \
  WAVESMITH_SERVED int rocsolver_##letter##getf2(void* handle, int m, int n, void* a, int lda, int* pivots,  \
                                                 int* info) {                                                \
    return run_getrf(kStatuses, HandleAdapter(handle), type, m, n, a, lda, pivots, info);                    \
  }                                                                                                          \
  WAVESMITH_SERVED int rocsolver_##letter##getri(void* handle, int n, void* a, int lda, int* pivots,         \
                                                 int* info) {                                                \
    return run_getri(kStatuses, HandleAdapter(handle), type, n, a, lda, pivots, info);                       \
  }                                                                                                          \
  WAVESMITH_SERVED int rocsolver_##letter##getrs(void* handle, int operation, int n, int columns,            \
                                                 const void* a, int lda, const int* pivots, void* b,         \
                                                 int ldb) {                                                  \
    return run_getrs(kStatuses, HandleAdapter(handle), type, operation, n, columns, a, lda, pivots, b, ldb); \
  }                                                                                                          \
  WAVESMITH_SERVED int rocsolver_##letter##potrs(void* handle, int part, int n, int columns, const void* a,  \
                                                 int lda, void* b, int ldb) {                                \
    return run_potrs(kStatuses, HandleAdapter(handle), type, part, n, columns, a, lda, b, ldb, -1);          \
  }                                                                                                          \
  WAVESMITH_SERVED int rocsolver_##letter##potrs_batched(                                                    \
      void* handle, int part, int n, int columns, void* const* a, int lda, void** b, int ldb, int count) {   \
    if (count < 0) return kStatuses.bad_size;                                                                \
    return run_potrs(kStatuses, HandleAdapter(handle), type, part, n, columns, static_cast<const void*>(a),  \
                     lda, static_cast<void*>(b), ldb, count);                                                \
  }                                                                                                          \
  WAVESMITH_SERVED int rocsolver_##letter##potrf_batched(void* handle, int part, int n, void* const* a,      \
                                                         int lda, int* info, int count) {                    \
    return run_potrf_batch(kStatuses, HandleAdapter(handle), type, part, n, a, lda, info, count);            \
  }                                                                                                          \
  WAVESMITH_SERVED int rocsolver_##letter##getrf_batched(void* handle, int m, int n, void* const* a,         \
                                                         int lda, int* pivots, int64_t stride, int* info,    \
                                                         int count) {                                        \
    return run_getrf_batch(kStatuses, HandleAdapter(handle), type, m, n, a, lda, pivots, stride, info,       \
                           count);                                                                           \
  }                                                                                                          \
  WAVESMITH_SERVED int rocsolver_##letter##getrs_batched(                                                    \
      void* handle, int operation, int n, int columns, void* const* a, int lda, const int* pivots,           \
      int64_t stride, void* const* b, int ldb, int count) {                                                  \
    return run_getrs_batch(kStatuses, HandleAdapter(handle), type, operation, n, columns, a, lda, pivots,    \
                           stride, b, ldb, count);                                                           \
  }                                                                                                          \
  WAVESMITH_SERVED int rocsolver_##letter##getri_batched(void* handle, int n, void* const* a, int lda,       \
                                                         const int* pivots, int64_t stride, int* info,       \
                                                         int count) {                                        \
    return run_getri_batch(kStatuses, HandleAdapter(handle), type, n, a, lda, pivots, stride, nullptr, lda,  \
                           info, count);                                                                     \
  }
FACTORISATIONS(s, Number::F32)
FACTORISATIONS(d, Number::F64)
FACTORISATIONS(c, Number::C32)
FACTORISATIONS(z, Number::C64)

// `orgqr`, `ormqr`, `syev` and `sygv` are other names where numbers are complex.
#define ORTHOGONAL(letter, type, orgqr, ormqr, syev, sygv)                                                   \
  WAVESMITH_SERVED int rocsolver_##letter##geqrf(void* handle, int m, int n, void* a, int lda,               \
                                                 void* scales) {                                             \
    return run_geqrf(kStatuses, HandleAdapter(handle), type, m, n, {a, lda}, {scales, 1}, nullptr);          \
  }                                                                                                          \
  WAVESMITH_SERVED int rocsolver_##letter##geqrf_batched(void* handle, int m, int n, void* const* a,         \
                                                         int lda, void* scales, int64_t stride, int count) { \
    return run_geqrf(kStatuses, HandleAdapter(handle), type, m, n, {nullptr, lda, 0, a},                     \
                     {scales, 1, stride}, nullptr, count);                                                   \
  }                                                                                                          \
  WAVESMITH_SERVED int rocsolver_##letter##orgqr(void* handle, int m, int n, int k, void* a, int lda,        \
                                                 const void* scales) {                                       \
    return run_orgqr(kStatuses, HandleAdapter(handle), type, m, n, k, a, lda, scales, nullptr);              \
  }                                                                                                          \
  WAVESMITH_SERVED int rocsolver_##letter##ormqr(void* handle, int side, int operation, int m, int n, int k, \
                                                 const void* a, int lda, const void* scales, void* c,        \
                                                 int ldc) {                                                  \
    return run_ormqr(kStatuses, HandleAdapter(handle), type, side, operation, m, n, k, a, lda, scales, c,    \
                     ldc, nullptr);                                                                          \
  }                                                                                                          \
  WAVESMITH_SERVED int rocsolver_##letter##syev(void* handle, int evect, int part, int n, void* a, int lda,  \
                                                void* values, void*, int* info) {                            \
    return run_syev(handle, type, evect, part, n, {a, lda}, values, n, info, 1);                             \
  }                                                                                                          \
  WAVESMITH_SERVED int rocsolver_##letter##syev##d(void* handle, int evect, int part, int n, void* a,        \
                                                   int lda, void* values, void*, int* info) {                \
    return run_syev(handle, type, evect, part, n, {a, lda}, values, n, info, 1);                             \
  }                                                                                                          \
  WAVESMITH_SERVED int rocsolver_##letter##syev##_strided_batched(                                           \
      void* handle, int evect, int part, int n, void* a, int lda, int64_t stride, void* values,              \
      int64_t stride_values, void*, int64_t, int* info, int count) {                                         \
    return run_syev(handle, type, evect, part, n, {a, lda, stride}, values, stride_values, info, count);     \
  }                                                                                                          \
  WAVESMITH_SERVED int rocsolver_##letter##sygv(void* handle, int form, int evect, int part, int n, void* a, \
                                                int lda, void* b, int ldb, void* values, void*, int* info) { \
    return run_sygv(handle, type, form, evect, part, n, a, lda, b, ldb, values, info);                       \
  }                                                                                                          \
  WAVESMITH_SERVED int rocsolver_##letter##sygv##d(void* handle, int form, int evect, int part, int n,       \
                                                   void* a, int lda, void* b, int ldb, void* values, void*,  \
                                                   int* info) {                                              \
    return run_sygv(handle, type, form, evect, part, n, a, lda, b, ldb, values, info);                       \
  }                                                                                                          \
  WAVESMITH_SERVED int rocsolver_##letter##syev##_batched(                                                   \
      void* handle, int evect, int part, int n, void* const* a, int lda, void* values,                       \
      int64_t stride_values, void*, int64_t, int* info, int count) {                                         \
    return run_syev(handle, type, evect, part, n, {nullptr, lda, 0, a}, values, stride_values, info, count); \
  }                                                                                                          \
  WAVESMITH_SERVED int rocsolver_##letter##gesvd(void* handle, int left, int right, int m, int n, void* a,   \
                                                 int lda, void* values, void* u, int ldu, void* v, int ldv,  \
                                                 void*, int, int* info) {                                    \
    return run_gesvd(handle, type, left, right, m, n, {a, lda}, values, 0, u, ldu, 0, v, ldv, 0, info, 1);   \
  }                                                                                                          \
  WAVESMITH_SERVED int rocsolver_##letter##gesvd_batched(                                                    \
      void* handle, int left, int right, int m, int n, void* const* a, int lda, void* values,                \
      int64_t stride_values, void* u, int ldu, int64_t stride_u, void* v, int ldv, int64_t stride_v, void*,  \
      int64_t, int, int* info, int count) {                                                                  \
    return run_gesvd(handle, type, left, right, m, n, {nullptr, lda, 0, a}, values, stride_values, u, ldu,   \
                     stride_u, v, ldv, stride_v, info, count);                                               \
  }                                                                                                          \
  WAVESMITH_SERVED int rocsolver_##letter##gesdd(void* handle, int left, int right, int m, int n, void* a,   \
                                                 int lda, void* values, void* u, int ldu, void* v, int ldv,  \
                                                 int* info) {                                                \
    return run_gesvd(handle, type, left, right, m, n, {a, lda}, values, 0, u, ldu, 0, v, ldv, 0, info, 1);   \
  }
ORTHOGONAL(s, Number::F32, orgqr, ormqr, syev, sygv)
ORTHOGONAL(d, Number::F64, orgqr, ormqr, syev, sygv)
ORTHOGONAL(c, Number::C32, ungqr, unmqr, heev, hegv)
ORTHOGONAL(z, Number::C64, ungqr, unmqr, heev, hegv)
