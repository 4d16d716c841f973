/* Dense linear algebra of many matrices at once: factorisations, and what is solved and found by them. Part
 * of the kernel library: see wavesmith_kernels.h for statuses, messages and streams. */
#pragma once

#include "wavesmith_pointwise.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Numbers count from 0, sizes are n by m where nothing is said; of a triangle the other one is neither read
 * nor written. With e 2^-24 for F32 and 2^-53 for F64 (and complex numbers of these) the backward errors are,
 * in Frobenius' norm and with n the larger size, at most 16 n e times the norm of the matrix. */
typedef WAVESMITH_KERNELS_ENUM{
    /* a = l l^H, of the lower triangle of a, n by n, which becomes l. `info` is 0, or the number, from 1 on,
       of the first leading part that is not positive definite. */
    WAVESMITH_LINALG_CHOLESKY = 0,
    /* a = p l u with rows exchanged so that no number of l is larger than 1: a becomes l, whose diagonal is 1
       and is not stored, and u. Row i was exchanged with row pivots[i] - 1, in order. `info` is 0, or the
       number, from 1 on, of the first diagonal element of u that is 0. */
    WAVESMITH_LINALG_LU = 1,
    /* b = a^-1 b with a's lower triangle. An upper triangle is a lower one seen from its other end, by
       strides that are negative. */
    WAVESMITH_LINALG_SOLVE_LOWER = 2,
    /* Exchanges rows of b, n by m, with `inner` pivots as LU gives them; REVERSED: from the last one on. */
    WAVESMITH_LINALG_EXCHANGE_ROWS = 3,
    /* a = q r by Householder's reflections: a becomes r, and below its diagonal the vectors v of the
       reflections 1 - tau v v^H, whose element on the diagonal is 1 and is not stored; `vector` becomes tau.
       Their product in order is q. */
    WAVESMITH_LINALG_QR = 4,
    /* Applies to b, n by m, the `inner` reflections of a, n by `inner`, and `vector` as QR gives them, in
       order. So b becomes q^H b with CONJUGATE_FACTORS, and q b with REVERSED, which is the last one first.
     */
    WAVESMITH_LINALG_REFLECT = 5,
    /* Of a symmetric a, whose lower triangle is read, eigenvalues in ascending order to `vector` and the
       eigenvectors to the columns of b, if it has data. `info` is 0, or n where it did not come to an end,
       as of numbers that are not finite. Of F32 and F64, n to 2048; wants a workspace. */
    WAVESMITH_LINALG_EIGENVALUES = 6,
    /* Of a, n by m with n no less than m, singular values in descending order to `vector`; to b, n by m, and
       c, m by m, the left and right vectors as columns, if they have data, both or none. As EIGENVALUES; of
       numbers that are not finite `info` is -4. */
    WAVESMITH_LINALG_SINGULAR_VALUES = 7,
    /* a = p l d l^T p^T of a symmetric a, whose lower triangle becomes l, without its diagonal of 1, and d,
       which has blocks of 1 and 2. Pivots as LAPACK's sytrf gives them: positive as LU's; two that are equal
       and negative are a block, whose second row was exchanged. `info` as LU's. */
    WAVESMITH_LINALG_LDL = 8,
    /* b = a^-1 b, with a and pivots as LDL gives them. */
    WAVESMITH_LINALG_SOLVE_LDL = 9,
    /* c, n by m, becomes c - a b, with `inner` columns of a. */
    WAVESMITH_LINALG_SUBTRACT_PRODUCT = 10,
    /* b becomes e^a, n by n, n to 64, all NaN where a number of a is not finite; wants a workspace. Its error
       is at most 16 n e (1 + ||a||) times e to the power of ||a||. */
    WAVESMITH_LINALG_EXPONENTIAL = 11,
} wavesmith_linalg_operation;

enum {
  WAVESMITH_LINALG_UNIT = 1, /* the diagonal of a triangle counts as 1 */
  WAVESMITH_LINALG_REVERSED = 2,
  WAVESMITH_LINALG_CONJUGATE = 4, /* SOLVE_LOWER and REFLECT: a is read conjugated; SUBTRACT_PRODUCT: b */
  WAVESMITH_LINALG_CONJUGATE_FACTORS = 8, /* REFLECT: tau is */
  WAVESMITH_LINALG_LOWER = 16,            /* SUBTRACT_PRODUCT: only the lower triangle */
  WAVESMITH_LINALG_IN_ORDER = 32,         /* LU: rows are not exchanged */
  WAVESMITH_LINALG_ADD = 64,              /* SUBTRACT_PRODUCT: c becomes c + a b */
};

/* Matrices in the device's memory: the element in row i and column j of matrix k lies i * row + j * column +
 * k * batch elements after `data`. Strides may be 0, where nothing is written, or negative. */
typedef struct {
  void* data;
  int64_t row, column, batch;
} wavesmith_linalg_matrix;

typedef struct {
  wavesmith_linalg_operation operation;
  wavesmith_pointwise_type type; /* F32, F64, C64 or C128 */
  int32_t flags;
  int64_t batch, rows, columns, inner;
  wavesmith_linalg_matrix a, b, c;
  void* vector; /* of the type, or of its real one: one per column or row of each matrix */
  int64_t vector_batch;
  int32_t* pivots;
  int64_t pivots_batch;
  int32_t* info; /* one per matrix */
  void* workspace;
  size_t workspace_bytes;
} wavesmith_linalg_description;

/* The bytes of workspace that it needs; 0 for what is refused, too. */
WAVESMITH_KERNELS_API size_t wavesmith_kernels_linalg_workspace(const wavesmith_linalg_description* linalg);
WAVESMITH_KERNELS_API wavesmith_kernels_status
wavesmith_kernels_linalg(const wavesmith_linalg_description* linalg, void* stream);

#ifdef __cplusplus
}
#endif
