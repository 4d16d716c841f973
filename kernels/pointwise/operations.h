// What each operation takes, and which kernel computes it: shared by the host and the device.
#pragma once

#include "kernels/wavesmith_pointwise.h"

namespace wavesmith::kernels {

using Pointwise = wavesmith_pointwise_operation;
using Number = wavesmith_pointwise_type;

constexpr bool is_within(Pointwise operation, Pointwise first, Pointwise last) {
  return operation >= first && operation <= last;
}

constexpr int inputs_of(Pointwise operation) {
  return operation < WAVESMITH_POINTWISE_COPY    ? 0
         : operation < WAVESMITH_POINTWISE_ADD   ? 1
         : operation < WAVESMITH_POINTWISE_WHERE ? 2
                                                 : 3;
}

constexpr bool is_of_integers_only(Pointwise operation) {
  return operation == WAVESMITH_POINTWISE_BITWISE_NOT ||
         is_within(operation, WAVESMITH_POINTWISE_BITWISE_AND, WAVESMITH_POINTWISE_SHIFT_RIGHT);
}
constexpr bool is_of_integers(Pointwise operation) {
  return operation <= WAVESMITH_POINTWISE_SIGN_BIT ||
         is_within(operation, WAVESMITH_POINTWISE_ADD, WAVESMITH_POINTWISE_SHIFT_RIGHT) ||
         is_within(operation, WAVESMITH_POINTWISE_WHERE, WAVESMITH_POINTWISE_ADD_PRODUCT);
}
constexpr bool is_complex_too(Pointwise operation) {
  switch (operation) {
    case WAVESMITH_POINTWISE_FILL:
    case WAVESMITH_POINTWISE_COPY:
    case WAVESMITH_POINTWISE_NEGATE:
    case WAVESMITH_POINTWISE_ABSOLUTE:
    case WAVESMITH_POINTWISE_LOGICAL_NOT:
    case WAVESMITH_POINTWISE_ADD:
    case WAVESMITH_POINTWISE_MULTIPLY:
    case WAVESMITH_POINTWISE_EQUAL:
    case WAVESMITH_POINTWISE_NOT_EQUAL:
    case WAVESMITH_POINTWISE_MASKED_FILL:
    case WAVESMITH_POINTWISE_DIVIDE:
    case WAVESMITH_POINTWISE_WHERE:
      return true;
    default:
      return false;
  }
}

/// Whether the kernel that takes several elements per thread has it, too: what is long is there once.
constexpr bool is_short(Pointwise operation, Number computed_in) {
  if (is_within(operation, WAVESMITH_POINTWISE_EXP2, WAVESMITH_POINTWISE_LOG_SIGMOID) ||
      is_within(operation, WAVESMITH_POINTWISE_DIVIDE_FLOOR, WAVESMITH_POINTWISE_FMOD) ||
      is_within(operation, WAVESMITH_POINTWISE_GELU_BACKWARD, WAVESMITH_POINTWISE_LOG_ADD_EXP))
    return false;
  return computed_in != WAVESMITH_POINTWISE_F64 ||
         !(is_within(operation, WAVESMITH_POINTWISE_EXP, WAVESMITH_POINTWISE_GELU_TANH) ||
           is_within(operation, WAVESMITH_POINTWISE_SILU_BACKWARD, WAVESMITH_POINTWISE_GELU_TANH_BACKWARD));
}

/// Elements that a thread of that kernel takes; of complex numbers there is none.
constexpr int elements_at_once(Number computed_in) {
  return computed_in == WAVESMITH_POINTWISE_F32 ? 8 : computed_in >= WAVESMITH_POINTWISE_C64 ? 1 : 4;
}

}  // namespace wavesmith::kernels
