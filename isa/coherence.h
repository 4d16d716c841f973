// Which instructions of memory look beyond their own workgroup.
#pragma once

#include "isa/control/row.h"
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

/// What a cache control does, as far as other workgroups and waves can tell.
struct CacheControl {
  bool writes_back = false;       ///< to where other workgroups see it
  bool invalidates = false;       ///< what other workgroups may have written
  bool invalidates_near = false;  ///< the cache next to the wave
};

/// Source: LLVM, "User Guide for AMDGPU Backend", memory model.
inline CacheControl cache_control_of(const Instruction& instruction) {
  const bool far = reaches_other_workgroups(instruction);
  switch (operation_of(instruction.mnemonic)) {
    case Operation::WriteBack:
      // buffer_wbinvl1 has no scope: it invalidates the vector L1.
      if (instruction.mnemonic.starts_with("buffer_wbinv")) return {.invalidates = true};
      return {.writes_back = far};
    case Operation::Invalidate:
      return {.invalidates = true};
    case Operation::InvalidateOwn:
      return {.invalidates_near = true};
    case Operation::ScopedInvalidate:
      return {.invalidates = far, .invalidates_near = true};
    case Operation::ScopedWriteBack:
      return {.writes_back = far, .invalidates = far && instruction.mnemonic == "global_wbinv"};
    default:
      return {};
  }
}

}  // namespace wavesmith::isa
