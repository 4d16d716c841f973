// A micro-operation: what the interpreter executes. One instruction becomes one or a few of them.
#pragma once

#include <cstdint>

namespace wavesmith::emulate {

struct Uop;
struct Wave;

/// Executes `uop` on `wave` and goes on with the next one by a tail call; returns when the wave has to stop.
using Handler = void (*)(const Uop* uop, Wave* wave);

/// Operands are byte offsets from the Wave: a register row, a scalar register or a constant alike, so that a
/// handler never asks what kind of operand it has.
struct Uop {
  Handler handler = nullptr;
  uint32_t d = 0;  ///< first result
  uint32_t a = 0, b = 0, c = 0;
  union {
    struct {
      uint32_t e;  ///< second result
      uint32_t f;  ///< fourth source, or the third result
    };
    uint64_t imm = 0;
    const void* pointer;
  };
};
static_assert(sizeof(Uop) == 32);

}  // namespace wavesmith::emulate
