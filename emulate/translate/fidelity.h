// What this emulator makes of each instruction of a target: exact, approximate with its bound, or
// unsupported.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "isa/instruction.h"
#include "isa/row.h"
#include "isa/target.h"

namespace wavesmith::emulate {

struct InstructionFidelity {
  std::string mnemonic;  ///< as printed, with its encoding suffix
  isa::Fidelity fidelity = isa::Fidelity::Unsupported;
  std::string note;  ///< of an approximate one its bound, of an unsupported one why
};

/// The note of an instruction that has no row: what LLVM knows should have one, if only in
/// isa/control/unserved.cc.
inline constexpr std::string_view kUnexplained = "not done yet";

/// Of one mnemonic (without suffix) in an encoding.
InstructionFidelity fidelity_of(std::string_view mnemonic, isa::Encoding encoding, const isa::Target& target);

/// Of a mnemonic as printed: "v_add_f32_e64".
InstructionFidelity fidelity_of_printed(std::string_view printed, const isa::Target& target);

/// Of every instruction that LLVM knows for the target, one entry a printed form.
Result<std::vector<InstructionFidelity>> fidelity_of_all(const isa::Target& target);

}  // namespace wavesmith::emulate
