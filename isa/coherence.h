// Which instructions of memory look beyond their own workgroup.
#pragma once

#include "isa/instruction.h"

namespace wavesmith::isa {

/// Whether an access, or a cache control, is coherent at agent scope or wider: it sees, or shows, what other
/// workgroups write. Source: LLVM, "User Guide for AMDGPU Backend", memory model: glc (CDNA2, RDNA3), sc1
/// (CDNA3, CDNA4), scope:SCOPE_DEV and SCOPE_SYS (RDNA4).
inline bool reaches_other_workgroups(const Instruction& instruction) {
  const Modifier* const scope = instruction.find("scope");
  return instruction.has("sc1") || instruction.has("glc") ||
         (scope && (scope->text == "SCOPE_DEV" || scope->text == "SCOPE_SYS"));
}

/// Whether an access is coherent at workgroup scope or wider where that takes more than nothing: sc0 (CDNA3,
/// CDNA4), scope:SCOPE_SE (RDNA4). Of an atomic sc0 says another thing.
inline bool reaches_other_waves(const Instruction& instruction) {
  const Modifier* const scope = instruction.find("scope");
  return instruction.has("sc0") || (scope && scope->text == "SCOPE_SE") ||
         reaches_other_workgroups(instruction);
}

}  // namespace wavesmith::isa
