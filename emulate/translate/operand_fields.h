// A part of a register, as SDWA and 16-bit instructions name it.
#pragma once

#include <cstdint>

namespace wavesmith::emulate {

struct Field {
  enum class Rest : uint32_t { Zero, Sign, Keep };  ///< what a result makes of the other bits

  uint32_t low = 0, width = 32;
  bool sign_extend = false;
  Rest rest = Rest::Zero;

  // As two dwords of a micro-operation.
  [[nodiscard]] constexpr uint32_t first() const { return low; }
  [[nodiscard]] constexpr uint32_t second() const {
    return width | static_cast<uint32_t>(sign_extend) << 8 | static_cast<uint32_t>(rest) << 16;
  }
  static constexpr Field unpack(uint32_t first, uint32_t second) {
    return {first, second & 0xff, (second >> 8 & 1) != 0, static_cast<Rest>(second >> 16)};
  }
};

}  // namespace wavesmith::emulate
