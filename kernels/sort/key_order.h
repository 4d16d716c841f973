// Elements as unsigned numbers in the same order: shared by the host and the device.
#pragma once

#include "kernels/pointwise/operations.h"

namespace wavesmith::kernels {

/// How an element's bits become a key.
struct KeyOrder {
  int bytes;
  int is_float, is_truth;
  unsigned long sign;      ///< the bit of negative numbers; of a type without them 0
  unsigned long infinity;  ///< of floats: what is larger without its sign is NaN
  unsigned long all;       ///< of the key's bits
  unsigned long flip;      ///< those that a descending order turns round

  static constexpr KeyOrder of(Number type, int bytes, bool descending) {
    const unsigned long all = ~0UL >> (64 - 8 * bytes);
    const bool is_unsigned = type == WAVESMITH_POINTWISE_BOOL || type == WAVESMITH_POINTWISE_U8;
    const unsigned long infinity = type == WAVESMITH_POINTWISE_F16    ? 0x7c00
                                   : type == WAVESMITH_POINTWISE_BF16 ? 0x7f80
                                   : type == WAVESMITH_POINTWISE_F32  ? 0x7f800000
                                   : type == WAVESMITH_POINTWISE_F64  ? 0x7ff0000000000000
                                                                      : 0;
    return {bytes,
            infinity != 0,
            type == WAVESMITH_POINTWISE_BOOL,
            is_unsigned ? 0 : (all >> 1) + 1,
            infinity,
            all,
            descending ? all : 0};
  }
};

}  // namespace wavesmith::kernels
