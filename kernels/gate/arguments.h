// What a gated activation's kernel is given: shared by the host, which fills it in, and the device.
#pragma once

#include "kernels/rows/scales.h"

namespace wavesmith::kernels {

/// Y = activation(gate) * up, element by element.
struct GateArguments {
  const void *gate, *up;  ///< no up: the activation alone
  void* y;
  ScaleArguments scales;                  ///< of y
  long stride_gate, stride_up, stride_y;  ///< elements between rows
  int rows, columns;
  int type_gate, type_up, type_y;  ///< tile::Type
  int activation;                  ///< Activation
};

}  // namespace wavesmith::kernels
