// Numbers of 4 bits, integers and OCP's e2m1, as floats.
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

/// Eight of e2m1, the first in the lowest bits. The exponent and the fraction of a number become those of a
/// half with another bias: multiplied by the biases' distance, two numbers at a time, all are exact, that of
/// the exponent 0, too.
TILE_DEVICE Vector<float, 8> e2m1_nibbles(u32 packed) {
  Vector<float, 8> values;
  TILE_UNROLL for (int i = 0; i < 4; ++i) {  // numbers i and i + 4
    const u32 sign = (i < 3 ? packed << (12 - 4 * i) : packed) & 0x80008000;
    const u32 size = (i < 3 ? packed << (9 - 4 * i) : packed >> 3) & 0x0e000e00;
    const auto halves = bits_as<Vector<f16, 2>>(sign | size) * static_cast<f16>(16384.0f);
    values[i] = static_cast<float>(halves[0]), values[i + 4] = static_cast<float>(halves[1]);
  }
  return values;
}

}  // namespace tile
