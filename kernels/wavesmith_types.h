/* What all headers of the kernel library share: statuses, element types, and how a description names
 * matrices, rows, heads and scales in the device's memory. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(_WIN32)
#define WAVESMITH_KERNELS_API
#else
#define WAVESMITH_KERNELS_API __attribute__((visibility("default")))
#endif

/* In C++ an enumeration may be given any number: what is none of its enumerators is refused, not undefined.
 */
#ifdef __cplusplus
#define WAVESMITH_KERNELS_ENUM enum : int
#else
#define WAVESMITH_KERNELS_ENUM enum
#endif

typedef WAVESMITH_KERNELS_ENUM{
    WAVESMITH_KERNELS_SUCCESS = 0,
    WAVESMITH_KERNELS_INVALID_ARGUMENT = 1, /* an argument breaks a rule that holds on every GPU */
    WAVESMITH_KERNELS_NOT_SUPPORTED = 2,    /* right, but there is no kernel for it */
    WAVESMITH_KERNELS_NO_CODE = 3,   /* no code object for the current device's target, or none installed */
    WAVESMITH_KERNELS_HIP_ERROR = 4, /* HIP returned an error, which the message names */
    WAVESMITH_KERNELS_INVALID_TABLE = 5, /* of tuned tiles: the message names file, line and mistake */
} wavesmith_kernels_status;

/* Why this thread's last call failed, for people: one line, or an empty one after a success. Valid until its
 * next call. */
WAVESMITH_KERNELS_API const char* wavesmith_kernels_message(void);

/* Element types. Floats of 8 bits are OCP's, or those of CDNA3 without a negative zero and infinities. An
 * element of e2m1x2 is a byte that holds two of OCP's floats of 4 bits, the first in its lower bits, and one
 * of i4x2 two integers from -8 to 7 (two's complement): strides count bytes, and columns numbers. */
typedef WAVESMITH_KERNELS_ENUM{
    WAVESMITH_KERNELS_F32 = 0,    WAVESMITH_KERNELS_F16 = 1,       WAVESMITH_KERNELS_BF16 = 2,
    WAVESMITH_KERNELS_I32 = 3,    WAVESMITH_KERNELS_I8 = 4,        WAVESMITH_KERNELS_E4M3 = 5,
    WAVESMITH_KERNELS_E5M2 = 6,   WAVESMITH_KERNELS_E4M3_FNUZ = 7, WAVESMITH_KERNELS_E5M2_FNUZ = 8,
    WAVESMITH_KERNELS_E2M1X2 = 9, WAVESMITH_KERNELS_I4X2 = 10,
} wavesmith_kernels_type;

/* A matrix in the device's memory. Element (i, j) of matrix b of a batch is at data + b * batch_stride + i *
 * row_stride + j * column_stride, in elements. One of the strides is 1, the other at least as large as what
 * lies together. */
typedef struct {
  void* data;
  wavesmith_kernels_type type;
  int64_t row_stride, column_stride;
  int64_t batch_stride; /* 0: every product of the batch uses the same matrix */
} wavesmith_kernels_matrix;

typedef WAVESMITH_KERNELS_ENUM{
    WAVESMITH_KERNELS_NO_ACTIVATION = 0,
    WAVESMITH_KERNELS_RELU = 1, /* the larger of x and 0; of NaN 0, as in hipBLASLt */
    WAVESMITH_KERNELS_GELU = 2, /* the approximation by tanh */
    WAVESMITH_KERNELS_SILU = 3,
} wavesmith_kernels_activation;

/* What numbers of few bits share a scale: the number x is kept as q, the nearest to x / scale, and x is about
 * q * scale. */
typedef WAVESMITH_KERNELS_ENUM{
    WAVESMITH_KERNELS_UNSCALED = 0,         /* the scale is 1, and not kept */
    WAVESMITH_KERNELS_SCALE_GIVEN = 1,      /* one for the matrix, which is read: positive and finite */
    WAVESMITH_KERNELS_SCALE_PER_MATRIX = 2, /* one, computed and written, as the following are */
    WAVESMITH_KERNELS_SCALE_PER_ROW = 3,
    WAVESMITH_KERNELS_SCALE_PER_BLOCK = 4,  /* one per 32, 64 or 128 columns of a row */
    WAVESMITH_KERNELS_SCALE_MX = 5,         /* OCP's Microscaling formats: powers of two, per 32 columns */
    WAVESMITH_KERNELS_SCALE_PER_SQUARE = 6, /* of products: one per 128 rows and 128 columns */
} wavesmith_kernels_scaling;

/* Scales in the device's memory: that of row i and block j of columns is at data + i * row_stride + j *
 * column_stride, in elements of f32, of MX in bytes; of squares i counts blocks of rows. In a batch that of
 * matrix b is b * batch_stride further. Strides that nothing is found by are not used. */
typedef struct {
  wavesmith_kernels_scaling scaling;
  void* data;
  int64_t block; /* columns, of SCALE_PER_BLOCK and SCALE_PER_SQUARE */
  int64_t row_stride, column_stride;
  int64_t batch_stride; /* 0: every matrix of the batch has the same scales */
} wavesmith_kernels_scales;

/* Rows of a matrix in the device's memory, whose columns follow each other: element (i, j) is at data + i *
 * row_stride + j, in elements. */
typedef struct {
  void* data;
  wavesmith_kernels_type type;
  int64_t row_stride;
} wavesmith_kernels_rows;

/* Heads of tokens: element i of a head is at data + token * token_stride + head * head_stride + i. */
typedef struct {
  void* data;
  wavesmith_kernels_type type;
  int64_t token_stride, head_stride;
} wavesmith_kernels_token_heads;

/* A tensor of heads in the device's memory: element (batch, position, head, i) is at data + batch *
 * batch_stride + position * row_stride + head * head_stride + i, in elements. */
typedef struct {
  void* data;
  int64_t batch_stride, row_stride, head_stride;
} wavesmith_kernels_heads;

#ifdef __cplusplus
}
#endif
