// rocSOLVER: the version, and the factorisations of factor.h (its handles are rocBLAS's).
// rocsolver-functions.h of ROCm 7.0.
#include <cstddef>
#include <cstring>

#include "libraries/answer.h"
#include "libraries/factor_entry.h"

using namespace wavesmith::libraries;

namespace {
enum Status { kSuccess = 0, kInvalidPointer = 3, kInvalidSize = 4 };
constexpr char kVersion[] = "3.30.0";              // ROCm 7.0's
constexpr FactorAnswers kAnswers{.bad_handle = 1,  // rocblas_status
                                 .bad_operation = 11,
                                 .bad_size = 4,
                                 .bad_pointer = 3,
                                 .no_memory = 5,
                                 .not_launched = 6};
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

#define FACTORISATIONS(letter, type)                                                                        \
  WAVESMITH_SERVED int rocsolver_##letter##potrf(void* handle, int part, int n, void* a, int lda,           \
                                                 int* info) {                                               \
    return run_potrf(kAnswers, handle, type, part, n, a, lda, info);                                        \
  }                                                                                                         \
  WAVESMITH_SERVED int rocsolver_##letter##getrf(void* handle, int m, int n, void* a, int lda, int* pivots, \
                                                 int* info) {                                               \
    return run_getrf(kAnswers, handle, type, m, n, a, lda, pivots, info);                                   \
  }                                                                                                         \
  WAVESMITH_SERVED int rocsolver_##letter##getrs(void* handle, int operation, int n, int columns,           \
                                                 const void* a, int lda, const int* pivots, void* b,        \
                                                 int ldb) {                                                 \
    return run_getrs(kAnswers, handle, type, operation, n, columns, a, lda, pivots, b, ldb);                \
  }
FACTORISATIONS(s, Number::F32)
FACTORISATIONS(d, Number::F64)
FACTORISATIONS(c, Number::C32)
FACTORISATIONS(z, Number::C64)
