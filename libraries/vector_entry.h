// The functions of vectors, and of matrices made of them, that hipBLAS and rocBLAS have under different
// names, with statuses of their own.
#pragma once

#include <cstdint>

#include "libraries/gemm_entry.h"
#include "libraries/transfer.h"
#include "libraries/vector.h"

// Where they stand, `kAnswers` is the library's GemmAnswers.
// clang-format off
#define WAVESMITH_BLAS(name, parameters, ...)                                                                        \
  WAVESMITH_SERVED int name parameters {                                                                              \
    return run_gemm(kAnswers, handle, #name, [&](const Handle& h) { return __VA_ARGS__; });                           \
  }
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

// Vectors and matrices to the GPU and back, at once and in the order of a stream.
#define WAVESMITH_TRANSFER_VECTOR(name)                                                                               \
  WAVESMITH_SERVED int name(int n, int width, const void* x, int x_step, void* y, int y_step) {                       \
    return status_of(transfer({1, n, width, x, x_step, y, y_step}), kAnswers);                                        \
  }
#define WAVESMITH_TRANSFER_MATRIX(name)                                                                               \
  WAVESMITH_SERVED int name(int m, int n, int width, const void* a, int lda, void* b, int ldb) {                      \
    return status_of(transfer({m, n, width, a, lda, b, ldb}), kAnswers);                                              \
  }
#define WAVESMITH_TRANSFER_VECTOR_IN_STREAM(name)                                                                     \
  WAVESMITH_SERVED int name(int n, int width, const void* x, int x_step, void* y, int y_step, void* stream) {         \
    return status_of(transfer({1, n, width, x, x_step, y, y_step}, stream), kAnswers);                                \
  }
#define WAVESMITH_TRANSFER_MATRIX_IN_STREAM(name)                                                                     \
  WAVESMITH_SERVED int name(int m, int n, int width, const void* a, int lda, void* b, int ldb, void* stream) {        \
    return status_of(transfer({m, n, width, a, lda, b, ldb}, stream), kAnswers);                                      \
  }
// clang-format on
