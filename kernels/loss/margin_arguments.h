// What the kernels of losses with margins are given: shared by the host, which fills it in, and the device.
#pragma once

#include "kernels/pointwise/division.h"
#include "kernels/wavesmith_loss.h"

namespace wavesmith::kernels {

inline constexpr int kMarginThreads = 256;

/// A thread takes a class of a row.
struct MarginArguments {
  const void *x, *weights, *upstream;
  const long* targets;
  void *is_target, *y;  ///< y: the losses, or the gradient
  double margin, factor;
  Division classes;
  unsigned elements;
  int type, y_type;  ///< Number
  int several, squares, has_one_upstream;
};

}  // namespace wavesmith::kernels
