// What the kernels of bins are given: shared by the host, which fills it in, and the device.
#pragma once

#include "kernels/wavesmith_bins.h"

namespace wavesmith::kernels {

inline constexpr int kBinsThreads = 256;

struct BinsArguments {
  const void *x, *weights;
  void* sums;
  long point_step, coordinate_step, weight_step;  ///< bytes
  void* edges[WAVESMITH_BINS_COORDINATES];
  int bins[WAVESMITH_BINS_COORDINATES];
  int coordinates;
  unsigned points;
};

struct BinEdgesArguments {
  void* edges[WAVESMITH_BINS_COORDINATES];
  double low[WAVESMITH_BINS_COORDINATES], high[WAVESMITH_BINS_COORDINATES], width[WAVESMITH_BINS_COORDINATES];
  int bins[WAVESMITH_BINS_COORDINATES];
  int groups;  ///< workgroups of a coordinate
};

}  // namespace wavesmith::kernels
