/* Assertions about numbers that are in the device's memory. Part of the kernel library: see
 * wavesmith_kernels.h for statuses, messages and streams; types are those of wavesmith_pointwise.h. */
#pragma once

#include "wavesmith_pointwise.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Stops the kernel, as a failed assertion does, if the one element of x is 0: false, -0, or both parts of a
 * complex number; NaN is not. Before that `number` is written to `failed`, if it is not null: memory, perhaps
 * the host's, that the device can write. */
typedef struct {
  wavesmith_pointwise_operand x; /* of any type, without strides */
  int64_t* failed;
  int64_t number;
} wavesmith_assertion_description;

WAVESMITH_KERNELS_API wavesmith_kernels_status
wavesmith_kernels_assert_nonzero(const wavesmith_assertion_description* assertion, void* stream);

#ifdef __cplusplus
}
#endif
