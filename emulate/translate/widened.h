// Which operands of matrix instructions the wave still holds as floats. Blocked kernels multiply each row of
// tiles with several columns of tiles, so most operands were widened a few instructions ago; the translator
// knows that within a basic block, and instructions that find their operand ready skip the widening.
#pragma once

#include <array>
#include <cstdint>

#include "emulate/run/wave.h"
#include "emulate/translate/matrix_plan.h"
#include "isa/instruction.h"

namespace wavesmith::emulate {

class Widened {
 public:
  /// Where an operand is as floats, or is to be.
  struct Lookup {
    uint8_t slot;  ///< of Wave::widened
    bool ready;    ///< holds the operand already
  };
  /// Of the operand in the registers at `offset`; one that is not ready takes the slot that was used least
  /// lately.
  Lookup find(const MatrixPlan::Input& input, uint32_t offset);
  /// Registers were written: what came from them is stale.
  void written(uint32_t offset, uint32_t registers);
  /// An instruction that is no matrix instruction: every register that it names may be written.
  void passed(const isa::Instruction& instruction);
  void forget();

 private:
  struct Slot {
    bool used = false;
    uint64_t last = 0;
    uint32_t offset = 0;
    MatrixPlan::Input input;
  };
  std::array<Slot, kWidenedSlots> slots_;
  uint64_t now_ = 0;
};

}  // namespace wavesmith::emulate
