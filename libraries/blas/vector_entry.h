// The vector functions that hipBLAS and rocBLAS offer under different names and with different statuses.
#pragma once

#include <cstdint>

#include "libraries/blas/gemm_entry.h"
#include "libraries/blas/sum.h"
#include "libraries/blas/transfer.h"
#include "libraries/blas/vector.h"

// Where they stand, `kStatuses` is the library's GemmStatuses.
// clang-format off
#define WAVESMITH_BLAS(name, parameters, ...)                                                                        \
  WAVESMITH_SERVED int name parameters {                                                                              \
    return run_gemm(kStatuses, handle, #name, [&](const Handle& h) { return __VA_ARGS__; });                           \
  }
#define WAVESMITH_AXPY(name, type)                                                                                    \
  WAVESMITH_BLAS(name, (void* handle, int n, const void* alpha, const void* x, int x_step, void* y, int y_step),      \
                 Axpy{h, n, alpha, type, x, x_step, y, y_step})
#define WAVESMITH_SCAL(name, alpha_type, type)                                                                        \
  WAVESMITH_BLAS(name, (void* handle, int n, const void* alpha, void* x, int x_step),                                 \
                 Scal{h, n, alpha, alpha_type, type, x, x_step})
#define WAVESMITH_GEAM(name, type)                                                                                    \
  WAVESMITH_BLAS(name, (void* handle, int op_a, int op_b, int m, int n, const void* alpha, const void* a, int lda,    \
                        const void* beta, const void* b, int ldb, void* c, int ldc),                                  \
                 Geam{h, op_a, op_b, m, n, alpha, {a, type, lda}, beta, {b, type, ldb}, {c, type, ldc}})
#define WAVESMITH_OF_ONE(name, what, type)                                                                            \
  WAVESMITH_BLAS(name, (void* handle, int n, const void* x, int x_step, void* result),                                \
                 Measurement{h, what, n, type, {x, x_step}, {}, result})
#define WAVESMITH_OF_TWO(name, what, type)                                                                            \
  WAVESMITH_BLAS(name, (void* handle, int n, const void* x, int x_step, const void* y, int y_step, void* result),     \
                 Measurement{h, what, n, type, {x, x_step}, {y, y_step}, result})
#define WAVESMITH_COPY(name, type)                                                                                    \
  WAVESMITH_BLAS(name, (void* handle, int n, const void* x, int x_step, void* y, int y_step),                         \
                 Copy{h, n, type, {x, x_step}, {y, y_step}})
#define WAVESMITH_SWAP(name, type)                                                                                    \
  WAVESMITH_BLAS(name, (void* handle, int n, void* x, int x_step, void* y, int y_step),                               \
                 Swap{h, n, type, {x, x_step}, {y, y_step}})
#define WAVESMITH_RANK_ONE(name, conjugate, type)                                                                     \
  WAVESMITH_BLAS(name, (void* handle, int m, int n, const void* alpha, const void* x, int x_step, const void* y,      \
                        int y_step, void* a, int lda),                                                                \
                 RankOne{h, conjugate, m, n, alpha, {x, x_step}, {y, y_step}, {a, type, lda}})
// syr, her; alpha's type is that of the parts for her.
#define WAVESMITH_TRIANGLE_OF_ONE(name, conjugate, alpha_type, type)                                                  \
  WAVESMITH_BLAS(name, (void* handle, int part, int n, const void* alpha, const void* x, int x_step, void* a, int lda), \
                 TriangleUpdate{h, part, conjugate, n, alpha, alpha_type, {x, x_step}, {x, x_step}, false, {a, type, lda}})
// syr2, her2.
#define WAVESMITH_TRIANGLE_OF_TWO(name, conjugate, type)                                                              \
  WAVESMITH_BLAS(name, (void* handle, int part, int n, const void* alpha, const void* x, int x_step, const void* y,   \
                        int y_step, void* a, int lda),                                                                \
                 TriangleUpdate{h, part, conjugate, n, alpha, type, {x, x_step}, {y, y_step}, true, {a, type, lda}})
#define WAVESMITH_DGMM(name, type)                                                                                    \
  WAVESMITH_BLAS(name, (void* handle, int side, int m, int n, const void* a, int lda, const void* x, int x_step,      \
                        void* c, int ldc),                                                                            \
                 DiagonalProduct{h, side, m, n, {a, type, lda}, {x, x_step}, {c, type, ldc}})
#define WAVESMITH_SYRK(name, type)                                                                                    \
  WAVESMITH_BLAS(name, (void* handle, int part, int operation, int n, int k, const void* alpha, const void* a,        \
                        int lda, const void* beta, void* c, int ldc),                                                 \
                 RankK{h, part, operation, n, k, alpha, {a, type, lda}, beta, {c, type, ldc}})
#define WAVESMITH_SBMV(name, type)                                                                                    \
  WAVESMITH_BLAS(name, (void* handle, int part, int n, int k, const void* alpha, const void* a, int lda,              \
                        const void* x, int x_step, const void* beta, void* y, int y_step),                            \
                 BandProduct{h, part, n, k, alpha, {a, type, lda}, {x, x_step}, beta, {y, y_step}})

// All of them for a type. In names, `s` is the type's letter, `norm` what nrm2 and asum have for it, `place` what
// amax and amin have.
#define WAVESMITH_VECTORS(prefix, s, norm, place, type)                                                               \
  WAVESMITH_AXPY(prefix##s##axpy, type)                                                                               \
  WAVESMITH_SCAL(prefix##s##scal, type, type)                                                                         \
  WAVESMITH_GEAM(prefix##s##geam, type)                                                                               \
  WAVESMITH_OF_ONE(prefix##norm##nrm2, Measure::Norm, type)                                                           \
  WAVESMITH_OF_ONE(prefix##norm##asum, Measure::Sizes, type)                                                          \
  WAVESMITH_OF_ONE(prefix##place##amax, Measure::Largest, type)                                                       \
  WAVESMITH_OF_ONE(prefix##place##amin, Measure::Least, type)                                                         \
  WAVESMITH_COPY(prefix##s##copy, type)                                                                               \
  WAVESMITH_SWAP(prefix##s##swap, type)                                                                               \
  WAVESMITH_DGMM(prefix##s##dgmm, type)                                                                               \
  WAVESMITH_SYRK(prefix##s##syrk, type)                                                                               \
  WAVESMITH_TRIANGLE_OF_ONE(prefix##s##syr, false, type, type)                                                        \
  WAVESMITH_TRIANGLE_OF_TWO(prefix##s##syr2, false, type)
#define WAVESMITH_REAL_VECTORS(prefix, s, place, type)                                                                \
  WAVESMITH_VECTORS(prefix, s, s, place, type)                                                                        \
  WAVESMITH_OF_TWO(prefix##s##dot, Measure::Dot, type)                                                                \
  WAVESMITH_RANK_ONE(prefix##s##ger, false, type)                                                                     \
  WAVESMITH_SBMV(prefix##s##sbmv, type)
// `scaled` is what scal has for real factors, whose type `real` is.
#define WAVESMITH_COMPLEX_VECTORS(prefix, c, norm, place, scaled, real, type)                                         \
  WAVESMITH_VECTORS(prefix, c, norm, place, type)                                                                     \
  WAVESMITH_SCAL(prefix##scaled##scal, real, type)                                                                    \
  WAVESMITH_OF_TWO(prefix##c##dotu, Measure::Dot, type)                                                               \
  WAVESMITH_OF_TWO(prefix##c##dotc, Measure::DotConjugated, type)                                                     \
  WAVESMITH_RANK_ONE(prefix##c##geru, false, type)                                                                    \
  WAVESMITH_RANK_ONE(prefix##c##gerc, true, type)                                                                     \
  WAVESMITH_TRIANGLE_OF_ONE(prefix##c##her, true, real, type)                                                         \
  WAVESMITH_TRIANGLE_OF_TWO(prefix##c##her2, true, type)

// Vectors and matrices to the GPU and back, at once and in the order of a stream.
#define WAVESMITH_TRANSFER_VECTOR(name)                                                                               \
  WAVESMITH_SERVED int name(int n, int width, const void* x, int x_step, void* y, int y_step) {                       \
    return status_of(transfer({1, n, width, x, x_step, y, y_step}), kStatuses);                                        \
  }
#define WAVESMITH_TRANSFER_MATRIX(name)                                                                               \
  WAVESMITH_SERVED int name(int m, int n, int width, const void* a, int lda, void* b, int ldb) {                      \
    return status_of(transfer({m, n, width, a, lda, b, ldb}), kStatuses);                                              \
  }
#define WAVESMITH_TRANSFER_VECTOR_IN_STREAM(name)                                                                     \
  WAVESMITH_SERVED int name(int n, int width, const void* x, int x_step, void* y, int y_step, void* stream) {         \
    return status_of(transfer({1, n, width, x, x_step, y, y_step}, stream), kStatuses);                                \
  }
#define WAVESMITH_TRANSFER_MATRIX_IN_STREAM(name)                                                                     \
  WAVESMITH_SERVED int name(int m, int n, int width, const void* a, int lda, void* b, int ldb, void* stream) {        \
    return status_of(transfer({m, n, width, a, lda, b, ldb}, stream), kStatuses);                                      \
  }
// clang-format on
