// What the kernel of a gated activation's gradients is given: shared by the host, which fills it in, and the
// device.
#pragma once

namespace wavesmith::kernels {

/// dGate = dY * up * activation'(gate), dUp = dY * activation(gate), element by element.
struct GateBackwardArguments {
  const void *gate, *up, *dy;                                        ///< no up: 1
  void *dgate, *dup;                                                 ///< may be null
  long stride_gate, stride_up, stride_dy, stride_dgate, stride_dup;  ///< elements between rows
  int rows, columns;
  int type_gate, type_up, type_dy, type_dgate, type_dup;  ///< tile::Type
  int activation;                                         ///< Activation
};

}  // namespace wavesmith::kernels
