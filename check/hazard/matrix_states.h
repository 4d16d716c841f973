// Wait states that matrix instructions of CDNA need before what uses or overwrites their registers.
//
// Sources: AMD, CDNA3 ISA manual, "Dependency Resolution: Required Independent Instructions", table
// "VOP3P-Matrix Opcodes Required NOPs"; LLVM 22, GCNHazardRecognizer.cpp, checkMAIHazards90A and
// checkMAIVALUHazards, for CDNA2 and CDNA4, and where the manual's table has no line.
#pragma once

#include "check/hazard/parts.h"
#include "isa/target.h"

namespace wavesmith::check::hazard {

/// The first one's D is the second one's C.
int states_to_c(const Parts& first, const Parts& second, const isa::Target& target);
/// The first one's D is read by the second one as A, B, an index or a scale.
int states_to_ab(const Parts& first, const isa::Target& target);
/// D is read by a vector instruction of another kind, or by vector memory, LDS or an export.
int states_to_reader(const Parts& first, const Parts& second, const isa::Target& target);
/// Those with which kernels of AMD's own read D by the VALU.
int practised_to_reader(const Parts& first, const Parts& second, const isa::Target& target);
/// D is overwritten by a vector instruction.
int states_to_writer(const Parts& first, const isa::Target& target);
/// C is overwritten by a vector instruction.
int states_from_c(const Parts& first, const isa::Target& target);

}  // namespace wavesmith::check::hazard
