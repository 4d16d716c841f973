/* Order along a dimension of strided arrays: sorting, the first of an order, scans, searches; and which
 * elements are not 0. Types and operands are those of wavesmith_pointwise.h.
 *
 * Elements are of real types. In their order NaN is the largest, all NaN's are equal, and -0 is 0. */
#pragma once

#include "wavesmith_pointwise.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Along the dimension `along`, in each row: values are the elements of x in ascending or descending order, of
 * equal elements the one with the smaller place first, and places (I64) where in x's row they lie. Either may
 * have no data; values have x's type and may not overlap x. Of a row the first `most` are written. Bounds are
 * those of wavesmith_kernels_pointwise. */
typedef struct {
  int32_t dimensions, along;
  int64_t sizes[WAVESMITH_POINTWISE_DIMENSIONS]; /* of x */
  wavesmith_pointwise_operand x, values, places;
  int64_t most; /* 0: all */
  int32_t descending;
  void* workspace;
  size_t workspace_bytes;
} wavesmith_sort_description;

/* Bytes that a sort keeps meanwhile, at a multiple of 16. */
WAVESMITH_KERNELS_API size_t wavesmith_kernels_sort_workspace(const wavesmith_sort_description* sort);
WAVESMITH_KERNELS_API wavesmith_kernels_status wavesmith_kernels_sort(const wavesmith_sort_description* sort,
                                                                      void* stream);

typedef WAVESMITH_KERNELS_ENUM{
    WAVESMITH_SELECT_RANK = 0,       /* the element before which there are `rank` in ascending order */
    WAVESMITH_SELECT_MEDIAN = 1,     /* that of (n - 1) / 2; NaN where an element is */
    WAVESMITH_SELECT_NAN_MEDIAN = 2, /* the median of those that are not NaN; NaN where none is */
} wavesmith_select_operation;

/* Of each row one element, and the first place (I64) where it lies. The strides of value and place along the
 * dimension are not read; either may have no data. */
typedef struct {
  wavesmith_select_operation operation;
  int32_t dimensions, along;
  int64_t sizes[WAVESMITH_POINTWISE_DIMENSIONS];
  wavesmith_pointwise_operand x, value, place;
  int64_t rank;
} wavesmith_select_description;

WAVESMITH_KERNELS_API wavesmith_kernels_status
wavesmith_kernels_select(const wavesmith_select_description* select, void* stream);

typedef WAVESMITH_KERNELS_ENUM{
    WAVESMITH_SCAN_SUM = 0,     WAVESMITH_SCAN_PRODUCT = 1,
    WAVESMITH_SCAN_MAXIMUM = 2, /* NaN from the first NaN on; places are the last at which it is */
    WAVESMITH_SCAN_MINIMUM = 3, WAVESMITH_SCAN_LOG_SUM_EXP = 4, /* log(sum of e^x); of F32 and F64 */
} wavesmith_scan_operation;

/* y's element i of a row is the operation's result of x's elements 0 to i. Computed in F32, F64 or I64, as
 * reductions are (wavesmith_reduction.h), with their errors for sums and products; log_sum_exp in double
 * precision, with an error of 2^-50 n (1 + |y|). places (I64) are of maxima and minima; they or y may have no
 * data. y may be x, with the same type and strides. What is computed in parts is the same in every run. */
typedef struct {
  wavesmith_scan_operation operation;
  wavesmith_pointwise_type computed_in;
  int32_t dimensions, along;
  int64_t sizes[WAVESMITH_POINTWISE_DIMENSIONS];
  wavesmith_pointwise_operand x, y, places;
  void* workspace;
  size_t workspace_bytes;
} wavesmith_scan_description;

WAVESMITH_KERNELS_API size_t wavesmith_kernels_scan_workspace(const wavesmith_scan_description* scan);
WAVESMITH_KERNELS_API wavesmith_kernels_status wavesmith_kernels_scan(const wavesmith_scan_description* scan,
                                                                      void* stream);

/* Which elements of x, of any type, are not 0, in order: the first dimension is the fastest. `count` (I64)
 * becomes how many; `places`, if it has data, gets their coordinates as I64, that of the k-th along dimension
 * d at data + k * strides[0] + d * strides[1], the first `most` of them. With is_flat there is one
 * coordinate, the element's number. Both steps may be one call; a caller that must know the count first calls
 * with places.data null, then with has_counted set and the same workspace. */
typedef struct {
  int32_t dimensions;
  int64_t sizes[WAVESMITH_POINTWISE_DIMENSIONS];
  wavesmith_pointwise_operand x, places;
  int64_t* count;
  int64_t most;
  int32_t is_flat, has_counted;
  void* workspace;
  size_t workspace_bytes;
} wavesmith_nonzero_description;

WAVESMITH_KERNELS_API size_t
wavesmith_kernels_nonzero_workspace(const wavesmith_nonzero_description* nonzero);
WAVESMITH_KERNELS_API wavesmith_kernels_status
wavesmith_kernels_nonzero(const wavesmith_nonzero_description* nonzero, void* stream);

/* y (I32 or I64) is for each element of x how many of a sequence come before it: those that are less, with
 * is_right also those that are equal; by halving, for which NaN is less than what it is compared with, and
 * no less than itself. The sequence's elements, of x's type, are at sequence + i[d] * strides[d] + n * step,
 * with i the coordinates of x. It is in order, or the sorter (I64) says which of its elements is the n-th. */
typedef struct {
  int32_t dimensions;
  int64_t sizes[WAVESMITH_POINTWISE_DIMENSIONS];
  wavesmith_pointwise_operand x, y, sequence, sorter;
  int64_t length, step, sorter_step; /* of the sequence; in bytes */
  int32_t is_right;
} wavesmith_search_description;

WAVESMITH_KERNELS_API wavesmith_kernels_status
wavesmith_kernels_search(const wavesmith_search_description* search, void* stream);

#ifdef __cplusplus
}
#endif
