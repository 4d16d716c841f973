/* Functions of single elements of strided arrays, of any of the types that PyTorch and NumPy have: what an
 * array package needs beside products. Part of the kernel library: see wavesmith_kernels.h for statuses,
 * messages and streams. */
#pragma once

#include "wavesmith_types.h"

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
    WAVESMITH_POINTWISE_SIGN = 6,        /* -1, 0 or 1; of NaN 0; of complex x x / |x| */
    WAVESMITH_POINTWISE_LOGICAL_NOT = 7, /* also complex */
    WAVESMITH_POINTWISE_CLAMP = 8,       /* no less than p, no more than q */
    WAVESMITH_POINTWISE_BITWISE_NOT = 9, /* of integers only */
    WAVESMITH_POINTWISE_SIGN_BIT = 10,
    /* Of one input. */
    WAVESMITH_POINTWISE_RECIPROCAL = 11, WAVESMITH_POINTWISE_SQRT = 12,
    WAVESMITH_POINTWISE_RECIPROCAL_ROOT = 13, WAVESMITH_POINTWISE_EXP = 14, WAVESMITH_POINTWISE_LOG = 15,
    WAVESMITH_POINTWISE_SIGMOID = 16, WAVESMITH_POINTWISE_TANH = 17,
    WAVESMITH_POINTWISE_SILU = 18,      /* also complex, as its derivative */
    WAVESMITH_POINTWISE_GELU_TANH = 19, /* the approximation by tanh */
    WAVESMITH_POINTWISE_FLOOR = 20, WAVESMITH_POINTWISE_CEIL = 21, WAVESMITH_POINTWISE_TRUNCATE = 22,
    WAVESMITH_POINTWISE_ROUND = 23,         /* ties to even */
    WAVESMITH_POINTWISE_FRACTION = 24,      /* x - truncate(x) */
    WAVESMITH_POINTWISE_LEAKY_RELU = 25,    /* x, of negative x times p */
    WAVESMITH_POINTWISE_NAN_TO_NUMBER = 26, /* p for NaN, q for infinity, r for minus infinity */
    WAVESMITH_POINTWISE_EXP2 = 27, WAVESMITH_POINTWISE_EXPM1 = 28, WAVESMITH_POINTWISE_LOG2 = 29,
    WAVESMITH_POINTWISE_LOG10 = 30, WAVESMITH_POINTWISE_LOG1P = 31,
    WAVESMITH_POINTWISE_SIN = 32, /* of any size, as COS and TAN */
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
    WAVESMITH_POINTWISE_ADD_QUOTIENT = 95,        /* x + p z / w */
    WAVESMITH_POINTWISE_INTERPOLATE_BETWEEN = 96, /* x + w (z - x) */
    /* Of one input: functions of Bessel and Airy. */
    WAVESMITH_POINTWISE_BESSEL_J0 = 97, WAVESMITH_POINTWISE_BESSEL_J1 = 98,
    WAVESMITH_POINTWISE_BESSEL_Y0 = 99, WAVESMITH_POINTWISE_BESSEL_Y1 = 100,
    WAVESMITH_POINTWISE_BESSEL_I0 = 101, WAVESMITH_POINTWISE_BESSEL_I1 = 102,
    WAVESMITH_POINTWISE_BESSEL_K0 = 103, WAVESMITH_POINTWISE_BESSEL_K1 = 104,
    WAVESMITH_POINTWISE_SCALED_BESSEL_I0 = 105, /* e^-|x| times it, as I1 */
    WAVESMITH_POINTWISE_SCALED_BESSEL_I1 = 106,
    WAVESMITH_POINTWISE_SCALED_BESSEL_K0 = 107, /* e^x times it, as K1 */
    WAVESMITH_POINTWISE_SCALED_BESSEL_K1 = 108, WAVESMITH_POINTWISE_SPHERICAL_BESSEL_J0 = 109,
    WAVESMITH_POINTWISE_AIRY = 110,
    /* Of one input: the gamma function's and the normal distribution's. */
    WAVESMITH_POINTWISE_LOG_GAMMA = 111, /* of |Gamma(x)| */
    WAVESMITH_POINTWISE_DIGAMMA = 112,   /* its derivative */
    WAVESMITH_POINTWISE_POLYGAMMA = 113, /* the p-th derivative of that, p >= 1 */
    WAVESMITH_POINTWISE_ERFCX = 114,     /* e^(x^2) erfc(x) */
    WAVESMITH_POINTWISE_ERF_INVERSE = 115,
    WAVESMITH_POINTWISE_LOG_NORMAL = 116, /* log((1 + erf(x / sqrt(2))) / 2) */
    WAVESMITH_POINTWISE_NORMAL_INVERSE = 117,
    /* Of two inputs. */
    WAVESMITH_POINTWISE_ZETA = 118,                   /* the sum of (z + k)^-x, k = 0, 1, ... */
    WAVESMITH_POINTWISE_INCOMPLETE_GAMMA = 119,       /* P(x, z), the lower one divided by Gamma(x) */
    WAVESMITH_POINTWISE_UPPER_INCOMPLETE_GAMMA = 120, /* Q(x, z) = 1 - P(x, z) */
    /* Orthogonal polynomials of x, of the degree z without its fraction; 0 below degree 0. */
    WAVESMITH_POINTWISE_CHEBYSHEV_T = 121, WAVESMITH_POINTWISE_CHEBYSHEV_U = 122,
    WAVESMITH_POINTWISE_CHEBYSHEV_V = 123, WAVESMITH_POINTWISE_CHEBYSHEV_W = 124,
    WAVESMITH_POINTWISE_SHIFTED_CHEBYSHEV_T = 125, /* of 2 x - 1, as U, V and W */
    WAVESMITH_POINTWISE_SHIFTED_CHEBYSHEV_U = 126, WAVESMITH_POINTWISE_SHIFTED_CHEBYSHEV_V = 127,
    WAVESMITH_POINTWISE_SHIFTED_CHEBYSHEV_W = 128,
    WAVESMITH_POINTWISE_HERMITE_H = 129, /* NaN of degrees behind p, as HE */
    WAVESMITH_POINTWISE_HERMITE_HE = 130, WAVESMITH_POINTWISE_LAGUERRE = 131,
    WAVESMITH_POINTWISE_LEGENDRE = 132,
    /* Of one input. */
    WAVESMITH_POINTWISE_SINC = 133,  /* sin(pi x) / (pi x) */
    WAVESMITH_POINTWISE_LOGIT = 134, /* log(x / (1 - x)); x no less than p, no more than 1 - p, if p >= 0 */
    WAVESMITH_POINTWISE_MISH = 135,  /* x tanh(log(1 + e^x)) */
    WAVESMITH_POINTWISE_HARD_SIGMOID = 136,   /* (x + 3) / 6, no less than 0, no more than 1 */
    WAVESMITH_POINTWISE_HARD_SWISH = 137,     /* x times that */
    WAVESMITH_POINTWISE_HARD_SHRINK = 138,    /* 0 where -p <= x <= p */
    WAVESMITH_POINTWISE_SOFT_SHRINK = 139,    /* x - p above p, x + p below -p, else 0 */
    WAVESMITH_POINTWISE_ROUND_MULTIPLE = 140, /* round(x p) / p; round(x / p) p if q is not 0 */
    WAVESMITH_POINTWISE_MANTISSA = 141,       /* x = mantissa 2^exponent, 1/2 <= |mantissa| < 1 */
    WAVESMITH_POINTWISE_EXPONENT = 142,       /* of 0, infinities and NaN 0 */
    WAVESMITH_POINTWISE_ANGLE = 143,          /* of x + 0i: 0 or pi; also complex */
    WAVESMITH_POINTWISE_CONJUGATE = 144,      /* complex only */
    /* Of two inputs. */
    WAVESMITH_POINTWISE_HEAVISIDE =
        145, /* 0 of negative x and NaN, z of 0, 1 of positive x; also of integers */
    WAVESMITH_POINTWISE_NEXT_AFTER = 146, /* the next number from x on to z, of the type that computes */
    WAVESMITH_POINTWISE_PRELU = 147,      /* x, of negative x times z */
    WAVESMITH_POINTWISE_GLU = 148,        /* x sigmoid(z) */
    WAVESMITH_POINTWISE_GCD = 149, WAVESMITH_POINTWISE_LCM = 150, /* of integers only */
    WAVESMITH_POINTWISE_COMPLEX = 151,                            /* x + z i of real inputs; complex only */
    WAVESMITH_POINTWISE_POLAR = 152, /* x (cos(z) + i sin(z)) of real inputs; complex only */
    /* Derivatives: x is the gradient, z the function's argument. */
    WAVESMITH_POINTWISE_LOGIT_BACKWARD = 153, WAVESMITH_POINTWISE_MISH_BACKWARD = 154,
    WAVESMITH_POINTWISE_HARD_SIGMOID_BACKWARD = 155, WAVESMITH_POINTWISE_HARD_SWISH_BACKWARD = 156,
    WAVESMITH_POINTWISE_SHRINK_BACKWARD = 157, /* of both */
    WAVESMITH_POINTWISE_LOG_SIGMOID_BACKWARD = 158,
    WAVESMITH_POINTWISE_PRELU_WEIGHT_BACKWARD = 159, /* x z of negative z, else 0 */
    /* Of three inputs. */
    WAVESMITH_POINTWISE_PRELU_BACKWARD = 160, /* w is the weight */
    WAVESMITH_POINTWISE_GLU_BACKWARD = 161,   /* of the second half: x (1 - x) z w, x its sigmoid */
    /* Of two inputs. */
    WAVESMITH_POINTWISE_IS_CLOSE =
        162, /* x = z, or |x - z| <= p + q |z| and finite; also two NaN if r is not 0 */
    WAVESMITH_POINTWISE_X_LOG1P_Z = 163,            /* x log(1 + z), as X_LOG_Z */
    WAVESMITH_POINTWISE_SMOOTH_L1 = 164,            /* of d = |x - z|: d^2 / (2 p) below p, else d - p / 2 */
    WAVESMITH_POINTWISE_HUBER = 165,                /* of the same: d^2 / 2 up to p, else p (d - p / 2) */
    WAVESMITH_POINTWISE_BINARY_CROSS_ENTROPY = 166, /* (z - 1) log(1 - x) - z log(x), logarithms >= -100 */
    /* Of three inputs: w and p times the derivatives of these, and of (x - z)^2 / 2, along x. */
    WAVESMITH_POINTWISE_SMOOTH_L1_BACKWARD = 167, /* q is the loss's p, as of HUBER */
    WAVESMITH_POINTWISE_HUBER_BACKWARD = 168, WAVESMITH_POINTWISE_SQUARED_DIFFERENCE_BACKWARD = 169,
    WAVESMITH_POINTWISE_BINARY_CROSS_ENTROPY_BACKWARD =
        170 /* (x - z) / (x (1 - x)), no less than 1e-12 below */
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
 * Special functions, from BESSEL_J0 to LEGENDRE, are computed in double precision: 1 in F32, 2^12 in F64, of
 * |f|; where f changes its sign or is one of two that add up to 1, of |f| or 1; of polynomials, of their
 * terms' sizes. Complex numbers' functions: 4 and 2^8, of |f| + 1.
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
