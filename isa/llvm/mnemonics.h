// Every instruction that LLVM knows for a target, by its printed name.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "isa/instruction.h"
#include "isa/target.h"

namespace wavesmith::isa {

/// A mnemonic without encoding suffix, and how it can be encoded: Plain alone for what has one unsuffixed
/// form.
struct Mnemonic {
  std::string name;
  std::vector<Encoding> encodings;
};

/// All mnemonics of a target, in alphabetical order. Old names that the assembler still accepts are among
/// them.
Result<std::vector<Mnemonic>> mnemonics(const Target& target);

/// The suffix that is printed for an encoding: "_e64_dpp", or "" for Plain.
std::string_view encoding_suffix(Encoding encoding);

}  // namespace wavesmith::isa
