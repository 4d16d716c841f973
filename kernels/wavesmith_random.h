/* Random numbers in strided arrays, drawn by Philox4x32-10 as PyTorch draws them on a GPU with ROCm: the same
 * seed and offset give the same numbers. Types are those of wavesmith_pointwise.h. */
#pragma once

#include "wavesmith_pointwise.h"

#ifdef __cplusplus
extern "C" {
#endif

/* u is uniform in (0, 1], of 32 bits; for y of F64 of 53 bits. z is normal, by Box and Muller's method. What
 * is computed has y's type if that is F64, else F32, and is rounded to y's type. */
typedef WAVESMITH_KERNELS_ENUM{
    /* y is of F16, BF16, F32 or F64. */
    WAVESMITH_RANDOM_UNIFORM = 0,     /* p + u (q - p); p where that is q: in [p, q) */
    WAVESMITH_RANDOM_NORMAL = 1,      /* p + q z */
    WAVESMITH_RANDOM_LOG_NORMAL = 2,  /* e^(p + q z) */
    WAVESMITH_RANDOM_EXPONENTIAL = 3, /* -log(u) / p, of u next to 1 more than 0 */
    WAVESMITH_RANDOM_CAUCHY = 4,      /* p + q tan(pi (u - 1/2)), finite */
    WAVESMITH_RANDOM_RRELU = 5,       /* x, of x <= 0 times a slope p + u (q - p); `drawn` gets it, else 1 */
    /* y is of any real type. */
    WAVESMITH_RANDOM_GEOMETRIC = 6, /* ceil(log(u) / log(1 - p)) */
    WAVESMITH_RANDOM_BERNOULLI = 7, /* 1 where u < p, else 0 */
    WAVESMITH_RANDOM_CHANCES =
        8, /* 1 where u <= x, else 0; u has 32 bits. x outside [0, 1] stops the kernel */
    WAVESMITH_RANDOM_INTEGERS = 9, /* base + bits mod range */
    /* y is of F16, BF16, F32 or F64. */
    WAVESMITH_RANDOM_DROPOUT = 10 /* x / p where u < p, else 0 x; `drawn` gets 1 or 0. u has 32 bits */
} wavesmith_random_operation;

/* Where a draw begins: Philox's key is `seed`, thread t has the counters t * 2^64 + offset / 4 and following,
 * of four numbers of 32 bits each. `offset` is a multiple of 4. With `state`, two numbers in the device's
 * memory, the seed is the first, and the second is added to the offset: a captured graph finds there what
 * each launch is given. */
typedef struct {
  uint64_t seed, offset;
  const uint64_t* state;
  uint64_t* used; /* if not null, gets by how much the next draw's offset is more: a multiple of 4 */
} wavesmith_random_source;

/* Elements are counted with the first dimension as the fastest. So many threads share them as PyTorch
 * launches on the device: 256 in each of as many workgroups as there are elements for, at most those that the
 * device holds at once. A thread's counter gives four numbers (two of 64 bits), to elements that lie as many
 * apart as there are threads. CHANCES, and DROPOUT with four or two elements at once, give a thread four or
 * two elements that follow each other. */
typedef struct {
  wavesmith_random_operation operation;
  int32_t dimensions;
  int64_t sizes[WAVESMITH_POINTWISE_DIMENSIONS];
  wavesmith_pointwise_operand y;
  wavesmith_pointwise_operand x;     /* of RRELU and DROPOUT of y's type */
  wavesmith_pointwise_operand drawn; /* of RRELU of y's type, of DROPOUT a BOOL or U8 */
  double p, q;
  int32_t bits;    /* of INTEGERS: 32 or 64 */
  int64_t base;    /* of INTEGERS; the sum wraps */
  uint64_t range;  /* of INTEGERS; 0: there is no range */
  int32_t at_once; /* of DROPOUT: 1, 2 or 4 */
  wavesmith_random_source source;
} wavesmith_random_description;

/* Bounds of sizes and strides are those of wavesmith_kernels_pointwise. Errors beside those of the rounding
 * to y's type: of a logarithm or root 2^-22 of it, of a sine 2^-20, of F64 2^-50. */
WAVESMITH_KERNELS_API wavesmith_kernels_status
wavesmith_kernels_random(const wavesmith_random_description* random, void* stream);

/* Draws categories by their weights: for each row and sample the first category at which the row's sums of
 * weights, as far as that, reach a uniform number; of weight 0 the one before. Rows follow each other. */
typedef struct {
  int64_t rows, categories, samples;
  const void *sums, *weights;    /* rows by categories; a row's last sum is 1 */
  wavesmith_pointwise_type type; /* of both: F16, BF16, F32 or F64 */
  int64_t* y;                    /* rows by samples */
  wavesmith_random_source source;
} wavesmith_random_choice_description;

WAVESMITH_KERNELS_API wavesmith_kernels_status
wavesmith_kernels_random_choice(const wavesmith_random_choice_description* choice, void* stream);

/* Shuffles those of `values` whose keys are equal, and which follow each other: what is left to do for a
 * random permutation that was made by sorting random keys. */
typedef struct {
  int64_t count;
  const int64_t* keys;
  int64_t* values;
  wavesmith_random_source source;
} wavesmith_random_shuffle_description;

WAVESMITH_KERNELS_API wavesmith_kernels_status
wavesmith_kernels_random_shuffle(const wavesmith_random_shuffle_description* shuffle, void* stream);

#ifdef __cplusplus
}
#endif
