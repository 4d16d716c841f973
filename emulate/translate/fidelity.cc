#include "emulate/translate/fidelity.h"

#include "emulate/engine/handlers.h"
#include "isa/control/row.h"
#include "isa/effects.h"
#include "isa/llvm/mnemonics.h"

namespace wavesmith::emulate {
namespace {

using isa::Encoding;
using isa::Fidelity;

/// What the assembler makes of a name that another generation gave it; nullptr when it is none of those.
const Implementation* find_alias(std::string_view mnemonic, const isa::Target& target) {
  for (const Implementation& implementation : engine().implementations)
    if (implementation.row.facts.alias == mnemonic && target.is(implementation.row.facts.generations))
      return &implementation;
  return nullptr;
}

/// Why an instruction that no row of the target names is not served.
std::string_view reason(std::string_view mnemonic) {
  for (const isa::Target& other : isa::kTargets)
    if (find_implementation(mnemonic, other))
      return "a name of other targets, which the assembler also accepts";
  return kUnexplained;
}

}  // namespace

InstructionFidelity fidelity_of(std::string_view mnemonic, Encoding encoding, const isa::Target& target) {
  InstructionFidelity result{
      std::string(mnemonic) + std::string(isa::encoding_suffix(encoding)), Fidelity::Unsupported, {}};
  // The halves of a dual-issue instruction are instructions of their own.
  const std::string single = isa::single_of({.mnemonic = std::string(mnemonic)}, 64).mnemonic;
  if (const Implementation* const implementation = find_implementation(single, target)) {
    result.fidelity = implementation->row.facts.fidelity;
    result.note = implementation->row.facts.bound;
  } else if (const isa::ControlRow* const control = isa::find_control(mnemonic);
             control && target.is(control->facts.generations)) {
    result.fidelity = control->facts.fidelity;
    result.note = control->facts.note;
  } else if (const Implementation* const alias = find_alias(mnemonic, target)) {
    result.fidelity = alias->row.facts.fidelity;
    result.note = alias->row.facts.bound;
  } else {
    result.note = reason(mnemonic);
  }
  return result;
}

InstructionFidelity fidelity_of_printed(std::string_view printed, const isa::Target& target) {
  for (const Encoding encoding :
       {Encoding::E64Dpp, Encoding::E32, Encoding::E64, Encoding::Dpp, Encoding::Sdwa}) {
    const std::string_view suffix = isa::encoding_suffix(encoding);
    if (printed.ends_with(suffix))
      return fidelity_of(printed.substr(0, printed.size() - suffix.size()), encoding, target);
  }
  return fidelity_of(printed, Encoding::Plain, target);
}

Result<std::vector<InstructionFidelity>> fidelity_of_all(const isa::Target& target) {
  const auto all = isa::mnemonics(target);
  if (!all) return tl::unexpected(all.error());
  std::vector<InstructionFidelity> result;
  for (const isa::Mnemonic& mnemonic : *all)
    for (const Encoding encoding : mnemonic.encodings)
      result.push_back(fidelity_of(mnemonic.name, encoding, target));
  return result;
}

}  // namespace wavesmith::emulate
