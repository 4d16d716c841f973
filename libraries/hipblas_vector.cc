// hipBLAS: functions of vectors (vector.h). hipblas.h of ROCm 7.0.
#include "libraries/gemm_entry.h"
#include "libraries/hipblas_answers.h"
#include "libraries/vector.h"

using namespace wavesmith::libraries;

#define SERVED(name, parameters, ...)                                                       \
  WAVESMITH_SERVED int name parameters {                                                    \
    return run_gemm(kAnswers, handle, #name, [&](const Handle& h) { return __VA_ARGS__; }); \
  }
#define OF_ONE(name, what, type)                                               \
  SERVED(name, (void* handle, int n, const void* x, int x_step, void* result), \
         Measurement{                                                          \
             h, what, n, type, {x, x_step}, \
                 {}, \
                 result \
  })
#define OF_TWO(name, what, type)                                                                          \
  SERVED(name, (void* handle, int n, const void* x, int x_step, const void* y, int y_step, void* result), \
         Measurement{                                                                                     \
             h, what, n, type, {x, x_step}, \
                 {y, y_step}, \
                 result \
  })
#define RANK_ONE(name, conjugate, type)                                                            \
  SERVED(name,                                                                                     \
         (void* handle, int m, int n, const void* alpha, const void* x, int x_step, const void* y, \
          int y_step, void* a, int lda),                                                           \
         RankOne{                                                                                  \
             h, conjugate, m, n, alpha, {x, x_step}, \
                  {y, y_step}, \
                  {a, type, lda} \
  })

OF_ONE(hipblasSnrm2, Measure::Norm, Number::F32)
OF_ONE(hipblasDnrm2, Measure::Norm, Number::F64)
OF_ONE(hipblasScnrm2, Measure::Norm, Number::C32)
OF_ONE(hipblasDznrm2, Measure::Norm, Number::C64)
OF_ONE(hipblasSasum, Measure::Sizes, Number::F32)
OF_ONE(hipblasDasum, Measure::Sizes, Number::F64)
OF_ONE(hipblasScasum, Measure::Sizes, Number::C32)
OF_ONE(hipblasDzasum, Measure::Sizes, Number::C64)
OF_ONE(hipblasIsamax, Measure::Largest, Number::F32)
OF_ONE(hipblasIdamax, Measure::Largest, Number::F64)
OF_ONE(hipblasIcamax, Measure::Largest, Number::C32)
OF_ONE(hipblasIzamax, Measure::Largest, Number::C64)
OF_ONE(hipblasIsamin, Measure::Least, Number::F32)
OF_ONE(hipblasIdamin, Measure::Least, Number::F64)
OF_ONE(hipblasIcamin, Measure::Least, Number::C32)
OF_ONE(hipblasIzamin, Measure::Least, Number::C64)
OF_TWO(hipblasSdot, Measure::Dot, Number::F32)
OF_TWO(hipblasDdot, Measure::Dot, Number::F64)
OF_TWO(hipblasCdotu, Measure::Dot, Number::C32)
OF_TWO(hipblasZdotu, Measure::Dot, Number::C64)
OF_TWO(hipblasCdotc, Measure::DotConjugated, Number::C32)
OF_TWO(hipblasZdotc, Measure::DotConjugated, Number::C64)
RANK_ONE(hipblasSger, false, Number::F32)
RANK_ONE(hipblasDger, false, Number::F64)
RANK_ONE(hipblasCgeru, false, Number::C32)
RANK_ONE(hipblasZgeru, false, Number::C64)
RANK_ONE(hipblasCgerc, true, Number::C32)
RANK_ONE(hipblasZgerc, true, Number::C64)

#define OF_EACH_TYPE(letter, type)                                                                          \
  SERVED(hipblas##letter##dgmm,                                                                             \
         (void* handle, int side, int m, int n, const void* a, int lda, const void* x, int x_step, void* c, \
          int ldc),                                                                                         \
         DiagonalProduct{                                                                                   \
             h, side, m, n, {a, type, lda}, \
                 {x, x_step}, \
                 {c, type, ldc} \
  })                                   \
  SERVED(hipblas##letter##syrk,                                                                             \
         (void* handle, int part, int operation, int n, int k, const void* alpha, const void* a, int lda,   \
          const void* beta, void* c, int ldc),                                                              \
         RankK{                                                                                             \
             h, part, operation, n, k, alpha, {a, type, lda}, \
                   beta, {c, type, ldc} \
  })
OF_EACH_TYPE(S, Number::F32)
OF_EACH_TYPE(D, Number::F64)
OF_EACH_TYPE(C, Number::C32)
OF_EACH_TYPE(Z, Number::C64)

#define OF_REAL_TYPES(letter, type)                                                                       \
  SERVED(hipblas##letter##copy, (void* handle, int n, const void* x, int x_step, void* y, int y_step),    \
         Copy{                                                                                            \
             h, n, type, {x, x_step}, \
                {y, y_step} \
  })                                                       \
  SERVED(hipblas##letter##sbmv,                                                                           \
         (void* handle, int part, int n, int k, const void* alpha, const void* a, int lda, const void* x, \
          int x_step, const void* beta, void* y, int y_step),                                             \
         BandProduct{                                                                                     \
             h, part, n, k, alpha, {a, type, lda}, \
                  {x, x_step}, \
                  beta, {y, y_step} \
  })
OF_REAL_TYPES(S, Number::F32)
OF_REAL_TYPES(D, Number::F64)
