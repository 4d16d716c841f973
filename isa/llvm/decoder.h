// Bytes to instructions, by LLVM's disassembler and its printed syntax.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "base/result.h"
#include "isa/instruction.h"
#include "isa/target.h"

namespace wavesmith::isa {

/// Decodes one target's instructions. Not shared between threads. Made in no time where there was one for the
/// target that is gone by now, so nobody needs to keep one.
class Decoder {
 public:
  /// `wave_lanes` is 64 or 32 and changes how lane masks are printed (vcc or vcc_lo).
  static Result<Decoder> create(const Target& target, int wave_lanes);
  Decoder(Decoder&&) noexcept;
  Decoder& operator=(Decoder&&) noexcept;
  ~Decoder();

  /// The instruction at the start of `bytes`, which lies at `pc`. Error: BadInput for bytes that are no
  /// instruction.
  Result<Instruction> decode(std::span<const uint8_t> bytes, uint64_t pc);

 private:
  struct State;
  class Idle;
  explicit Decoder(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

/// An instruction from its printed text ("v_add_f32_e64 v0, -v1, |v2| clamp"); the decoder's second half.
Result<Instruction> parse_instruction(std::string_view text);

}  // namespace wavesmith::isa
