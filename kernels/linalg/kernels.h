// The kernels of a type of numbers.
#pragma once

#include "kernels/linalg/cholesky.h"
#include "kernels/linalg/exponential.h"
#include "kernels/linalg/ldl.h"
#include "kernels/linalg/lu.h"
#include "kernels/linalg/product.h"
#include "kernels/linalg/reflections.h"
#include "kernels/linalg/solve.h"

namespace wavesmith::kernels {

template <class S>
inline constexpr int kTriangleBytes = triangle_of(sizeof(S)) * (triangle_of(sizeof(S)) + 1) * sizeof(S);

}  // namespace wavesmith::kernels

// Workgroups have few threads where matrices are small.
#define LINALG_KERNEL(name, type)                                                                  \
  TILE_KERNEL __attribute__((amdgpu_flat_work_group_size(kLinalgFewThreads, kLinalgThreads))) void \
  linalg_##name##_##type(LinalgArguments arguments)
#define LINALG_IN_SHARED(name, type, S, bytes)                        \
  LINALG_KERNEL(name, type) {                                         \
    TILE_SHARED static S memory[(bytes) / sizeof(S)];                 \
    name<S>(argument_in_place(arguments), (TILE_IN_SHARED S*)memory); \
  }
#define LINALG_IN_PLACE(name, type, S) \
  LINALG_KERNEL(name, type) { name<S>(argument_in_place(arguments)); }
#define LINALG_KERNELS(type, S)                                                                  \
  LINALG_IN_SHARED(cholesky, type, S, kTriangleBytes<S>)                                         \
  LINALG_IN_SHARED(lu, type, S, kLinalgShared)                                                   \
  LINALG_IN_SHARED(solve_lower, type, S, kTriangleBytes<S>)                                      \
  LINALG_IN_SHARED(qr, type, S, kLinalgShared)                                                   \
  LINALG_IN_SHARED(ldl, type, S, kLinalgShared)                                                  \
  LINALG_IN_PLACE(exchange_rows, type, S)                                                        \
  LINALG_IN_PLACE(reflect, type, S)                                                              \
  LINALG_IN_PLACE(solve_ldl, type, S)                                                            \
  LINALG_IN_PLACE(exponential, type, S)                                                          \
  LINALG_KERNEL(subtract_product, type) {                                                        \
    TILE_SHARED static ProductShared<S> shared;                                                  \
    subtract_product<S>(argument_in_place(arguments), (TILE_IN_SHARED ProductShared<S>&)shared); \
  }
