// Integers of 4 bits as floats.
#pragma once

#include "tile/arch/language.h"
#include "tile/vector.h"

namespace tile {

/// Eight of -8 to 7 (two's complement), the first in the lowest bits, each plus 8: four of them are the bytes
/// of a register, which an instruction converts. What the registers hold is kept from the compiler, which
/// would take each number out by two instructions of its own.
TILE_DEVICE Vector<float, 8> nibbles_plus_8(u32 packed) {
  const u32 positive = packed ^ 0x88888888;
  u32 even = positive & 0x0f0f0f0f, odd = positive >> 4 & 0x0f0f0f0f;
  asm("" : "+v"(even), "+v"(odd));
  Vector<float, 8> values;
  TILE_UNROLL for (int i = 0; i < 4; ++i) {
    values[2 * i] = static_cast<float>(even >> 8 * i & 0xff);
    values[2 * i + 1] = static_cast<float>(odd >> 8 * i & 0xff);
  }
  return values;
}

}  // namespace tile
