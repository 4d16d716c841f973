/* Functions of single elements of strided arrays, of any of the types that PyTorch and NumPy have: what an
 * array package needs beside products. Part of the kernel library: see wavesmith_kernels.h for statuses,
 * messages and streams. */
#pragma once

#include "wavesmith_kernels.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Types of elements. A BOOL is a byte, true unless 0; complex numbers are two floats. */
typedef WAVESMITH_KERNELS_ENUM{
    WAVESMITH_POINTWISE_BOOL = 0, WAVESMITH_POINTWISE_U8 = 1,   WAVESMITH_POINTWISE_I8 = 2,
    WAVESMITH_POINTWISE_I16 = 3,  WAVESMITH_POINTWISE_I32 = 4,  WAVESMITH_POINTWISE_I64 = 5,
    WAVESMITH_POINTWISE_F16 = 6,  WAVESMITH_POINTWISE_BF16 = 7, WAVESMITH_POINTWISE_F32 = 8,
    WAVESMITH_POINTWISE_F64 = 9,  WAVESMITH_POINTWISE_C64 = 10, WAVESMITH_POINTWISE_C128 = 11,
} wavesmith_pointwise_type;

/* x, z and w are the inputs, p, q and r the numbers. "of integers" stands for what I64 computes, "complex"
 * for C64 and C128; all others are of F32 and F64. Comparisons give 1 or 0. NaN goes through everything that
 * does not say otherwise. */
typedef WAVESMITH_KERNELS_ENUM{
    /* Of no input; also of integers, complex. */
    WAVESMITH_POINTWISE_FILL = 0, /* p */
    /* Of no input, one dimension; also of integers. i counts elements. */
    WAVESMITH_POINTWISE_RANGE = 1,  /* p + i * q */
    WAVESMITH_POINTWISE_SPACED = 2, /* p + i * q in the first half, r - (n - 1 - i) * q in the second */
    /* Of one input; also of integers. */
    WAVESMITH_POINTWISE_COPY = 3,        /* also complex */
    WAVESMITH_POINTWISE_NEGATE = 4,      /* also complex */
    WAVESMITH_POINTWISE_ABSOLUTE = 5,    /* also complex */
    WAVESMITH_POINTWISE_SIGN = 6,        /* -1, 0 or 1; of NaN 0 */
    WAVESMITH_POINTWISE_LOGICAL_NOT = 7, /* also complex */
    WAVESMITH_POINTWISE_CLAMP = 8,       /* no less than p, no more than q */
    WAVESMITH_POINTWISE_BITWISE_NOT = 9, /* of integers only */
    WAVESMITH_POINTWISE_SIGN_BIT = 10,
    /* Of one input. */
    WAVESMITH_POINTWISE_RECIPROCAL = 11, WAVESMITH_POINTWISE_SQRT = 12,
    WAVESMITH_POINTWISE_RECIPROCAL_ROOT = 13, WAVESMITH_POINTWISE_EXP = 14, WAVESMITH_POINTWISE_LOG = 15,
    WAVESMITH_POINTWISE_SIGMOID = 16, WAVESMITH_POINTWISE_TANH = 17, WAVESMITH_POINTWISE_SILU = 18,
    WAVESMITH_POINTWISE_GELU_TANH = 19, /* the approximation by tanh */
    WAVESMITH_POINTWISE_FLOOR = 20, WAVESMITH_POINTWISE_CEIL = 21, WAVESMITH_POINTWISE_TRUNCATE = 22,
    WAVESMITH_POINTWISE_ROUND = 23,         /* ties to even */
    WAVESMITH_POINTWISE_FRACTION = 24,      /* x - truncate(x) */
    WAVESMITH_POINTWISE_LEAKY_RELU = 25,    /* x, of negative x times p */
    WAVESMITH_POINTWISE_NAN_TO_NUMBER = 26, /* p for NaN, q for infinity, r for minus infinity */
    WAVESMITH_POINTWISE_EXP2 = 27, WAVESMITH_POINTWISE_EXPM1 = 28, WAVESMITH_POINTWISE_LOG2 = 29,
    WAVESMITH_POINTWISE_LOG10 = 30, WAVESMITH_POINTWISE_LOG1P = 31,
    WAVESMITH_POINTWISE_SIN = 32, /* of sizes up to 2^30, as COS and TAN */
    WAVESMITH_POINTWISE_COS = 33, WAVESMITH_POINTWISE_TAN = 34, WAVESMITH_POINTWISE_ASIN = 35,
    WAVESMITH_POINTWISE_ACOS = 36, WAVESMITH_POINTWISE_ATAN = 37, WAVESMITH_POINTWISE_SINH = 38,
    WAVESMITH_POINTWISE_COSH = 39, WAVESMITH_POINTWISE_ASINH = 40, WAVESMITH_POINTWISE_ACOSH = 41,
    WAVESMITH_POINTWISE_ATANH = 42, WAVESMITH_POINTWISE_ERF = 43, WAVESMITH_POINTWISE_ERFC = 44,
    WAVESMITH_POINTWISE_GELU = 45,     /* by erf */
    WAVESMITH_POINTWISE_SOFTPLUS = 46, /* log(1 + e^(p x)) / p; x where p x > q */
    WAVESMITH_POINTWISE_ELU = 47,      /* q x; of negative x p (e^(r x) - 1) */
    WAVESMITH_POINTWISE_LOG_SIGMOID = 48,
    /* Of two inputs; also of integers. */
    WAVESMITH_POINTWISE_ADD = 49,      /* x + p z; also complex */
    WAVESMITH_POINTWISE_MULTIPLY = 50, /* also complex */
    WAVESMITH_POINTWISE_MAXIMUM = 51, WAVESMITH_POINTWISE_MINIMUM = 52,
    WAVESMITH_POINTWISE_EQUAL = 53,     /* also complex */
    WAVESMITH_POINTWISE_NOT_EQUAL = 54, /* also complex */
    WAVESMITH_POINTWISE_LESS = 55, WAVESMITH_POINTWISE_LESS_EQUAL = 56, WAVESMITH_POINTWISE_GREATER = 57,
    WAVESMITH_POINTWISE_GREATER_EQUAL = 58, WAVESMITH_POINTWISE_LOGICAL_AND = 59,
    WAVESMITH_POINTWISE_LOGICAL_OR = 60, WAVESMITH_POINTWISE_LOGICAL_XOR = 61,
    WAVESMITH_POINTWISE_MASKED_FILL = 62,     /* p where z is not 0, else x; also complex */
    WAVESMITH_POINTWISE_DIVIDE_FLOOR = 63,    /* floor(x / z) */
    WAVESMITH_POINTWISE_DIVIDE_TRUNCATE = 64, /* truncate(x / z) */
    WAVESMITH_POINTWISE_REMAINDER = 65,       /* with the sign of z */
    WAVESMITH_POINTWISE_FMOD = 66,            /* with the sign of x */
    /* Of two inputs, of integers only. A shift by a negative or too large number shifts all bits out. */
    WAVESMITH_POINTWISE_BITWISE_AND = 67, WAVESMITH_POINTWISE_BITWISE_OR = 68,
    WAVESMITH_POINTWISE_BITWISE_XOR = 69, WAVESMITH_POINTWISE_SHIFT_LEFT = 70,
    WAVESMITH_POINTWISE_SHIFT_RIGHT = 71,
    /* Of two inputs. */
    WAVESMITH_POINTWISE_DIVIDE = 72, /* also complex */
    WAVESMITH_POINTWISE_FMAX = 73,   /* of NaN and a number the number, as FMIN */
    WAVESMITH_POINTWISE_FMIN = 74, WAVESMITH_POINTWISE_COPY_SIGN = 75,
    WAVESMITH_POINTWISE_SQUARED_DIFFERENCE = 76,
    WAVESMITH_POINTWISE_THRESHOLD = 77,   /* q where x <= p, else z */
    WAVESMITH_POINTWISE_INTERPOLATE = 78, /* x + p (z - x) */
    /* Derivatives: x is the gradient, z the function's argument or, of sigmoid and tanh, its value. */
    WAVESMITH_POINTWISE_SIGMOID_BACKWARD = 79, WAVESMITH_POINTWISE_TANH_BACKWARD = 80,
    WAVESMITH_POINTWISE_SILU_BACKWARD = 81, WAVESMITH_POINTWISE_GELU_TANH_BACKWARD = 82,
    WAVESMITH_POINTWISE_LEAKY_RELU_BACKWARD = 83, /* x is the argument, z the gradient */
    WAVESMITH_POINTWISE_CLAMP_BACKWARD = 84,      /* x where p < z < q, else 0 */
    WAVESMITH_POINTWISE_GELU_BACKWARD = 85, WAVESMITH_POINTWISE_SOFTPLUS_BACKWARD = 86,
    WAVESMITH_POINTWISE_POWER = 87, WAVESMITH_POINTWISE_ATAN2 = 88, WAVESMITH_POINTWISE_HYPOT = 89,
    WAVESMITH_POINTWISE_X_LOG_Z = 90, /* 0 where x is 0, unless z is NaN */
    WAVESMITH_POINTWISE_LOG_ADD_EXP = 91,
    /* Of three inputs; also of integers. */
    WAVESMITH_POINTWISE_WHERE = 92, /* z where x is not 0, else w; also complex */
    WAVESMITH_POINTWISE_CLAMP_BETWEEN = 93, WAVESMITH_POINTWISE_ADD_PRODUCT = 94, /* x + p z w */
    /* Of three inputs. */
    WAVESMITH_POINTWISE_ADD_QUOTIENT = 95,       /* x + p z / w */
    WAVESMITH_POINTWISE_INTERPOLATE_BETWEEN = 96 /* x + w (z - x) */
} wavesmith_pointwise_operation;

/* In each type that computes: `integer` for I64, `real` for F32 and F64, both parts for C64 and C128. */
typedef struct {
  double real, imaginary;
  int64_t integer;
} wavesmith_pointwise_number;

enum { WAVESMITH_POINTWISE_DIMENSIONS = 8 };

/* An array in the device's memory: the element with the coordinates i lies at data + the sum of i[d] *
 * strides[d], which may be 0 or negative and count bytes; elements are aligned to their size (complex numbers
 * to half of it). Without data an input is the one number. */
typedef struct {
  void* data;
  wavesmith_pointwise_type type;
  int64_t strides[WAVESMITH_POINTWISE_DIMENSIONS];
  wavesmith_pointwise_number number;
} wavesmith_pointwise_operand;

/* y = f(x, z, w) in each element. It computes in F32, F64, I64, C64 or C128: an input becomes that, and the
 * result becomes y's type; of floats as integers without their fraction, of complex numbers as real ones
 * without their imaginary part. I64 takes integers and BOOL, F32 and F64 any real type. y may be one of the
 * inputs, with the same type and strides; any other overlap gives undefined elements.
 *
 * Errors of a result f before it is rounded to y's type, in units of 2^-23 |f| for F32 and 2^-52 |f| for F64:
 * 0.5 for what is one operation (of sums with p, and products of three numbers: 0.5 for each rounding), 4 for
 * functions of one number in F32, 8 for those of two and for derivatives, of their terms' sizes; in F64 16;
 * of gelu by tanh 8 (1 + |the tanh's argument|), by erf (1 + x^2) times that of a function.
 * What sigmoid, silu and gelu leave out is below 2^-126 |x|.
 *
 * Each stride times its size, and their sum, must be less than 2^31 bytes, and the number of elements 2^31.
 */
typedef struct {
  wavesmith_pointwise_operation operation;
  wavesmith_pointwise_type computed_in;
  int32_t dimensions; /* 0 is a single element; the first is best that with the smallest strides */
  int64_t sizes[WAVESMITH_POINTWISE_DIMENSIONS];
  wavesmith_pointwise_operand y, inputs[3];
  wavesmith_pointwise_number numbers[3];
} wavesmith_pointwise_description;

WAVESMITH_KERNELS_API wavesmith_kernels_status
wavesmith_kernels_pointwise(const wavesmith_pointwise_description* pointwise, void* stream);

#ifdef __cplusplus
}
#endif
