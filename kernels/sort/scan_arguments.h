// What the kernels of scans are given: shared by the host, which fills it in, and the device.
#pragma once

#include "kernels/sort/rows_arguments.h"

namespace wavesmith::kernels {

inline constexpr int kScanThreads = 256, kScanItems = 4, kScanTile = kScanThreads * kScanItems;

struct ScanArguments {
  Rows rows;  ///< values are the results
  int operation;
  unsigned chunk, chunks;  ///< elements that a workgroup takes of a row, and how many times that is
  unsigned first_row;
  void* states;  ///< of each row and chunk
};

/// What is known of the elements so far.
template <class C>
struct ScanState {
  C value;
  unsigned place;
};

}  // namespace wavesmith::kernels
