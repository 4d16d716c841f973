// Sources: AMD, CDNA3 ISA manual, "Manually Inserted Wait States (NOPs)", table "Required Software-inserted
// Wait States", and "Dependency Resolution: Required Independent Instructions"; where it has no line, and for
// CDNA2 and CDNA4, LLVM 22, GCNHazardRecognizer.cpp: the function that a rule's comment names.
#include "check/hazard/rules.h"

#include <algorithm>

#include "check/hazard/matrix_states.h"

namespace wavesmith::check::hazard {
namespace {

using isa::kCdna;
using isa::kCdna2;
using isa::kCdna3;
using isa::kCdna4;
using isa::Operation;
using isa::Pipe;
using P = const Parts&;
using T = const isa::Target&;

constexpr isa::Generations kFromCdna3 = kCdna3 | kCdna4;

template <int kStates>
int always(P, P, T) {
  return kStates;
}

Registers when(bool holds, const Registers& registers) { return holds ? registers : Registers{}; }
Registers both(Registers registers, const Registers& more) {
  registers.insert(registers.end(), more.begin(), more.end());
  return registers;
}

bool writes_vcc(P p) {
  return std::ranges::any_of(p.scalar_writes,
                             [](isa::RegisterRange range) { return range.overlaps({isa::reg::kVcc, 2}); });
}
bool is_lane_access(P p) { return p.in->mnemonic == "v_readlane_b32" || p.in->mnemonic == "v_writelane_b32"; }
bool reads_one_lane(P p) {
  return p.in->mnemonic == "v_readlane_b32" || p.in->mnemonic == "v_readfirstlane_b32";
}
bool swaps_lanes(P p) {
  return p.in->mnemonic.starts_with("v_permlane16_swap") || p.in->mnemonic.starts_with("v_permlane32_swap");
}
bool is_fused_double(P p) { return p.in->mnemonic == "v_fma_f64" || p.in->mnemonic == "v_fmac_f64"; }
bool is_vector_memory(P p) { return p.pipe == Pipe::Vmem; }

// First ones
Registers valu_scalars(P p) { return when(p.valu, p.scalar_writes); }
Registers valu_exec(P p) { return when(p.valu, p.exec_writes); }
Registers valu_vectors(P p) { return when(p.valu && !p.matrix, p.vector_writes); }
Registers set_register(P p) {
  return when(p.operation == Operation::SetRegister || p.operation == Operation::Skip, {kItself});
}
Registers dot_results(P p) { return when(p.dot, p.vector_writes); }
Registers matrix_d(P p) { return when(p.matrix, {p.d}); }
Registers doubles(P p) { return when(p.matrix && p.unit == MatrixUnit::Double, {kItself}); }

// Second ones
Registers operand(P p, size_t number) {
  const isa::RegisterRange range = registers_of(p.in->operands[number], 64);
  return when(range.count != 0, {range});
}
Registers selected_lane(P p) { return is_lane_access(p) ? operand(p, 2) : Registers{}; }
/// The source whose lanes it moves, in a VGPR.
Registers moved_lanes(P p) { return p.dpp ? operand(p, 1) : Registers{}; }
/// Scalar sources other than a lane's number.
Registers read_constants(P p) {
  return p.in->mnemonic == "v_readlane_b32" ? Registers{} : when(p.valu, p.constants);
}
Registers exec_of(bool holds) { return when(holds, {{isa::reg::kExec, 2}}); }

int same_register(P first, P second, T) {
  return first.hardware_register == second.hardware_register ? 2 : 0;
}

/// The same instruction forwards its result to its third source alone.
int states_to_dot(P first, P second, T) {
  if (first.in->mnemonic != second.in->mnemonic) return 0;
  const auto reads = [&](size_t source) {
    return registers_of(first.in->operands[0], 64).overlaps(registers_of(second.in->operands[source], 64));
  };
  return reads(1) || reads(2) ? 3 : 0;
}

// clang-format off
constexpr Rule kRules[] = {
    {"sgpr-vmem", kCdna, valu_scalars, [](P p) { return when(is_vector_memory(p), p.constants); }, always<5>,
     nullptr, true, "written by a VALU instruction", "read by a vector memory instruction"},
    {"vcc-div-fmas", kCdna, valu_scalars, [](P p) { return when(p.in->mnemonic.starts_with("v_div_fmas"), p.masks); }, always<4>,
     nullptr, true, "written by a VALU instruction", "read by v_div_fmas"},
    {"sgpr-lane-select", kCdna, valu_scalars, selected_lane, always<4>,
     nullptr, true, "written by a VALU instruction", "read as the number of a lane"},
    {"zero-flag", kCdna, [](P p) { return when(p.valu && (writes_vcc(p) || !p.exec_writes.empty()), {kItself}); },
     [](P p) { return when(p.reads_zero_flag, {kItself}); }, always<5>,
     nullptr, false, "VCC or EXEC written by a VALU instruction", "VCCZ or EXECZ read as a source"},
    {"exec-dpp", kCdna, valu_exec, [](P p) { return exec_of(p.dpp); }, always<5>,
     nullptr, false, "written by a VALU instruction", "needed by a DPP instruction"},
    {"vgpr-dpp", kCdna, valu_vectors, moved_lanes, always<2>,
     always<1>, false, "written by a VALU instruction", "read by a DPP instruction"},
    {"setreg-getreg", kCdna, set_register, [](P p) { return when(p.operation == Operation::GetRegister, {kItself}); }, same_register,
     nullptr, false, "set", "read"},
    {"setreg-setreg", kCdna, [](P p) { return when(p.operation == Operation::SetRegister, {kItself}); },
     [](P p) { return when(p.operation == Operation::SetRegister, {kItself}); }, same_register,
     nullptr, false, "set", "set again"},
    {"vskip", kCdna, [](P p) { return when(p.sets_skip, {kItself}); }, [](P p) { return when(p.valu || p.memory, {kItself}); }, always<2>,
     nullptr, false, "MODE.VSKIP set", "a vector instruction issued"},
    {"m0", kCdna, [](P p) { return when(p.salu, p.scalar_writes); }, [](P p) { return when(p.needs_m0, {{isa::reg::kM0, 1}}); }, always<1>,
     nullptr, false, "written by a SALU instruction", "read as an implied operand"},
    // checkVALUHazardsHelper: one on CDNA2, two from CDNA3 on.
    {"store-data", kCdna, [](P p) { return p.store_data; }, [](P p) { return when(p.valu, p.vector_writes); },
     [](P, P, T target) { return target.is(kCdna2) ? 1 : 2; },
     nullptr, false, "still to be read by a store of more than 64 bits", "overwritten by a VALU instruction"},
    {"trans-result", kFromCdna3, [](P p) { return when(p.transcendental, p.vector_writes); },
     [](P p) { return when(p.valu && !p.transcendental, p.vector_sources); }, always<1>,
     nullptr, false, "written by a transcendental instruction", "read by a VALU instruction of another kind"},
    {"moved-result", kFromCdna3, [](P p) { return when(p.valu && p.moves_result, p.vector_writes); },
     [](P p) { return when(p.valu, p.vector_reads); }, always<1>,
     nullptr, false, "written in part, by op_sel or SDWA", "read by a VALU instruction"},
    {"sgpr-constant", kFromCdna3, [](P p) { return both(valu_scalars(p), valu_exec(p)); },
     read_constants, always<2>,
     always<0>, true, "written by a VALU instruction", "read as a constant by another"},
    // checkVALUHazards: v_readfirstlane too.
    {"vgpr-readlane", kFromCdna3, valu_vectors, [](P p) { return when(reads_one_lane(p), p.vector_sources); }, always<1>,
     nullptr, false, "written by a VALU instruction", "read by v_readlane or v_readfirstlane"},
    {"exec-lane", kFromCdna3, valu_exec, [](P p) { return exec_of(is_lane_access(p) || reads_one_lane(p)); }, always<4>,
     nullptr, false, "written by a VALU instruction", "needed by v_readlane, v_readfirstlane or v_writelane"},
    // checkPermlaneHazards
    {"vgpr-permlane", kCdna4, valu_vectors, [](P p) { return when(swaps_lanes(p), p.vector_reads); }, always<2>,
     always<1>, false, "written by a VALU instruction", "read by a lane swap"},
    {"cmpx-permlane", kCdna4, [](P p) { return when(p.compares_to_exec, p.exec_writes); },
     [](P p) { return exec_of(swaps_lanes(p)); }, always<4>,
     nullptr, false, "written by v_cmpx", "needed by a lane swap"},
    {"dot-operand", kCdna, dot_results, [](P p) { return when(p.dot, p.vector_sources); },
     states_to_dot,
     nullptr, false, "written by a dot product", "read as A or B by the same instruction"},
    {"dot-result", kCdna, dot_results,
     [](P p) { return when(p.memory || (p.valu && !p.matrix), both(p.vector_sources, when(p.valu, p.vector_writes))); },
     [](P first, P second, T) { return first.in->mnemonic != second.in->mnemonic ? 3 : 0; },
     nullptr, false, "written by a dot product", "read or overwritten by another instruction"},
    // checkMAIHazards90A
    {"exec-matrix", kCdna, [](P p) { return when(!p.matrix, valu_exec(p)); }, [](P p) { return exec_of(p.matrix); }, always<4>,
     nullptr, false, "written by a VALU instruction", "needed by a matrix instruction"},
    {"vgpr-matrix", kCdna, [](P p) { return when(!p.dot, valu_vectors(p)); },
     [](P p) { return when(p.matrix, p.vector_sources); }, always<2>,
     nullptr, false, "written by a VALU instruction", "read by a matrix instruction"},
    {"matrix-c", kCdna, matrix_d, [](P p) { return when(p.matrix && p.c.count, {p.c}); }, states_to_c,
     nullptr, false, "written by a matrix instruction", "read as C by another"},
    {"matrix-operand", kCdna, matrix_d, [](P p) { return when(p.matrix, p.ab); },
     [](P first, P, T target) { return states_to_ab(first, target); },
     nullptr, false, "written by a matrix instruction", "read as A or B by another"},
    {"matrix-result", kCdna, matrix_d, [](P p) { return when((p.valu || p.memory) && !p.matrix, p.vector_sources); }, states_to_reader,
     practised_to_reader, false, "written by a matrix instruction", "read"},
    {"matrix-overwritten", kCdna, matrix_d, [](P p) { return when(p.valu && !p.matrix, p.vector_writes); },
     [](P first, P, T target) { return states_to_writer(first, target); },
     nullptr, false, "written by a matrix instruction", "overwritten by a VALU instruction"},
    {"matrix-c-overwritten", kCdna, [](P p) { return when(p.matrix && p.c.count, {p.c}); },
     [](P p) { return when(p.valu && !p.matrix, p.vector_writes); },
     [](P first, P, T target) { return states_from_c(first, target); },
     nullptr, false, "still to be read as C by a matrix instruction", "overwritten by a VALU instruction"},
    {"double-matrix-fma", kCdna, doubles, [](P p) { return when(is_fused_double(p), {kItself}); }, always<2>,
     nullptr, false, "a matrix instruction of F64 issued", "v_fma_f64 issued"},
};
// clang-format on

}  // namespace

std::span<const Rule> rules() { return kRules; }

}  // namespace wavesmith::check::hazard
