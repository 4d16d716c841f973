// What the kernels that look for elements that are not 0 are given: shared by the host, which fills it in,
// and the device.
#pragma once

#include "kernels/pointwise/division.h"
#include "kernels/wavesmith_sort.h"

namespace wavesmith::kernels {

inline constexpr int kNonzeroThreads = 256, kNonzeroItems = 8,
                     kNonzeroChunk = kNonzeroThreads * kNonzeroItems;
inline constexpr int kNonzeroPlaceThreads = 1024;

struct NonzeroArguments {
  void* x;
  int bytes;           ///< of an element
  unsigned long bits;  ///< of it, or of each half of one with 16 bytes, of which any makes it not 0
  int steps[WAVESMITH_POINTWISE_DIMENSIONS];
  Division sizes[WAVESMITH_POINTWISE_DIMENSIONS], coordinates[WAVESMITH_POINTWISE_DIMENSIONS];
  int dimensions, coordinate_dimensions;
  unsigned elements, chunks;
  void* places;
  long place_strides[2], most;
  unsigned* counts;  ///< of each chunk; then how many there are before it
  long* count;
};

}  // namespace wavesmith::kernels
