/* What training does with the many arrays of a model at once: functions of their elements, their norms, and
 * steps of Adam. One launch takes dozens of arrays. Part of the kernel library: see wavesmith_kernels.h for
 * statuses, messages and streams.
 *
 * Arrays lie in the device's memory, lists of them in the host's, which are read before a call returns. An
 * array's elements follow each other, are of F32, F16 or BF16 and aligned to their size; there may be none.
 * What a call writes overlaps nothing else that it is given, but an array of an input of the same type that
 * is the same one. It computes in F32. */
#pragma once

#include "wavesmith_pointwise.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { WAVESMITH_LIST_INPUTS = 3 };

typedef struct {
  int64_t elements;
  void* y;
  const void* inputs[WAVESMITH_LIST_INPUTS]; /* x, z and w; one that is null is `number` in each element */
  double p, number;
} wavesmith_list_array;

/* y = f(x, z, w) in each element of each array, with f as wavesmith_pointwise.h has it: FILL, NEGATE,
 * ABSOLUTE, SIGN, RECIPROCAL, SQRT, RECIPROCAL_ROOT, FLOOR, CEIL, TRUNCATE, ROUND, FRACTION, ADD, MULTIPLY,
 * MAXIMUM, MINIMUM, DIVIDE, INTERPOLATE, ADD_PRODUCT, ADD_QUOTIENT, INTERPOLATE_BETWEEN, and COPY. Errors are
 * those stated there. */
typedef struct {
  wavesmith_pointwise_operation operation;
  int64_t count;
  const wavesmith_list_array* arrays;
  wavesmith_kernels_type type_y, types[WAVESMITH_LIST_INPUTS]; /* of all arrays */
  int32_t single[WAVESMITH_LIST_INPUTS]; /* not 0: the input of each array is one element */
} wavesmith_list_description;

WAVESMITH_KERNELS_API wavesmith_kernels_status wavesmith_kernels_list(const wavesmith_list_description* list,
                                                                      void* stream);

typedef WAVESMITH_KERNELS_ENUM{
    WAVESMITH_NORM_SUM = 0,     /* the sum of |x| */
    WAVESMITH_NORM_ROOT = 1,    /* sqrt(sum of x^2) */
    WAVESMITH_NORM_LARGEST = 2, /* the largest |x|; NaN where one is */
} wavesmith_norm_order;

typedef struct {
  int64_t elements;
  const void* x;
  void* norm; /* one element; 0 of an array without elements */
} wavesmith_norm_array;

/* The norm of each array. Before it is rounded to its type a sum is off by (40 + elements / 2^20) * 2^-24 of
 * it at most, a root by half of that and 2^-74 * sqrt(elements), as squares may be too small for a float, and
 * the largest by nothing. A root is infinite where the sum of squares is 2^128 or more. What is computed in
 * parts is the same in every run. */
typedef struct {
  wavesmith_norm_order order;
  int64_t count;
  const wavesmith_norm_array* arrays;
  wavesmith_kernels_type type, type_norm; /* of all arrays */
  void* workspace;                        /* aligned to 16 bytes */
  size_t workspace_bytes;
} wavesmith_norms_description;

/* The bytes of workspace that it needs; 0 for what is refused, too. */
WAVESMITH_KERNELS_API size_t wavesmith_kernels_norms_workspace(const wavesmith_norms_description* norms);
WAVESMITH_KERNELS_API wavesmith_kernels_status
wavesmith_kernels_norms(const wavesmith_norms_description* norms, void* stream);

typedef struct {
  int64_t elements;
  void *parameter, *gradient;
  void *average, *average_of_squares; /* of gradients; both of `type_state` */
  void* largest_average;              /* of squares, so far; null: not wanted (AMSGrad) */
  const float* step;                  /* which step this is, from 1 on */
} wavesmith_adam_array;

/* A step of Adam or AdamW for each array of parameters, as PyTorch takes it. With g the gradient, divided by
 * `gradient_scale` and of the other sign with `maximise`:
 *
 *   p = p - rate * weight_decay * p       if `decoupled` (AdamW), else  g = g + weight_decay * p
 *   m = beta1 * m + (1 - beta1) * g
 *   v = beta2 * v + (1 - beta2) * g * g
 *   p = p - rate / (1 - beta1^step) * m / (sqrt(v') / sqrt(1 - beta2^step) + epsilon)
 *
 * where v' is v, or with `largest_average` the larger one of it and v, which is kept there. Nothing is done
 * where `found_infinity` is not 0. With `gradient_scale` the divided gradient is written.
 *
 * Operations are rounded to F32, a product and a sum perhaps as one; numbers of the description, 1 - beta1
 * and 1 - beta2 are rounded once; 1 - beta^step is off by 2^-20 of it at most. What is stored is rounded to
 * its array's type; what follows from it is not. */
typedef struct {
  int64_t count;
  const wavesmith_adam_array* arrays;
  wavesmith_kernels_type type_parameter, type_gradient, type_state; /* of all arrays */
  double rate, beta1, beta2, weight_decay, epsilon;                 /* betas at least 0 and less than 1 */
  int32_t decoupled, maximise;
  /* Each one float in the device's memory, or null. */
  const float* rate_at; /* instead of `rate` */
  const float *gradient_scale, *found_infinity;
} wavesmith_adam_description;

WAVESMITH_KERNELS_API wavesmith_kernels_status wavesmith_kernels_adam(const wavesmith_adam_description* adam,
                                                                      void* stream);

#ifdef __cplusplus
}
#endif
