/* How many points lie in each bin of a grid, or the sums of their weights (histograms), and the edges of bins
 * of the same width. Types are those of wavesmith_pointwise.h. */
#pragma once

#include "wavesmith_pointwise.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { WAVESMITH_BINS_COORDINATES = 16 };

/* Along coordinate c of a point there are bins[c] bins between bins[c] + 1 edges, in ascending order and side
 * by side. A bin has its lower edge; the last one has both. */
typedef struct {
  wavesmith_pointwise_type type; /* F32 or F64: of points, edges, weights and sums */
  int32_t coordinates;           /* of a point, 1 to 16 */
  int32_t bins[WAVESMITH_BINS_COORDINATES];
  void* edges[WAVESMITH_BINS_COORDINATES];
  /* wavesmith_kernels_bin_edges writes edges from low to high; computed in double precision. */
  double low[WAVESMITH_BINS_COORDINATES], high[WAVESMITH_BINS_COORDINATES];
  /* wavesmith_kernels_bins adds each point's weight to its bin of `sums`, whose last coordinate is the
   * fastest. A point outside, or with NaN, is in none. Sums are made in any order. */
  int64_t points;
  const void* x;
  int64_t point_stride, coordinate_stride; /* bytes */
  const void* weights;                     /* null: 1 */
  int64_t weight_stride;                   /* bytes */
  void* sums;
} wavesmith_bins_description;

WAVESMITH_KERNELS_API wavesmith_kernels_status
wavesmith_kernels_bin_edges(const wavesmith_bins_description* bins, void* stream);
WAVESMITH_KERNELS_API wavesmith_kernels_status wavesmith_kernels_bins(const wavesmith_bins_description* bins,
                                                                      void* stream);

#ifdef __cplusplus
}
#endif
